create index task_schedule_due on task_schedule (due_at)
