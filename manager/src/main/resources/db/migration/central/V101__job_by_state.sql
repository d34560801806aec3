create index job_by_state on job (kind, state, id)
