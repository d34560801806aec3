create index task_run_by_task on task_run (task, id)
