-- One row for each queue that has segments; the points always sum to 1000 (H-054).
create table queue_weight (
  queue varchar(100) not null primary key,
  version bigint not null,
  -- Points by queue node's name, as JSON.
  points longtext not null
) ${tableOptions}
