-- What the queue manager of one segment carries from tick to tick, over its own end.
create table pacing_state (
  queue varchar(100) not null,
  node varchar(200) not null,
  state longtext not null,
  decided_at datetime(6) not null,
  decisions bigint not null,
  -- The gate and the time of the last row in decision.
  kept_gate varchar(40) not null,
  kept_at datetime(6) not null,
  primary key (queue, node)
) ${tableOptions}
