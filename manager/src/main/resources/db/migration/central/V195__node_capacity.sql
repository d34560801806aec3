-- Of execution nodes: what they have besides slots, how their clock stands, and since when they are
-- retired.
alter table node add column (
  cpus double default 0 not null,
  memory_bytes bigint default 0 not null,
  -- JSON of names to amounts.
  resources varchar(2000) default '{}' not null,
  only_asked boolean default false not null,
  version varchar(100),
  -- Its clock minus the database's.
  clock_offset_millis bigint,
  retired_at datetime(6)
)
