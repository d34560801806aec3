create index task_run_by_state on task_run (state, ended_at, id)
