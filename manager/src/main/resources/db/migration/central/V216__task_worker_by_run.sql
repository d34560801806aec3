create index task_worker_by_run on task_worker (run_id, state, id)
