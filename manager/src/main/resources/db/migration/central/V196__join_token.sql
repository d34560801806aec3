-- One-use tokens with which new machines join; the token itself is known to its holder only.
create table join_token (
  -- SHA-256 of the token.
  hash varchar(64) not null primary key,
  role varchar(32) not null,
  made_by varchar(200) not null,
  expires_at datetime(6) not null,
  used_at datetime(6),
  used_by varchar(200)
) ${tableOptions}
