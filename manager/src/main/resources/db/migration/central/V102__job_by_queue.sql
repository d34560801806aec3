create index job_by_queue on job (queue, kind, state, id)
