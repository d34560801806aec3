"""The sessions that a worker has from one queue node: what is in work, and what is to be reported."""

from __future__ import annotations

import threading
from typing import Any, Dict, List, Mapping, Optional, Tuple

from millrace.connection import Clock
from millrace.heldsession import Held, Program, run_all
from millrace.keyedthreads import KeyedThreads, Step

_RESULTS_AT_ONCE = 2000
# Queue nodes take 8 MiB.
_BYTES_AT_ONCE = 6 << 20
_EVENTS_AT_ONCE = 10_000


class Book:
    """What one queue node has given to the worker. Its lock is never held while a handler runs."""

    def __init__(
        self, program: Program, threads: KeyedThreads, clock: Clock, max_buffered: int
    ) -> None:
        self.program = program
        self.lock = threading.Condition(threading.RLock())
        self._threads = threads
        self._clock = clock
        self._max_buffered = max_buffered
        # All below guarded by the lock.
        self.buffered = 0
        self.ending = False
        # Whether the worker may have no sessions: it is not registered, or its time has passed.
        self.lost = True
        self.paused: List[Held] = []
        self._sessions: Dict[str, Held] = {}
        self._to_report: Dict[Held, None] = {}
        # To be given back, with the end of the time in which they may be worked on.
        self._revoked: Dict[Held, float] = {}
        # Revoked ones that are not held, as the answer that brought them was lost.
        self._unknown: Dict[Tuple[str, str], None] = {}
        self._in_work = 0
        self._closed = False
        self._until = clock.now()

    def begin(self, end: float) -> None:
        """The worker has registered without sessions; those that it gets may be worked on until then."""
        with self.lock:
            self.lost = False
            self._until = end

    def seconds_left(self) -> float:
        """How long sessions may still be worked on; not positive if that is over."""
        with self.lock:
            return self._until - self._clock.now()

    def past(self, end: float) -> bool:
        return self._clock.now() >= end

    def seconds_to_next_end(self) -> float:
        """How long any may be worked on, or until the work on a revoked one must end."""
        with self.lock:
            return min([self._until, *self._revoked.values()]) - self._clock.now()

    def end_overdue(self) -> None:
        """Ends the work on revoked sessions whose time has passed, and gives them back.

        All sessions are lost when no call was answered for too long.
        """
        steps: List[Step] = []
        with self.lock:
            if not self.lost and self.seconds_left() <= 0:
                self._lose(steps)
            for held in [one for one, end in self._revoked.items() if self.past(end)]:
                del self._revoked[held]
                held.cut_off(steps)
        run_all(steps)

    def may_begin(self) -> bool:
        with self.lock:
            return not self.ending and self.seconds_left() > 0

    def room(self) -> int:
        """How many events more may be taken."""
        with self.lock:
            return 0 if self.ending else max(0, min(_EVENTS_AT_ONCE, self._max_buffered - self.buffered))

    def end(self) -> None:
        """Begins with no more events; those in work are finished and reported."""
        with self.lock:
            self.ending = True
            self.lock.notify_all()

    def idle(self) -> bool:
        with self.lock:
            return self._in_work == 0 and not self._to_report and not self._unknown

    def await_results(self, seconds: float) -> None:
        """Waits until something can be reported, or nothing is in work any more, at most that long."""
        with self.lock:
            self.lock.wait_for(lambda: bool(self._to_report or self._unknown) or self._in_work == 0, seconds)

    def await_end(self, seconds: float) -> None:
        """Waits that long, or until the worker is to end."""
        with self.lock:
            self.lock.wait_for(lambda: self.ending, seconds)

    def await_retry(self, seconds: float) -> None:
        """Waits that long before the node is asked again, or until the sessions are lost.

        The beginning of the worker's end is a reason to ask at once, but not one to ask without
        pauses from then on.
        """
        with self.lock:
            before = self.ending
            self.lock.wait_for(lambda: self.lost or self.ending != before, seconds)

    def answered(self, answer: Mapping[str, Any], sent: List[Mapping[str, Any]], end: float) -> None:
        """Takes what a poll that reported ``sent`` has brought, and lets handlers begin until ``end``.

        Does nothing if the sessions were lost before it was answered.
        """
        steps: List[Step] = []
        with self.lock:
            if self.lost:
                return
            self._until = end
            if self._closed:
                # The worker leaves, and gives all back by that.
                return
            for result, outcome in zip(sent, answer.get("answers") or []):
                self._settle(result, outcome["outcome"], steps)
            for delivery in answer.get("sessions") or []:
                self._take(delivery, answer["poll"], steps)
            for revoked in answer.get("revoked") or []:
                self._revoke(revoked["key"], revoked["number"], steps)
            again, self.paused = self.paused, []
            for held in again:
                held.begin(steps)
        run_all(steps)

    def _revoke(self, key: str, number: str, steps: List[Step]) -> None:
        held = self._sessions.get(key)
        if held is None or held.number != number:
            self._unknown[key, number] = None
        elif held.revoke(self._until, steps):
            self._revoked[held] = self._until

    def _settle(self, result: Mapping[str, Any], outcome: str, steps: List[Step]) -> None:
        held = self._sessions.get(result["key"])
        if held is None or held.number != result["number"]:
            return
        gone = outcome in ("STALE", "UNKNOWN")
        completed = result["kind"] == "COMPLETED" and outcome == "DONE"
        if gone or completed or result["kind"] == "RELEASED":
            self._remove(held)
            held.end(gone, steps)

    def refused(self, result: Mapping[str, Any], why: str) -> None:
        """A result was refused, so that it is not sent again; other sessions go on."""
        steps: List[Step] = []
        with self.lock:
            held = self._sessions.get(result["key"])
            if held is None or held.number != result["number"]:
                return
            if result["kind"] == "RELEASED" and result["through"] == 0:
                # There is no other way to give it back.
                self._remove(held)
                held.end(True, steps)
            else:
                held.refuse(result, why, steps)
        run_all(steps)

    def failures_come_in(self, poll: Optional[int], results: List[Mapping[str, Any]]) -> None:
        """Failures among results are not reported by the poll that was made for them, but a later one."""
        with self.lock:
            for result in results:
                held = self._sessions.get(result["key"])
                if result["kind"] == "FAILED" and held is not None and held.number == result["number"]:
                    held.fails_in(poll)

    def _take(self, delivery: Mapping[str, Any], poll: int, steps: List[Step]) -> None:
        held = self._sessions.get(delivery["key"])
        if held is not None and _order(delivery["number"]) < _order(held.number):
            return
        if held is not None and _order(delivery["number"]) > _order(held.number):
            self._remove(held)
            held.end(True, steps)
            held = None
        if held is None:
            held = self._sessions[delivery["key"]] = Held(self, delivery)
        held.add(delivery.get("events") or [], poll, steps)

    def _remove(self, held: Held) -> None:
        del self._sessions[held.key]
        self._to_report.pop(held, None)
        self._revoked.pop(held, None)
        self.paused = [one for one in self.paused if one is not held]

    def results(self, poll: int) -> List[Mapping[str, Any]]:
        """Returns what that poll is to report; a part of it if it is much."""
        found: List[Mapping[str, Any]] = []
        size = 0
        with self.lock:
            for key, number in self._unknown:
                found.append({"key": key, "number": number, "through": 0, "kind": "RELEASED"})
            self._unknown.clear()
            while self._to_report and len(found) < _RESULTS_AT_ONCE:
                held = next(iter(self._to_report))
                size += held.size()
                if size > _BYTES_AT_ONCE and found:
                    break
                del self._to_report[held]
                held.report(poll, found)
        return found

    def discard(self) -> None:
        """Forgets all sessions, which are others' now."""
        steps: List[Step] = []
        with self.lock:
            if not self.lost:
                self._lose(steps)
        run_all(steps)

    def _lose(self, steps: List[Step]) -> None:
        self.lost = True
        held, self._sessions = list(self._sessions.values()), {}
        self._to_report.clear()
        self._revoked.clear()
        self._unknown.clear()
        self.paused = []
        self.lock.notify_all()
        for one in held:
            one.end(True, steps)

    def close(self) -> None:
        """Ends the sessions for the program, before the worker leaves; it has them until then."""
        steps: List[Step] = []
        with self.lock:
            self._closed = True
            for one in self._sessions.values():
                one.end(False, steps)
        run_all(steps)

    def report_states(self) -> None:
        """Has the states of all sessions reported that were changed since their last snapshot."""
        steps: List[Step] = []
        with self.lock:
            for held in self._sessions.values():
                held.report_state(steps)
        run_all(steps)

    def plan(self, held: Held, step: Step, steps: List[Step]) -> None:
        """Adds a step of a session; called with the lock, which is not held when it is passed on."""
        self._in_work += 1

        def run() -> None:
            try:
                step()
            finally:
                with self.lock:
                    self._in_work -= 1
                    self.lock.notify_all()

        steps.append(lambda: self._threads.add(held.key, run))

    def has_results(self, held: Held) -> None:
        if self._sessions.get(held.key) is held:
            self._to_report[held] = None
            self.lock.notify_all()


def _order(number: str) -> Tuple[int, int]:
    epoch, _, handover = number.partition(".")
    return int(epoch), int(handover)
