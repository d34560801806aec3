create index job_array_unsettled on job_array (settled, job_id)
