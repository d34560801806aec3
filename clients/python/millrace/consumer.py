"""Consuming events: leases, acknowledgements, returns, extensions."""

from __future__ import annotations

import os
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from millrace.connection import Connection, path
from millrace.delivery import Delivery, Receipts
from millrace.errors import MillraceError
from millrace.format import Span, record, seconds, span
from millrace.queuenode import Nodes, OneQueueNode, QueueNode
from millrace.target import address

_LONGEST_PATIENCE = 20.0
_PATIENCE_OF_SEVERAL = 0.5
_SHORTEST_ROUND = 0.1
_LARGEST_LEASE = 256 << 20
_LONGEST_REASON = 2000
_FAILED, _RETURNED = "FAILED", "RETURNED"
# Refusals of a node that another node, or the same one later, may not give.
_PASSING = ("UNKNOWN_QUEUE", "STORE_FAILURE")


class Consumer:
    """Leases events of a queue from its queue nodes, in turn.

    Events are delivered at least once. As a context manager it returns at the end the events
    that were neither acknowledged nor failed. Methods block and raise MillraceError. Used by one
    thread; create one for each.
    """

    def __init__(
        self,
        queue: str,
        nodes: Nodes,
        *,
        max: int = 1,
        lease: Optional[Span] = None,
        wait: Span = 20,
        idle: Optional[Span] = None,
        worker: Optional[str] = None,
        max_events: Optional[int] = None,
        max_time: Optional[Span] = None,
    ) -> None:
        self._queue = queue
        self._nodes = nodes
        self._clock = nodes.clock
        self._max = max
        self._lease = lease
        self._wait = seconds(wait)
        self._idle = None if idle is None else seconds(idle)
        self._worker = worker
        self._max_events = max_events
        self._max_time = None if max_time is None else seconds(max_time)
        self._held: Dict[str, Delivery] = {}
        self._turn = 0

    @classmethod
    def of_worker(cls, environment: Optional[Mapping[str, str]] = None, deadline: float = 60.0) -> Consumer:
        """Returns the consumer of a worker with ``input: pull``, from the variables of its attempt.

        Its iteration ends after one batch, or at the limits of ``linger``.
        """
        variables = os.environ if environment is None else environment
        token = variables["MILLRACE_TOKEN"]
        node = OneQueueNode(Connection([address(variables["MILLRACE_URL"])], lambda: token, deadline))
        batch = int(variables.get("MILLRACE_BATCH", "1"))
        idle = float(variables.get("MILLRACE_LINGER_IDLE_SECONDS", "0"))
        most = int(variables.get("MILLRACE_LINGER_EVENTS", batch))
        time = float(variables["MILLRACE_LINGER_SECONDS"]) if "MILLRACE_LINGER_SECONDS" in variables else None
        worker = variables.get("MILLRACE_ATTEMPT")
        queue = variables["MILLRACE_QUEUE"]
        return cls(queue, node, max=batch, wait=idle, idle=idle, worker=worker, max_events=most, max_time=time)

    def __enter__(self) -> Consumer:
        return self

    def __exit__(self, *failure: object) -> None:
        held = list(self._held.values())
        try:
            if held:
                self._post(held, "nacks", _refusal(_RETURNED, "the consumer has ended", None), deadline=5.0)
        except MillraceError:
            # They are delivered again when their leases expire.
            pass
        finally:
            self._held.clear()

    def __iter__(self) -> Iterator[Delivery]:
        """Returns events as they come, until ``idle`` or a limit of the worker is reached.

        Leases of events that wait for their turn are extended in time; that of the event in work
        is the caller's to extend.
        """
        began = quiet_since = self._clock.now()
        taken = 0
        while True:
            now = self._clock.now()
            limited = self._max_events is not None and taken > 0 and taken + self._max > self._max_events
            if limited or (self._max_time is not None and taken > 0 and now - began >= self._max_time):
                return
            wait = self._wait if self._idle is None else min(self._wait, max(0.0, self._idle - (now - quiet_since)))
            batch = self.lease(wait)
            taken += len(batch)
            for position, delivery in enumerate(batch):
                self._keep(batch[position:])
                if self.holds(delivery):
                    yield delivery
            if batch:
                quiet_since = self._clock.now()
            elif self._idle is not None and self._clock.now() - quiet_since >= self._idle:
                return

    def lease(self, wait: Optional[Span] = None) -> List[Delivery]:
        """Leases up to ``max`` events of one node; none if there are none within ``wait``.

        If no node answers, it goes on asking until the client's deadline and then raises the error.
        """
        self._forget_expired()
        limit = self._wait if wait is None else seconds(wait)
        end = self._clock.now() + limit
        failing_since: Optional[float] = None
        while True:
            began = self._clock.now()
            nodes = self._in_turn()
            found, error = self._round(nodes, end - began)
            if found:
                return found
            now = self._clock.now()
            if error is None:
                failing_since = None
                if now >= end:
                    return []
                # Not more often, in case nodes answer without waiting or there is none yet.
                self._clock.sleep(min(end - now, max(0.0, began + _SHORTEST_ROUND - now)))
            else:
                failing_since = began if failing_since is None else failing_since
                if now - failing_since >= self._nodes.deadline:
                    raise error
                self._clock.sleep(1.0)

    def _round(self, nodes: Sequence[QueueNode], left: float) -> Tuple[List[Delivery], Optional[MillraceError]]:
        """Asks each node, the last one with patience; the error if there are nodes and all failed."""
        error: Optional[MillraceError] = None
        answered = not nodes
        for node in nodes:
            patience = 0.0
            if node is nodes[-1]:
                patience = min(_LONGEST_PATIENCE if len(nodes) == 1 else _PATIENCE_OF_SEVERAL, max(0.0, left))
            try:
                found = self._ask(node, patience)
            except MillraceError as e:
                error = self._passing(e)
                continue
            answered = True
            if found:
                return found, None
        return [], None if answered else error

    def acknowledge(self, deliveries: Sequence[Delivery]) -> Receipts:
        """Reports events as done; their node stores that before it answers."""
        return self._answer(deliveries, "acks", {})

    def fail(self, deliveries: Sequence[Delivery], reason: str = "", delay: Optional[Span] = None) -> Receipts:
        """Reports events as failed, which counts towards the ``maxAttempts`` of the queue."""
        return self._answer(deliveries, "nacks", _refusal(_FAILED, reason, delay))

    def give_back(self, deliveries: Sequence[Delivery], delay: Optional[Span] = None, reason: str = "") -> Receipts:
        """Returns events unfinished, which counts towards ``maxReturns`` only."""
        return self._answer(deliveries, "nacks", _refusal(_RETURNED, reason, delay))

    def extend(self, deliveries: Sequence[Delivery], lease: Span) -> Receipts:
        """Keeps events for that long from now; receipts that are stale in the answer are lost."""
        now = self._clock.now()
        extended = self._post(deliveries, "extensions", {"lease": span(lease)})
        for delivery in deliveries:
            if delivery.receipt in extended.stale:
                self._held.pop(delivery.receipt, None)
            else:
                delivery.lease = seconds(lease)
                delivery.leased_until = now + delivery.lease
        return extended

    def holds(self, delivery: Delivery) -> bool:
        """Whether it was not answered, and its lease has not expired as far as is known here."""
        return delivery.receipt in self._held

    def _answer(self, deliveries: Sequence[Delivery], what: str, more: Mapping[str, Any]) -> Receipts:
        answered = self._post(deliveries, what, more)
        for delivery in deliveries:
            self._held.pop(delivery.receipt, None)
        return answered

    def _post(self, deliveries: Sequence[Delivery], what: str, more: Mapping[str, Any], **limits: Any) -> Receipts:
        by_node: Dict[Connection, List[str]] = {}
        for delivery in deliveries:
            by_node.setdefault(delivery.node.connection, []).append(delivery.receipt)
        where = path("/v1/queues/{}/" + what, self._queue)
        answers = [
            record(Receipts, connection.post(where, {"receipts": receipts, **more}, **limits))
            for connection, receipts in by_node.items()
        ]
        stale = [receipt for one in answers for receipt in one.stale]
        return Receipts(sum(one.done for one in answers), stale, sum(one.dead for one in answers))

    def _ask(self, node: QueueNode, patience: float) -> List[Delivery]:
        request: Dict[str, Any] = {"max": self._max, "patience": span(patience)}
        if self._lease is not None:
            request["lease"] = span(self._lease)
        if self._worker is not None:
            request["worker"] = self._worker
        # Once: other nodes may have events. What is leased by an answer that is lost comes again.
        limits = {"timeout": patience + 15, "deadline": 0.0, "max_answer": _LARGEST_LEASE}
        answer = node.connection.post(path("/v1/queues/{}/leases", self._queue), request, **limits)
        now, granted = self._clock.now(), seconds(answer["lease"])
        found = [Delivery(self, node, event, granted, now) for event in answer["events"]]
        self._held.update((one.receipt, one) for one in found)
        return found

    def _passing(self, error: MillraceError) -> MillraceError:
        if error.status not in (0, 502, 503, 504) and error.code not in _PASSING:
            raise error
        self._nodes.doubt()
        return error

    def _in_turn(self) -> List[QueueNode]:
        nodes = list(self._nodes.current())
        self._turn += 1
        first = self._turn % len(nodes) if nodes else 0
        return nodes[first:] + nodes[:first]

    def _keep(self, waiting: Sequence[Delivery]) -> None:
        now = self._clock.now()
        due = [one for one in waiting if self.holds(one) and one.leased_until - now < one.lease / 2]
        if due:
            self.extend(due, due[0].lease)

    def _forget_expired(self) -> None:
        now = self._clock.now()
        self._held = {receipt: one for receipt, one in self._held.items() if one.leased_until > now}


def _refusal(kind: str, reason: str, delay: Optional[Span]) -> Mapping[str, Any]:
    refusal: Dict[str, Any] = {"kind": kind}
    if reason:
        refusal["reason"] = reason[:_LONGEST_REASON]
    if delay is not None:
        refusal["delay"] = span(delay)
    return refusal
