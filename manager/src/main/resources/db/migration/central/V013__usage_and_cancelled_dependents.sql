-- Jobs that were cancelled because of how a job ended that they waited for, so that they can be run
-- again with it. A row is deleted when its job is retried, and with its job.
create table if not exists cancelled_dependent (
  on_job_id bigint not null,
  job_id bigint not null,
  primary key (on_job_id, job_id),
  index cancelled_dependent_by_job (job_id)
) ${tableOptions};

-- What the attempts that ended on one day (UTC) used, by the owner of their jobs and, of workers, their
-- queue, which is empty for other jobs.
create table if not exists usage_day (
  epoch_day int not null,
  owner varchar(200) not null,
  queue varchar(200) not null,
  runs bigint not null,
  failures bigint not null,
  run_millis bigint not null,
  slot_millis bigint not null,
  cpu_millis bigint not null,
  -- The most memory that each attempt used, for the time that it ran.
  memory_mib_seconds double precision not null,
  primary key (epoch_day, owner, queue)
) ${tableOptions};

-- What is not in usage_day yet, so that transactions don't wait for one another's sums.
create table if not exists usage_change (
  id bigint not null auto_increment primary key,
  epoch_day int not null,
  owner varchar(200) not null,
  queue varchar(200) not null,
  runs bigint not null,
  failures bigint not null,
  run_millis bigint not null,
  slot_millis bigint not null,
  cpu_millis bigint not null,
  memory_mib_seconds double precision not null
) ${tableOptions};

-- What somebody who started a run added to the definition: JSON of variables and arguments. A row is
-- deleted with its run.
create table if not exists run_parameter (
  run_id bigint not null primary key,
  body mediumtext not null
) ${tableOptions};
