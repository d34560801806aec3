-- The jobs of each run of a task: its manager, its workers, and the commands that list chunks and
-- verify. A table of its own, because a new column is not a statement that every database server can
-- repeat. A row is deleted with its job.
create table if not exists job_run (
  run_id bigint not null,
  job_id bigint not null,
  primary key (run_id, job_id),
  index job_run_by_job (job_id)
) ${tableOptions};
