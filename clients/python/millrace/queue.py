"""Queues: sending events through the load balancers, and consuming them."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Sequence

from millrace.connection import Connection, path, retry_after
from millrace.consumer import Consumer
from millrace.format import Span, converted, record, records, span
from millrace.queuenode import QueueNodes, WorkerToken
from millrace.session import SessionWorker
from millrace.transport import Call

_ENVELOPES = "application/vnd.millrace.events+x-ndjson"
_REFUSED_PAUSE = 1.0
_PASSING = (
    "SESSIONS_FULL",
    "QUEUE_FULL",
    "RATE_LIMITED",
    "STALE_SLOT",
    "NO_SEGMENT",
    "QUEUE_PAUSED",
    "DISK_FULL",
    "UNAVAILABLE",
    "UNREACHABLE",
    "TIMEOUT",
    "STORE_FAILURE",
)


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
class RefusedEvent:
    """An event of a queue of sessions that was not stored; ``index`` is its place in the call, from 0.

    ``code`` says why, such as ``DUPLICATE`` or ``SESSIONS_FULL``, and ``message`` in words.
    """

    index: int = 0
    id: str = ""
    key: Optional[str] = None
    code: str = ""
    message: str = ""

    @property
    def passing(self) -> bool:
        """Whether the same event may be stored later."""
        return self.code in _PASSING


@dataclass(frozen=True)
class Sent:
    """A batch that is stored; ``repeated`` says that an earlier request of its name had stored it.

    Events without an id of their own have the ids ``BATCH-0``, ``BATCH-1`` and so on. ``node`` is
    the queue node that holds it, or ``several``. ``refused`` has the events of a queue of sessions
    that are not stored; those of other queues are stored together or not at all.
    """

    queue: str = ""
    batch: str = ""
    accepted: int = 0
    repeated: bool = False
    node: str = ""
    refused: Sequence[RefusedEvent] = converted(lambda some: records(RefusedEvent, some), ())


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
        retry_refused: bool = True,
    ) -> Sent:
        """Sends events, each given as its data (any JSON value) or as an EventDraft.

        They are stored once however often the request is repeated. ``batch``, 1 to 100 printable
        ASCII characters, extends that to later calls with the same name and the same events
        within ten minutes: give one to be able to send again after an error. It must be hard to
        guess; without it, it is a random UUID. ``delay`` and ``priority`` apply to events without
        their own. Events are limited to 1 MiB; more than 1,000 events, or more than 1 MiB, are
        stored in parts. While the queue is full, paused or limited in its rate, the call is
        repeated until the client's deadline. Raises QUEUE_FULL and others (docs/api.md).

        A queue of sessions stores each event for itself. While some are refused for a reason that
        passes, the batch is sent again after the time that the server asks for, which stores none
        twice, until the client's deadline; not with ``retry_refused=False``. What is refused then
        is in the answer, and is not raised.
        """
        if not events:
            raise ValueError("no events to send")
        body = b"".join(_line(one) for one in events)
        where = path("/v1/queues/{}/events", self.name, delay=None if delay is None else span(delay), priority=priority)
        headers = {"Content-Type": _ENVELOPES, "Millrace-Batch": batch or str(uuid.uuid4())}
        return self._sent(Call("POST", where, body, headers), retry_refused)

    def _sent(self, call: Call, retry_refused: bool) -> Sent:
        balancers = self._balancers()
        end = balancers.clock.now() + balancers.deadline
        while True:
            answer = balancers.send(call)
            sent = record(Sent, json.loads(answer.body))
            pause = retry_after(answer) or _REFUSED_PAUSE
            passing = any(one.passing for one in sent.refused)
            if not passing or not retry_refused or balancers.clock.now() + pause > end:
                return sent
            balancers.clock.sleep(pause)

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

    def sessions(self, kind: Callable[[str, Any], Any], **options: Any) -> SessionWorker:
        """Returns a worker of the sessions of this queue; needs a token of role operator.

        The token goes to the central managers only: queue nodes get one that these issue for the
        queue. ``kind`` and ``options`` are those of SessionWorker. Calls nothing yet.
        """
        nodes = QueueNodes(self._central, self.name, WorkerToken(self._central, self.name))
        return SessionWorker(self.name, nodes, kind, **options)


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
