create index job_dependency_by_other on job_dependency (on_job_id, job_id)
