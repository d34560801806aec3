"""A program's part in a group that shares resources."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional

from millrace.connection import Connection, path
from millrace.errors import MillraceError
from millrace.format import Span, converted, instant, record, seconds, span

_BEATS_PER_TTL = 3
_REQUEST_SECONDS = 10.0
_PAUSE = 1.0


@dataclass(frozen=True)
class Membership:
    """A member's position in its group; ``revision`` rises with each change of the members."""

    group: str = ""
    member: str = ""
    term: int = 0
    revision: int = 0
    members: List[str] = field(default_factory=list)


@dataclass(frozen=True)
class Share:
    """The resources assigned to a member, in the order given.

    ``cycle`` is when the cycle began; None without an interval. ``waits`` says that the member
    joined within the cycle and gets its share from the next one on.
    """

    revision: int = 0
    resources: List[str] = field(default_factory=list)
    cycle: Optional[datetime] = converted(instant)
    waits: bool = False


@dataclass(frozen=True)
class Batch:
    """What a member holds of a cycle.

    ``resources`` are all that it must poll now; none if the others hold the rest, or if it
    ``waits`` for the next cycle. ``recorded`` counts those reported that were recorded.
    ``finished`` says that every resource of the cycle is recorded. ``left`` is the time until the
    next cycle may begin, in seconds from the answer.
    """

    cycle: int = 0
    resources: List[str] = field(default_factory=list)
    recorded: int = 0
    finished: bool = False
    waits: bool = False
    left: float = converted(seconds, 0.0)


class Member:
    """A member of a group of programs that find the same resources; each resource is one member's.

    As a context manager it joins at the beginning, renews its membership in a daemon thread three
    times per ``ttl``, and leaves at the end. A program with its own threads calls ``beat`` as
    often instead of ``start``. A membership that was lost in a long silence is joined again by
    the next call. One that another process took over by joining under the same name is not: every
    call raises CONFLICT from then on. Methods block and raise MillraceError; after an error, poll
    nothing rather than twice. Thread-safe.
    """

    def __init__(self, central: Connection, group: str, name: str, ttl: Span = 10) -> None:
        self._central = central
        self._group = group
        self._name = name
        self._ttl = seconds(ttl)
        # Held while joining, so that two threads do not end one another's membership.
        self._joining = threading.Lock()
        # Guards the fields below.
        self._lock = threading.Lock()
        self._membership: Optional[Membership] = None
        self._superseded: Optional[MillraceError] = None
        self._closed = threading.Event()
        self._thread: Optional[threading.Thread] = None
        self._next_cycle = 0.0

    def __enter__(self) -> Member:
        self.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def start(self) -> None:
        """Joins the group and begins the heartbeats; if it raises, nothing was started."""
        if self._thread is not None:
            raise RuntimeError(f"{self._name} has been started in group {self._group}")
        self.beat()
        self._thread = threading.Thread(target=self._beat_until_closed, name=f"partition-{self._group}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ends the heartbeats and leaves, after which the others have this member's share.

        A member that cannot leave is lost after its ``ttl``.
        """
        self._closed.set()
        if self._thread is not None:
            # A beat that is being sent must not arrive after the goodbye.
            self._thread.join(_REQUEST_SECONDS)
        with self._lock:
            membership, self._membership = self._membership, None
            superseded = self._superseded
        if membership is None or superseded is not None:
            return
        where = path("/v1/partitions/{}/members/{}", self._group, self._name, term=membership.term)
        try:
            self._central.delete(where, timeout=_REQUEST_SECONDS, deadline=min(_REQUEST_SECONDS, self._ttl))
        except MillraceError as e:
            if e.code in ("INVALID_REQUEST", "FORBIDDEN"):
                raise

    @property
    def members(self) -> List[str]:
        """The members as of the last beat, by name; none before the first."""
        with self._lock:
            return [] if self._membership is None else list(self._membership.members)

    def beat(self) -> None:
        """Joins or renews the membership, in at most a third of ``ttl`` if servers are away."""
        with self._joining:
            self._require_usable()
            with self._lock:
                term = None if self._membership is None else self._membership.term
            request: Dict[str, Any] = {"name": self._name, "ttl": span(self._ttl)}
            if term is not None:
                request["term"] = term
            where = path("/v1/partitions/{}/members", self._group)
            try:
                limit = self._ttl / _BEATS_PER_TTL
                answer = self._central.post(where, request, timeout=min(_REQUEST_SECONDS, self._ttl), deadline=limit)
            except MillraceError as e:
                if term is not None:
                    self._note(e, term)
                raise
            with self._lock:
                self._membership = record(Membership, answer)

    def mine(self, resources: Iterable[str], interval: Optional[Span] = None) -> Share:
        """Returns those of the resources that are assigned to this member.

        With the polling ``interval``, the same for all members, members that join or leave count
        from the next cycle on; without, the share is that among the members alive now.
        """
        request: Mapping[str, Any] = {"resources": list(resources), **_interval(interval)}
        return record(Share, self._ask("mine", request))

    def begin(self, resources: Iterable[str], interval: Span, most: int = 100) -> Batch:
        """Begins a cycle or takes part in the current one; returns the first resources to poll.

        ``resources`` are all that were found. ``interval`` is how often all members poll, 1 s to
        1 day, the same for all. ``most`` is how many to hold at a time, 1 to 1,000: at most that
        many are polled twice after a crash.
        """
        return self._batch({"resources": list(resources), **_interval(interval), "most": most})

    def next(self, before: Batch, most: int = 100) -> Batch:
        """Reports that all of a batch had their turn, and returns the next ones.

        Ask, with a pause after a batch without resources, until one is ``finished``: resources of
        a lost member may become this one's. ``most`` 0 only reports. After an error, ask again
        with the same batch.
        """
        return self._batch({"cycle": before.cycle, "done": before.resources, "most": most})

    def cycle(self, resources: Iterable[str], interval: Span, most: int = 100) -> Iterator[List[str]]:
        """Returns lists of resources to poll, until all of the cycle are recorded by some member.

        A list is reported when the next one is asked for, so not if the caller breaks off. Pauses
        while the others hold the rest. Arguments as for ``begin``.
        """
        batch = self.begin(resources, interval, most)
        while not batch.finished:
            if batch.resources:
                yield batch.resources
            else:
                self._central.clock.sleep(_PAUSE)
            batch = self.next(batch, most)

    def wait_for_cycle(self) -> None:
        """Blocks until the next cycle may begin, according to the last batch."""
        left = self._next_cycle - self._central.clock.now()
        if left > 0:
            self._central.clock.sleep(left)

    def _batch(self, request: Mapping[str, Any]) -> Batch:
        batch = record(Batch, self._ask("next", request))
        self._next_cycle = self._central.clock.now() + batch.left
        return batch

    def _ask(self, what: str, request: Mapping[str, Any]) -> Any:
        """Asks as a member; if that membership has ended, once more in a new one."""
        where = path("/v1/partitions/{}/" + what, self._group)

        def ask(term: int) -> Any:
            asked = {"member": self._name, "term": term, **request}
            return self._central.post(where, asked, timeout=_REQUEST_SECONDS)

        term = self._term()
        try:
            return ask(term)
        except MillraceError as e:
            if not self._note(e, term):
                raise
        return ask(self._term())

    def _term(self) -> int:
        self._require_usable()
        with self._lock:
            membership = self._membership
        if membership is None:
            self.beat()
            with self._lock:
                membership = self._membership
        if membership is None:
            raise RuntimeError(f"{self._name} has left group {self._group}")
        return membership.term

    def _note(self, failure: MillraceError, term: int) -> bool:
        """Remembers what a refusal means for the membership; true if another one may be asked."""
        with self._lock:
            current = self._membership
            if failure.code not in ("UNKNOWN_GROUP", "CONFLICT"):
                return False
            if current is not None and current.term != term:
                # Of a membership that this process has replaced meanwhile.
                return True
            if failure.code == "CONFLICT":
                self._superseded = failure
                return False
            self._membership = None
            return True

    def _require_usable(self) -> None:
        if self._closed.is_set():
            raise RuntimeError(f"{self._name} has left group {self._group}")
        with self._lock:
            if self._superseded is not None:
                raise self._superseded

    # The thread continues after an error: an outage ends, and a later beat succeeds.
    def _beat_until_closed(self) -> None:
        while not self._closed.wait(self._ttl / _BEATS_PER_TTL):
            try:
                self.beat()
            except (MillraceError, RuntimeError):
                with self._lock:
                    if self._superseded is not None:
                        return


def _interval(interval: Optional[Span]) -> Mapping[str, str]:
    return {} if interval is None else {"interval": span(interval)}
