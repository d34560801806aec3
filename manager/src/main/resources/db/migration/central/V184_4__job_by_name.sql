create index job_by_name on job (name, id)
