create table if not exists job (
  id bigint not null auto_increment primary key,
  name varchar(200) not null,
  kind varchar(16) not null,
  state varchar(16) not null,
  owner varchar(200) not null,
  priority int not null,
  pool varchar(100) not null,
  slots int not null,
  queue varchar(200),
  segment_node varchar(200),
  near_node varchar(200),
  -- Empty as soon as the job has ended, so that the name is free again.
  single_name varchar(400),
  spec longtext not null,
  restarts boolean not null,
  retry_max int not null,
  retry_first_millis bigint not null,
  retry_longest_millis bigint not null,
  attempt_number int not null,
  node_id varchar(36),
  node_name varchar(200),
  failed_tries int not null,
  lost_tries int not null,
  short_runs int not null,
  outcome varchar(16),
  exit_code int,
  signal_number int,
  reason varchar(1000),
  cancel_reason varchar(1000),
  submitted_at datetime(6) not null,
  not_before datetime(6),
  started_at datetime(6),
  ended_at datetime(6),
  share varchar(200) default '' not null,
  -- What earlier runs of the same are found by: queue:NAME, or owner/name.
  definition varchar(400) default '' not null,
  shape_id bigint default 0 not null,
  cpu_millis int default 0 not null,
  memory_bytes bigint default 0 not null,
  tags varchar(2000) default '[]' not null,
  held boolean default false not null,
  hold_reason varchar(1000),
  -- Dependencies that are not met yet.
  unmet int default 0 not null,
  lane varchar(200),
  deadline datetime(6),
  failover_millis bigint,
  notifies boolean default false not null,
  -- Of an element: its array and index.
  array_id bigint,
  array_index bigint,
  retry_on varchar(200),
  retry_exit_codes varchar(1000),
  retry_final_exit_codes varchar(1000),
  -- Why its next attempt is started.
  next_cause varchar(1000),
  -- Stands for an array: has no attempts of its own, hence no row in job_ready.
  is_array boolean default false not null,
  -- When the current or last attempt got its place, so that a start is timed without the wait for a slot.
  placed_at datetime(6),
  constraint job_single_name unique (single_name),
  index job_by_state (kind, state, id),
  index job_by_queue (queue, kind, state, id),
  index job_by_end (ended_at),
  -- Elements of an array by state; and, where there is no array, what lists show, newest first.
  index job_by_array (array_id, kind, state, id),
  index job_by_owner (owner, id),
  index job_by_node (node_name, id),
  index job_by_lane (lane, id),
  index job_by_name (name, id),
  -- Whether a shape is still somebody's.
  index job_by_shape (shape_id)
) ${tableOptions};

-- Exactly the jobs in state WAITING, apart from the finished ones, so that dispatch doesn't depend on history.
create table if not exists job_ready (
  job_id bigint not null primary key,
  pool varchar(100) not null,
  -- Minus the priority, so that ascending order is dispatch order on every database.
  dispatch_rank int not null,
  ready_at datetime(6) not null,
  slots int not null,
  kind varchar(16) not null,
  queue varchar(200),
  segment_node varchar(200),
  near_node varchar(200),
  shape_id bigint default 0 not null,
  definition varchar(400) default '' not null,
  index job_ready_by_segment (queue, segment_node),
  index job_ready_by_shape (pool, shape_id, ready_at, job_id)
) ${tableOptions};

create table if not exists attempt (
  job_id bigint not null,
  attempt_number int not null,
  node_id varchar(36) not null,
  node_name varchar(200) not null,
  state varchar(16) not null,
  recorded_at datetime(6) not null,
  started_at datetime(6),
  ended_at datetime(6),
  outcome varchar(16),
  exit_code int,
  signal_number int,
  reason varchar(1000),
  stderr_tail varchar(4000),
  events int not null,
  run_millis bigint not null,
  cause varchar(1000),
  cpu_millis bigint,
  memory_bytes bigint,
  read_bytes bigint,
  written_bytes bigint,
  primary key (job_id, attempt_number)
) ${tableOptions};

-- Exactly the attempts that have not ended: what they occupy, and what their node is to be told.
create table if not exists booking (
  job_id bigint not null primary key,
  attempt_number int not null,
  node_id varchar(36) not null,
  slots int not null,
  kind varchar(16) not null,
  queue varchar(200),
  segment_node varchar(200),
  running boolean not null,
  stop_asked boolean not null,
  cpu_millis int default 0 not null,
  memory_bytes bigint default 0 not null,
  -- JSON of names to amounts; empty text for none.
  resources varchar(2000) default '' not null,
  licences varchar(2000) default '' not null,
  share varchar(200) default '' not null,
  definition varchar(400) default '' not null,
  -- Whether its job is always started again, so that its room does not become free by itself.
  lasting boolean default false not null,
  -- Why somebody other than the job's owner wants the attempt to end, such as a drained node.
  stop_reason varchar(1000),
  -- Whether its node was ever offered it; nothing runs of one that was not.
  offered boolean default false not null,
  -- Since when its node says that it does not hold it, though it should.
  missing_at datetime(6),
  index booking_by_node (node_id),
  index booking_by_segment (queue, segment_node),
  index booking_missing (missing_at)
) ${tableOptions};

create table if not exists job_event (
  id bigint not null auto_increment primary key,
  job_id bigint not null,
  happened_at datetime(6) not null,
  state varchar(16) not null,
  attempt_number int not null,
  words varchar(1000) not null,
  index job_event_by_job (job_id, id)
) ${tableOptions};

-- Jobs that are restarted for ever and have got a place: when old attempts of theirs are next looked for.
create table if not exists job_restarting (
  job_id bigint not null primary key,
  trim_at datetime(6) not null,
  index job_restarting_by_time (trim_at, job_id)
) ${tableOptions};

-- Ended jobs that are still kept, by kind and state; of successful workers also by queue, which is empty
-- for all others. Arrays don't count, their elements do.
create table if not exists job_total (
  queue varchar(200) not null,
  kind varchar(16) not null,
  state varchar(16) not null,
  jobs bigint not null,
  primary key (queue, kind, state),
  index job_total_by_size (jobs)
) ${tableOptions};

-- Differences that are not in job_total yet, so that transactions don't wait for one another's sums.
create table if not exists job_total_change (
  id bigint not null auto_increment primary key,
  queue varchar(200) not null,
  kind varchar(16) not null,
  state varchar(16) not null,
  jobs bigint not null
) ${tableOptions};

-- Outlives the worker jobs that it counts.
create table if not exists worker_total (
  queue varchar(200) not null,
  segment_node varchar(200) not null,
  started bigint not null,
  finished bigint not null,
  failed bigint not null,
  -- Exponentially smoothed; 0 while unknown.
  start_latency_seconds double precision not null,
  run_seconds double precision not null,
  primary key (queue, segment_node)
) ${tableOptions};

create table if not exists node (
  id varchar(36) not null primary key,
  name varchar(200) not null,
  kind varchar(16) not null,
  address varchar(1000) not null,
  standing varchar(16) not null,
  heard_at datetime(6) not null,
  lease_until datetime(6) not null,
  report longtext,
  -- Of execution nodes; empty for others.
  slots int not null,
  accepting boolean not null,
  pools varchar(4000) not null,
  attributes varchar(4000) not null,
  -- What operators want of a queue node (ACTIVE, DRAINING, MAINTENANCE), until when, and why; and since
  -- when it counts as lost. Of other nodes only the defaults.
  duty varchar(16) default 'ACTIVE' not null,
  duty_until datetime(6),
  duty_reason varchar(1000),
  lost_at datetime(6),
  -- Of execution nodes: what they have besides slots, how their clock stands, and since when they are
  -- retired.
  cpus double default 0 not null,
  memory_bytes bigint default 0 not null,
  -- JSON of names to amounts.
  resources varchar(2000) default '{}' not null,
  only_asked boolean default false not null,
  version varchar(100),
  -- Its clock minus the database's.
  clock_offset_millis bigint,
  retired_at datetime(6),
  -- The newest of its requests that was taken: the process that sent it, and its place there.
  incarnation bigint default 0 not null,
  request_sequence bigint default 0 not null,
  constraint node_name unique (name)
) ${tableOptions};

-- A row for each execution node. Who books its capacity, or changes what bookings depend on, locks it; a
-- heartbeat, which writes the node's own row, does not wait for that.
create table if not exists node_lock (
  node_id varchar(36) not null primary key
) ${tableOptions};

-- A row for each execution node, with the newest of its requests that orders were given to. Who hands out or
-- takes back attempts locks it; a heartbeat does not wait for that either.
create table if not exists node_orders (
  node_id varchar(36) not null primary key,
  incarnation bigint default 0 not null,
  request_sequence bigint default 0 not null
) ${tableOptions};

-- Every version of every definition; the highest number is in force.
create table if not exists definition (
  kind varchar(32) not null,
  name varchar(100) not null,
  version int not null,
  body longtext not null,
  author varchar(200) not null,
  applied_at datetime(6) not null,
  primary key (kind, name, version)
) ${tableOptions};

-- One row for each queue that has segments; the points always sum to 1000 (H-054).
create table if not exists queue_weight (
  queue varchar(100) not null primary key,
  version bigint not null,
  -- Points by queue node's name, as JSON.
  points longtext not null
) ${tableOptions};

-- A queue's history: counters since ever, and the rates since the sample before.
create table if not exists queue_sample (
  queue varchar(100) not null,
  sampled_at datetime(6) not null,
  waiting bigint not null,
  inserted bigint not null,
  acknowledged bigint not null,
  worker_runs bigint not null,
  workers_running int not null,
  oldest_seconds double precision not null,
  event_rate double precision not null,
  done_rate double precision not null,
  worker_rate double precision not null,
  points longtext not null,
  primary key (queue, sampled_at)
) ${tableOptions};

-- What the queue manager of one segment carries from tick to tick, over its own end.
create table if not exists pacing_state (
  queue varchar(100) not null,
  node varchar(200) not null,
  state longtext not null,
  decided_at datetime(6) not null,
  decisions bigint not null,
  -- The gate and the time of the last row in decision.
  kept_gate varchar(40) not null,
  kept_at datetime(6) not null,
  -- Workers that maxWorkers kept a segment from starting at its last decision, and since when it lacks some
  -- and has got none.
  unmet int default 0 not null,
  unmet_since datetime(6),
  primary key (queue, node),
  index pacing_state_by_time (decided_at)
) ${tableOptions};

-- Pacing decisions worth keeping: those that start workers, those that change the gate, and one a
-- minute besides.
create table if not exists decision (
  id bigint not null auto_increment primary key,
  queue varchar(100) not null,
  node varchar(200) not null,
  decided_at datetime(6) not null,
  job_id bigint not null,
  attempt_number int not null,
  start_count int not null,
  policy varchar(40) not null,
  gate varchar(40) not null,
  reason varchar(2000) not null,
  inputs longtext not null,
  index decision_by_queue (queue, id),
  index decision_by_time (queue, decided_at)
) ${tableOptions};

-- Codes that open the dashboard once. Only their hash is kept.
create table if not exists login_code (
  code_hash varchar(64) not null primary key,
  subject varchar(200) not null,
  role varchar(32) not null,
  expires_at datetime(6) not null
) ${tableOptions};

-- Every version of every weight row, with the reason for it.
create table if not exists weight_history (
  queue varchar(100) not null,
  version bigint not null,
  changed_at datetime(6) not null,
  -- Points by queue node's name, as JSON.
  points longtext not null,
  kind varchar(16) not null,
  reason varchar(2000) not null,
  primary key (queue, version),
  index weight_history_by_time (changed_at)
) ${tableOptions};

-- Decisions about weight, carried out or, for a shortage, only recorded. The id is the request's, so
-- that a repeated request finds itself.
create table if not exists balancing_decision (
  number bigint not null auto_increment primary key,
  id varchar(36) not null,
  decided_at datetime(6) not null,
  node varchar(200) not null,
  kind varchar(16) not null,
  policy varchar(40) not null,
  reason varchar(2000) not null,
  inputs longtext not null,
  constraint balancing_decision_id unique (id)
) ${tableOptions};

-- The moves of a decision. A queue's first points come from nobody.
create table if not exists balancing_move (
  id varchar(36) not null,
  position int not null,
  queue varchar(100) not null,
  version bigint not null,
  giver varchar(200),
  receiver varchar(200) not null,
  points int not null,
  primary key (id, position),
  index balancing_move_by_queue (queue, id)
) ${tableOptions};

-- What operators have paused; a queue that runs has no row.
create table if not exists queue_control (
  queue varchar(100) not null primary key,
  sending_paused boolean not null,
  consuming_paused boolean not null,
  said_by varchar(200) not null,
  said_at datetime(6) not null,
  reason varchar(1000)
) ${tableOptions};

-- What jobs have in common that decides where they may run and whose turn it is: jobs of one shape are
-- placed from one line, so that the cost of a decision depends on the shapes, not on the backlog.
create table if not exists job_shape (
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
  -- When somebody last asked for its id, within an hour.
  used_at datetime(6) not null,
  constraint job_shape_fingerprint unique (fingerprint),
  index job_shape_by_use (used_at, id)
) ${tableOptions};

-- Exactly the conditions that are not met yet: gone when the other job has ended, or this one.
create table if not exists job_dependency (
  job_id bigint not null,
  on_job_id bigint not null,
  -- OK, ANY or FAIL.
  wanted varchar(8) not null,
  primary key (job_id, on_job_id),
  index job_dependency_by_other (on_job_id, job_id)
) ${tableOptions};

-- One row for each serial lane that ever had a job; whoever enters or leaves the lane locks it.
create table if not exists lane (
  name varchar(200) not null primary key,
  last_position bigint not null
) ${tableOptions};

-- Exactly the jobs of lanes that have not ended; the lowest position is the one that may run.
create table if not exists lane_entry (
  job_id bigint not null primary key,
  lane varchar(200) not null,
  position bigint not null,
  constraint lane_entry_position unique (lane, position)
) ${tableOptions};

-- Exactly the deadlines that have not been enforced, of jobs that have not ended.
create table if not exists job_deadline (
  job_id bigint not null primary key,
  deadline datetime(6) not null,
  index job_deadline_by_time (deadline, job_id)
) ${tableOptions};

-- Keys that submissions carried, so that a repeated one finds the job of the first.
create table if not exists idempotency_key (
  owner varchar(200) not null,
  -- SHA-256 of the key.
  key_hash varchar(64) not null,
  -- SHA-256 of what was submitted.
  fingerprint varchar(64) not null,
  job_id bigint not null,
  used_at datetime(6) not null,
  primary key (owner, key_hash),
  index idempotency_key_by_use (used_at)
) ${tableOptions};

-- One row for each array of jobs, whatever its size. Where it is (next_index, skipped, again_…, hungry, fed_at)
-- changes under the lock of its job; what its elements came to (succeeded, failed, cancelled, settled) under this
-- row's own lock, which is taken after those of jobs.
create table if not exists job_array (
  job_id bigint not null primary key,
  pool varchar(100) not null,
  first_index bigint not null,
  last_index bigint not null,
  step_width bigint not null,
  -- Elements that run at the same time; 0 for any number.
  most_at_once int not null,
  -- The first element that has no job yet; beyond last_index when all have.
  next_index bigint not null,
  -- Elements that will never have a job because the array was cancelled.
  skipped bigint not null,
  succeeded bigint not null,
  failed bigint not null,
  cancelled bigint not null,
  -- A retry under way: ended elements with ids above the one, up to the other, are tried again.
  again_after bigint,
  again_up_to bigint,
  again_cancelled boolean not null,
  -- FAILED or CANCELLED when somebody or something ends it early; empty for what its elements come to.
  ends_as varchar(16),
  -- Whether there may be an element to create, to let go on or to try again.
  hungry boolean not null,
  -- Whether the array has ended with all its elements.
  settled boolean not null,
  fed_at datetime(6) not null,
  index job_array_hungry (hungry, pool, fed_at, job_id),
  index job_array_unsettled (settled, job_id)
) ${tableOptions};

-- The tags of jobs, to find them by.
create table if not exists job_tag (
  tag varchar(200) not null,
  job_id bigint not null,
  primary key (tag, job_id),
  index job_tag_by_job (job_id)
) ${tableOptions};

-- How far each share has come in a pool: what its starts cost so far over its weight, and what that was
-- right before its last start, which tells how far the pool has come.
create table if not exists fair_share (
  pool varchar(100) not null,
  share varchar(200) not null,
  pass double not null,
  start_tag double not null,
  -- Slots started since the share was first seen.
  started bigint not null,
  -- When its last job was placed.
  charged_at datetime(6) not null,
  primary key (pool, share),
  index fair_share_by_time (charged_at),
  index fair_share_by_tag (pool, start_tag)
) ${tableOptions};

-- Weights that operators set; every other share weighs 1.
create table if not exists share_weight (
  share varchar(200) not null primary key,
  weight double not null
) ${tableOptions};

create table if not exists licence (
  name varchar(200) not null primary key,
  total int not null
) ${tableOptions};

-- What central managers whisper to one another, never the truth; deleted after a minute.
create table if not exists hint (
  id bigint not null auto_increment primary key,
  sender varchar(300) not null,
  words varchar(8000) not null,
  sent_at datetime(6) not null,
  index hint_by_time (sent_at)
) ${tableOptions};

-- What earlier runs of one definition used, and where it last succeeded.
create table if not exists usage_profile (
  definition varchar(400) not null primary key,
  -- Runs of which the memory is known, and runs long enough to tell the processors.
  memory_runs bigint not null,
  cpu_runs bigint not null,
  cpu_millis double precision not null,
  cpu_most double precision not null,
  memory_bytes double precision not null,
  memory_high double precision not null,
  memory_most bigint not null,
  success_node varchar(36),
  success_at datetime(6),
  -- The last success on any other node than that one.
  other_node varchar(36),
  other_at datetime(6),
  changed_at datetime(6) not null,
  index usage_profile_by_change (changed_at)
) ${tableOptions};

-- Quick failures in a row of one definition on one node; gone with the first success there.
create table if not exists node_closure (
  node_id varchar(36) not null,
  definition varchar(400) not null,
  quick_failures int not null,
  -- How often it was closed since the last success there.
  times int not null,
  closed_until datetime(6),
  reason varchar(1000) not null,
  changed_at datetime(6) not null,
  primary key (node_id, definition),
  index node_closure_by_change (changed_at),
  index node_closure_by_end (closed_until)
) ${tableOptions};

-- Why the waiting jobs of a shape waited: a row for each time during which it was one reason.
create table if not exists shape_wait (
  id bigint not null auto_increment primary key,
  shape_id bigint not null,
  pool varchar(100) not null,
  code varchar(32) not null,
  words varchar(1000) not null,
  began_at datetime(6) not null,
  -- Empty while it lasts.
  ended_at datetime(6),
  index shape_wait_by_shape (shape_id, ended_at),
  index shape_wait_by_pool (pool, ended_at),
  index shape_wait_by_end (ended_at)
) ${tableOptions};

-- One-use tokens with which new machines join; the token itself is known to its holder only.
create table if not exists join_token (
  -- SHA-256 of the token.
  hash varchar(64) not null primary key,
  role varchar(32) not null,
  made_by varchar(200) not null,
  expires_at datetime(6) not null,
  used_at datetime(6),
  used_by varchar(200)
) ${tableOptions};

-- Steps of clocks, as they were noticed: shown for an hour.
create table if not exists clock_step (
  id bigint not null auto_increment primary key,
  -- Whose clock: database, manager NAME, node NAME.
  source varchar(250) not null,
  step_millis bigint not null,
  noticed_at datetime(6) not null
) ${tableOptions};

-- What is to be told of jobs, written with what happened and deleted when it was told; what could not
-- be told stays for a day.
create table if not exists notice (
  id bigint not null auto_increment primary key,
  job_id bigint not null,
  -- FAILED or LATE.
  occasion varchar(16) not null,
  -- WEBHOOK or COMMAND.
  kind varchar(16) not null,
  -- The address, or JSON of argv.
  target varchar(4000) not null,
  tries int not null,
  due_at datetime(6) not null,
  failure varchar(1000),
  -- DUE; TOLD, of LATE ones, while the job waits; FAILED when given up.
  state varchar(8) not null,
  constraint notice_once unique (job_id, occasion, kind),
  index notice_by_time (state, due_at, id),
  index notice_by_occasion (occasion, due_at)
) ${tableOptions};

-- Whether a queue's workers count as broken; a queue whose workers never failed has no row.
create table if not exists breaker (
  queue varchar(100) not null primary key,
  -- Whether another success would change it: then it has to be locked and read.
  watching boolean not null,
  opened boolean not null,
  state longtext not null
) ${tableOptions};

-- What operators set for a while in place of a definition; the last one in time is in force until
-- it ends. Rows stay as the record of who set what.
create table if not exists pacing_override (
  id bigint not null auto_increment primary key,
  queue varchar(100) not null,
  max_workers int,
  wait_target_millis bigint,
  until_at datetime(6) not null,
  said_by varchar(200) not null,
  said_at datetime(6) not null,
  reason varchar(1000),
  ended_by varchar(200),
  ended_at datetime(6),
  index pacing_override_by_queue (queue, id),
  index pacing_override_by_end (until_at)
) ${tableOptions};

-- Events that workers of one segment may still be started for under the queue's rate limit.
create table if not exists pacing_rate (
  queue varchar(100) not null,
  node varchar(200) not null,
  tokens double precision not null,
  filled_at datetime(6) not null,
  primary key (queue, node),
  index pacing_rate_by_time (filled_at)
) ${tableOptions};

-- One row for each task that was ever applied: when it is due next, and what operators say about it.
create table if not exists task_schedule (
  task varchar(100) not null primary key,
  -- The version of the definition that next_at was computed from.
  version int not null,
  -- Intervals are counted from the midnight of that day.
  first_applied datetime(6) not null,
  -- Without jitter; empty when nothing is planned.
  next_at datetime(6),
  -- With jitter: what the launching looks at.
  due_at datetime(6),
  -- The newest planned time that was ever decided upon.
  last_planned datetime(6),
  revision bigint not null,
  paused boolean not null,
  paused_by varchar(200),
  pause_reason varchar(1000),
  paused_until datetime(6),
  -- The shared counter of existing programs (H-020).
  counter bigint not null,
  -- What a worker takes for a chunk, as measured by the last runs (H-023); empty while unknown.
  chunk_seconds double,
  -- The record of the planned times that passed in the pause that lasts; empty before the first.
  pause_record bigint,
  index task_schedule_due (due_at)
) ${tableOptions};

-- Runs of tasks, those that never started included.
create table if not exists task_run (
  id bigint not null auto_increment primary key,
  task varchar(100) not null,
  version int not null,
  cause varchar(16) not null,
  planned_at datetime(6) not null,
  -- The planned time of the schedule's runs, empty for those that somebody wanted: one planned time
  -- is launched or recorded once, whoever tries.
  planned_once datetime(6),
  state varchar(16) not null,
  reason varchar(2000),
  said_by varchar(200),
  started_at datetime(6),
  ended_at datetime(6),
  -- Job of its task manager.
  manager_job bigint,
  -- FAILED or STOPPED, once it is asked to end.
  stop_as varchar(16),
  -- Chunks or workers of it; 0 while unknown.
  total bigint not null,
  -- Whether the chunks are known.
  listed boolean not null,
  -- Position of the next chunk that was never started.
  next_chunk bigint not null,
  done bigint not null,
  -- Of these, workers that found nothing to do.
  idle bigint not null,
  failed bigint not null,
  failed_in_row int not null,
  -- What the workers that are done took together.
  worker_millis bigint not null,
  -- Many missed times share a record: the first of them, and how many they are.
  planned_from datetime(6),
  planned_times bigint default 1 not null,
  constraint task_run_once unique (task, planned_once),
  index task_run_by_task (task, id),
  index task_run_by_task_state (task, state, id),
  index task_run_by_state (state, ended_at, id),
  index task_run_by_end (ended_at, id)
) ${tableOptions};

-- Workers of runs that live or failed, and chunks to be done again; those that succeeded are only
-- counted, so that a million chunks are one cursor.
create table if not exists task_worker (
  id bigint not null auto_increment primary key,
  run_id bigint not null,
  -- LIST, WORK or VERIFY.
  role varchar(8) not null,
  -- PENDING, LIVE, FAILED; DONE for LIST and VERIFY.
  state varchar(8) not null,
  position bigint not null,
  chunk mediumtext,
  job_id bigint,
  -- Of chunks that a program took (LENT): what it shows, since when and until when it has it, how often
  -- it was given out, and what was said of it last.
  token varchar(36),
  lent_at datetime(6),
  lent_until datetime(6),
  tries int default 0 not null,
  said varchar(2000),
  constraint task_worker_job unique (job_id),
  index task_worker_by_run (run_id, state, id)
) ${tableOptions};

-- Chunks that a command printed, until the run is deleted.
create table if not exists task_chunk (
  run_id bigint not null,
  position bigint not null,
  chunk mediumtext not null,
  primary key (run_id, position)
) ${tableOptions};

-- A row is never deleted, so that the terms of a group's members only ever rise.
create table if not exists partition_group (
  name varchar(60) not null primary key,
  revision bigint not null
) ${tableOptions};

-- Who left stays for a while: within the cycle in which it left its share is nobody else's.
create table if not exists partition_member (
  group_name varchar(60) not null,
  name varchar(60) not null,
  term bigint not null,
  ttl_millis bigint not null,
  beats bigint not null,
  joined_at datetime(6) not null,
  heard_at datetime(6) not null,
  left_at datetime(6),
  primary key (group_name, name)
) ${tableOptions};

-- Waits in cycle n while next_cycle <= n; in n it is polled or was, once next_cycle = n + 1. The
-- holder is the term of the life that has it in its hands; 0 when nobody has.
create table if not exists partition_resource (
  group_name varchar(60) not null,
  resource varchar(500) not null,
  owner varchar(60) not null,
  next_cycle bigint not null,
  holder bigint not null,
  primary key (group_name, resource),
  index partition_resource_by_owner (group_name, owner, next_cycle),
  index partition_resource_by_holder (group_name, holder)
) ${tableOptions};

-- Who lived when the group had begin_revision shares the cycle; what the members are to do was last
-- computed at revision. The mark tells the list of resources from others.
create table if not exists partition_cycle (
  group_name varchar(60) not null,
  number bigint not null,
  began_at datetime(6) not null,
  interval_millis bigint not null,
  begin_revision bigint not null,
  revision bigint not null,
  mark bigint not null,
  total bigint not null,
  done bigint not null,
  again bigint not null,
  primary key (group_name, number)
) ${tableOptions};
