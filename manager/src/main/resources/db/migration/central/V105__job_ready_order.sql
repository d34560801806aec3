create index job_ready_order on job_ready (pool, dispatch_rank, ready_at, job_id)
