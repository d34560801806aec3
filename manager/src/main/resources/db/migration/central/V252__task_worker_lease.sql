-- Of chunks that a program took (LENT): what it shows, since when and until when it has it, how often
-- it was given out, and what was said of it last.
alter table task_worker add column (
  token varchar(36),
  lent_at datetime(6),
  lent_until datetime(6),
  tries int default 0 not null,
  said varchar(2000)
)
