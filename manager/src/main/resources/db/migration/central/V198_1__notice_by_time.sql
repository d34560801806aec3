create index notice_by_time on notice (given_up, due_at, id)
