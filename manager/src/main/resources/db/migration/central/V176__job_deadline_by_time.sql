create index job_deadline_by_time on job_deadline (deadline, job_id)
