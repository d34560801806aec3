"""Consuming: which nodes are asked, and what becomes of events."""

from __future__ import annotations

import unittest
from typing import Any, List

from millrace import Client, Consumer, MillraceError, Unreachable
from tests.fake import DROPPED, Behaviour, FakeServer, ManualClock, Reply, Request, answer, closed_address, refusal

NOTHING = answer({"events": [], "lease": "30s"})
DONE = answer({"done": 1, "stale": [], "dead": 0})


def events(*names: str, lease: str = "30s") -> Reply:
    found = [{"receipt": f"r-{n}", "id": n, "queue": "alert", "attempt": 1, "data": {"n": n}} for n in names]
    return answer({"events": found, "lease": lease})


def rows(*urls: str, **more: Any) -> List[Any]:
    row = {"live": True, "segments": [{"queue": "alert"}], **more}
    return [{"name": f"q{n}", "address": url, **row} for n, url in enumerate(urls)]


def nodes(*urls: str) -> Behaviour:
    """A central manager that knows these queue nodes as they were."""
    return lambda request: (
        answer(rows(*urls)) if request.path == "/v1/queue-nodes" else refusal(404, "UNKNOWN_NODE")
    )


def receipts(server: FakeServer, what: str) -> List[Any]:
    return [one.json for one in server.requests if one.path == f"/v1/queues/alert/{what}"]


class ConsumerTest(unittest.TestCase):
    def setUp(self) -> None:
        self.clock = ManualClock()

    def client(self, central: FakeServer, **options: Any) -> Client:
        return Client(central.url, token="t", environment={}, clock=self.clock.clock, **options)

    def test_each_event_is_acknowledged_at_the_end_of_its_block(self) -> None:
        with FakeServer(events("a", "b"), DONE, DONE, NOTHING) as node, FakeServer(nodes(node.url)) as central:
            with self.client(central).queue("alert").consume(max=2, lease=30, idle=0, worker="w") as consumer:
                for event in consumer:
                    with event:
                        self.assertEqual({"n": event.id}, event.data)
            self.assertEqual([{"receipts": ["r-a"]}, {"receipts": ["r-b"]}], receipts(node, "acks"))
            self.assertEqual([], receipts(node, "nacks"))
            asked = receipts(node, "leases")[0]
            self.assertEqual({"max": 2, "patience": "0ms", "lease": "30000ms", "worker": "w"}, asked)

    def test_a_failure_is_reported_with_its_text_and_passed_on_and_the_rest_is_returned(self) -> None:
        with FakeServer(events("a", "b"), DONE) as node, FakeServer(nodes(node.url)) as central:
            with self.assertRaises(KeyError):
                with self.client(central).queue("alert").consume(max=2) as consumer:
                    for event in consumer:
                        with event:
                            raise KeyError("no such user")
            failed, returned = receipts(node, "nacks")
            self.assertEqual((["r-a"], "FAILED"), (failed["receipts"], failed["kind"]))
            self.assertIn("no such user", failed["reason"])
            self.assertEqual((["r-b"], "RETURNED"), (returned["receipts"], returned["kind"]))

    def test_an_interruption_is_not_a_failure_of_the_event(self) -> None:
        with FakeServer(events("a"), DONE) as node, FakeServer(nodes(node.url)) as central:
            with self.assertRaises(KeyboardInterrupt):
                for event in self.client(central).queue("alert").consume():
                    with event:
                        raise KeyboardInterrupt
            self.assertEqual(["RETURNED"], [one["kind"] for one in receipts(node, "nacks")])

    def test_an_event_that_was_answered_in_its_block_is_not_answered_again(self) -> None:
        with FakeServer(events("a"), DONE) as node, FakeServer(nodes(node.url)) as central:
            consumer = self.client(central).queue("alert").consume()
            with consumer.lease()[0] as event:
                event.fail("later", delay="10s")
            self.assertEqual([], receipts(node, "acks"))
            refused = {"receipts": ["r-a"], "kind": "FAILED", "reason": "later", "delay": "10s"}
            self.assertEqual([refused], receipts(node, "nacks"))

    def test_a_lost_acknowledgement_is_repeated_at_the_same_node(self) -> None:
        with FakeServer(events("a"), DROPPED, Reply(503), DONE) as node, FakeServer(nodes(node.url)) as central:
            with self.client(central).queue("alert").consume().lease()[0]:
                pass
            self.assertEqual([{"receipts": ["r-a"]}] * 3, receipts(node, "acks"))

    def test_an_acknowledgement_follows_its_node_to_another_address(self) -> None:
        with FakeServer(DONE) as moved:
            with FakeServer(events("a")) as node:
                row = {"name": "q0", "address": moved.url, "live": True}
                central = FakeServer(nodes(node.url), answer(row))
                event = self.client(central).queue("alert").consume().lease()[0]
            with central:
                self.assertEqual(1, event.acknowledge().done)
            self.assertEqual("GET /v1/queue-nodes/q0", central.paths()[-1])

    def test_every_node_that_holds_the_queue_is_asked(self) -> None:
        with FakeServer(NOTHING) as first, FakeServer(NOTHING, events("a")) as second, FakeServer(DROPPED) as gone:
            listed = rows(first.url, second.url) + rows(gone.url, live=False) + rows(gone.url, segments=[])
            with FakeServer(answer(listed)) as central:
                found = self.client(central).queue("alert").consume().lease()
                self.assertEqual(["a"], [one.id for one in found])
                self.assertEqual([], gone.requests)

    def test_a_node_that_does_not_answer_is_passed_over(self) -> None:
        with FakeServer(events("a")) as node, FakeServer(nodes(closed_address(), node.url)) as central:
            consumer = self.client(central).queue("alert").consume()
            self.assertEqual(["a"], [one.id for one in consumer.lease()])
            self.assertEqual(["a"], [one.id for one in consumer.lease()])

    def test_a_node_that_does_not_answer_is_looked_up_again(self) -> None:
        with FakeServer(events("a")) as moved, FakeServer(NOTHING) as first:
            with FakeServer(nodes(first.url, closed_address()), nodes(first.url, moved.url)) as central:
                self.assertEqual(["a"], [one.id for one in self.client(central).queue("alert").consume().lease()])
                self.assertLess(self.clock.time, 5)

    def test_a_cluster_that_is_away_is_waited_for_until_the_deadline(self) -> None:
        with FakeServer(Reply(503), DROPPED, Reply(502), events("a")) as node, FakeServer(nodes(node.url)) as central:
            found = self.client(central).queue("alert").consume().lease(wait=0)
            self.assertEqual(["a"], [one.id for one in found])
        with FakeServer(nodes(closed_address())) as central:
            with self.assertRaises(Unreachable):
                self.client(central, deadline=5).queue("alert").consume(idle=0).lease()
            self.assertGreaterEqual(self.clock.time, 5)

    def test_an_unknown_queue_is_refused_at_once(self) -> None:
        with FakeServer(answer([]), refusal(404, "UNKNOWN_QUEUE")) as central:
            with self.assertRaises(MillraceError) as failed:
                self.client(central).queue("alert").consume().lease()
        self.assertEqual("UNKNOWN_QUEUE", failed.exception.code)

    def test_iteration_ends_when_it_was_idle(self) -> None:
        def patient(request: Request) -> Reply:
            self.clock.time += float(request.json["patience"][:-2]) / 1000
            return NOTHING

        with FakeServer(patient) as node, FakeServer(nodes(node.url)) as central:
            self.assertEqual([], list(self.client(central).queue("alert").consume(idle="30s")))
            self.assertEqual(["20000ms", "10000ms"], [one["patience"] for one in receipts(node, "leases")])

    def test_leases_of_events_that_wait_are_extended_and_lost_ones_left_out(self) -> None:
        extended = answer({"done": 1, "stale": ["r-c"], "dead": 0})
        with FakeServer(events("a", "b", "c"), DONE, extended, DONE, NOTHING) as node:
            with FakeServer(nodes(node.url)) as central:
                seen = []
                for event in self.client(central).queue("alert").consume(max=3, idle=0):
                    with event:
                        seen.append(event.id)
                        self.clock.time += 16
                self.assertEqual(["a", "b"], seen)
                self.assertEqual([{"receipts": ["r-b", "r-c"], "lease": "30000ms"}], receipts(node, "extensions"))

    def test_an_event_in_work_is_extended_on_request(self) -> None:
        with FakeServer(events("a"), DONE) as node, FakeServer(nodes(node.url)) as central:
            event = self.client(central).queue("alert").consume().lease()[0]
            self.clock.time += 25
            self.assertEqual(1, event.extend("1m").done)
            self.assertEqual(85.0, event.leased_until)


class WorkerTest(unittest.TestCase):
    def environment(self, node: FakeServer, **more: str) -> Any:
        return {
            "MILLRACE_URL": node.url,
            "MILLRACE_TOKEN": "of the attempt",
            "MILLRACE_QUEUE": "alert",
            "MILLRACE_BATCH": "2",
            "MILLRACE_ATTEMPT": "17.1",
            **more,
        }

    def test_a_worker_takes_one_batch_with_the_token_of_its_attempt(self) -> None:
        with FakeServer(events("a", "b"), DONE) as node:
            for event in Consumer.of_worker(self.environment(node)):
                event.acknowledge()
            self.assertEqual({"Bearer of the attempt"}, {one.headers["authorization"] for one in node.requests})
            self.assertEqual([{"max": 2, "patience": "0ms", "worker": "17.1"}], receipts(node, "leases"))

    def test_a_worker_that_lingers_keeps_its_limits(self) -> None:
        linger = {
            "MILLRACE_LINGER_EVENTS": "4",
            "MILLRACE_LINGER_SECONDS": "60",
            "MILLRACE_LINGER_IDLE_SECONDS": "0.2",
        }
        with FakeServer(events("a"), DONE, events("b"), DONE, events("c"), DONE) as node:
            for event in Consumer.of_worker(self.environment(node, **linger)):
                event.acknowledge()
            self.assertEqual(3, len(receipts(node, "leases")), "3 + a batch of 2 is more than 4")


if __name__ == "__main__":
    unittest.main()
