-- Chunks that a command printed, until the run is deleted.
create table task_chunk (
  run_id bigint not null,
  position bigint not null,
  chunk mediumtext not null,
  primary key (run_id, position)
) ${tableOptions}
