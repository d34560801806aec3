"""Session workers: which servers get which token, and when it is renewed."""

from __future__ import annotations

import unittest
from typing import Any, Dict, List, Tuple

from millrace import Client, SessionWorker
from millrace.connection import Connection
from millrace.errors import MillraceError
from millrace.queuenode import OneQueueNode, QueueNodes, WorkerToken
from tests.fake import FakeServer, ManualClock, PatientTransport, Reply, Request, answer, refusal


class TokenTest(unittest.TestCase):
    """A central manager that issues t1, t2, …, and a queue node."""

    def setUp(self) -> None:
        self.clock = ManualClock()
        self.seen: List[Tuple[str, str, str]] = []
        self.issued = 0
        self.away = False
        self.refuses = False
        self.node = FakeServer(self._node)
        self.central = FakeServer(self._central)
        self.addCleanup(self.node.__exit__)
        self.addCleanup(self.central.__exit__)

    def _note(self, server: str, request: Request) -> None:
        self.seen.append((server, request.path, request.headers.get("authorization", "").replace("Bearer ", "")))

    def _node(self, request: Request) -> Reply:
        self._note("node", request)
        return refusal(401, "UNAUTHENTICATED") if self.refuses else answer({})

    def _central(self, request: Request) -> Reply:
        self._note("central", request)
        if self.away:
            return refusal(503, "UNAVAILABLE")
        if request.path.endswith("/token"):
            self.secret = request.headers.get("millrace-attempt-secret")
            self.issued += 1
            return answer({"token": f"t{self.issued}", "validFor": "1h"})
        held = {"name": "q1", "address": self.node.url, "live": True, "segments": [{"queue": "orders"}]}
        return answer([held])

    def _connection(self, url: str, token: str) -> Connection:
        return Connection([url], lambda: token, 0.0, PatientTransport(), self.clock.clock)

    def _outside(self) -> QueueNodes:
        central = self._connection(self.central.url, "of-a-person")
        return QueueNodes(central, "orders", WorkerToken(central, "orders"))

    def _tokens_of_node(self) -> List[str]:
        return [token for server, path, token in self.seen if server == "node"]

    def _call(self, nodes: QueueNodes) -> None:
        nodes.current()[0].connection.get("/v1/x")

    def test_a_queue_node_gets_a_token_of_its_queue_and_never_that_of_the_person(self) -> None:
        self._call(self._outside())
        self.assertEqual(["t1"], self._tokens_of_node())
        self.assertIn(("central", "/v1/queues/orders/session-workers/token", "of-a-person"), self.seen)

    def test_a_worker_of_a_client_calls_queue_nodes_with_such_a_token(self) -> None:
        client = Client(self.central.url, token="of-a-person", deadline=5.0, environment={})
        worker = client.queue("orders").sessions(lambda key, snapshot: None)
        self.assertEqual("t1", worker.nodes.current()[0].connection.token())

    def test_the_token_is_renewed_after_half_of_its_time(self) -> None:
        nodes = self._outside()
        self._call(nodes)
        self.clock.clock.sleep(29 * 60)
        self._call(nodes)
        self.clock.clock.sleep(2 * 60)
        self._call(nodes)
        self.assertEqual(["t1", "t1", "t2"], self._tokens_of_node())

    def test_the_present_token_remains_while_no_central_manager_answers(self) -> None:
        nodes = self._outside()
        self._call(nodes)
        self.clock.clock.sleep(31 * 60)
        self.away = True
        self._call(nodes)
        self.away = False
        self.clock.clock.sleep(11)
        self._call(nodes)
        self.assertEqual(["t1", "t1", "t2"], self._tokens_of_node())

    def test_a_refused_token_is_renewed_at_the_next_look(self) -> None:
        nodes = self._outside()
        self._call(nodes)
        nodes.refused()
        self._call(nodes)
        self.assertEqual(["t1", "t2"], self._tokens_of_node())

    def _variables(self, **more: str) -> Dict[str, str]:
        return {"MILLRACE_URL": self.node.url, "MILLRACE_TOKEN": "t0", "MILLRACE_QUEUE": "orders", **more}

    def _job(self, **more: str) -> SessionWorker:
        def kind(key: str, snapshot: Any) -> Any:
            return None

        return SessionWorker.of_job(kind, self._variables(**more), deadline=0.0)

    def test_a_job_renews_its_token_with_the_secret_of_its_attempt(self) -> None:
        job = self._job(MILLRACE_MANAGERS=self.central.url, MILLRACE_SECRET="s3cret")
        connection = job.nodes.current()[0].connection
        connection.get("/v1/x")
        self.assertEqual("s3cret", self.secret)
        self.assertEqual(["t1"], self._tokens_of_node())
        self.assertIn(("central", "/v1/queues/orders/session-workers/token", "t0"), self.seen)

    def test_a_job_begins_with_its_first_token_if_no_central_manager_answers(self) -> None:
        self.away = True
        job = self._job(MILLRACE_MANAGERS=self.central.url, MILLRACE_SECRET="s3cret")
        job.nodes.current()[0].connection.get("/v1/x")
        with self.assertRaises(MillraceError):
            job.nodes.current()
        self.assertEqual(["t0"], self._tokens_of_node())

    def test_a_job_without_a_secret_keeps_its_token(self) -> None:
        self._job().nodes.current()[0].connection.get("/v1/x")
        self.assertEqual([("node", "/v1/x", "t0")], self.seen)

    def test_a_job_whose_token_is_refused_for_two_minutes_ends_so_that_another_can_begin(self) -> None:
        self.refuses = True
        connection = Connection([self.node.url], lambda: "t0", 0.0, PatientTransport(), self.clock.clock)
        worker = SessionWorker("orders", OneQueueNode(connection), lambda key, snapshot: None, give_up_after=120)
        worker.start()
        self.assertFalse(worker.wait(0.5))
        self.clock.clock.sleep(121)
        self.assertTrue(worker.wait(20.0))


if __name__ == "__main__":
    unittest.main()
