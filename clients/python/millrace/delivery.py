"""Events in the hands of a consumer, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, List, Mapping, Optional

from millrace.format import Span
from millrace.queuenode import QueueNode

if TYPE_CHECKING:
    from millrace.consumer import Consumer


@dataclass(frozen=True)
class Receipts:
    """What an answer to deliveries did.

    ``done`` counts those that were valid. ``stale`` has the receipts that were not: their leases
    had expired and the events are delivered again, or an earlier try of the same request had
    succeeded. ``dead`` counts events that became dead letters.
    """

    done: int = 0
    stale: List[str] = field(default_factory=list)
    dead: int = 0


class Delivery:
    """An event that is leased; ``attempt`` counts from 1 and rises with each failure of the event.

    As a context manager it is acknowledged at the end; an exception is passed on after the event
    was reported as failed with its text, or returned if it is not an ``Exception`` (Ctrl-C).
    """

    def __init__(self, consumer: Consumer, node: QueueNode, event: Mapping[str, Any], lease: float, now: float) -> None:
        self.id: str = event["id"]
        self.queue: str = event["queue"]
        self.attempt: int = event["attempt"]
        self.attributes: Mapping[str, str] = event.get("attributes") or {}
        self.data: Any = event.get("data")
        self.receipt: str = event["receipt"]
        self.node = node
        self.lease = lease
        self.leased_until = now + lease
        self._consumer = consumer

    def acknowledge(self) -> Receipts:
        """Reports the event as done."""
        return self._consumer.acknowledge([self])

    def fail(self, reason: str = "", delay: Optional[Span] = None) -> Receipts:
        """Reports that the event failed; it is delivered again after ``delay``, or given up."""
        return self._consumer.fail([self], reason, delay)

    def give_back(self, delay: Optional[Span] = None, reason: str = "") -> Receipts:
        """Returns the event for a reason that is not its own; it is delivered again."""
        return self._consumer.give_back([self], delay, reason)

    def extend(self, lease: Span) -> Receipts:
        """Keeps the event for that long from now."""
        return self._consumer.extend([self], lease)

    def __enter__(self) -> Delivery:
        return self

    def __exit__(self, kind: Any, failure: Optional[BaseException], trace: Any) -> None:
        if not self._consumer.holds(self):
            return
        if failure is None:
            self.acknowledge()
        elif isinstance(failure, Exception):
            self.fail(f"{type(failure).__name__}: {failure}")
        else:
            self.give_back(reason=type(failure).__name__)

    def __repr__(self) -> str:
        return f"Delivery({self.queue!r}, {self.id!r}, attempt={self.attempt})"
