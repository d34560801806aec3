-- Why the waiting jobs of a shape waited: a row for each time during which it was one reason.
create table shape_wait (
  id bigint not null auto_increment primary key,
  shape_id bigint not null,
  pool varchar(100) not null,
  code varchar(32) not null,
  words varchar(1000) not null,
  began_at datetime(6) not null,
  -- Empty while it lasts.
  ended_at datetime(6)
) ${tableOptions}
