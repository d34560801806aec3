-- What earlier runs of one definition used, and where it last succeeded.
create table usage_profile (
  definition varchar(400) not null primary key,
  -- Runs of which the memory is known, and runs long enough to tell the processors.
  memory_runs bigint not null,
  cpu_runs bigint not null,
  cpu_millis double precision not null,
  cpu_most double precision not null,
  memory_bytes double precision not null,
  memory_high double precision not null,
  memory_most bigint not null,
  success_node varchar(36),
  success_at datetime(6),
  -- The last success on any other node than that one.
  other_node varchar(36),
  other_at datetime(6),
  changed_at datetime(6) not null
) ${tableOptions}
