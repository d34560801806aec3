"""A worker of the queue 'OrderSteps': adds up the items of each order, and completes the order when it is paid."""

from __future__ import annotations

from typing import Any

import millrace


@millrace.session_worker("OrderSteps", cap=1000, snapshot_every=5)
class Order:
    def __init__(self, key: str, snapshot: Any) -> None:
        self.cents = snapshot["cents"] if snapshot else 0

    def event(self, session: millrace.Session, event: millrace.SessionEvent) -> None:
        kind = event.data["kind"]
        if kind == "item":
            self.cents += event.data["cents"]
        elif kind == "paid":
            if event.data["cents"] != self.cents:
                raise ValueError(f"{event.data['cents']} cents were paid of {self.cents}")
            print(f"order {session.key}: {self.cents} cents paid\n", end="", flush=True)
            session.complete()
        elif kind != "opened":
            raise ValueError(f"there is no kind of event '{kind}'")

    def snapshot(self) -> Any:
        return {"cents": self.cents}


if __name__ == "__main__":
    Order.run()
