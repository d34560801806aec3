alter table job_ready add column (
  shape_id bigint default 0 not null,
  definition varchar(400) default '' not null
)
