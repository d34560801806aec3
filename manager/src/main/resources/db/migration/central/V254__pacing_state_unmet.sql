-- Workers that maxWorkers kept a segment from starting at its last decision, and since when it lacks some
-- and has got none.
alter table pacing_state add column (
  unmet int default 0 not null,
  unmet_since datetime(6)
)
