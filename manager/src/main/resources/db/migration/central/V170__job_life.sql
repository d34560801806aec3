alter table job add column (
  -- Why its next attempt is started.
  next_cause varchar(1000),
  -- Stands for an array: has no attempts of its own, hence no row in job_ready.
  is_array boolean default false not null
)
