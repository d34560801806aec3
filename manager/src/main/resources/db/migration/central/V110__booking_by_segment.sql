create index booking_by_segment on booking (queue, segment_node)
