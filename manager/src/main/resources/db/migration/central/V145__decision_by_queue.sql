create index decision_by_queue on decision (queue, id)
