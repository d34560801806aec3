-- What jobs have in common that decides where they may run and whose turn it is: jobs of one shape are
-- placed from one line, so that the cost of a decision depends on the shapes, not on the backlog.
create table job_shape (
  id bigint not null auto_increment primary key,
  -- SHA-256 of all the rest.
  fingerprint varchar(64) not null,
  pool varchar(100) not null,
  share varchar(200) not null,
  priority int not null,
  slots int not null,
  cpu_millis int not null,
  memory_bytes bigint not null,
  resources varchar(2000) not null,
  licences varchar(2000) not null,
  requires_words varchar(2000) not null,
  rank_words varchar(2000) not null,
  constraint job_shape_fingerprint unique (fingerprint)
) ${tableOptions}
