-- What the templates of a workflow wait for, summed up from the needs of their steps when its graph was checked.
create table if not exists workflow_edge (
  workflow_id bigint not null,
  from_template int not null,
  to_template int not null,
  kind varchar(16) not null,
  -- Steps that wait; of steps that name what they need, how many needs.
  steps int not null,
  primary key (workflow_id, from_template, to_template, kind)
) ${tableOptions};
