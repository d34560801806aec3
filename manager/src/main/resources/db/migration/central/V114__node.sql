create table node (
  id varchar(36) not null primary key,
  name varchar(200) not null,
  kind varchar(16) not null,
  address varchar(1000) not null,
  standing varchar(16) not null,
  heard_at datetime(6) not null,
  lease_until datetime(6) not null,
  report longtext,
  -- Of execution nodes; empty for others.
  slots int not null,
  accepting boolean not null,
  pools varchar(4000) not null,
  attributes varchar(4000) not null,
  constraint node_name unique (name)
) ${tableOptions}
