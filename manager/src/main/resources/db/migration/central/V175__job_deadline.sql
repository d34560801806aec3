-- Exactly the deadlines that have not been enforced, of jobs that have not ended.
create table job_deadline (
  job_id bigint not null primary key,
  deadline datetime(6) not null
) ${tableOptions}
