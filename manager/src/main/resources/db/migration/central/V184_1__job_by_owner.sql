create index job_by_owner on job (owner, id)
