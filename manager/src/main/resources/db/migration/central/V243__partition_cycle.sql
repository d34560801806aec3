-- Who lived when the group had begin_revision shares the cycle; what the members are to do was last
-- computed at revision. The mark tells the list of resources from others.
create table partition_cycle (
  group_name varchar(60) not null,
  number bigint not null,
  began_at datetime(6) not null,
  interval_millis bigint not null,
  begin_revision bigint not null,
  revision bigint not null,
  mark bigint not null,
  total bigint not null,
  done bigint not null,
  again bigint not null,
  primary key (group_name, number)
) ${tableOptions}
