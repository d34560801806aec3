-- What is to be told of runs of tasks, of queues and of problems, written with what happened. A table
-- beside notice, whose rows without a job are deleted by servers of the adjacent version.
create table if not exists subject_notice (
  id bigint not null auto_increment primary key,
  -- TASK, QUEUE or PROBLEM, and the name of what it is about.
  about varchar(16) not null,
  subject varchar(250) not null,
  occasion varchar(16) not null,
  -- A run, a planned time, a moment or a problem: the same occasion is told once.
  occurrence bigint not null,
  -- WEBHOOK or COMMAND.
  kind varchar(16) not null,
  -- The address, or JSON of argv.
  target varchar(4000) not null,
  -- JSON of what is told.
  content varchar(8000) not null,
  -- Further occurrences that this notice also stands for.
  added bigint not null,
  -- How a command runs.
  owner varchar(200) not null,
  run_as varchar(100),
  pool varchar(100),
  tries int not null,
  due_at datetime(6) not null,
  failure varchar(1000),
  -- DUE; SENT for those that the same occasion must not write again.
  state varchar(8) not null,
  constraint subject_notice_once unique (about, subject, occasion, occurrence, kind),
  index subject_notice_by_time (state, due_at, id)
) ${tableOptions};

-- The jobs that run the commands of notifications, until they end.
create table if not exists notice_command (
  job_id bigint not null primary key,
  -- SHA-256 of kind and target.
  target_hash varchar(64) not null,
  shown varchar(200) not null,
  told_of varchar(300) not null,
  submitted_at datetime(6) not null,
  index notice_command_by_time (submitted_at)
) ${tableOptions};

-- Commands and addresses of notifications whose last delivery failed.
create table if not exists notice_failure (
  target_hash varchar(64) not null primary key,
  shown varchar(200) not null,
  -- What the last one that failed was about.
  told_of varchar(300) not null,
  failures bigint not null,
  began_at datetime(6) not null,
  failed_at datetime(6) not null,
  reason varchar(1000) not null,
  index notice_failure_by_time (failed_at)
) ${tableOptions};

-- The dead letters of queues that notify of them, as last counted.
create table if not exists dead_letter_count (
  queue varchar(100) not null primary key,
  dead bigint not null
) ${tableOptions};

-- Problems with their true times, those that ended included.
create table if not exists problem (
  id bigint not null auto_increment primary key,
  code varchar(64) not null,
  subject varchar(250) not null,
  -- Code and subject while it lasts; null once it has ended.
  open_key varchar(330),
  message varchar(4000) not null,
  began_at datetime(6) not null,
  seen_at datetime(6) not null,
  ended_at datetime(6),
  -- Whether its begin was sent on.
  sent boolean not null,
  constraint problem_open unique (open_key),
  index problem_by_end (ended_at, id)
) ${tableOptions};

-- Problems that operators have silenced for a time.
create table if not exists problem_silence (
  id bigint not null auto_increment primary key,
  code varchar(64) not null,
  -- Empty for every subject.
  subject varchar(250) not null,
  until_at datetime(6) not null,
  reason varchar(1000) not null,
  set_by varchar(200) not null,
  set_at datetime(6) not null,
  constraint problem_silence_once unique (code, subject)
) ${tableOptions};
