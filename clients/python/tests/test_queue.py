"""Sending: batch names, load balancers, and what is repeated."""

from __future__ import annotations

import json
import unittest
from dataclasses import replace
from typing import Any, List

from millrace import Client, EventDraft, MillraceError, Queue, Sent, Unreachable
from tests.fake import DROPPED, FakeServer, ManualClock, Reply, Request, answer, closed_address, refusal

SENT = {"queue": "alert", "batch": "b", "accepted": 1, "repeated": False, "node": "q1"}


def balancers(*urls: str) -> Any:
    return answer([{"name": f"lb{n}", "address": url} for n, url in enumerate(urls)])


def lines(request: Request) -> List[Any]:
    return [json.loads(line) for line in request.body.splitlines()]


class SendTest(unittest.TestCase):
    def setUp(self) -> None:
        self.clock = ManualClock()

    def client(self, *central: str, **options: Any) -> Client:
        return Client(central, token="t", environment={}, clock=self.clock.clock, **options)

    def test_events_are_sent_to_a_load_balancer_that_the_central_manager_names(self) -> None:
        with FakeServer(answer(SENT)) as balancer, FakeServer(balancers(balancer.url)) as central:
            queue = self.client(central.url).queue("alert")
            self.assertEqual(1, queue.send({"user": 17}).accepted)
            queue.send("again")
            self.assertEqual(["POST /v1/queues/alert/events"] * 2, balancer.paths())
            self.assertEqual(["GET /v1/load-balancers"], central.paths())

    def test_events_may_have_more_than_their_data(self) -> None:
        draft = EventDraft(None, id="e1", attributes={"a": "b"}, delay=10, priority=3)
        with FakeServer(answer(SENT)) as balancer:
            queue = self.client("http://h:1", balancers=balancer.url).queue("alert")
            queue.send({"n": "ä\n"}, draft, delay="5m", priority=1)
            request = balancer.requests[0]
            self.assertEqual("/v1/queues/alert/events?delay=5m&priority=1", request.path)
            self.assertEqual("application/vnd.millrace.events+x-ndjson", request.headers["content-type"])
            whole = {"id": "e1", "data": None, "attributes": {"a": "b"}, "delay": "10000ms", "priority": 3}
            self.assertEqual([{"data": {"n": "ä\n"}}, whole], lines(request))

    def test_a_lost_batch_is_repeated_under_the_same_name(self) -> None:
        replies = (DROPPED, refusal(504, "TIMEOUT"), refusal(503, "NO_SEGMENT", retry_after=2), answer(SENT))
        with FakeServer(*replies) as balancer:
            self.client("http://h:1", balancers=balancer.url).queue("alert").send(1, 2)
            self.assertEqual(1, len({one.headers["millrace-batch"] for one in balancer.requests}))
            self.assertEqual(1, len({one.body for one in balancer.requests}))
            self.assertEqual(4, len(balancer.requests))

    def test_each_batch_has_its_own_name_unless_one_is_given(self) -> None:
        with FakeServer(answer(SENT)) as balancer:
            queue = self.client("http://h:1", balancers=[balancer.url]).queue("alert")
            queue.send(1)
            queue.send(1)
            queue.send(1, batch="mine")
            names = [one.headers["millrace-batch"] for one in balancer.requests]
            self.assertEqual(3, len(set(names)))
            self.assertEqual("mine", names[2])

    def test_another_load_balancer_is_tried(self) -> None:
        with FakeServer(answer(SENT)) as balancer, FakeServer(balancers(closed_address(), balancer.url)) as central:
            self.client(central.url).queue("alert").send(1)
            self.assertEqual([], self.clock.pauses)

    def test_the_load_balancers_are_looked_up_again_when_none_answers(self) -> None:
        with FakeServer(answer(SENT)) as moved:
            with FakeServer(balancers(closed_address()), balancers(moved.url)) as central:
                self.client(central.url).queue("alert").send(1)
                self.assertEqual(1, len(moved.requests))

    def test_known_load_balancers_are_used_while_no_central_manager_answers(self) -> None:
        with FakeServer(answer(SENT), DROPPED, DROPPED, answer(SENT)) as balancer:
            with FakeServer(balancers(balancer.url)) as central:
                queue = self.client(central.url).queue("alert")
                queue.send(1)
            queue.send(2)
            self.assertEqual(4, len(balancer.requests))

    def test_a_limited_rate_is_waited_for(self) -> None:
        with FakeServer(refusal(429, "RATE_LIMITED", retry_after=1), answer(SENT)) as balancer:
            self.client("http://h:1", balancers=balancer.url).queue("alert").send(1)
            self.assertEqual([1.0], self.clock.pauses)

    def test_a_full_queue_is_an_error_after_the_deadline(self) -> None:
        with FakeServer(refusal(429, "QUEUE_FULL", retry_after=1)) as balancer:
            with self.assertRaises(MillraceError) as failed:
                self.client("http://h:1", balancers=balancer.url, deadline=10).queue("alert").send(1)
        self.assertEqual("QUEUE_FULL", failed.exception.code)

    def test_refusals_are_not_repeated(self) -> None:
        refusals = ((404, "UNKNOWN_QUEUE"), (410, "QUEUE_DELETING"), (413, "BODY_TOO_LARGE"), (507, "DISK_FULL"))
        for status, code in refusals:
            with self.subTest(code), FakeServer(refusal(status, code, retry_after=1)) as balancer:
                with self.assertRaises(MillraceError) as failed:
                    self.client("http://h:1", balancers=balancer.url).queue("alert").send(1)
                self.assertEqual(code, failed.exception.code)
                self.assertEqual(1, len(balancer.requests))

    def test_a_cluster_without_load_balancer_is_reported_after_the_deadline(self) -> None:
        with FakeServer(balancers()) as central:
            with self.assertRaisesRegex(Unreachable, "no load balancer"):
                self.client(central.url, deadline=3).queue("alert").send(1)

    def test_nothing_and_what_is_not_json_is_refused_before_anything_is_sent(self) -> None:
        queue = self.client("http://h:1").queue("alert")
        for wrong in ([], [float("nan")]):
            with self.subTest(wrong), self.assertRaises(ValueError):
                queue.send(*wrong)


def refused(code: str, index: int = 1) -> Any:
    return {"index": index, "id": f"b-{index}", "key": "k", "code": code, "message": "for the test"}


def partly(*refusals: Any, after: int = 0) -> Reply:
    """The answer of a queue of sessions that has not stored all events."""
    reply = answer({**SENT, "refused": list(refusals)}, 207)
    return replace(reply, headers={**reply.headers, "Retry-After": str(after)}) if after else reply


class SessionsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.clock = ManualClock()

    def queue(self, b: FakeServer, **options: Any) -> Queue:
        client = Client("http://h:1", token="t", environment={}, clock=self.clock.clock, balancers=b.url, **options)
        return client.queue("alert")

    def test_events_that_are_refused_for_good_are_returned(self) -> None:
        with FakeServer(partly(refused("DUPLICATE"))) as balancer:
            sent = self.queue(balancer).send(1, 2)
            self.assertEqual(1, len(balancer.requests))
            self.assertEqual((1, "b-1", "k", "DUPLICATE"), (sent.accepted, *self.shown(sent)))
            self.assertFalse(sent.refused[0].passing)

    @staticmethod
    def shown(sent: Sent) -> Any:
        one = sent.refused[0]
        return one.id, one.key, one.code

    def test_a_batch_is_sent_again_after_the_time_that_the_server_asks_for(self) -> None:
        replies = (partly(refused("SESSIONS_FULL"), after=7), partly(refused("STALE_SLOT")), answer(SENT))
        with FakeServer(*replies) as balancer:
            self.assertEqual((), tuple(self.queue(balancer).send(1, 2).refused))
            self.assertEqual([7.0, 1.0], self.clock.pauses)
            self.assertEqual(1, len({(one.headers["millrace-batch"], one.body) for one in balancer.requests}))

    def test_what_is_still_refused_at_the_deadline_is_returned(self) -> None:
        with FakeServer(partly(refused("SESSIONS_FULL"), after=4)) as balancer:
            sent = self.queue(balancer, deadline=10).send(1, 2)
            self.assertEqual([4.0, 4.0], self.clock.pauses)
            self.assertTrue(sent.refused[0].passing)

    def test_the_caller_may_want_to_know_at_once(self) -> None:
        with FakeServer(partly(refused("SESSIONS_FULL"), after=4)) as balancer:
            sent = self.queue(balancer).send(1, 2, retry_refused=False)
            self.assertEqual("SESSIONS_FULL", sent.refused[0].code)
            self.assertEqual([], self.clock.pauses)


if __name__ == "__main__":
    unittest.main()
