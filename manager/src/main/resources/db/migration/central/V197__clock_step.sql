-- Steps of clocks, as they were noticed: shown for an hour.
create table clock_step (
  id bigint not null auto_increment primary key,
  -- Whose clock: database, manager NAME, node NAME.
  source varchar(250) not null,
  step_millis bigint not null,
  noticed_at datetime(6) not null
) ${tableOptions}
