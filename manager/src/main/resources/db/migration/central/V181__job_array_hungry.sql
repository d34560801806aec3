create index job_array_hungry on job_array (hungry, pool, fed_at, job_id)
