-- Keys that submissions carried, so that a repeated one finds the job of the first.
create table idempotency_key (
  owner varchar(200) not null,
  -- SHA-256 of the key.
  key_hash varchar(64) not null,
  -- SHA-256 of what was submitted.
  fingerprint varchar(64) not null,
  job_id bigint not null,
  used_at datetime(6) not null,
  primary key (owner, key_hash)
) ${tableOptions}
