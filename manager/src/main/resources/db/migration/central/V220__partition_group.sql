-- A row is never deleted, so that the terms of a group's members only ever rise.
create table partition_group (
  name varchar(60) not null primary key,
  revision bigint not null
) ${tableOptions}
