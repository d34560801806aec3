-- The last submission of a workflow that began or resumed it, so that a repetition gets the same answer.
create table if not exists workflow_submission (
  workflow_id bigint not null primary key,
  -- SHA-256 of what the client sends with each repetition.
  key_hash varchar(64) not null,
  -- CREATED or RESUMED.
  outcome varchar(16) not null
) ${tableOptions};
