-- Every version of every definition; the highest number is in force.
create table definition (
  kind varchar(32) not null,
  name varchar(100) not null,
  version int not null,
  body longtext not null,
  author varchar(200) not null,
  applied_at datetime(6) not null,
  primary key (kind, name, version)
) ${tableOptions}
