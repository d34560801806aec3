alter table booking add column (
  cpu_millis int default 0 not null,
  memory_bytes bigint default 0 not null,
  -- JSON of names to amounts; empty text for none.
  resources varchar(2000) default '' not null,
  licences varchar(2000) default '' not null,
  share varchar(200) default '' not null,
  definition varchar(400) default '' not null
)
