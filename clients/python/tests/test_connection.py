"""Which calls are repeated, where, and until when."""

from __future__ import annotations

import socket
import unittest

from millrace import MillraceError, Unreachable
from millrace.connection import Connection, path
from tests.fake import DROPPED, FakeServer, ManualClock, PatientTransport, Reply, answer, closed_address, refusal


class ConnectionTest(unittest.TestCase):
    def setUp(self) -> None:
        self.clock = ManualClock()

    def connection(self, *servers: str, deadline: float = 60.0) -> Connection:
        return Connection(servers, lambda: "secret", deadline, clock=self.clock.clock)

    def test_a_call_carries_the_token(self) -> None:
        with FakeServer(answer({"ok": True})) as server:
            self.assertEqual({"ok": True}, self.connection(server.url).get("/v1/x"))
            self.assertEqual("Bearer secret", server.requests[0].headers["authorization"])

    def test_the_end_of_an_answer_is_not_that_of_the_connection(self) -> None:
        with FakeServer(answer(7)) as server:
            self.connection(server.url).get("/v1/x")
            self.assertNotIn("close", server.requests[0].headers.get("connection", ""))

    def test_502_503_and_504_are_repeated_unchanged(self) -> None:
        for status in (502, 503, 504):
            with self.subTest(status), FakeServer(Reply(status), Reply(status), answer(7)) as server:
                call = self.connection(server.url)
                self.assertEqual(7, call.post("/v1/x", {"n": 1}, headers={"Idempotency-Key": "k"}))
                self.assertEqual(["k"] * 3, [one.headers["idempotency-key"] for one in server.requests])
                self.assertEqual([b'{"n": 1}'] * 3, [one.body for one in server.requests])

    def test_a_lost_answer_is_requested_again(self) -> None:
        for loss in (DROPPED, Reply(200, b"[1,2,3]", cut=3), Reply(200, b"12", cut=1, chunked=True)):
            with self.subTest(loss), FakeServer(loss, Reply(200, b"7", chunked=True)) as server:
                self.assertEqual(7, self.connection(server.url).get("/v1/x"))
                self.assertEqual(2, len(server.requests))

    def test_pauses_grow_and_end_with_the_deadline(self) -> None:
        with FakeServer(refusal(503, "UNAVAILABLE", "is starting")) as server:
            with self.assertRaises(MillraceError) as failed:
                self.connection(server.url, deadline=20.0).get("/v1/x")
        self.assertEqual(("UNAVAILABLE", "is starting", 503), failed.exception.args)
        self.assertEqual([0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0], self.clock.pauses)

    def test_retry_after_is_the_least_pause(self) -> None:
        for status, code in ((429, "RATE_LIMITED"), (503, "QUEUE_PAUSED")):
            clock = self.clock = ManualClock()
            with self.subTest(code), FakeServer(refusal(status, code, retry_after=3), answer(7)) as server:
                self.assertEqual(7, self.connection(server.url).get("/v1/x"))
                self.assertEqual([3.0], clock.pauses)

    def test_a_pause_beyond_the_deadline_is_not_begun(self) -> None:
        with FakeServer(refusal(503, "QUEUE_PAUSED", retry_after=10)) as server:
            with self.assertRaises(MillraceError) as failed:
                self.connection(server.url, deadline=5.0).get("/v1/x")
            self.assertEqual("QUEUE_PAUSED", failed.exception.code)
            self.assertEqual(1, len(server.requests))

    def test_a_refusal_is_raised_at_once_with_code_and_text(self) -> None:
        refusals = ((400, "INVALID_REQUEST"), (404, "UNKNOWN_JOB"), (409, "CONFLICT"), (500, "NEW_CODE"))
        for status, code in refusals:
            with self.subTest(code), FakeServer(refusal(status, code, "because")) as server:
                with self.assertRaises(MillraceError) as failed:
                    self.connection(server.url).get("/v1/x")
                self.assertEqual((code, "because", status), failed.exception.args)
                self.assertEqual(1, len(server.requests))

    def test_a_failure_without_a_problem_document_is_an_internal_error(self) -> None:
        with FakeServer(Reply(500, b"<html>oops</html>")) as server:
            with self.assertRaises(MillraceError) as failed:
                self.connection(server.url).get("/v1/x")
        self.assertEqual("INTERNAL", failed.exception.code)
        self.assertIn("oops", failed.exception.detail)

    def test_a_redirection_is_not_followed(self) -> None:
        with FakeServer(Reply(302, headers={"Location": "/elsewhere"})) as server:
            with self.assertRaises(MillraceError):
                self.connection(server.url).get("/v1/x")
            self.assertEqual(1, len(server.requests))

    def test_an_unavailable_server_is_left_for_the_next_without_a_pause(self) -> None:
        with FakeServer(refusal(503, "UNAVAILABLE", retry_after=1)) as first, FakeServer(answer(7)) as second:
            connection = self.connection(closed_address(), first.url, second.url)
            self.assertEqual(7, connection.get("/v1/x"))
            self.assertEqual([], self.clock.pauses)
            self.assertEqual(7, connection.get("/v1/y"))
            self.assertEqual(1, len(first.requests), "the one that answered is preferred")

    def test_an_unknown_outcome_is_asked_of_the_same_server_once_before_another(self) -> None:
        for unknown in (DROPPED, refusal(504, "TIMEOUT")):
            with self.subTest(unknown), FakeServer(unknown) as first, FakeServer(answer(7)) as second:
                self.assertEqual(7, self.connection(first.url, second.url).get("/v1/x"))
                self.assertEqual(2, len(first.requests))

    def test_a_call_that_is_not_repeatable_is_only_repeated_if_nothing_was_sent(self) -> None:
        with FakeServer(DROPPED) as server:
            connection = self.connection(closed_address(), server.url)
            with self.assertRaises(Unreachable) as failed:
                connection.post("/v1/x", repeatable=False)
            self.assertTrue(failed.exception.outcome_unknown)
            self.assertEqual(1, len(server.requests))

    def test_no_server_at_all_is_reported_with_its_address(self) -> None:
        nobody = closed_address()
        with self.assertRaises(Unreachable) as failed:
            self.connection(nobody).get("/v1/x")
        self.assertFalse(failed.exception.outcome_unknown)
        self.assertIn(nobody[len("http://") :], str(failed.exception))

    def test_an_answer_beyond_the_limit_is_dropped(self) -> None:
        with FakeServer(Reply(200, b"x" * 5000)) as server:
            with self.assertRaises(MillraceError) as failed:
                self.connection(server.url).get("/v1/x", max_answer=1000)
        self.assertIn("larger than 1000 bytes", failed.exception.detail)

    def test_a_frozen_server_is_left_for_the_next(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as frozen, FakeServer(answer(7)) as second:
            url = f"http://127.0.0.1:{frozen.getsockname()[1]}"
            transport = PatientTransport(frozen=url)
            call = Connection([url, second.url], lambda: "secret", 60.0, transport, self.clock.clock)
            self.assertEqual(7, call.get("/v1/x", timeout=0.05))
            self.assertEqual([], self.clock.pauses, "it is not asked again first")

    def test_a_frozen_server_is_not_waited_for_beyond_the_deadline(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as frozen:
            url = f"http://127.0.0.1:{frozen.getsockname()[1]}"
            with self.assertRaises(Unreachable):
                self.connection(url, deadline=0.05).get("/v1/x", timeout=300)

    def test_variables_of_paths_are_encoded(self) -> None:
        self.assertEqual("/v1/queues/a%2Fb?limit=3&x=a%26b", path("/v1/queues/{}", "a/b", limit=3, none=None, x="a&b"))


if __name__ == "__main__":
    unittest.main()
