-- A queue's history: counters since ever, and the rates since the sample before.
create table queue_sample (
  queue varchar(100) not null,
  sampled_at datetime(6) not null,
  waiting bigint not null,
  inserted bigint not null,
  acknowledged bigint not null,
  worker_runs bigint not null,
  workers_running int not null,
  oldest_seconds double precision not null,
  event_rate double precision not null,
  done_rate double precision not null,
  worker_rate double precision not null,
  points longtext not null,
  primary key (queue, sampled_at)
) ${tableOptions}
