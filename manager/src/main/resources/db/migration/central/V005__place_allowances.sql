-- Workers that the latest decision of a segment's queue manager wanted and that only lacked a place.
-- They are started as places become free. A row exists only while there are such workers, or such
-- starts that no decision has recorded yet.
create table if not exists place_allowance (
  queue varchar(100) not null,
  node varchar(200) not null,
  -- The attempt of the queue manager that decided: once another one is current, nothing is started.
  job_id bigint not null,
  attempt_number int not null,
  decided_at datetime(6) not null,
  remaining int not null,
  -- Workers started since the decision.
  refilled int not null,
  primary key (queue, node)
) ${tableOptions};
