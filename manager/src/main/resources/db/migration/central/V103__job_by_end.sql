create index job_by_end on job (ended_at)
