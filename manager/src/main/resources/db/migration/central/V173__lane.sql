-- One row for each serial lane that ever had a job; whoever enters or leaves the lane locks it.
create table lane (
  name varchar(200) not null primary key,
  last_position bigint not null
) ${tableOptions}
