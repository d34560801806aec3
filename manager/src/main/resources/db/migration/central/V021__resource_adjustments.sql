-- Requests for resources of jobs that were adjusted after an attempt had exceeded them: a row for each request,
-- the original first. A row is deleted with its job.
create table if not exists resource_adjustment (
  job_id bigint not null,
  -- The first attempt with this request.
  attempt_number int not null,
  -- Of an element: its array.
  array_id bigint,
  recorded_at datetime(6) not null,
  kind varchar(16) not null,
  pool varchar(100) not null,
  -- Empty if the job states none.
  memory_bytes bigint,
  timeout_millis bigint,
  reason varchar(1000),
  primary key (job_id, attempt_number),
  index resource_adjustment_by_array (array_id, job_id)
) ${tableOptions};

-- The longest run of the elements in ended_elements.
create table if not exists array_run_time (
  array_id bigint not null primary key,
  run_millis_max bigint not null
) ${tableOptions};
