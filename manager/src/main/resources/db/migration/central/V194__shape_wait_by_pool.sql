create index shape_wait_by_pool on shape_wait (pool, ended_at)
