-- Workers of runs that live or failed, and chunks to be done again; those that succeeded are only
-- counted, so that a million chunks are one cursor.
create table task_worker (
  id bigint not null auto_increment primary key,
  run_id bigint not null,
  -- LIST, WORK or VERIFY.
  role varchar(8) not null,
  -- PENDING, LIVE, FAILED; DONE for LIST and VERIFY.
  state varchar(8) not null,
  position bigint not null,
  chunk mediumtext,
  job_id bigint,
  constraint task_worker_job unique (job_id)
) ${tableOptions}
