create index balancing_move_by_queue on balancing_move (queue, id)
