"""One session in the hands of a worker, and how its program sees it."""

from __future__ import annotations

import json
import threading
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Deque, Dict, List, Mapping, Optional, Tuple

from millrace.keyedthreads import Step

if TYPE_CHECKING:
    from millrace.sessionbook import Book

LARGEST_SNAPSHOT = 4 << 20
"""The most bytes of a snapshot as JSON text in UTF-8."""

_LONGEST_REASON = 1000
_SMALL_PARTS = 1024
_LONGEST_ESCAPE = 6
_NEVER = 1 << 62


@dataclass(frozen=True)
class SessionEvent:
    """An event of a session.

    ``n`` is its place in the session, from 1. ``attempt`` is 1 for the first try and rises with
    each failure. ``replayed`` says that an earlier worker had acknowledged it, and it only
    rebuilds the state.
    """

    n: int = 0
    id: str = ""
    stored_at: str = ""
    attempt: int = 1
    attributes: Mapping[str, str] = field(default_factory=dict)
    data: Any = None
    replayed: bool = False


class Session:
    """A session as its handler sees it; thread-safe.

    ``key`` is what its events have in common. ``number``, such as ``3.1``, rises with each
    assignment to a worker: pass it on to what must refuse former workers.
    """

    def __init__(self, held: Held) -> None:
        self._held = held
        self.key = held.key
        self.number = held.number

    @property
    def current(self) -> bool:
        """Whether it is still this worker's, as far as is known here."""
        return self._held.is_current()

    def acknowledge(self) -> None:
        """Reports the event in work as done already now; a failure after that is not charged to it."""
        self._held.ask("acknowledged")

    def snapshot(self) -> None:
        """Asks that the state be reported after this event, whatever ``snapshot_every`` says."""
        self._held.ask("snapshot")

    def complete(self) -> None:
        """Says that no events are expected after this one; if some were accepted, the session goes on."""
        self._held.ask("completed")

    def fail(self, reason: str = "") -> None:
        """Says that the event has failed: it is delivered again. Unlike after an exception the state is kept."""
        self._held.ask("failure", reason)

    def give_back(self) -> None:
        """Gives the session back; the event is not done, its fault only if ``fail`` was called as well."""
        self._held.ask("given_back")


class Program:
    """What a program does with its sessions: a class with one object for each of them."""

    def __init__(self, kind: Callable[[str, Any], Any], snapshot_every: int) -> None:
        self.open = kind
        self.snapshot_every = snapshot_every

    def handle(self, state: Any, session: Session, event: SessionEvent) -> None:
        state.event(session, event)

    def snapshot(self, state: Any) -> Any:
        """Returns the state as JSON; None if the program has no snapshots."""
        hook = getattr(state, "snapshot", None)
        return None if hook is None else hook()

    def tell(self, state: Any, what: str) -> None:
        """Calls ``close`` or ``lost`` if the program has it; what it raises goes to the thread's hook."""
        hook = getattr(state, what, None)
        if hook is None:
            return
        try:
            hook()
        except BaseException as e:  # whatever it is: the session must not stay held
            threading.excepthook(threading.ExceptHookArgs((type(e), e, e.__traceback__, threading.current_thread())))


class Held:
    """One session under one number. Guarded by the lock of its book; only handlers run without it."""

    def __init__(self, book: Book, delivery: Mapping[str, Any]) -> None:
        self.key: str = delivery["key"]
        self.number: str = delivery["number"]
        self._book = book
        self._session = Session(self)
        self._replayed: int = delivery.get("replayed") or 0
        self._first = delivery.get("snapshot")
        self._waiting: Deque[Mapping[str, Any]] = deque()
        self._state: Any = None
        self._opened = self._lost = self._given_back = self._ended = self._begun = False
        self._revoked_until: Optional[float] = None
        self._cut_off = False
        # Whether the state may have a part of an event that is not done: nobody is to begin with it.
        self._half_done = False
        self._current: Optional[SessionEvent] = None
        # The last event that is done, that waits or is done, and that a snapshot covers.
        self._handled = self._known = self._kept = int(delivery["from"]) - 1
        # Answers to earlier polls were made before the failure of an event was known.
        self._ignored_before = 0
        self._asked: Dict[str, Any] = {}
        # What is to be reported.
        self._acknowledged = self._handled
        self._snapshot: Optional[Tuple[int, Any, int]] = None
        self._completed = 0
        self._failed: Optional[str] = None
        self._released = False

    def is_current(self) -> bool:
        with self._book.lock:
            if self._ended or self._cut_off or self._book.seconds_left() <= 0:
                return False
            return self._revoked_until is None or not self._book.past(self._revoked_until)

    def ask(self, what: str, value: Any = True) -> None:
        with self._book.lock:
            if self._current is None:
                raise RuntimeError(f"no event of session '{self.key}' is in work")
            self._asked[what] = value
            if what == "acknowledged" and not self._cut_off:
                self._handled = self._current.n
                if not self._ended:
                    self._book.has_results(self)

    # Called with the lock.

    def add(self, events: List[Mapping[str, Any]], poll: int, steps: List[Step]) -> None:
        if self._given_back or poll < self._ignored_before:
            return
        for event in events:
            if event["n"] > self._known:
                self._known = event["n"]
                self._waiting.append(event)
                self._book.buffered += 1
        self.begin(steps)

    def begin(self, steps: List[Step]) -> None:
        if not self._begun and self._waiting and not self._book.ending:
            self._begun = True
            self._book.plan(self, self._turn, steps)

    def give_back(self, steps: List[Step], keep: bool = True) -> None:
        """Gives the session back when the event in work is done, with its state if that is whole."""
        if not self._given_back:
            self._given_back = True
            self._drop()
            self._book.plan(self, lambda: self._release(keep), steps)

    def revoke(self, until: float, steps: List[Step]) -> bool:
        """Gives the session back by then; false if that was said before."""
        if self._revoked_until is not None:
            return False
        self._revoked_until = until
        self.give_back(steps)
        return True

    def cut_off(self, steps: List[Step]) -> None:
        """Gives the session back although an event may be in work, of which nothing is reported."""
        if not (self._cut_off or self._released or self._ended):
            self._cut_off = self._released = True
            self._tell_lost(steps)
            self._book.has_results(self)

    def refuse(self, result: Mapping[str, Any], why: str, steps: List[Step]) -> None:
        """A result was refused: it is not sent again, but its event has failed and the session is given back."""
        of_an_event = result["kind"] not in ("FAILED", "RELEASED") and result["through"] > 0
        self._failed = _cut(why) if of_an_event else None
        self._handled = min(self._handled, result["through"] - 1) if of_an_event else 0
        self._snapshot = None
        self._completed = 0
        self._cut_off = self._released = True
        self._tell_lost(steps)
        self.give_back(steps, keep=False)
        self._book.has_results(self)

    def fails_in(self, poll: Optional[int]) -> None:
        """A failure is reported by that poll, or by one that is not known yet: then its events come again."""
        self._ignored_before = _NEVER if poll is None else poll

    def _tell_lost(self, steps: List[Step]) -> None:
        if self._lost:
            return
        self._lost = True
        if self._opened:
            state = self._state
            steps.append(lambda: self._book.program.tell(state, "lost"))

    def report_state(self, steps: List[Step]) -> None:
        if not self._ended and not self._given_back and self._opened:
            self._book.plan(self, self._take_snapshot, steps)

    def end(self, lost: bool, steps: List[Step]) -> None:
        self._ended = self._given_back = True
        self._drop()
        if lost and not self._cut_off:
            self._tell_lost(steps)
        self._book.plan(self, self._close, steps)

    def _drop(self) -> None:
        self._book.buffered -= len(self._waiting)
        self._waiting.clear()

    def size(self) -> int:
        """The most bytes of what ``report`` adds."""
        texts = 4 * len(self.key) + len(self._failed or "")
        return _SMALL_PARTS + _LONGEST_ESCAPE * texts + (self._snapshot[2] if self._snapshot else 0)

    def report(self, poll: int, results: List[Mapping[str, Any]]) -> None:
        """Adds what that poll is to report, the earliest event first."""
        told = self._acknowledged
        if self._snapshot is not None:
            n, state, _ = self._snapshot
            self._snapshot = None
            results.append(self._result(n, "SNAPSHOT", snapshot=state))
            told = max(told, n)
        if self._completed:
            results.append(self._result(self._completed, "COMPLETED"))
            told = max(told, self._completed)
            self._completed = 0
        if self._failed is not None:
            results.append(self._result(self._handled, "FAILED", reason=self._failed))
            told, self._failed = self._handled, None
            self._ignored_before = poll
        if self._released:
            results.append(self._result(self._handled, "RELEASED"))
            told = self._handled
        if told < self._handled:
            results.append(self._result(self._handled, "ACKNOWLEDGED"))
        self._acknowledged = self._handled

    def _result(self, through: int, kind: str, **more: Any) -> Mapping[str, Any]:
        return {"key": self.key, "number": self.number, "through": through, "kind": kind, **more}

    # Steps on the threads.

    def _turn(self) -> None:
        with self._book.lock:
            self._begun = False
            if self._given_back or not self._waiting:
                return
            if not self._book.may_begin():
                self._book.paused.append(self)
                return
            event = self._current = _event(self._waiting.popleft(), self._replayed)
            self._asked = {}
        failure: Optional[str] = None
        taken: Optional[Tuple[int, Any, int]] = None
        try:
            if self._opened or self._open():
                self._book.program.handle(self._state, self._session, event)
                if "failure" not in self._asked and "given_back" not in self._asked:
                    taken = self._snapshot_if_due(event.n)
        except BaseException as e:  # whatever it is: the session must not wait for ever
            failure = f"{type(e).__name__}: {e}"
        steps: List[Step] = []
        with self._book.lock:
            self._current = None
            self._book.buffered -= 1
            only_given_back = set(self._asked) & {"given_back", "failure", "acknowledged"} == {"given_back"}
            if self._cut_off:
                pass  # it is reported as given back already
            elif not self._ended and only_given_back and failure is None:
                self._half_done = True
                self.give_back(steps, keep=False)
            elif not self._ended:
                self._note(event, failure, taken, steps)
                self.begin(steps)
        run_all(steps)

    def _open(self) -> bool:
        """Opens the state; false if the session was lost meanwhile."""
        made = self._book.program.open(self.key, self._first)
        with self._book.lock:
            self._state, self._first, self._opened = made, None, True
            return not self._lost

    def _snapshot_if_due(self, n: int) -> Optional[Tuple[int, Any, int]]:
        if "snapshot" not in self._asked and n - self._kept < self._book.program.snapshot_every:
            return None
        return self._written(n)

    def _written(self, n: int) -> Optional[Tuple[int, Any, int]]:
        state = self._book.program.snapshot(self._state)
        if state is None:
            return None
        text = json.dumps(state, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        size = len(text.encode())
        if size > LARGEST_SNAPSHOT:
            raise ValueError(
                f"the snapshot of session '{self.key}' has {size} bytes as JSON; at most {LARGEST_SNAPSHOT} are stored"
            )
        # A copy: the state goes on changing before it is sent.
        return n, json.loads(text), size

    def _note(
        self,
        event: SessionEvent,
        failure: Optional[str],
        taken: Optional[Tuple[int, Any, int]],
        steps: List[Step],
    ) -> None:
        if "acknowledged" in self._asked or (failure is None and "failure" not in self._asked):
            self._handled = event.n
            if taken is not None:
                self._snapshot, self._kept = taken, event.n
            if "completed" in self._asked:
                self._completed = event.n
        else:
            self._failed = _cut(self._asked.get("failure", "") if failure is None else failure)
            self._drop()
            self._known = self._handled
            self._ignored_before = _NEVER
        self._book.has_results(self)
        if failure is not None or "given_back" in self._asked:
            # What the handler has left behind may be half done: a successor builds it anew.
            self._half_done = True
            self.give_back(steps, keep=False)

    def _take_snapshot(self) -> None:
        """Reports the state after the last event that is done, unless it was."""
        if self._half_done or not self._opened or self._handled <= self._kept or self._ended or self._cut_off:
            return
        try:
            taken = self._written(self._handled)
        except BaseException:  # whatever it is: a successor gets the events instead
            return
        with self._book.lock:
            if taken is not None and not self._ended and not self._cut_off:
                self._snapshot, self._kept = taken, self._handled
                self._book.has_results(self)

    def _release(self, keep: bool) -> None:
        if keep:
            self._take_snapshot()
        self._close()
        with self._book.lock:
            if not self._cut_off and not self._ended:
                self._released = True
                self._book.has_results(self)

    def _close(self) -> None:
        with self._book.lock:
            if not self._opened:
                return
            state, self._state, self._opened = self._state, None, False
        self._book.program.tell(state, "close")


def _cut(reason: str) -> str:
    # Half a letter cannot be sent.
    return reason[:_LONGEST_REASON].encode("utf-8", "replace").decode()


def run_all(steps: List[Step]) -> None:
    """Runs steps that were planned with the lock, which is no longer held."""
    for step in steps:
        step()


def _event(event: Mapping[str, Any], replayed: int) -> SessionEvent:
    return SessionEvent(
        event["n"],
        event["id"],
        event.get("storedAt") or "",
        event.get("attempt") or 1,
        event.get("attributes") or {},
        event.get("data"),
        event["n"] <= replayed,
    )
