"""Session workers: order, repetition, snapshots, deadlines, and giving back."""

from __future__ import annotations

import sys
import threading
import unittest
from typing import Any, Callable, List, Optional, Sequence

from millrace import Client, Session, SessionEvent, SessionWorker, session_worker
from millrace.connection import Clock, Connection
from millrace.queuenode import QueueNode
from tests.fake import FakeServer, ManualClock, PatientTransport, answer
from tests.fakesession import DEADLINE, FakeSessionNode, event, session

Reaction = Callable[[Any, Session, SessionEvent], None]


class Nodes:
    """Queue nodes that are known."""

    deadline = 60.0

    def __init__(self, clock: Clock, nodes: Sequence[FakeSessionNode]) -> None:
        self.clock = clock
        transport = PatientTransport()
        self._nodes = [
            QueueNode(f"q{n}", Connection([node.url], lambda: "t", 60.0, transport, clock))
            for n, node in enumerate(nodes)
        ]

    def current(self) -> Sequence[QueueNode]:
        return self._nodes

    def doubt(self) -> None:
        pass

    def refused(self) -> None:
        pass


class Journal:
    """Makes the objects of sessions, which note what they are called for."""

    def __init__(self) -> None:
        self.react: Reaction = lambda state, one, event: None
        self.began = threading.Event()
        self.gate = threading.Event()
        self.held: Optional[Any] = None
        self.snapshots = True
        self._lines: List[str] = []
        self._lock = threading.Condition()

    def note(self, line: str) -> None:
        with self._lock:
            self._lines.append(line)
            self._lock.notify_all()

    def lines(self) -> List[str]:
        with self._lock:
            return list(self._lines)

    def wait_for(self, line: str) -> None:
        with self._lock:
            if not self._lock.wait_for(lambda: line in self._lines, 20.0):
                raise AssertionError(f"{line} is not in {self._lines}")

    def __call__(self, key: str, snapshot: Any) -> Any:
        journal = self

        class State:
            def __init__(self) -> None:
                self.seen: List[int] = list(snapshot or [])
                journal.note(f"open {key} {snapshot}")

            def event(self, one: Session, event: SessionEvent) -> None:
                if journal.held == (key, event.n):
                    journal.began.set()
                    assert journal.gate.wait(20.0)
                self.seen.append(event.data)
                journal.note(f"{key} {event.n}{' again' if event.replayed else ''}")
                journal.react(self, one, event)

            def snapshot(self) -> Any:
                return self.seen if journal.snapshots else None

            def lost(self) -> None:
                journal.note(f"lost {key}")

            def close(self) -> None:
                journal.note(f"close {key}")

        return State()


class SessionTest(unittest.TestCase):
    def setUp(self) -> None:
        self.clock = ManualClock()
        self.node = FakeSessionNode()
        self.nodes = [self.node]
        self.journal = Journal()
        self.worker: Optional[SessionWorker] = None

    def tearDown(self) -> None:
        self.journal.gate.set()
        for node in self.nodes:
            node.set(silent=False)
        if self.worker is not None:
            self.worker.close()
        for node in self.nodes:
            node.stop()

    def start(self, **options: Any) -> None:
        given = {"snapshot_every": 1000, "patience": 0.2, "leave_within": 20, **options}
        self.worker = SessionWorker("orders", Nodes(self.clock.clock, self.nodes), self.journal, **given)
        self.worker.start()

    def test_events_of_a_session_are_handled_in_order_and_once(self) -> None:
        self.node.deliver(session("a", "1.1", 1, 2))
        self.start()
        self.node.wait_for_result("a", "ACKNOWLEDGED", 2)
        self.node.deliver(session("a", "1.1", 1, 2, 3))
        self.node.wait_for_result("a", "ACKNOWLEDGED", 3)
        self.assertEqual(["open a None", "a 1", "a 2", "a 3"], self.journal.lines())

    def test_a_poll_without_an_answer_is_repeated_unchanged(self) -> None:
        self.node.lose = 2
        self.node.deliver(session("a", "1.1", 1))
        self.start()
        self.node.wait_for_result("a", "ACKNOWLEDGED", 1)
        self.assertEqual([self.node.polls[0]] * 3, self.node.polls[:3])
        self.assertEqual(2, self.node.polls[3]["poll"])
        self.assertEqual(["open a None", "a 1"], self.journal.lines())

    def test_the_state_of_an_event_that_failed_is_no_snapshot_when_the_session_is_taken_away(self) -> None:
        self.journal.held = ("a", 2)

        def react(state: Any, one: Session, event: SessionEvent) -> None:
            if event.n == 2:
                raise ValueError("half done")

        self.journal.react = react
        self.node.deliver(session("a", "1.1", 1, 2))
        self.start()
        assert self.journal.began.wait(20.0)
        self.node.revoke("a", "1.1")
        self.node.wait_for_another_poll()
        self.journal.gate.set()
        self.node.wait_for_result("a", "RELEASED", 1)
        self.assertNotIn("SNAPSHOT", self.node.kinds("a"))

    def test_what_a_program_raises_keeps_no_session_and_ends_no_worker(self) -> None:
        def react(state: Any, one: Session, event: SessionEvent) -> None:
            if one.key == "a":
                state.close = state.snapshot = sys.exit
                raise ValueError("no")

        self.journal.react = react
        self.node.deliver(session("a", "1.1", 1))
        self.start(on_problem=lambda node, problem: sys.exit())
        self.node.wait_for_result("a", "RELEASED", 0)
        self.node.set(refused_key="b")
        self.node.deliver(session("b", "1.1", 1))
        self.node.wait_for(lambda: len(self.node.polls) > 5)
        self.node.set(refused_key="")
        self.node.deliver(session("c", "1.1", 1))
        self.node.wait_for_result("c", "ACKNOWLEDGED", 1)
        self.assertEqual(1, len(self.node.registrations))

    def test_a_successor_goes_on_from_the_snapshot(self) -> None:
        self.node.deliver(session("a", "1.1", 1, 2))
        self.start(snapshot_every=2)
        kept = self.node.wait_for_result("a", "SNAPSHOT", 2)["snapshot"]
        self.assertEqual([1, 2], kept)
        self.node.deliver(session("a", "2.1", 3, 4, snapshot=kept, replayed=3))
        self.node.wait_for_result("a", "SNAPSHOT", 4)
        expected = ["open a None", "a 1", "a 2", "lost a", "close a", "open a [1, 2]", "a 3 again", "a 4"]
        self.assertEqual(expected, self.journal.lines())

    def test_a_session_is_never_in_work_twice(self) -> None:
        other = FakeSessionNode()
        self.nodes.append(other)
        self.journal.held = ("a", 1)
        self.node.deliver(session("a", "1.1", 1))
        self.start()
        self.journal.began.wait(20.0)
        other.deliver(session("a", "2.1", 1), session("b", "1.1", 1))
        other.wait_for_result("b", "ACKNOWLEDGED", 1)
        self.assertNotIn("a 1", self.journal.lines())
        self.journal.gate.set()
        other.wait_for_result("a", "ACKNOWLEDGED", 1)

    def test_after_the_deadline_nothing_is_begun_or_reported(self) -> None:
        self.journal.held = ("a", 1)
        self.node.deliver(session("a", "1.1", 1, 2))
        self.start()
        self.journal.began.wait(20.0)
        self.node.set(silent=True)
        self.clock.time += DEADLINE
        self.journal.wait_for("lost a")
        self.journal.gate.set()
        self.node.set(silent=False)
        self.node.wait_for(lambda: len(self.node.registrations) == 2)
        self.node.deliver(session("b", "1.1", 1))
        self.node.wait_for_result("b", "ACKNOWLEDGED", 1)
        self.assertEqual([], self.node.kinds("a"))
        self.assertNotIn("a 2", self.journal.lines())
        first, second = self.node.registrations
        self.assertNotEqual(first["incarnation"], second["incarnation"])
        self.assertEqual(first["path"], second["path"])

    def test_a_worker_that_the_node_does_not_know_registers_again_without_sessions(self) -> None:
        self.node.deliver(session("a", "1.1", 1))
        self.start()
        self.node.wait_for_result("a", "ACKNOWLEDGED", 1)
        self.node.retire_the_worker()
        self.journal.wait_for("close a")
        self.node.wait_for(lambda: len(self.node.registrations) == 2)
        self.node.deliver(session("a", "1.2", 1, 2))
        self.node.wait_for_result("a", "ACKNOWLEDGED", 2)
        expected = ["open a None", "a 1", "lost a", "close a", "open a None", "a 1", "a 2"]
        self.assertEqual(expected, self.journal.lines())

    def test_a_session_whose_result_is_stale_is_forgotten(self) -> None:
        self.node.outcomes["ACKNOWLEDGED"] = "STALE"
        self.node.deliver(session("a", "1.1", 1))
        self.start()
        self.journal.wait_for("close a")
        self.assertEqual(["open a None", "a 1", "lost a", "close a"], self.journal.lines())

    def test_a_revoked_session_is_given_back_with_its_state_after_the_event_in_work(self) -> None:
        self.journal.held = ("a", 1)
        self.node.deliver(session("a", "1.1", 1, 2))
        self.start()
        self.journal.began.wait(20.0)
        self.node.revoke("a", "1.1")
        self.node.wait_for_another_poll()
        self.assertEqual([], self.node.kinds("a"))
        self.journal.gate.set()
        self.node.wait_for_result("a", "RELEASED", 1)
        self.assertEqual([1], self.node.wait_for_result("a", "SNAPSHOT", 1)["snapshot"])
        self.assertEqual(["open a None", "a 1", "close a"], self.journal.lines())

    def test_the_work_on_a_revoked_session_is_cut_off_at_the_deadline_of_the_call_that_told_it(self) -> None:
        self.journal.held = ("a", 1)
        self.node.deliver(session("a", "1.1", 1, 2))
        self.start()
        self.journal.began.wait(20.0)
        self.node.revoke("a", "1.1")
        self.node.wait_for_another_poll()
        # Calls are answered all the time, but give it no more time.
        self.clock.time += DEADLINE - 1
        self.node.wait_for_another_poll()
        self.assertEqual([], self.node.kinds("a"))
        self.clock.time += 1
        self.journal.wait_for("lost a")
        self.node.wait_for_result("a", "RELEASED", 0)
        self.journal.gate.set()
        self.journal.wait_for("close a")
        self.node.wait_for_another_poll()
        self.assertEqual(["RELEASED"], self.node.kinds("a"))

    def test_a_revoked_session_of_which_the_worker_knows_nothing_is_given_back(self) -> None:
        self.start()
        self.node.revoke("a", "1.1")
        self.node.wait_for_result("a", "RELEASED", 0)
        self.assertEqual([], self.journal.lines())

    def test_a_completion_that_does_not_cover_all_events_lets_the_session_go_on(self) -> None:
        self.node.outcomes["COMPLETED"] = "CONTINUES"
        self.journal.react = lambda state, one, event: one.complete()
        self.node.deliver(session("a", "1.1", 1))
        self.start()
        self.node.wait_for_result("a", "COMPLETED", 1)
        self.node.set(outcomes={})
        self.node.deliver(session("a", "1.1", 2))
        self.node.wait_for_result("a", "COMPLETED", 2)
        self.journal.wait_for("close a")
        self.assertEqual(["open a None", "a 1", "a 2", "close a"], self.journal.lines())

    def test_a_failed_event_comes_again_with_the_state_as_it_was(self) -> None:
        def fail(state: Any, one: Session, given: SessionEvent) -> None:
            if given.n == 2 and given.attempt == 1:
                one.fail("not yet")

        self.journal.react = fail
        self.node.deliver(session("a", "1.1", 1, 2, 3))
        self.start()
        self.assertEqual("not yet", self.node.wait_for_result("a", "FAILED", 1)["reason"])
        self.node.deliver({**session("a", "1.1", 2), "from": 1, "events": [event(2, attempt=2), event(3)]})
        self.node.wait_for_result("a", "ACKNOWLEDGED", 3)
        self.assertEqual(["open a None", "a 1", "a 2", "a 2", "a 3"], self.journal.lines())

    def test_after_an_exception_the_session_is_given_back_without_its_state(self) -> None:
        def crash(state: Any, one: Session, given: SessionEvent) -> None:
            raise ValueError("half done")

        self.journal.react = crash
        self.node.deliver(session("a", "1.1", 1))
        self.start()
        self.node.wait_for_result("a", "RELEASED", 0)
        self.assertEqual(["FAILED", "RELEASED"], self.node.kinds("a"))
        self.assertEqual("ValueError: half done", self.node.wait_for_result("a", "FAILED", 0)["reason"])

    def test_a_session_that_is_given_back_is_not_charged_with_a_failure(self) -> None:
        self.journal.react = lambda state, one, event: one.give_back()
        self.node.deliver(session("a", "1.1", 1))
        self.start()
        self.node.wait_for_result("a", "RELEASED", 0)
        self.assertEqual(["RELEASED"], self.node.kinds("a"))

    def test_a_worker_that_is_asked_to_leave_reports_states_and_ends(self) -> None:
        self.node.deliver(session("a", "1.1", 1, 2))
        self.start()
        self.node.wait_for_result("a", "ACKNOWLEDGED", 2)
        self.node.set(leave=True)
        assert self.worker is not None
        self.assertTrue(self.worker.wait(20.0))
        self.assertEqual([1, 2], self.node.wait_for_result("a", "SNAPSHOT", 2)["snapshot"])
        self.assertEqual([self.node.registrations[0]["incarnation"]], self.node.left)
        self.assertEqual("close a", self.journal.lines()[-1])

    def test_the_cap_is_divided_among_the_nodes_and_at_least_one_each(self) -> None:
        self.nodes.append(FakeSessionNode())
        for cap, share in ((5, 2), (1, 1)):
            self.start(cap=cap)
            for node in self.nodes:
                node.wait_for(lambda: bool(node.registrations))
                self.assertEqual(share, node.registrations.pop()["cap"])
            assert self.worker is not None
            self.worker.close()

    def test_no_more_events_are_asked_for_than_fit(self) -> None:
        self.journal.held = ("a", 1)
        self.node.deliver(session("a", "1.1", 1, 2, 3))
        self.start(max_buffered=4)
        self.journal.began.wait(20.0)
        self.node.wait_for(lambda: self.node.polls[-1]["max"] == 1)
        self.node.deliver(session("a", "1.1", 4))
        self.node.wait_for(lambda: self.node.polls[-1]["max"] == 0)


class ProgramTest(unittest.TestCase):
    def test_a_decorated_class_is_a_worker_of_the_nodes_that_hold_its_queue(self) -> None:
        @session_worker("orders", patience=0.2)
        class Order:
            def __init__(self, key: str, snapshot: Any) -> None:
                self.key = key

            def event(self, one: Session, given: SessionEvent) -> None:
                one.complete()

        node = FakeSessionNode()
        node.deliver(session("a", "1.1", 1))
        row = {"name": "q1", "address": node.url, "live": True, "segments": [{"queue": "orders"}]}
        with FakeServer(answer({"token": "t1", "validFor": "1h"}), answer([row])) as central:
            with Order.worker(Client(central.url, token="t", environment={})):
                node.wait_for_result("a", "COMPLETED", 1)
        node.stop()
        self.assertEqual(1, len(node.left))

    def test_a_job_works_for_the_node_of_its_environment(self) -> None:
        node = FakeSessionNode()
        node.deliver(session("a", "1.1", 1))
        environment = {
            "MILLRACE_URL": node.url,
            "MILLRACE_TOKEN": "of the attempt",
            "MILLRACE_QUEUE": "orders",
            "MILLRACE_ATTEMPT": "17.1",
        }
        with SessionWorker.of_job(Journal(), environment, patience=0.2):
            node.wait_for_result("a", "ACKNOWLEDGED", 1)
        node.stop()
        self.assertEqual("17.1", node.registrations[0]["job"])


if __name__ == "__main__":
    unittest.main()
