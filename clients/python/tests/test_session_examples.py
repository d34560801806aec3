"""The examples of session workers in jobs/sessions, with their samples."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any, Dict, List

from millrace import Client
from tests.fake import FakeServer, answer
from tests.fakesession import FakeSessionNode

EXAMPLES = Path(__file__).resolve().parents[3] / "jobs" / "sessions"


def samples(name: str, key: str) -> Dict[str, List[Any]]:
    """The sessions of a file of events."""
    found: Dict[str, List[Any]] = {}
    for line in (EXAMPLES / "samples" / name).read_text().splitlines():
        data = json.loads(line)
        some = found.setdefault(data[key], [])
        some.append({"n": len(some) + 1, "id": f"e{len(some)}", "storedAt": "", "attempt": 1, "data": data})
    return found


@unittest.skipUnless(EXAMPLES.is_dir(), "the examples are not here")
class ExamplesTest(unittest.TestCase):
    def test_every_order_of_the_samples_is_completed(self) -> None:
        spec = importlib.util.spec_from_file_location("order", EXAMPLES / "order.py")
        assert spec is not None and spec.loader is not None
        order = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(order)
        node = FakeSessionNode()
        orders = samples("order.ndjson", "order")
        for key, some in orders.items():
            node.deliver({"key": key, "number": "1.1", "from": 1, "snapshot": None, "replayed": 0, "events": some})
        row = {"name": "q1", "address": node.url, "live": True, "segments": [{"queue": "OrderSteps"}]}
        with FakeServer(answer({"token": "t1", "validFor": "1h"}), answer([row])) as central:
            client = Client(central.url, token="t", environment={})
            with client.queue("OrderSteps").sessions(order.Order.kind, patience=0.2):
                for key, some in orders.items():
                    node.wait_for_result(key, "COMPLETED", len(some))
        node.stop()

    def test_the_checker_finds_the_job_that_breaks_the_protocol(self) -> None:
        found = {key: self.check(key, some) for key, some in samples("protocol.ndjson", "jobId").items()}
        self.assertEqual(("", [1, 2, 3, 4]), found["j-1"])
        self.assertEqual("job j-2: event b3 (Closed) names b2, which has not come\n", found["j-2"][0])

    def test_the_checker_goes_on_from_a_snapshot(self) -> None:
        last = samples("protocol.ndjson", "jobId")["j-1"][3:]
        self.assertEqual(("", [4]), self.check("j-1", last, {"seen": ["a1", "a2", "a3"]}))

    def check(self, key: str, some: List[Any], snapshot: Any = None) -> Any:
        lines: List[Any] = [{"session": {"key": key, "number": "1.1", "snapshot": snapshot}}, *some]
        text = "".join(json.dumps(one) + "\n" for one in lines)
        command = [sys.executable, str(EXAMPLES / "protocol.py")]
        ended = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=True)
        return ended.stderr, [json.loads(one)["n"] for one in ended.stdout.splitlines()]


if __name__ == "__main__":
    unittest.main()
