"""Consumes the queue 'orders' until it has been empty for two seconds; bad orders are tried again."""

import millrace


def book(order: dict) -> None:
    if order["amount"] <= 0:
        raise ValueError(f"the amount must be positive, not {order['amount']}")
    print(f"booked {order['amount']} for {order['customer']}", flush=True)


with millrace.Client().queue("orders").consume(max=10, idle=2, worker="consume.py") as events:
    for event in events:
        try:
            with event:  # acknowledged at the end of the block, failed with the text of an exception
                book(event.data)
        except ValueError as e:
            print(f"{event.id} failed at attempt {event.attempt}: {e}", flush=True)
