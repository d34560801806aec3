create index job_by_lane on job (lane, id)
