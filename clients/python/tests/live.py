"""The client with a real cluster, which MILLRACE_URL and MILLRACE_TOKEN_FILE name.

    python3 -m unittest tests.live

The queue ``python-live``, without workers, must be defined there.
"""

from __future__ import annotations

import threading
import unittest
import uuid
from typing import Dict, List

from millrace import Client, EventDraft, JobSpec, MillraceError, RetryPolicy

QUEUE = "python-live"


class LiveJobTest(unittest.TestCase):
    def setUp(self) -> None:
        self.jobs = Client().jobs

    def test_a_job_runs_and_its_output_can_be_read(self) -> None:
        job = self.jobs.submit(JobSpec(["sh", "-c", "echo hello; echo oops >&2; cat"], name="live", stdin="text"))
        self.assertEqual(b"hello\ntext", b"".join(self.jobs.logs(job.id, follow=True)))
        ended = self.jobs.wait(job.id, timeout="2m")
        self.assertTrue(ended.succeeded, ended)
        self.assertEqual("oops\n", self.jobs.output(job.id, stream="stderr"))
        details = self.jobs.show(job.id)
        self.assertEqual(["SUCCEEDED"], [one.state for one in details.attempts])
        self.assertEqual("live", details.spec["name"])
        self.assertIsNotNone(details.history[0].at)

    def test_a_job_is_submitted_once_under_its_key(self) -> None:
        key = str(uuid.uuid4())
        first = self.jobs.submit(["true"], key=key)
        self.assertEqual(first.id, self.jobs.submit(["true"], key=key).id)
        with self.assertRaises(MillraceError) as failed:
            self.jobs.submit(["false"], key=key)
        self.assertEqual(("CONFLICT", 409), (failed.exception.code, failed.exception.status))

    def test_a_failed_job_is_retried(self) -> None:
        policy = RetryPolicy(1, backoff=0.1, on=["exit"])
        job = self.jobs.submit(JobSpec(["sh", "-c", "exit 3"], retry=policy, memory="64MB", timeout="1m"))
        failed = self.jobs.wait(job.id, timeout="2m")
        self.assertEqual(("FAILED", 3, 2), (failed.state, failed.exit_code, failed.attempt))
        self.jobs.retry(job.id)
        self.assertLess(2, self.jobs.wait(job.id, timeout="2m").attempt)

    def test_a_job_that_is_cancelled_ends(self) -> None:
        job = self.jobs.submit(["sleep", "1000"])
        self.jobs.cancel(job.id)
        self.assertEqual("CANCELLED", self.jobs.wait(job.id, timeout="2m").state)
        self.assertEqual("CANCELLED", self.jobs.cancel(job.id).state)

    def test_an_array_is_one_job_with_elements(self) -> None:
        command = ["sh", "-c", "echo $MILLRACE_ARRAY_INDEX; exit $((MILLRACE_ARRAY_INDEX % 2))"]
        array = self.jobs.wait(self.jobs.submit(JobSpec(command, array=range(1, 5))).id, timeout="2m")
        assert array.progress is not None
        self.assertEqual((4, 2, 2), (array.progress.size, array.progress.succeeded, array.progress.failed))
        failed = list(self.jobs.list(f"array:{array.id} state:failed"))
        self.assertEqual([3, 1], [one.index for one in failed])
        self.assertEqual("3\n", self.jobs.output(failed[0].id))

    def test_a_job_that_does_not_exist_is_refused(self) -> None:
        for call in (self.jobs.show, self.jobs.wait, self.jobs.cancel, self.jobs.retry, self.jobs.output):
            with self.subTest(call), self.assertRaises(MillraceError) as failed:
                call(10**12)
            self.assertEqual("UNKNOWN_JOB", failed.exception.code)


class LiveQueueTest(unittest.TestCase):
    def test_every_event_is_consumed_and_a_failed_one_again(self) -> None:
        queue = Client().queue(QUEUE)
        batch = str(uuid.uuid4())
        events = [{"n": n} for n in range(20)] + [EventDraft("bad", id="e-bad", attributes={"kind": "test"})]
        self.assertEqual((21, False), (queue.send(*events, batch=batch).accepted, False))
        self.assertTrue(queue.send(*events, batch=batch).repeated)
        queue.send("elsewhere")
        attempts: Dict[str, List[int]] = {}
        with queue.consume(max=4, lease="30s", idle=3, worker="live.py") as consumer:
            for event in consumer:
                attempts.setdefault(event.id, []).append(event.attempt)
                event.extend("20s")
                if event.id == "e-bad":
                    self.assertEqual({"kind": "test"}, event.attributes)
                if event.id == "e-bad" and event.attempt == 1:
                    self.assertEqual(1, event.fail("for the test").done)
                else:
                    self.assertEqual(1, event.acknowledge().done)
        self.assertEqual(22, len(attempts))
        self.assertEqual(2, max(attempts["e-bad"]))
        self.assertEqual([], queue.consume().lease(wait=0))

    def test_events_that_were_not_answered_are_returned(self) -> None:
        queue = Client().queue(QUEUE + "-returned")
        queue.send({"n": 1})
        with queue.consume(max=4) as consumer:
            self.assertEqual(1, len(consumer.lease()))
        with queue.consume() as consumer:
            event = consumer.lease()[0]
            self.assertEqual(1, event.attempt, "not charged to the event")
            event.acknowledge()
            self.assertEqual([event.receipt], event.acknowledge().stale)


class LiveMemberTest(unittest.TestCase):
    def test_members_share_the_resources_of_a_cycle(self) -> None:
        group = f"live-{uuid.uuid4()}"
        resources = [f"r{n}" for n in range(50)]
        polled: Dict[str, List[str]] = {"h1": [], "h2": []}
        joined = threading.Barrier(2)

        def poll(name: str) -> None:
            with Client().member(group, name) as member:
                joined.wait(60)
                for batch in member.cycle(resources, interval="1d", most=10):
                    polled[name].extend(batch)
                joined.wait(60)

        agents = [threading.Thread(target=poll, args=(name,), daemon=True) for name in polled]
        for agent in agents:
            agent.start()
        for agent in agents:
            agent.join(120)
        self.assertEqual(sorted(resources), sorted(polled["h1"] + polled["h2"]))
        self.assertTrue(polled["h1"] and polled["h2"])

    def test_a_second_process_of_the_same_name_takes_over(self) -> None:
        group = f"live-{uuid.uuid4()}"
        first, second = (Client().member(group, "h1") for _ in range(2))
        with second:
            self.assertEqual(["a"], second.mine(["a"]).resources)
            first.beat()
            with self.assertRaises(MillraceError) as failed:
                second.mine(["a"], interval="1m")
            self.assertEqual("CONFLICT", failed.exception.code)
        first.close()


if __name__ == "__main__":
    unittest.main()
