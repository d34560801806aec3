-- How far each share has come in a pool: what its starts cost so far over its weight, and what that was
-- right before its last start, which tells how far the pool has come.
create table fair_share (
  pool varchar(100) not null,
  share varchar(200) not null,
  pass double not null,
  start_tag double not null,
  -- Slots started since the share was first seen.
  started bigint not null,
  primary key (pool, share)
) ${tableOptions}
