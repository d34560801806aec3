create index job_event_by_job on job_event (job_id)
