-- While there is a row, execution nodes that register for the first time are drained for this reason:
-- nothing may start in a database that was restored to be looked at. Deleted when an operator lets a
-- node take jobs.
create table if not exists new_node_drain (
  reason varchar(200) not null primary key,
  since datetime(6) not null
) ${tableOptions};
