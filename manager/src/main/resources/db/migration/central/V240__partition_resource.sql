-- Waits in cycle n while next_cycle <= n; in n it is polled or was, once next_cycle = n + 1. The
-- holder is the term of the life that has it in its hands; 0 when nobody has.
create table partition_resource (
  group_name varchar(60) not null,
  resource varchar(500) not null,
  owner varchar(60) not null,
  next_cycle bigint not null,
  holder bigint not null,
  primary key (group_name, resource)
) ${tableOptions}
