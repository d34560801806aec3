create index shape_wait_by_shape on shape_wait (shape_id, ended_at)
