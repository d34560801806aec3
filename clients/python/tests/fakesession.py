"""A queue node that delivers sessions as a test says, and remembers what was reported."""

from __future__ import annotations

import threading
from typing import Any, Callable, Dict, List, Optional

from tests.fake import DROPPED, FakeServer, Reply, Request, answer, refusal

DEADLINE = 120.0


def event(n: int, attempt: int = 1) -> Dict[str, Any]:
    """An event whose data is its place."""
    return {"n": n, "id": f"e{n}", "storedAt": "2026-01-01T00:00:00Z", "attempt": attempt, "data": n}


def session(key: str, number: str, *places: int, snapshot: Any = None, replayed: int = 0) -> Dict[str, Any]:
    """Events of a session from the first of these places on."""
    some = [event(n) for n in places]
    return {"key": key, "number": number, "from": places[0], "snapshot": snapshot, "replayed": replayed, "events": some}


class FakeSessionNode:
    """Knows which process is registered, and answers each poll once, the same again when it is repeated."""

    def __init__(self) -> None:
        self.registrations: List[Any] = []
        self.polls: List[Any] = []
        self.results: List[Any] = []
        self.left: List[str] = []
        self.outcomes: Dict[str, str] = {}
        self.lose = 0
        self.silent = False
        self.leave = False
        # Whether who is registered is not any more when the next registration comes.
        self.retiring = False
        # Whether it does not get the answer to that registration.
        self.lose_registration = False
        self.deadline = DEADLINE
        self.refused_key = ""
        self.refusal = (400, "INVALID_REQUEST")
        self._registered: Optional[str] = None
        self._deliveries: List[Any] = []
        self._revoked: List[Any] = []
        self._last: Optional[Dict[str, Any]] = None
        self._lock = threading.Condition(threading.RLock())
        self._server = FakeServer(self._reply)
        self.url = self._server.url

    def stop(self) -> None:
        self._server.__exit__()

    # What the test says.

    def deliver(self, *sessions: Any) -> None:
        with self._lock:
            self._deliveries += sessions
            self._lock.notify_all()

    def revoke(self, key: str, number: str) -> None:
        with self._lock:
            self._revoked.append({"key": key, "number": number})
            self._lock.notify_all()

    def retire_the_worker(self) -> None:
        with self._lock:
            self._registered = None
            self._lock.notify_all()

    def set(self, **values: Any) -> None:
        with self._lock:
            for name, value in values.items():
                setattr(self, name, value)
            self._lock.notify_all()

    # What the test waits for.

    def wait_for(self, condition: Callable[[], bool]) -> None:
        with self._lock:
            if not self._lock.wait_for(condition, 20.0):
                raise AssertionError(f"not within 20 s; registrations {self.registrations}, results {self.results}")

    def wait_for_result(self, key: str, kind: str, through: int) -> Any:
        self.wait_for(lambda: any(self._is(one, key, kind, through) for one in self.results))
        return next(one for one in self.results if self._is(one, key, kind, through))

    def wait_for_another_poll(self) -> None:
        with self._lock:
            before = len(self.polls)
            self.wait_for(lambda: len(self.polls) > before + 1)

    @staticmethod
    def _is(one: Any, key: str, kind: str, through: int) -> bool:
        return bool(one["key"] == key and one["kind"] == kind and one["through"] == through)

    def kinds(self, key: str) -> List[str]:
        with self._lock:
            return [one["kind"] for one in self.results if one["key"] == key]

    # The routes.

    def _reply(self, request: Request) -> Reply:
        with self._lock:
            if request.method == "PUT":
                reply = self._register(request)
            elif request.method == "POST":
                reply = self._poll(request)
            else:
                self.left.append(request.path.split("=")[1])
                reply = Reply(204)
            self._lock.notify_all()
            return reply

    def _register(self, request: Request) -> Reply:
        if self.silent:
            return DROPPED
        self.registrations.append({**request.json, "path": request.path})
        lost = self.retiring and self.lose_registration
        before = None if self.retiring else self._registered
        self.retiring = False
        reply = self._registered_now(request, before)
        return DROPPED if lost else reply

    def _registered_now(self, request: Request, before: Optional[str]) -> Reply:
        if request.json.get("change") and before != request.json["incarnation"]:
            self._registered = before
            return refusal(404, "UNKNOWN_WORKER")
        self._registered = request.json["incarnation"]
        self._last = None
        outcome = "EMPLOYED" if before is None else "REPEATED" if before == self._registered else "REPLACED"
        return answer({"outcome": outcome, "heartbeat": "1m", "deadline": f"{DEADLINE:.0f}s"})

    def _poll(self, request: Request) -> Reply:
        poll = request.json
        self.polls.append(poll)
        self._lock.notify_all()
        if "patience" in poll:
            self._lock.wait_for(lambda: self._has_something(poll), float(poll["patience"][:-2]) / 1000)
        if self.silent:
            return DROPPED
        if poll["incarnation"] != self._registered:
            return refusal(404, "UNKNOWN_WORKER")
        if any(one["key"] == self.refused_key for one in poll["results"]):
            return refusal(*self.refusal)
        if self._last is None or self._last["poll"] != poll["poll"]:
            self._last = self._answer(poll)
        if self.lose > 0:
            self.lose -= 1
            return DROPPED
        return answer(self._last)

    def _has_something(self, poll: Any) -> bool:
        gone = poll["incarnation"] != self._registered
        return bool(self._deliveries or self._revoked or self.leave or self.silent or gone)

    def _answer(self, poll: Any) -> Dict[str, Any]:
        self.results += poll["results"]
        answers = [
            {"key": one["key"], "number": one["number"], "outcome": self.outcomes.get(one["kind"], "DONE")}
            for one in poll["results"]
        ]
        sessions: List[Any] = []
        if poll["max"] > 0:
            sessions, self._deliveries = self._deliveries, []
        revoked, self._revoked = self._revoked, []
        return {
            "poll": poll["poll"],
            "answers": answers,
            "sessions": sessions,
            "revoked": revoked,
            "leave": self.leave,
            "heartbeat": "1m",
            "deadline": f"{self.deadline:.0f}s",
        }
