-- One row for each task that was ever applied: when it is due next, and what operators say about it.
create table task_schedule (
  task varchar(100) not null primary key,
  -- The version of the definition that next_at was computed from.
  version int not null,
  -- Intervals are counted from the midnight of that day.
  first_applied datetime(6) not null,
  -- Without jitter; empty when nothing is planned.
  next_at datetime(6),
  -- With jitter: what the launching looks at.
  due_at datetime(6),
  -- The newest planned time that was ever decided upon.
  last_planned datetime(6),
  revision bigint not null,
  paused boolean not null,
  paused_by varchar(200),
  pause_reason varchar(1000),
  paused_until datetime(6),
  -- The shared counter of existing programs (H-020).
  counter bigint not null,
  -- What a worker takes for a chunk, as measured by the last runs (H-023); empty while unknown.
  chunk_seconds double
) ${tableOptions}
