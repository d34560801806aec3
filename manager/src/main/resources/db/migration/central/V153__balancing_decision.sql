-- Decisions about weight, carried out or, for a shortage, only recorded. The id is the request's, so
-- that a repeated request finds itself.
create table balancing_decision (
  number bigint not null auto_increment primary key,
  id varchar(36) not null,
  decided_at datetime(6) not null,
  node varchar(200) not null,
  kind varchar(16) not null,
  policy varchar(40) not null,
  reason varchar(2000) not null,
  inputs longtext not null,
  constraint balancing_decision_id unique (id)
) ${tableOptions}
