-- Runs of tasks, those that never started included.
create table task_run (
  id bigint not null auto_increment primary key,
  task varchar(100) not null,
  version int not null,
  cause varchar(16) not null,
  planned_at datetime(6) not null,
  -- The planned time of the schedule's runs, empty for those that somebody wanted: one planned time
  -- is launched or recorded once, whoever tries.
  planned_once datetime(6),
  state varchar(16) not null,
  reason varchar(2000),
  said_by varchar(200),
  started_at datetime(6),
  ended_at datetime(6),
  -- Job of its task manager.
  manager_job bigint,
  -- FAILED or STOPPED, once it is asked to end.
  stop_as varchar(16),
  -- Chunks or workers of it; 0 while unknown.
  total bigint not null,
  -- Whether the chunks are known.
  listed boolean not null,
  -- Position of the next chunk that was never started.
  next_chunk bigint not null,
  done bigint not null,
  -- Of these, workers that found nothing to do.
  idle bigint not null,
  failed bigint not null,
  failed_in_row int not null,
  -- What the workers that are done took together.
  worker_millis bigint not null,
  constraint task_run_once unique (task, planned_once)
) ${tableOptions}
