"""Queues: sending events through the load balancers, and consuming them."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional

from millrace.connection import Connection, path
from millrace.consumer import Consumer
from millrace.format import Span, record, span
from millrace.queuenode import QueueNodes
from millrace.transport import Call

_ENVELOPES = "application/vnd.millrace.events+x-ndjson"


@dataclass(frozen=True)
class EventDraft:
    """An event with more than its data.

    ``id``, at most 200 characters, is derived from the batch if it is None. ``attributes`` are
    short texts. ``delay`` is the time until the first delivery. ``priority`` is 0 to 9, higher
    ones first.
    """

    data: Any
    id: Optional[str] = None
    attributes: Optional[Mapping[str, str]] = None
    delay: Optional[Span] = None
    priority: Optional[int] = None


@dataclass(frozen=True)
class Sent:
    """A batch that is stored; ``repeated`` says that an earlier request of its name had stored it.

    Events without an id of their own have the ids ``BATCH-0``, ``BATCH-1`` and so on. ``node`` is
    the queue node that holds it, or ``several``.
    """

    queue: str = ""
    batch: str = ""
    accepted: int = 0
    repeated: bool = False
    node: str = ""


class Queue:
    """One queue of a cluster. Methods block and raise MillraceError. Thread-safe."""

    def __init__(self, name: str, central: Connection, balancers: Callable[[], Connection]) -> None:
        self.name = name
        self._central = central
        self._balancers = balancers

    def send(
        self,
        *events: Any,
        batch: Optional[str] = None,
        delay: Optional[Span] = None,
        priority: Optional[int] = None,
    ) -> Sent:
        """Sends events, each given as its data (any JSON value) or as an EventDraft.

        They are stored once however often the request is repeated. ``batch``, 1 to 100 printable
        ASCII characters, extends that to later calls with the same name and the same events
        within ten minutes: give one to be able to send again after an error. It must be hard to
        guess; without it, it is a random UUID. ``delay`` and ``priority`` apply to events without
        their own. Events are limited to 1 MiB; more than 1,000 events, or more than 1 MiB, are
        stored in parts. While the queue is full, paused or limited in its rate, the call is
        repeated until the client's deadline. Raises QUEUE_FULL and others (docs/api.md).
        """
        if not events:
            raise ValueError("no events to send")
        body = b"".join(_line(one) for one in events)
        where = path("/v1/queues/{}/events", self.name, delay=None if delay is None else span(delay), priority=priority)
        headers = {"Content-Type": _ENVELOPES, "Millrace-Batch": batch or str(uuid.uuid4())}
        return record(Sent, self._balancers().json(Call("POST", where, body, headers)))

    def consume(
        self,
        *,
        max: int = 1,
        lease: Optional[Span] = None,
        wait: Span = 20,
        idle: Optional[Span] = None,
        worker: Optional[str] = None,
    ) -> Consumer:
        """Returns a consumer of the events on all queue nodes; needs a token of role operator.

        ``max`` is the most events leased at once, 1 to 10,000. ``lease`` is how long; None for
        the lease of the definition. ``wait`` is how long ``Consumer.lease`` waits for a first
        event. Iteration ends after ``idle`` without events; None for never. ``worker`` is shown
        to users. Calls nothing yet.
        """
        nodes = QueueNodes(self._central, self.name)
        return Consumer(self.name, nodes, max=max, lease=lease, wait=wait, idle=idle, worker=worker)


def _line(event: Any) -> bytes:
    draft = event if isinstance(event, EventDraft) else EventDraft(event)
    envelope = {
        "id": draft.id,
        "data": draft.data,
        "attributes": None if draft.attributes is None else dict(draft.attributes),
        "delay": None if draft.delay is None else span(draft.delay),
        "priority": draft.priority,
    }
    given = {name: value for name, value in envelope.items() if value is not None or name == "data"}
    return json.dumps(given, allow_nan=False).encode() + b"\n"
