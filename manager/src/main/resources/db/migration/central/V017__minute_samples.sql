-- Samples of nodes. Figures are JSON: [mean, largest] by name.
create table if not exists node_sample (
  kind varchar(20) not null,
  node varchar(200) not null,
  sampled_at datetime(6) not null,
  figures longtext not null,
  primary key (kind, node, sampled_at)
) ${tableOptions};

-- What the samples of queues (queue_sample) and nodes of one minute add up to. A minute without samples
-- has no row.
create table if not exists minute_sample (
  kind varchar(20) not null,
  subject varchar(200) not null,
  -- The beginning of the minute.
  minute_at datetime(6) not null,
  -- How much of the minute the samples cover.
  seconds double precision not null,
  figures longtext not null,
  -- Points by queue node at the end of the minute, as JSON; {} for nodes.
  points longtext not null,
  primary key (kind, subject, minute_at)
) ${tableOptions};
