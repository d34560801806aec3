-- What operators want of a queue node (ACTIVE, DRAINING, MAINTENANCE), until when, and why; and since
-- when it counts as lost. Of other nodes only the defaults.
alter table node add column (
  duty varchar(16) default 'ACTIVE' not null,
  duty_until datetime(6),
  duty_reason varchar(1000),
  lost_at datetime(6)
)
