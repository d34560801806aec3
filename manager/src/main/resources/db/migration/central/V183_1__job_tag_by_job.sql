create index job_tag_by_job on job_tag (job_id)
