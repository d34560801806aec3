create index decision_by_time on decision (queue, decided_at)
