-- Whether a queue's workers count as broken; a queue whose workers never failed has no row.
create table breaker (
  queue varchar(100) not null primary key,
  -- Whether another success would change it: then it has to be locked and read.
  watching boolean not null,
  opened boolean not null,
  state longtext not null
) ${tableOptions}
