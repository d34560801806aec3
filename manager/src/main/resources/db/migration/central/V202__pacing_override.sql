-- What operators set for a while in place of a definition; the last one in time is in force until
-- it ends. Rows stay as the record of who set what.
create table pacing_override (
  id bigint not null auto_increment primary key,
  queue varchar(100) not null,
  max_workers int,
  wait_target_millis bigint,
  until_at datetime(6) not null,
  said_by varchar(200) not null,
  said_at datetime(6) not null,
  reason varchar(1000),
  ended_by varchar(200),
  ended_at datetime(6)
) ${tableOptions}
