-- What the program of a job has reported last. A table of its own, so that frequent reports do not
-- lock the rows of jobs. A row is deleted with its job; of an element of an array at its end.
create table if not exists program_progress (
  job_id bigint not null primary key,
  attempt_number int not null,
  array_id bigint,
  percent double,
  done_units bigint,
  total_units bigint,
  message varchar(200),
  reported_at datetime(6) not null,
  -- The first report of the attempt with a percentage, from which the rate follows.
  first_percent double,
  first_at datetime(6),
  index program_progress_by_array (array_id)
) ${tableOptions};
