"""A worker of the queue 'mails' (worker.yaml), started by Millrace with the address and a token of its queue."""

import millrace

with millrace.Consumer.of_worker() as events:
    for event in events:
        with event:
            print(f"mail to {event.data['to']}", flush=True)
