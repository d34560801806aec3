"""Calls to the first of several equivalent servers that answers, repeated until a deadline."""

from __future__ import annotations

import json
import random
import threading
import time
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Set, Tuple
from urllib.parse import quote

from millrace.errors import MillraceError, Unreachable, problem
from millrace.transport import Answer, AnswerLost, AnswerTooLarge, Call, NothingSent, Transport

_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 5.0
_UNAVAILABLE = (502, 503, 504)
_TOO_MANY = 429


def _seconds_since_boot() -> Callable[[], float]:
    """A clock that never goes back and counts the time in which the machine is suspended, if there is one."""
    boot_time = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic if boot_time is None else partial(time.clock_gettime, boot_time)


@dataclass(frozen=True)
class Clock:
    """How time is read and spent, in seconds; replaced in tests."""

    now: Callable[[], float] = _seconds_since_boot()
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = random.random


def path(pattern: str, *variables: object, **query: object) -> str:
    """Returns a path with its variables and query encoded; query values of None are left out."""
    filled = pattern.format(*(quote(str(one), safe="") for one in variables))
    given = [f"{name}={quote(_text(value), safe='')}" for name, value in query.items() if value is not None]
    return filled + ("?" + "&".join(given) if given else "")


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass
class _Repetition:
    """What is known of one call while it is repeated."""

    end: float
    tried: Set[str] = field(default_factory=set)
    backoff: float = _FIRST_PAUSE
    stayed: bool = False
    outcome_unknown: bool = False


@dataclass(frozen=True)
class _Failure:
    """Why an exchange failed: the error, and whether and when to repeat it elsewhere."""

    error: MillraceError
    turn: bool
    least_pause: float = 0.0


class Connection:
    """Sends calls with a bearer token to equivalent servers; the last one that answered is first.

    A call that is repeatable is repeated after 502, 503 and 504, after 429 with ``Retry-After``
    and after a lost connection, until its deadline; another one only if nothing of it was sent.
    When all servers have failed, ``find`` is asked for their present addresses; it returns none or
    raises MillraceError if it knows none. Methods block and raise MillraceError, Unreachable if no
    server answered. Thread-safe.
    """

    def __init__(
        self,
        servers: Sequence[str],
        token: Callable[[], Optional[str]],
        deadline: float = 60.0,
        transport: Optional[Transport] = None,
        clock: Clock = Clock(),
        find: Optional[Callable[[], Sequence[str]]] = None,
    ) -> None:
        if not servers:
            raise ValueError("no server to ask")
        self.deadline = deadline
        self.clock = clock
        self.token = token
        self.transport = transport or Transport()
        self._servers = list(servers)
        self._find = find
        self._lock = threading.Lock()
        self._preferred = 0

    @property
    def servers(self) -> Sequence[str]:
        """The servers known now."""
        with self._lock:
            return list(self._servers)

    def to(
        self,
        servers: Sequence[str],
        find: Optional[Callable[[], Sequence[str]]] = None,
        token: Optional[Callable[[], Optional[str]]] = None,
    ) -> Connection:
        """Returns a connection to other servers with the same limits, and the same token if none is given."""
        return Connection(servers, token or self.token, self.deadline, self.transport, self.clock, find)

    def get(self, where: str, **options: Any) -> Any:
        """Returns the JSON of a GET; ``options`` are fields of Call."""
        return self.json(Call("GET", where, **options))

    def post(self, where: str, document: object = None, **options: Any) -> Any:
        """Returns the JSON that answers a POST of JSON; None posts nothing."""
        body = b"" if document is None else json.dumps(document).encode()
        headers: Mapping[str, str] = {"Content-Type": "application/json", **options.pop("headers", {})}
        return self.json(Call("POST", where, body, headers, **options))

    def delete(self, where: str, **options: Any) -> Any:
        """Returns the JSON of a DELETE, None if its answer is empty."""
        return self.json(Call("DELETE", where, **options))

    def json(self, call: Call) -> Any:
        """Returns the JSON of an answer, None if it is empty."""
        body = self.send(call).body
        if not body:
            return None
        try:
            return json.loads(body)
        except ValueError as e:
            raise MillraceError("INTERNAL", f"the answer to {call.method} {call.path} is not JSON") from e

    def send(self, call: Call) -> Answer:
        """Returns the answer of a success."""
        return self._repeat(call, lambda server, one: self.transport.send(server, one, self.token()))

    def stream(self, call: Call) -> Iterator[bytes]:
        """Returns the body of a success as it arrives; the iterator raises AnswerLost."""
        bodies = []

        def exchange(server: str, one: Call) -> Answer:
            answer, body = self.transport.stream(server, one, self.token())
            bodies.append(body)
            return answer

        self._repeat(call, exchange)
        return bodies[-1]

    def _repeat(self, call: Call, exchange: Callable[[str, Call], Answer]) -> Answer:
        limit = self.deadline if call.deadline is None else call.deadline
        state = _Repetition(self.clock.now() + limit)
        allowed = call if limit == 0 else call.within(limit)
        while True:
            server = self._current()
            answer, failure = self._once(server, allowed, exchange, state)
            if answer is not None:
                return answer
            pause = self._pause(server, failure, state)
            left = state.end - self.clock.now() - pause
            if left <= 0:
                raise self._final(failure.error, state)
            if pause > 0:
                self.clock.sleep(pause)
            if not state.tried:
                self._find_again()
            allowed = call.within(left)

    def _once(
        self, server: str, call: Call, exchange: Callable[[str, Call], Answer], state: _Repetition
    ) -> Tuple[Optional[Answer], _Failure]:
        """Returns the answer of a success or why to repeat the call; raises what is final."""
        try:
            answer = exchange(server, call)
        except NothingSent as e:
            failure = _Failure(Unreachable(f"{e}; start one with 'millrace up', or name it with MILLRACE_URL"), True)
        except AnswerLost as e:
            state.outcome_unknown = True
            failure = self._after_loss(server, call, e, state)
        except AnswerTooLarge as e:
            raise MillraceError("INTERNAL", f"{e}; ask for less at a time") from e
        else:
            if answer.ok:
                return answer, _Failure(Unreachable(""), False)
            failure = self._after_refusal(server, call, answer, state)
        return None, failure

    def _after_loss(self, server: str, call: Call, loss: AnswerLost, state: _Repetition) -> _Failure:
        error = Unreachable(f"{loss}; whether {call.method} {call.path} was carried out is unknown", True)
        # The same server knows best whether it was carried out, unless it is frozen.
        turn = loss.silent or state.stayed
        if not call.repeatable:
            self._turn_from(server)
            raise error
        state.stayed = not turn
        return _Failure(error, turn)

    def _after_refusal(self, server: str, call: Call, answer: Answer, state: _Repetition) -> _Failure:
        error = problem(answer.status, answer.headers.get("content-type", ""), answer.body)
        after = retry_after(answer)
        if answer.status == _TOO_MANY and call.repeatable and after is not None:
            return _Failure(error, False, after)
        if answer.status not in _UNAVAILABLE:
            raise error
        unknown = answer.status != 503
        if not call.repeatable:
            self._turn_from(server)
            raise error
        state.outcome_unknown = state.outcome_unknown or unknown
        turn = not unknown or state.stayed
        state.stayed = not turn
        return _Failure(error, turn, after or 0.0)

    def _pause(self, server: str, failure: _Failure, state: _Repetition) -> float:
        state.tried.add(server)
        if failure.turn:
            self._turn_from(server)
            if self._current() not in state.tried:
                return 0.0
            # A new round.
            state.tried.clear()
        pause = state.backoff * (0.5 + self.clock.jitter() / 2)
        state.backoff = min(_LONGEST_PAUSE, state.backoff * 2)
        return max(pause, failure.least_pause)

    @staticmethod
    def _final(error: MillraceError, state: _Repetition) -> MillraceError:
        if isinstance(error, Unreachable) and state.outcome_unknown and not error.outcome_unknown:
            return Unreachable(f"{error.detail}; an earlier try may have been carried out", True)
        return error

    def _current(self) -> str:
        with self._lock:
            return self._servers[self._preferred % len(self._servers)]

    def _find_again(self) -> None:
        try:
            found = [] if self._find is None else list(self._find())
        except MillraceError:
            return
        with self._lock:
            if found and set(found) != set(self._servers):
                self._servers, self._preferred = found, 0

    def _turn_from(self, failed: str) -> None:
        """Prefers the next server, unless another thread has already turned from this one."""
        with self._lock:
            if self._servers[self._preferred % len(self._servers)] == failed:
                self._preferred += 1


def retry_after(answer: Answer) -> Optional[float]:
    """Returns the seconds after which a server asks for the call again; None if it does not say."""
    text = answer.headers.get("retry-after", "")
    return float(text) if text.isdigit() else None
