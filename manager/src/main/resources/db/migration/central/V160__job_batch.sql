alter table job add column (
  share varchar(200) default '' not null,
  -- What earlier runs of the same are found by: queue:NAME, or owner/name.
  definition varchar(400) default '' not null,
  shape_id bigint default 0 not null,
  cpu_millis int default 0 not null,
  memory_bytes bigint default 0 not null,
  tags varchar(2000) default '[]' not null,
  held boolean default false not null,
  hold_reason varchar(1000),
  -- Dependencies that are not met yet.
  unmet int default 0 not null,
  lane varchar(200),
  deadline datetime(6),
  failover_millis bigint,
  notifies boolean default false not null,
  -- Of an element: its array and index.
  array_id bigint,
  array_index bigint,
  retry_on varchar(200),
  retry_exit_codes varchar(1000),
  retry_final_exit_codes varchar(1000)
)
