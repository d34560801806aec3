-- Each restoration of this database from a backup. Jobs of the backup have numbers up to last_job; their
-- next attempts are above the floor, so that nothing of the time between the backup and the restoration is
-- taken for current. Until hold_until single instances and jobs of lanes wait, because processes of that
-- time may still be ending on nodes.
create table if not exists restoration (
  id bigint not null auto_increment primary key,
  backup_id varchar(36) not null,
  taken_at datetime(6) not null,
  restored_at datetime(6) not null,
  last_job bigint not null,
  attempt_floor int not null,
  hold_until datetime(6) not null
) ${tableOptions};
