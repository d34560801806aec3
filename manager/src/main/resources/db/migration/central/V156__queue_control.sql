-- What operators have paused; a queue that runs has no row.
create table queue_control (
  queue varchar(100) not null primary key,
  sending_paused boolean not null,
  consuming_paused boolean not null,
  said_by varchar(200) not null,
  said_at datetime(6) not null,
  reason varchar(1000)
) ${tableOptions}
