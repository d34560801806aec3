-- Exactly the jobs in state WAITING, apart from the finished ones, so that dispatch doesn't depend on history.
create table job_ready (
  job_id bigint not null primary key,
  pool varchar(100) not null,
  -- Minus the priority, so that ascending order is dispatch order on every database.
  dispatch_rank int not null,
  ready_at datetime(6) not null,
  slots int not null,
  kind varchar(16) not null,
  queue varchar(200),
  segment_node varchar(200),
  near_node varchar(200)
) ${tableOptions}
