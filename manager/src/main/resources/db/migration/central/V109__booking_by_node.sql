create index booking_by_node on booking (node_id)
