alter table attempt add column (
  cause varchar(1000),
  cpu_millis bigint,
  memory_bytes bigint,
  read_bytes bigint,
  written_bytes bigint
)
