create table if not exists workflow (
  id bigint not null auto_increment primary key,
  owner varchar(200) not null,
  name varchar(60) not null,
  run_key varchar(200) not null,
  -- Owner and hash of the graph, so that it exists once; empty for one that was refused.
  identity varchar(300),
  state varchar(16) not null,
  reason varchar(1000),
  paused boolean not null,
  revision int not null,
  -- Rises with each resumption and reset.
  epoch int not null,
  -- Steps made by lists, which have the lowest numbers; listed ones follow.
  fixed_steps int not null,
  listed_steps int not null,
  bound_steps int not null,
  released int not null,
  succeeded int not null,
  failed int not null,
  cancelled int not null,
  max_running int,
  ends_at datetime(6),
  submitted_at datetime(6) not null,
  started_at datetime(6),
  ended_at datetime(6),
  constraint workflow_identity unique (identity),
  index workflow_by_state (state, id),
  index workflow_by_name (name, id),
  index workflow_by_end (ended_at)
) ${tableOptions};

create table if not exists workflow_revision (
  workflow_id bigint not null,
  revision int not null,
  author varchar(200) not null,
  created_at datetime(6) not null,
  spec longtext not null,
  primary key (workflow_id, revision)
) ${tableOptions};

create table if not exists workflow_template (
  workflow_id bigint not null,
  template int not null,
  name varchar(60) not null,
  listed boolean not null,
  -- Of listed ones, the numbers between which they are.
  first_step int not null,
  last_step int not null,
  steps int not null,
  -- Templates all of whose steps must succeed first and have not yet.
  gate int not null,
  released int not null,
  succeeded int not null,
  failed int not null,
  cancelled int not null,
  max_running int,
  -- The array whose elements its steps become; empty until the first is released.
  array_id bigint,
  primary key (workflow_id, template)
) ${tableOptions};

-- Listed steps as they were submitted, some in a row.
create table if not exists workflow_step (
  workflow_id bigint not null,
  -- Counted among the listed steps, from 0.
  first_listed int not null,
  steps int not null,
  content mediumblob not null,
  primary key (workflow_id, first_listed)
) ${tableOptions};

-- State, template and unmet needs of 128 steps; a block that is missing is as its lists make it.
create table if not exists workflow_state (
  workflow_id bigint not null,
  block int not null,
  steps varbinary(1000) not null,
  primary key (workflow_id, block)
) ${tableOptions};

-- The listed steps that wait for those of a block, or (below 0) for a whole template.
create table if not exists workflow_successor (
  workflow_id bigint not null,
  node int not null,
  part int not null,
  content mediumblob not null,
  primary key (workflow_id, node, part)
) ${tableOptions};

-- How many steps with equal arguments have not succeeded, for 128 combinations of arguments.
create table if not exists workflow_join (
  workflow_id bigint not null,
  relation int not null,
  block int not null,
  counters varbinary(1000) not null,
  primary key (workflow_id, relation, block)
) ${tableOptions};

-- Which steps of a workflow are elements of which array.
create table if not exists workflow_array (
  array_id bigint not null primary key,
  workflow_id bigint not null,
  template int not null,
  epoch int not null,
  index workflow_array_by_workflow (workflow_id)
) ${tableOptions};

-- Released steps that have no job yet, in the order of their release.
create table if not exists released_step (
  id bigint not null auto_increment primary key,
  array_id bigint not null,
  steps int not null,
  numbers varbinary(16000) not null,
  index released_step_by_array (array_id, id)
) ${tableOptions};

-- Ends of steps whose consequences have not been carried out.
create table if not exists step_end (
  id bigint not null auto_increment primary key,
  workflow_id bigint not null,
  array_id bigint not null,
  state varchar(16) not null,
  numbers varbinary(16000) not null,
  index step_end_by_workflow (workflow_id, id)
) ${tableOptions};

-- Values that steps gave to those that need them: JSON of names to values.
create table if not exists step_output (
  workflow_id bigint not null,
  step int not null,
  content longtext not null,
  primary key (workflow_id, step)
) ${tableOptions};

-- Steps that a condition releases, as far as that has not been carried out.
create table if not exists workflow_opening (
  id bigint not null auto_increment primary key,
  workflow_id bigint not null,
  kind varchar(16) not null,
  target int not null,
  combination int not null,
  progress int not null,
  index workflow_opening_by_workflow (workflow_id, id)
) ${tableOptions};
