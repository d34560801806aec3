-- Every version of every weight row, with the reason for it.
create table weight_history (
  queue varchar(100) not null,
  version bigint not null,
  changed_at datetime(6) not null,
  -- Points by queue node's name, as JSON.
  points longtext not null,
  kind varchar(16) not null,
  reason varchar(2000) not null,
  primary key (queue, version)
) ${tableOptions}
