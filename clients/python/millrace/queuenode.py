"""The queue nodes that hold a queue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Mapping, Optional, Protocol, Sequence

from millrace.connection import Clock, Connection, path
from millrace.errors import MillraceError
from millrace.format import seconds

_FRESH_SECONDS = 10.0


@dataclass(frozen=True)
class QueueNode:
    """A queue node by its name; calls to it go to no other node."""

    name: str
    connection: Connection


class Nodes(Protocol):
    """Finds the queue nodes that hold a queue."""

    @property
    def clock(self) -> Clock: ...

    @property
    def deadline(self) -> float:
        """How long calls are repeated, in seconds."""
        ...

    def current(self) -> Sequence[QueueNode]:
        """Returns the nodes, possibly none. Blocks; raises MillraceError if none were ever found."""
        ...

    def doubt(self) -> None:
        """Says that a node did not answer, so that the next call looks for the nodes again."""
        ...

    def refused(self) -> None:
        """Says that a node refused the token; called by any thread."""
        ...


class WorkerToken:
    """The token of a session worker, which the central managers issue for queue nodes and one queue.

    It is renewed after half of its validity, by whoever looks for queue nodes, so that no call to
    a queue node waits for a central manager. ``first`` is the token until then; ``secret`` that of
    the attempt whose token it is. Thread-safe; ``renew`` is called by one thread at a time.
    """

    def __init__(
        self, central: Connection, queue: str, first: Optional[str] = None, secret: Optional[str] = None
    ) -> None:
        self._central = central
        self._where = path("/v1/queues/{}/session-workers/token", queue)
        self._headers = {} if secret is None else {"Millrace-Attempt-Secret": secret}
        self._token = first
        self._renew_at: Optional[float] = None

    def __call__(self) -> Optional[str]:
        """Returns the present token; calls nothing."""
        return self._token

    def refused(self) -> None:
        """Says that a queue node refused the token, whatever the time."""
        self._renew_at = None

    def renew(self) -> None:
        """Renews the token if it is time; if it raises MillraceError, the present one remains."""
        renew_at = self._renew_at
        # Not after the answer: the token's time may have begun before.
        asked = self._central.clock.now()
        if renew_at is not None and asked < renew_at:
            return
        limit = self._central.deadline if self._token is None else min(5.0, self._central.deadline)
        issued = self._central.post(self._where, headers=self._headers, timeout=10.0, deadline=limit)
        self._token = issued["token"]
        self._renew_at = asked + seconds(issued["validFor"]) / 2


class QueueNodes:
    """The nodes that hold a queue according to the central managers, asked every ten seconds.

    While no central manager answers, these are the nodes known before. They get ``token`` if it is
    given, otherwise that of the central managers. Used by one thread, but for ``doubt``.
    """

    def __init__(self, central: Connection, queue: str, token: Optional[WorkerToken] = None) -> None:
        self._central = central
        self._queue = queue
        self._token = token
        self._known: Mapping[str, QueueNode] = {}
        self._asked: Optional[float] = None

    @property
    def clock(self) -> Clock:
        return self._central.clock

    @property
    def deadline(self) -> float:
        return self._central.deadline

    def doubt(self) -> None:
        self._asked = None

    def refused(self) -> None:
        if self._token is not None:
            self._token.refused()
        self.doubt()

    def current(self) -> Sequence[QueueNode]:
        now = self.clock.now()
        if self._asked is None or now - self._asked >= _FRESH_SECONDS or not self._known:
            self._look()
            self._asked = self.clock.now()
        return list(self._known.values())

    def _look(self) -> None:
        limit = min(5.0, self.deadline) if self._known else self.deadline
        try:
            if self._token is not None:
                self._token.renew()
            found = self._central.get("/v1/queue-nodes", timeout=10.0, deadline=limit)
        except MillraceError as e:
            if self._known and e.status in (0, 502, 503, 504):
                return
            raise
        addresses = {
            one["name"]: one["address"]
            for one in found
            if one.get("live") and one.get("address") and self._holds(one.get("segments") or [])
        }
        if not addresses:
            # Refused if there is no such queue; otherwise its segments are about to be created.
            self._central.get(path("/v1/queues/{}", self._queue))
        self._known = {name: self._known_at(name, address) for name, address in addresses.items()}

    def _holds(self, segments: List[Mapping[str, object]]) -> bool:
        return any(segment.get("queue") == self._queue for segment in segments)

    def _known_at(self, name: str, address: str) -> QueueNode:
        known = self._known.get(name)
        if known is not None and known.connection.servers == [address]:
            return known

        def find() -> Sequence[str]:
            # A node may have another address after a restart; what it leased is still there.
            node = self._central.get(path("/v1/queue-nodes/{}", name), timeout=5.0, deadline=5.0)
            return [node["address"]] if node.get("live") and node.get("address") else []

        return QueueNode(name, self._central.to([address], find, self._token))


class OneQueueNode:
    """A queue node whose address is given; ``token`` is renewed if it is given."""

    def __init__(self, connection: Connection, token: Optional[WorkerToken] = None) -> None:
        self._node = QueueNode("queue node", connection)
        self._token = token
        self._began = False
        self.clock = connection.clock
        self.deadline = connection.deadline

    def doubt(self) -> None:
        """Does nothing: there is no other node."""

    def refused(self) -> None:
        if self._token is not None:
            self._token.refused()

    def current(self) -> Sequence[QueueNode]:
        try:
            if self._token is not None:
                self._token.renew()
        except MillraceError:
            # That of the start is good for hours.
            if self._began:
                raise
        self._began = True
        return [self._node]
