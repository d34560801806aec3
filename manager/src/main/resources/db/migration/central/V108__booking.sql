-- Exactly the attempts that have not ended: what they occupy, and what their node is to be told.
create table booking (
  job_id bigint not null primary key,
  attempt_number int not null,
  node_id varchar(36) not null,
  slots int not null,
  kind varchar(16) not null,
  queue varchar(200),
  segment_node varchar(200),
  running boolean not null,
  stop_asked boolean not null
) ${tableOptions}
