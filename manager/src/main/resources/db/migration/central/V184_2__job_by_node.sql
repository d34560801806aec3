create index job_by_node on job (node_name, id)
