-- Pacing decisions worth keeping: those that start workers, those that change the gate, and one a
-- minute besides.
create table decision (
  id bigint not null auto_increment primary key,
  queue varchar(100) not null,
  node varchar(200) not null,
  decided_at datetime(6) not null,
  job_id bigint not null,
  attempt_number int not null,
  start_count int not null,
  policy varchar(40) not null,
  gate varchar(40) not null,
  reason varchar(2000) not null,
  inputs longtext not null
) ${tableOptions}
