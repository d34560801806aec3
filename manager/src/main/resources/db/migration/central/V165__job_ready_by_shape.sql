create index job_ready_by_shape on job_ready (pool, shape_id, ready_at, job_id)
