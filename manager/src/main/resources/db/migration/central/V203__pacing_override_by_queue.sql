create index pacing_override_by_queue on pacing_override (queue, id)
