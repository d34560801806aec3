-- Exactly the conditions that are not met yet: gone when the other job has ended, or this one.
create table job_dependency (
  job_id bigint not null,
  on_job_id bigint not null,
  -- OK, ANY or FAIL.
  wanted varchar(8) not null,
  primary key (job_id, on_job_id)
) ${tableOptions}
