-- What is to be told of jobs, written with what happened and deleted when it was told; what could not
-- be told stays for a day.
create table notice (
  id bigint not null auto_increment primary key,
  job_id bigint not null,
  -- FAILED or LATE.
  occasion varchar(16) not null,
  -- WEBHOOK or COMMAND.
  kind varchar(16) not null,
  -- The address, or JSON of argv.
  target varchar(4000) not null,
  tries int not null,
  due_at datetime(6) not null,
  failure varchar(1000),
  given_up boolean not null,
  constraint notice_once unique (job_id, occasion, kind)
) ${tableOptions}
