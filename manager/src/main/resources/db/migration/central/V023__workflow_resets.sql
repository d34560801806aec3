-- A reset or resumption that has not been carried out completely; one of each workflow at most.
create table if not exists workflow_reset (
  workflow_id bigint not null primary key,
  -- RETRY of what failed, or STEPS that somebody named.
  kind varchar(16) not null,
  -- Whether what runs of it is being ended first.
  ending boolean not null,
  -- The definition that it is to run on with.
  revision int not null,
  actor varchar(200) not null
) ${tableOptions};

-- The steps that a reset has still to set back.
create table if not exists workflow_reset_part (
  id bigint not null auto_increment primary key,
  workflow_id bigint not null,
  steps int not null,
  numbers varbinary(16000) not null,
  index workflow_reset_part_by_workflow (workflow_id, id)
) ${tableOptions};

-- What operators did to a workflow; with the steps that they named.
create table if not exists workflow_event (
  id bigint not null auto_increment primary key,
  workflow_id bigint not null,
  happened_at datetime(6) not null,
  actor varchar(200) not null,
  words varchar(1000) not null,
  numbers varbinary(16000),
  index workflow_event_by_workflow (workflow_id, id)
) ${tableOptions};

-- Ended workflows that lists do not show.
create table if not exists workflow_archive (
  workflow_id bigint not null primary key,
  archived_at datetime(6) not null,
  actor varchar(200) not null
) ${tableOptions};
