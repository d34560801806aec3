-- One row for each array of jobs, whatever its size. Where it is (next_index, skipped, again_…, hungry, fed_at)
-- changes under the lock of its job; what its elements came to (succeeded, failed, cancelled, settled) under this
-- row's own lock, which is taken after those of jobs.
create table job_array (
  job_id bigint not null primary key,
  pool varchar(100) not null,
  first_index bigint not null,
  last_index bigint not null,
  step_width bigint not null,
  -- Elements that run at the same time; 0 for any number.
  most_at_once int not null,
  -- The first element that has no job yet; beyond last_index when all have.
  next_index bigint not null,
  -- Elements that will never have a job because the array was cancelled.
  skipped bigint not null,
  succeeded bigint not null,
  failed bigint not null,
  cancelled bigint not null,
  -- A retry under way: ended elements with ids above the one, up to the other, are tried again.
  again_after bigint,
  again_up_to bigint,
  again_cancelled boolean not null,
  -- FAILED or CANCELLED when somebody or something ends it early; empty for what its elements come to.
  ends_as varchar(16),
  -- Whether there may be an element to create, to let go on or to try again.
  hungry boolean not null,
  -- Whether the array has ended with all its elements.
  settled boolean not null,
  fed_at datetime(6) not null
) ${tableOptions}
