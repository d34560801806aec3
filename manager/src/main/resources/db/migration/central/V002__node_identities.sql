-- The identity of each node that has joined: nobody else can act under its name.
create table if not exists node_identity (
  id varchar(36) not null primary key,
  -- Null once the identity is withdrawn, so that another node can get the name.
  name varchar(60) unique,
  former_name varchar(60) not null,
  role varchar(32) not null,
  made_by varchar(200) not null,
  joined_at datetime(6) not null,
  withdrawn_at datetime(6),
  withdrawn_by varchar(200)
) ${tableOptions};
