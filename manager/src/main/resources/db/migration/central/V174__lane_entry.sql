-- Exactly the jobs of lanes that have not ended; the lowest position is the one that may run.
create table lane_entry (
  job_id bigint not null primary key,
  lane varchar(200) not null,
  position bigint not null,
  constraint lane_entry_position unique (lane, position)
) ${tableOptions}
