-- Who left stays for a while: within the cycle in which it left its share is nobody else's.
create table partition_member (
  group_name varchar(60) not null,
  name varchar(60) not null,
  term bigint not null,
  ttl_millis bigint not null,
  beats bigint not null,
  joined_at datetime(6) not null,
  heard_at datetime(6) not null,
  left_at datetime(6),
  primary key (group_name, name)
) ${tableOptions}
