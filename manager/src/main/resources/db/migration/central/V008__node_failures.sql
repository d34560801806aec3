-- Elements, chunks and events that failed quickly on a node since the last success of their definition
-- there, and what became of them elsewhere: the evidence on which a node is closed to a definition.
create table if not exists node_failure (
  node_id varchar(36) not null,
  definition varchar(400) not null,
  item varchar(200) not null,
  failed_at datetime(6) not null,
  reason varchar(1000) not null,
  -- The node on which the same item succeeded later; null for none.
  succeeded_on varchar(200),
  -- Successes of the definition on other nodes since, counted up to a bound.
  elsewhere int not null,
  primary key (node_id, definition, item),
  index node_failure_by_definition (definition, failed_at),
  index node_failure_by_time (failed_at)
) ${tableOptions};
