-- Quick failures in a row of one definition on one node; gone with the first success there.
create table node_closure (
  node_id varchar(36) not null,
  definition varchar(400) not null,
  quick_failures int not null,
  -- How often it was closed since the last success there.
  times int not null,
  closed_until datetime(6),
  reason varchar(1000) not null,
  changed_at datetime(6) not null,
  primary key (node_id, definition)
) ${tableOptions}
