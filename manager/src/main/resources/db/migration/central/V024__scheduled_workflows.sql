-- The workflow that a run of a task submitted. Written in the transaction that begins its submission.
create table if not exists task_run_workflow (
  run_id bigint not null primary key,
  workflow_id bigint not null
) ${tableOptions};

-- Templates of workflows whose steps fail, or have failed lately.
create table if not exists workflow_breaker (
  workflow_id bigint not null,
  template int not null,
  -- The array whose elements are counted; another one begins anew.
  array_id bigint not null,
  -- CLOSED, OPEN or PROBING.
  state varchar(16) not null,
  reason varchar(1000),
  since_at datetime(6) not null,
  -- How many steps had succeeded and how many elements failed when it was looked at last.
  succeeded_seen int not null,
  failed_seen int not null,
  -- Successes and failures of the last looks, the oldest first.
  recent varchar(1000) not null,
  primary key (workflow_id, template),
  index workflow_breaker_by_state (state, workflow_id)
) ${tableOptions};
