create table job_event (
  id bigint not null auto_increment primary key,
  job_id bigint not null,
  happened_at datetime(6) not null,
  state varchar(16) not null,
  attempt_number int not null,
  words varchar(1000) not null
) ${tableOptions}
