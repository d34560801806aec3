"""Jobs: what is submitted, and how lost answers are dealt with."""

from __future__ import annotations

import unittest
from datetime import datetime, timedelta, timezone
from typing import Any

from millrace import Client, Dependency, JobSpec, MillraceError, Notification, RetryPolicy, TimedOut
from tests.fake import DROPPED, FakeServer, ManualClock, Reply, answer, refusal


def view(state: str = "WAITING", **more: Any) -> Any:
    return {"id": 17, "name": "echo", "state": state, "attempt": 1, **more}


def details(state: str = "WAITING", **more: Any) -> Any:
    return {"job": view(state, **more), "spec": {"command": ["echo"]}, "attempts": [], "history": []}


class JobTest(unittest.TestCase):
    def setUp(self) -> None:
        self.clock = ManualClock()

    def client(self, server: FakeServer) -> Client:
        return Client(server.url, token="t", environment={}, clock=self.clock.clock)

    def test_a_lost_submission_is_repeated_under_the_same_key(self) -> None:
        with FakeServer(DROPPED, refusal(503, "UNAVAILABLE"), answer(view())) as server:
            self.assertEqual(17, self.client(server).jobs.submit(["echo", "hi"]).id)
            keys = [one.headers["idempotency-key"] for one in server.requests]
            self.assertEqual(1, len(set(keys)))
            self.assertEqual(["echo", "hi"], server.requests[0].json["command"])

    def test_each_submission_has_its_own_key_unless_one_is_given(self) -> None:
        with FakeServer(answer(view())) as server:
            jobs = self.client(server).jobs
            jobs.submit(["a"])
            jobs.submit(["a"])
            jobs.submit(["a"], key="order-4711")
            keys = [one.headers["idempotency-key"] for one in server.requests]
            self.assertEqual(3, len(set(keys)))
            self.assertEqual("order-4711", keys[2])

    def test_only_the_fields_that_are_set_are_sent(self) -> None:
        spec = JobSpec(
            ["x"],
            not_before=datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=1))),
            timeout=timedelta(minutes=30),
            grace=1.5,
            memory=1024,
            retry=RetryPolicy(3, backoff="10s", on=["exit"]),
            after=[17, Dependency(18, "ANY")],
            array=range(0, 91, 10),
            env={"A": "b"},
            notify=Notification(on=["failed"], webhook="https://example.org/hook"),
        )
        self.assertEqual(
            {
                "command": ["x"],
                "notBefore": "2026-03-01T11:00:00Z",
                "timeout": "1800000ms",
                "grace": "1500ms",
                "memory": "1024B",
                "retry": {"max": 3, "backoff": "10s", "on": ["exit"]},
                "after": [{"job": 17, "end": "OK"}, {"job": 18, "end": "ANY"}],
                "array": "0-90:10",
                "env": {"A": "b"},
                "notify": {"on": ["failed"], "webhook": "https://example.org/hook"},
            },
            spec.document(),
        )
        self.assertEqual({"max": 2}, JobSpec(["x"], retry=2).document()["retry"])
        self.assertEqual("1-1000%50", JobSpec(["x"], array="1-1000%50").document()["array"])

    def test_mistakes_are_refused_before_anything_is_sent(self) -> None:
        for wrong in (
            JobSpec("echo hi"),
            JobSpec(["x"], not_before=datetime(2026, 3, 1)),
            JobSpec(["x"], timeout=-1),
            JobSpec(["x"], array=range(0)),
        ):
            with self.subTest(wrong), self.assertRaises(ValueError):
                wrong.document()

    def test_a_view_is_read_and_unknown_fields_are_ignored(self) -> None:
        more = {
            "exitCode": 3,
            "endedAt": "2026-03-01T12:10:00.123456789Z",
            "progress": {"size": 10, "failed": 1},
            "fieldOfALaterVersion": {},
        }
        with FakeServer(answer(details("FAILED", **more))) as server:
            job = self.client(server).jobs.show(17).job
        self.assertEqual((3, True, False), (job.exit_code, job.ended, job.succeeded))
        self.assertEqual(datetime(2026, 3, 1, 12, 10, 0, 123456, timezone.utc), job.ended_at)
        self.assertEqual((10, 1), (job.progress.size, job.progress.failed) if job.progress else None)

    def test_waiting_continues_until_the_job_has_ended(self) -> None:
        replies = [answer(view("RUNNING")), DROPPED, answer(view("SUCCEEDED"))]
        with FakeServer(*replies) as server:
            self.assertTrue(self.client(server).jobs.wait(17).succeeded)
            self.assertEqual("GET /v1/jobs/17/wait?timeout=10000ms", server.paths()[0])

    def test_waiting_ends_at_its_timeout(self) -> None:
        def poll(_: object) -> Reply:
            self.clock.time += 10
            return answer(view("RUNNING"))

        with FakeServer(poll) as server:
            with self.assertRaisesRegex(TimedOut, "still running"):
                self.client(server).jobs.wait(17, timeout="25s")
            self.assertEqual("GET /v1/jobs/17/wait?timeout=5000ms", server.paths()[-1])

    def test_a_list_is_read_in_pages(self) -> None:
        pages = (
            answer({"jobs": [view(), view()], "next": 5}),
            answer({"jobs": [view()]}),
        )
        with FakeServer(*pages) as server:
            self.assertEqual(3, len(list(self.client(server).jobs.list("state:failed"))))
            self.assertEqual(
                ["search=state%3Afailed&limit=500", "search=state%3Afailed&before=5&limit=500"],
                [one.partition("?")[2] for one in server.paths()],
            )

    def test_a_list_ends_at_its_limit(self) -> None:
        with FakeServer(answer({"jobs": [view(), view()], "next": 5})) as server:
            self.assertEqual(2, len(list(self.client(server).jobs.list(limit=2))))
            self.assertEqual(["GET /v1/jobs?limit=2"], server.paths())

    def test_a_lost_retry_is_repeated_only_if_the_job_has_not_run_since(self) -> None:
        replies = (answer(details("FAILED")), DROPPED, answer(details("FAILED")), DROPPED, answer(details("RUNNING")))
        with FakeServer(*replies) as server:
            self.assertEqual("RUNNING", self.client(server).jobs.retry(17).state)
            show, retry = "GET /v1/jobs/17", "POST /v1/jobs/17/retry"
            self.assertEqual([show, retry, show, retry, show], server.paths())

    def test_a_retry_that_is_refused_is_not_repeated(self) -> None:
        with FakeServer(answer(details("RUNNING")), refusal(409, "CONFLICT", "job 17 is running")) as server:
            with self.assertRaisesRegex(MillraceError, "job 17 is running"):
                self.client(server).jobs.retry(17)

    def test_a_lost_cancellation_is_repeated(self) -> None:
        with FakeServer(DROPPED, answer(view("CANCELLED"))) as server:
            self.assertTrue(self.client(server).jobs.cancel(17).ended)

    def test_broken_output_continues_where_it_ended(self) -> None:
        for chunked in (False, True):
            broken = Reply(200, b"hello world", cut=5, chunked=chunked)
            with self.subTest(chunked), FakeServer(broken, Reply(200, b" world", chunked=chunked)) as server:
                self.assertEqual("hello world", self.client(server).jobs.output(17))
                self.assertIn("offset=5", server.paths()[1])

    def test_following_waits_for_the_start_of_the_job(self) -> None:
        replies = (refusal(404, "UNKNOWN_ATTEMPT"), answer(details("PLACED")), Reply(200, b"hello"))
        with FakeServer(*replies) as server:
            self.assertEqual(b"hello", b"".join(self.client(server).jobs.logs(17, follow=True)))

    def test_output_that_is_gone_is_an_error(self) -> None:
        with FakeServer(refusal(404, "UNKNOWN_ATTEMPT")) as server:
            with self.assertRaises(MillraceError) as failed:
                self.client(server).jobs.output(17)
        self.assertEqual("UNKNOWN_ATTEMPT", failed.exception.code)


if __name__ == "__main__":
    unittest.main()
