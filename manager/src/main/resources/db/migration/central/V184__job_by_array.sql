-- Elements of an array by state; and, where there is no array, what lists show, newest first.
create index job_by_array on job (array_id, kind, state, id)
