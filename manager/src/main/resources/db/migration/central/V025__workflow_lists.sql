-- Lists that steps give to templates: one row for each template that takes one.
create table if not exists workflow_list (
  workflow_id bigint not null,
  template int not null,
  -- The template whose only step gives it, and the name of the value.
  giver int not null,
  name varchar(60) not null,
  max_values int not null,
  -- Numbers of steps that do not exist; until the list is known, all of the template.
  absent int not null,
  -- JSON of the values; empty until the list is known.
  content longtext,
  -- Why what the step gave is not such a list.
  problem varchar(1000),
  primary key (workflow_id, template)
) ${tableOptions};
