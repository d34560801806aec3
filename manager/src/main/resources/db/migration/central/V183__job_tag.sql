-- The tags of jobs, to find them by.
create table job_tag (
  tag varchar(200) not null,
  job_id bigint not null,
  primary key (tag, job_id)
) ${tableOptions}
