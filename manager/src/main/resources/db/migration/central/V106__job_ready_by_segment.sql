create index job_ready_by_segment on job_ready (queue, segment_node)
