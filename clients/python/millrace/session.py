"""Session workers: programs to which all events of a key come, in order."""

from __future__ import annotations

import json
import os
import signal
import threading
import uuid
from collections import deque
from typing import Any, Callable, Deque, Dict, List, Mapping, Optional, Sequence

from millrace.connection import Clock, Connection, path
from millrace.errors import MillraceError
from millrace.format import Span, seconds
from millrace.heldsession import Program
from millrace.keyedthreads import KeyedThreads
from millrace.queuenode import Nodes, OneQueueNode, QueueNode, WorkerToken
from millrace.sessionbook import Book
from millrace.target import address
from millrace.transport import Call

_ANSWER = 15.0
_LOOK = 10.0
_WATCH = 0.1
# The node has noted nothing of a poll that it refuses so, and would not the next time.
_REFUSALS = (400, 413, 415)
_FIRST_BUSY = 0.002
_LONGEST_BUSY = 0.25
_SHORTEST_ROUND = 0.05
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0
_LARGEST_ANSWER = 256 << 20


class SessionWorker:
    """Has the events of sessions handled by objects of a class, one object for each key.

    The class is made with the key and the last snapshot, or None. Its ``event(session, event)``
    handles an event: when it returns the event is done, after an exception it has failed, the
    object is dropped and the session given back. Its methods are called for one key one after the
    other, for different keys at the same time. ``snapshot()``, if it has it, returns the state as
    JSON, from which a successor goes on; without it, a successor gets all events again.
    ``close()``, if it has it, is called at the end, ``lost()`` at once, on another thread, when
    the session is another worker's.

    The worker registers at every queue node that has sessions of the queue, with ``cap`` divided
    among them. If one does not answer until its deadline, what is in work is not reported, because
    another worker may have the session. As a context manager it works in daemon threads until the
    end of the block; ``run`` works until it is asked to leave. Thread-safe.
    """

    def __init__(
        self,
        queue: str,
        nodes: Nodes,
        kind: Callable[[str, Any], Any],
        *,
        cap: Optional[int] = None,
        threads: int = 4,
        snapshot_every: int = 10,
        max_buffered: int = 1000,
        patience: Span = 10,
        leave_within: Span = 30,
        name: Optional[str] = None,
        job: Optional[str] = None,
        give_up_after: Optional[Span] = None,
        on_problem: Optional[Callable[[str, MillraceError], None]] = None,
    ) -> None:
        self.id = str(uuid.uuid4())
        self.queue = queue
        self.nodes = nodes
        self.clock: Clock = nodes.clock
        self.cap = cap
        self.patience = seconds(patience)
        self.leave_within = seconds(leave_within)
        self.name = name
        self.job = job
        self.give_up_after = None if give_up_after is None else seconds(give_up_after)
        self.max_buffered = max_buffered
        self.program = Program(kind, snapshot_every)
        self.threads = KeyedThreads(f"session-work-{queue}", threads)
        self._on_problem = on_problem
        # Guards the fields below.
        self._lock = threading.Condition(threading.RLock())
        self._attached: Dict[str, Attachment] = {}
        self._listed: List[str] = []
        self._finder: Optional[threading.Thread] = None
        self._ending = False
        self._over = False

    @classmethod
    def of_job(
        cls,
        kind: Callable[[str, Any], Any],
        environment: Optional[Mapping[str, str]] = None,
        deadline: float = 60.0,
        **options: Any,
    ) -> SessionWorker:
        """Returns the worker of a job with ``input: pull``, from the variables of its attempt.

        Its token is renewed at the central managers. It ends when its queue node has refused or
        not answered its registration for two minutes; the queue manager then starts another job.
        """
        variables = os.environ if environment is None else environment
        queue = variables["MILLRACE_QUEUE"]
        given: Dict[str, Any] = {"job": variables.get("MILLRACE_ATTEMPT"), "give_up_after": 120, **options}
        return cls(queue, _node_of_job(variables, queue, deadline), kind, **given)

    def __enter__(self) -> SessionWorker:
        self.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def start(self) -> None:
        """Finds the queue nodes and begins to work; if it raises MillraceError, nothing was started."""
        found = self.nodes.current()
        with self._lock:
            if self._finder is not None or self._ending:
                raise RuntimeError(f"the worker of {self.queue} was started")
            self._attach(found)
            self._finder = threading.Thread(target=self._look, name=f"session-nodes-{self.queue}", daemon=True)
            self._finder.start()
            threading.Thread(target=self._watch, name=f"session-watch-{self.queue}", daemon=True).start()

    def run(self) -> None:
        """Works until it is asked to leave, or gets SIGTERM or Ctrl-C, and leaves; on the main thread."""
        previous = signal.signal(signal.SIGTERM, lambda number, frame: self.leave())
        try:
            with self:
                self.wait()
        except KeyboardInterrupt:
            pass
        finally:
            signal.signal(signal.SIGTERM, previous)

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Blocks until the worker has ended, or that many seconds; whether it has ended."""
        with self._lock:
            # In parts, so that signals are handled meanwhile.
            while timeout is None and not self._over:
                self._lock.wait(1.0)
            return self._lock.wait_for(lambda: self._over, timeout or 0.0)

    def leave(self) -> None:
        """Begins with no more events; does not wait for those in work."""
        with self._lock:
            self._ending = True
            for one in self._attached.values():
                one.book.end()
            self._lock.notify_all()

    def close(self) -> None:
        """Finishes and reports what is in work, with the states, and leaves; waits ``leave_within``."""
        self.leave()
        if self._finder is not None:
            self.wait(self.leave_within)

    def report(self, node: str, problem: MillraceError) -> None:
        """Notes that a node did not answer or refused; the worker tries again."""
        if self._on_problem is None:
            return
        try:
            self._on_problem(node, problem)
        except BaseException as e:  # it must not end the thread
            _uncaught(e)

    def listed(self, node: str) -> bool:
        with self._lock:
            return node in self._listed

    def share(self) -> Optional[int]:
        """The most sessions of one node, as far as is known now."""
        with self._lock:
            return None if self.cap is None else max(1, self.cap // max(1, len(self._listed)))

    def look(self) -> None:
        """Looks for nodes: registers at new ones, and those known before get their share of the cap."""
        try:
            found = self.nodes.current()
        except MillraceError as e:
            self.report("central manager", e)
            return
        with self._lock:
            self._attach(found)

    def _watch(self) -> None:
        """Observes the deadlines while the other threads wait for answers."""
        while not self.wait(_WATCH):
            with self._lock:
                attached = list(self._attached.values())
            for one in attached:
                one.book.end_overdue()

    def _look(self) -> None:
        while not self._await_ending():
            self.look()
        for one in list(self._attached.values()):
            one.thread.join()
        self.threads.end(self.leave_within)
        with self._lock:
            self._over = True
            self._lock.notify_all()

    def _await_ending(self) -> bool:
        with self._lock:
            return self._lock.wait_for(lambda: self._ending, _LOOK)

    def _attach(self, found: Sequence[QueueNode]) -> None:
        if self._ending:
            return
        self._listed = [node.name for node in found]
        self._attached = {name: one for name, one in self._attached.items() if one.thread.is_alive()}
        for node in found:
            known = self._attached.get(node.name)
            if known is not None:
                known.connection = node.connection
            else:
                self._attached[node.name] = Attachment(self, node)
                self._attached[node.name].thread.start()


def _node_of_job(variables: Mapping[str, str], queue: str, deadline: float) -> OneQueueNode:
    first = variables["MILLRACE_TOKEN"]
    token: Optional[WorkerToken] = None
    current: Callable[[], Optional[str]] = lambda: first
    managers, secret = variables.get("MILLRACE_MANAGERS"), variables.get("MILLRACE_SECRET")
    if managers and secret:
        servers = [address(one) for one in managers.split(",")]
        token = WorkerToken(Connection(servers, lambda: current(), deadline), queue, first, secret)
        current = token
    return OneQueueNode(Connection([address(variables["MILLRACE_URL"])], current, deadline), token)


def _uncaught(e: BaseException) -> None:
    threading.excepthook(threading.ExceptHookArgs((type(e), e, e.__traceback__, threading.current_thread())))


class Attachment:
    """A worker's registration at one queue node, with a thread that registers, polls and reports.

    It polls one at a time. While handlers are busy it asks without waiting, and reports as soon as
    there is something; only when nothing is in work the node waits for events. What is not
    answered is sent again unchanged. What is refused is divided until the result is found that the
    node does not take; that one's session is given back, and the others go on.
    """

    def __init__(self, worker: SessionWorker, node: QueueNode) -> None:
        self.connection = node.connection
        self.book = Book(worker.program, worker.threads, worker.clock, worker.max_buffered)
        name = f"session-poll-{worker.queue}-{node.name}"
        self.thread = threading.Thread(target=self._live, name=name, daemon=True)
        self._worker = worker
        self._node = node.name
        self._where = path("/v1/queues/{}/session-workers/{}", worker.queue, worker.id)
        self._incarnation = str(uuid.uuid4())
        self._registered = False
        self._states_reported = False
        self._unregistered_since = worker.clock.now()
        self._heartbeat = 60.0
        self._deadline = 0.0
        self._poll = 0
        self._unanswered: Optional[Dict[str, Any]] = None
        # Results of a poll that was refused as a whole.
        self._parts: Deque[List[Mapping[str, Any]]] = deque()
        self._cap: Optional[int] = None
        self._cap_failed = False
        self._busy = _FIRST_BUSY
        self._pause = _FIRST_PAUSE

    def _live(self) -> None:
        try:
            self._poll_until_the_end()
        except BaseException as e:
            # The worker registers anew, and the node gives its sessions to others.
            self.book.discard()
            _uncaught(e)

    def _poll_until_the_end(self) -> None:
        while not self._over():
            self._step()
        self.book.close()
        while self._registered and not self.book.idle():
            self._step()
        if self._registered:
            where = f"{self._where}?incarnation={self._incarnation}"
            try:
                self.connection.delete(where, timeout=min(_ANSWER, self._worker.leave_within), deadline=0.0)
            except MillraceError as e:
                # The node retires a worker of which it hears nothing more.
                self._worker.report(self._node, e)

    def _over(self) -> bool:
        if not self._registered:
            return self.book.ending or not self._worker.listed(self._node)
        if not self.book.ending or self._unanswered is not None or self._parts or not self.book.idle():
            return False
        if not self._states_reported:
            self._states_reported = True
            self.book.report_states()
            return self.book.idle()
        return True

    def _step(self) -> None:
        self.book.end_overdue()
        if self._registered and self.book.lost:
            self._forget()
            return
        try:
            if not self._registered or self._cap_is_due():
                self._register()
            else:
                self._ask()
            self._pause = _FIRST_PAUSE
        except MillraceError as e:
            self._worker.report(self._node, e)
            if e.code == "UNAUTHENTICATED":
                self._worker.nodes.refused()
            if self._gives_up():
                self._worker.leave()
                return
            if self._registered and e.code == "UNKNOWN_WORKER":
                self._forget()
            elif not self._divided(e):
                if self._registered:
                    self.book.await_retry(min(self._pause, max(0.001, self.book.seconds_to_next_end())))
                else:
                    self.book.await_end(self._pause)
                self._pause = min(_LONGEST_PAUSE, 2 * self._pause)

    def _divided(self, refusal: MillraceError) -> bool:
        """Whether what was refused is sent otherwise, as it would be refused again."""
        if self._unanswered is None or refusal.status not in _REFUSALS:
            return False
        sent = self._unanswered["results"]
        self._unanswered = None
        if len(sent) > 1:
            half = len(sent) // 2
            self._parts.extendleft([sent[half:], sent[:half]])
            self.book.failures_come_in(None, sent)
        elif sent:
            self._give_up(sent[0], refusal)
        return bool(sent)

    def _give_up(self, result: Mapping[str, Any], refusal: MillraceError) -> None:
        what = f"{result['kind']} of session '{result['key']}' was refused, which is given back: {refusal.detail}"

        def others(part: List[Mapping[str, Any]]) -> List[Mapping[str, Any]]:
            return [one for one in part if (one["key"], one["number"]) != (result["key"], result["number"])]

        self._parts = deque(kept for kept in map(others, self._parts) if kept)
        self.book.refused(result, what)
        self._worker.report(self._node, MillraceError(refusal.code, what, refusal.status))

    def _gives_up(self) -> bool:
        limit = self._worker.give_up_after
        silence = self._worker.clock.now() - self._unregistered_since
        return not self._registered and limit is not None and silence >= limit

    def _forget(self) -> None:
        """The sessions may be others': a new process begins without any."""
        self._registered = False
        self._unregistered_since = self._worker.clock.now()
        self._unanswered = None
        self._parts.clear()
        self._poll = 0
        self._incarnation = str(uuid.uuid4())
        self.book.discard()

    def _cap_is_due(self) -> bool:
        if self._unanswered is not None or self._cap_failed or self.book.ending:
            return False
        return self._worker.share() != self._cap

    def _register(self) -> None:
        worker = self._worker
        share = worker.share()
        given = {"incarnation": self._incarnation, "cap": share, "name": worker.name, "job": worker.job}
        began = worker.clock.now()
        body = {name: value for name, value in given.items() if value is not None}
        if self._registered:
            # Only its cap: were it employed again, it would not know if the answer were lost.
            body["change"] = True
        left = self.book.seconds_to_next_end() if self._registered else _ANSWER
        # If it fails, polls go on, and it is tried again after the next answer.
        self._cap_failed = True
        answer = self._send("PUT", self._where, body, max(0.5, min(_ANSWER, left)))
        self._cap_failed = False
        if self._registered and answer["outcome"] != "REPEATED":
            # A node of an earlier version: it was retired, and employed again without sessions.
            self._forget()
            return
        self._cap = share
        self._heartbeat = seconds(answer["heartbeat"])
        self._deadline = seconds(answer["deadline"])
        if not self._registered:
            # Only polls prolong the time of sessions.
            self.book.begin(began + self._deadline)
        self._registered = True

    def _ask(self) -> None:
        if self._unanswered is None:
            self._unanswered = self._next()
        poll = self._unanswered
        began = self._worker.clock.now()
        patience = poll.get("patience")
        waits = 0.0 if patience is None else seconds(patience)
        if self.book.lost or self.book.seconds_left() <= 0:
            return
        timeout = waits + max(0.5, min(_ANSWER, self.book.seconds_to_next_end() - waits))
        answer = self._send("POST", self._where + "/polls", poll, timeout)
        waited = self._worker.clock.now() - began >= _SHORTEST_ROUND
        self._unanswered = None
        self._poll += 1
        self._heartbeat = seconds(answer["heartbeat"])
        self._deadline = seconds(answer["deadline"])
        self._cap_failed = False
        self.book.answered(answer, poll["results"], began + self._deadline)
        if answer.get("leave"):
            self._worker.leave()
        if patience is not None and not waited and self.book.idle():
            # A node that does not wait is not to be asked without end.
            self.book.await_end(_SHORTEST_ROUND)

    def _next(self) -> Dict[str, Any]:
        """Returns the next poll, as soon as it is worth sending."""
        if self._parts:
            results = self._parts.popleft()
            self.book.failures_come_in(self._poll + 1, results)
        else:
            self.book.await_results(_LONGEST_BUSY if self.book.room() == 0 else self._busy)
            results = self.book.results(self._poll + 1)
        idle = not results and self.book.idle()
        self._busy = _FIRST_BUSY if idle or results else min(_LONGEST_BUSY, 2 * self._busy)
        poll: Dict[str, Any] = {
            "incarnation": self._incarnation,
            "poll": self._poll + 1,
            "max": self.book.room(),
            "results": results,
        }
        if idle and not self.book.ending:
            patience = min(self._worker.patience, self._heartbeat / 2, self._deadline / 2)
            poll["patience"] = f"{round(patience * 1000)}ms"
        return poll

    def _send(self, method: str, where: str, document: Mapping[str, Any], timeout: float) -> Any:
        body = json.dumps(document, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()
        headers = {"Content-Type": "application/json"}
        call = Call(method, where, body, headers, timeout=timeout, deadline=0.0, max_answer=_LARGEST_ANSWER)
        return self.connection.json(call)
