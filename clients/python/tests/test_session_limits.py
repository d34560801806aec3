"""Session workers: what a queue node refuses, when work ends, and the share of the cap."""

from __future__ import annotations

import json
import threading
import time
import unittest
from typing import Any, List, Optional, Tuple

from millrace import MillraceError, Session, SessionEvent, SessionWorker
from millrace.connection import Clock
from millrace.heldsession import LARGEST_SNAPSHOT, Program
from millrace.keyedthreads import KeyedThreads
from millrace.session import _FIRST_PAUSE
from millrace.sessionbook import Book
from tests.fake import ManualClock
from tests.fakesession import DEADLINE, FakeSessionNode, session
from tests.test_session import Journal, Nodes


class SessionLimitsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.clock = ManualClock()
        self.node = FakeSessionNode()
        self.nodes = [self.node]
        self.journal = Journal()
        self.problems: List[str] = []
        self.worker: Optional[SessionWorker] = None

    def tearDown(self) -> None:
        self.journal.gate.set()
        self.node.set(silent=False)
        if self.worker is not None:
            self.worker.close()
        for node in self.nodes:
            node.stop()

    def start(self, **options: Any) -> SessionWorker:
        def note(node: str, problem: MillraceError) -> None:
            self.problems.append(problem.detail)

        given = {"snapshot_every": 1000, "patience": 0.2, "leave_within": 20, "on_problem": note, **options}
        self.worker = SessionWorker("orders", Nodes(self.clock.clock, self.nodes), self.journal, **given)
        self.worker.start()
        return self.worker

    def test_a_snapshot_above_the_limit_fails_its_event_and_nothing_else(self) -> None:
        def grow(state: Any, one: Session, given: SessionEvent) -> None:
            if one.key == "big":
                state.seen = "x" * (LARGEST_SNAPSHOT - 1)
                one.snapshot()

        self.journal.react = grow
        self.node.deliver(session("small", "1.1", 1), session("big", "1.1", 1))
        self.start()
        reason = self.node.wait_for_result("big", "FAILED", 0)["reason"]
        self.assertIn("the snapshot of session 'big' has 4194305 bytes as JSON", reason)
        self.node.wait_for_result("big", "RELEASED", 0)
        self.node.wait_for_result("small", "ACKNOWLEDGED", 1)
        self.assertEqual(1, len(self.node.registrations))

    def test_a_result_that_the_node_refuses_costs_only_its_session(self) -> None:
        self.node.refused_key = "bad"
        self.node.deliver(*(session("bad" if n == 7 else f"k{n}", "1.1", 1, 2) for n in range(20)))
        self.start()
        self.journal.wait_for("close bad")
        for n in range(20):
            if n != 7:
                self.node.wait_for_result(f"k{n}", "ACKNOWLEDGED", 2)
        self.node.wait_for(lambda: not self.node.polls[-1]["results"])
        self.assertEqual(1, len(self.node.registrations))
        self.assertEqual(["lost bad"], [line for line in self.journal.lines() if line.startswith("lost")])
        self.assertTrue(any("ACKNOWLEDGED of session 'bad' was refused" in one for one in self.problems), self.problems)

    def test_the_event_whose_result_is_too_large_has_failed_and_its_session_is_given_back(self) -> None:
        self.node.refusal = (413, "BODY_TOO_LARGE")
        self.node.deliver(session("a", "1.1", 1))
        self.start()
        self.node.wait_for_result("a", "ACKNOWLEDGED", 1)
        self.node.set(refused_key="a")
        self.node.deliver(session("a", "1.1", 2))
        self.journal.wait_for("lost a")
        self.node.set(refused_key="")
        self.node.wait_for(lambda: "RELEASED" in self.node.kinds("a"))
        self.assertNotIn(2, [one["through"] for one in self.node.results])

    def test_a_poll_is_never_larger_than_a_node_takes(self) -> None:
        class Failing:
            def __init__(self, key: str, snapshot: Any) -> None:
                pass

            def event(self, one: Session, given: SessionEvent) -> None:
                # Each letter is written as six, and half a one cannot be written at all.
                one.fail("\x01" * 1999 + "\ud83d")

        threads = KeyedThreads("limits", 2)
        book = Book(Program(Failing, 10), threads, self.clock.clock, 10_000)
        book.begin(60.0)
        book.answered({"poll": 1, "sessions": [session(f"k{n}", "1.1", 1) for n in range(1000)]}, [], 60.0)
        threads.end(20.0)
        reported = 0
        while reported < 1000:
            results = book.results(2)
            self.assertTrue(results)
            reported += len(results)
            self.assertLess(len(json.dumps(results, ensure_ascii=False).encode()), 8 << 20)

    def test_a_session_that_ended_at_the_node_is_dropped_when_it_is_revoked(self) -> None:
        # As after too many failures: the node parks it, and the worker has it until it is told.
        self.journal.react = lambda state, one, given: one.fail("no")
        self.journal.snapshots = False
        self.node.deliver(session("a", "1.1", 1))
        self.start()
        self.node.wait_for_result("a", "FAILED", 0)
        self.node.wait_for_another_poll()
        self.assertEqual(["open a None", "a 1"], self.journal.lines())
        self.node.set(outcomes={"RELEASED": "UNKNOWN"})
        self.node.revoke("a", "1.1")
        self.node.wait_for_result("a", "RELEASED", 0)
        self.node.wait_for_another_poll()
        self.assertEqual(["open a None", "a 1", "close a"], self.journal.lines())
        self.assertEqual(["FAILED", "RELEASED"], self.node.kinds("a"))

    def test_an_earlier_number_of_a_session_is_given_back_and_the_later_one_goes_on(self) -> None:
        self.node.outcomes["RELEASED"] = "STALE"
        self.node.deliver(session("a", "1.2", 1))
        self.start()
        self.node.wait_for_result("a", "ACKNOWLEDGED", 1)
        self.node.revoke("a", "1.1")
        self.assertEqual("1.1", self.node.wait_for_result("a", "RELEASED", 0)["number"])
        self.node.deliver(session("a", "1.2", 2))
        self.node.wait_for_result("a", "ACKNOWLEDGED", 2)

    def test_the_deadline_is_observed_while_an_answer_is_awaited(self) -> None:
        self.journal.held = ("a", 1)
        self.node.deliver(session("a", "1.1", 1))
        self.start()
        self.journal.began.wait(20.0)
        # As after a suspension: no call ends, but the time has passed.
        answering = self.node._lock
        with answering:
            self.clock.time += DEADLINE
            self.journal.wait_for("lost a")

    def test_a_worker_leaves_when_its_objects_are_closed(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        journal = self.journal

        class Slow:
            def __init__(self, key: str, snapshot: Any) -> None:
                pass

            def event(self, one: Session, given: SessionEvent) -> None:
                pass

            def close(self) -> None:
                journal.note("closing")
                gate.wait(20.0)

        self.node.deliver(session("a", "1.1", 1))
        worker = SessionWorker("orders", Nodes(self.clock.clock, self.nodes), Slow, patience=0.2)
        worker.start()
        self.node.wait_for_result("a", "ACKNOWLEDGED", 1)
        worker.leave()
        journal.wait_for("closing")
        self.node.wait_for_another_poll()
        self.assertEqual([], self.node.left)
        gate.set()
        self.assertTrue(worker.wait(20.0))
        self.assertEqual(1, len(self.node.left))

    def test_a_worker_that_leaves_pauses_before_it_asks_a_node_that_is_away_again(self) -> None:
        self.journal.held = ("a", 1)
        self.node.deliver(session("a", "1.1", 1))
        worker = self.start()
        self.assertTrue(self.journal.began.wait(20.0))
        self.node.set(silent=True)
        worker.leave()
        self.node.wait_for_another_poll()
        began, before = time.monotonic(), len(self.node.polls)
        self.node.wait_for(lambda: len(self.node.polls) >= before + 4)
        # Three pauses lie between four polls.
        self.assertGreater(time.monotonic() - began, 3 * _FIRST_PAUSE)

    def test_nodes_that_come_get_their_share_of_the_cap_from_those_that_were_there(self) -> None:
        worker = self.start(cap=9)
        self.node.wait_for(lambda: len(self.node.registrations) == 1)
        other = FakeSessionNode()
        both = Nodes(self.clock.clock, [self.node, other])
        self.nodes.append(other)
        worker.nodes = both
        worker.look()
        self.node.wait_for(lambda: len(self.node.registrations) == 2)
        other.wait_for(lambda: len(other.registrations) == 1)
        caps = self._said(self.node)
        self.assertEqual([9, 4], [cap for _, cap in caps])
        self.assertEqual(1, len({process for process, _ in caps}))
        self.assertEqual([4], [cap for _, cap in self._said(other)])

    def test_a_worker_that_was_retired_before_its_cap_changed_forgets_its_sessions(self) -> None:
        self.journal.held = ("a", 1)
        self.node.deliver(session("a", "1.1", 1))
        worker = self.start(cap=9)
        self.assertTrue(self.journal.began.wait(20.0))
        self.node.set(retiring=True)
        self.nodes.append(FakeSessionNode())
        worker.nodes = Nodes(self.clock.clock, self.nodes)
        worker.look()
        self.journal.wait_for("lost a")
        self.journal.gate.set()
        self.node.wait_for(lambda: len(self.node.registrations) == 3)
        before, anew = (process for process, _ in self._said(self.node)[1:])
        self.assertNotEqual(before, anew)
        # Only the second one is of a process that is registered.
        self.assertEqual([None, True, None], [one.get("change") for one in self.node.registrations])
        self.assertEqual([], self.node.kinds("a"))
        self.node.deliver(session("a", "1.2", 1))
        self.node.wait_for_result("a", "ACKNOWLEDGED", 1)

    def test_a_lost_answer_to_a_change_of_the_cap_does_not_hide_a_retirement(self) -> None:
        self.journal.held = ("a", 1)
        self.node.deliver(session("a", "1.1", 1))
        worker = self.start(cap=9)
        self.assertTrue(self.journal.began.wait(20.0))
        self.node.set(retiring=True, lose_registration=True)
        self.nodes.append(FakeSessionNode())
        worker.nodes = Nodes(self.clock.clock, self.nodes)
        worker.look()
        self.journal.wait_for("lost a")
        self.journal.gate.set()

    @staticmethod
    def _said(node: FakeSessionNode) -> List[Tuple[str, int]]:
        return [(one["incarnation"], one["cap"]) for one in node.registrations]

    @unittest.skipUnless(hasattr(time, "CLOCK_BOOTTIME"), "this system has no such clock")
    def test_the_time_of_a_suspension_counts(self) -> None:
        self.assertEqual((time.CLOCK_BOOTTIME,), getattr(Clock().now, "args", None))


if __name__ == "__main__":
    unittest.main()
