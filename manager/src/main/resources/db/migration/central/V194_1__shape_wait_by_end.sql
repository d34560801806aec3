create index shape_wait_by_end on shape_wait (ended_at)
