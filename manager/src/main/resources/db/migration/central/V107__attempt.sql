create table attempt (
  job_id bigint not null,
  attempt_number int not null,
  node_id varchar(36) not null,
  node_name varchar(200) not null,
  state varchar(16) not null,
  recorded_at datetime(6) not null,
  started_at datetime(6),
  ended_at datetime(6),
  outcome varchar(16),
  exit_code int,
  signal_number int,
  reason varchar(1000),
  stderr_tail varchar(4000),
  events int not null,
  run_millis bigint not null,
  primary key (job_id, attempt_number)
) ${tableOptions}
