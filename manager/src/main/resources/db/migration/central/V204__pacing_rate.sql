-- Events that workers of one segment may still be started for under the queue's rate limit.
create table pacing_rate (
  queue varchar(100) not null,
  node varchar(200) not null,
  tokens double precision not null,
  filled_at datetime(6) not null,
  primary key (queue, node)
) ${tableOptions}
