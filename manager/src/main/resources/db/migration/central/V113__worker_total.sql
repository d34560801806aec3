-- Outlives the worker jobs that it counts.
create table worker_total (
  queue varchar(200) not null,
  segment_node varchar(200) not null,
  started bigint not null,
  finished bigint not null,
  failed bigint not null,
  -- Exponentially smoothed; 0 while unknown.
  start_latency_seconds double precision not null,
  run_seconds double precision not null,
  primary key (queue, segment_node)
) ${tableOptions}
