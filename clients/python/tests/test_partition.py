"""Members of groups: joining, renewing, being replaced, and the cycle of polling."""

from __future__ import annotations

import threading
import unittest
from typing import Any, List, Optional

from millrace import Client, Member, MillraceError
from millrace.connection import Connection
from tests.fake import DROPPED, FakeServer, ManualClock, PatientTransport, Reply, Request, answer, refusal


def membership(term: int) -> Reply:
    return answer({"group": "alarm", "member": "h1", "term": term, "revision": term, "members": ["h1", "h2"]})


def batch(*resources: str, cycle: int = 17, recorded: int = 0, finished: bool = False, left: str = "41s250ms") -> Reply:
    return answer(
        {
            "cycle": cycle,
            "resources": list(resources),
            "recorded": recorded,
            "finished": finished,
            "waits": False,
            "left": left,
        }
    )


class MemberTest(unittest.TestCase):
    def setUp(self) -> None:
        self.clock = ManualClock()

    def member(self, server: FakeServer, ttl: float = 10) -> Member:
        client = Client(server.url, token="t", environment={}, clock=self.clock.clock)
        return client.member("alarm", "h1", ttl)

    def terms(self, server: FakeServer) -> List[Optional[int]]:
        return [one.json.get("term") for one in server.requests if one.method == "POST"]

    def test_the_first_beat_joins_and_later_ones_renew(self) -> None:
        with FakeServer(membership(4)) as server:
            member = self.member(server)
            member.beat()
            member.beat()
            self.assertEqual([None, 4], self.terms(server))
            self.assertEqual({"name": "h1", "ttl": "10000ms"}, server.requests[0].json)
            self.assertEqual(["h1", "h2"], member.members)

    def test_a_lost_beat_is_repeated_for_a_third_of_the_ttl(self) -> None:
        with FakeServer(DROPPED, Reply(503), membership(4)) as server:
            self.member(server).beat()
            self.assertEqual(3, len(server.requests))
        with FakeServer(Reply(503)) as server:
            with self.assertRaises(MillraceError):
                self.member(server, ttl=3).beat()
            self.assertLessEqual(sum(self.clock.pauses), 2.0)

    def test_a_cycle_yields_what_to_poll_and_reports_it(self) -> None:
        replies = (membership(4), batch("b", "c"), batch(recorded=2), batch("d"), batch(finished=True, left="40s"))
        with FakeServer(*replies) as server:
            member = self.member(server)
            self.assertEqual([["b", "c"], ["d"]], list(member.cycle(iter("abcd"), interval=60, most=2)))
            asked = [one.json for one in server.requests[1:]]
            who = {"member": "h1", "term": 4}
            self.assertEqual(
                [
                    {**who, "resources": ["a", "b", "c", "d"], "interval": "60000ms", "most": 2},
                    {**who, "cycle": 17, "done": ["b", "c"], "most": 2},
                    {**who, "cycle": 17, "done": [], "most": 2},
                    {**who, "cycle": 17, "done": ["d"], "most": 2},
                ],
                asked,
            )
            self.assertEqual([1.0], self.clock.pauses)
            member.wait_for_cycle()
            self.assertEqual([1.0, 40.0], self.clock.pauses)

    def test_what_the_caller_did_not_finish_is_not_reported(self) -> None:
        with FakeServer(membership(4), batch("b")) as server:
            for _ in self.member(server).cycle(["b"], interval=60):
                break
            self.assertEqual(2, len(server.requests))

    def test_a_lost_report_is_repeated_unchanged(self) -> None:
        with FakeServer(membership(4), batch("b"), DROPPED, Reply(502), batch(finished=True)) as server:
            self.assertEqual([["b"]], list(self.member(server).cycle(["b"], interval=60)))
            self.assertEqual(1, len({one.body for one in server.requests[2:]}))

    def test_a_share_is_read(self) -> None:
        share = {"revision": 4, "resources": ["b"], "cycle": "2026-03-01T12:34:00Z", "waits": False}
        with FakeServer(membership(4), answer(share)) as server:
            mine = self.member(server).mine(["a", "b"], "1m")
            self.assertEqual((["b"], 34), (mine.resources, mine.cycle.minute if mine.cycle else None))
            self.assertEqual("1m", server.requests[1].json["interval"])

    def test_a_membership_that_was_lost_is_joined_again(self) -> None:
        replies = (membership(4), refusal(404, "UNKNOWN_GROUP"), membership(6), batch("b"))
        with FakeServer(*replies) as server:
            self.assertEqual(["b"], self.member(server).begin(["b"], 60).resources)
            self.assertEqual([None, 4, None, 6], self.terms(server))

    def test_a_name_that_another_process_took_over_is_given_up(self) -> None:
        with FakeServer(membership(4), refusal(409, "CONFLICT")) as server:
            member = self.member(server)
            for _ in range(2):
                with self.assertRaises(MillraceError) as failed:
                    member.begin(["b"], 60)
                self.assertEqual("CONFLICT", failed.exception.code)
            member.close()
            self.assertEqual(2, len(server.requests), "it neither asks again nor ends the other's membership")

    def test_a_refusal_of_a_membership_that_was_replaced_meanwhile_is_asked_again(self) -> None:
        member: Member

        def replaced(_: Request) -> Reply:
            member.beat()
            member.beat()
            return refusal(409, "CONFLICT")

        lost = refusal(404, "UNKNOWN_GROUP")
        with FakeServer(membership(4), replaced, lost, membership(6), batch("b")) as server:
            member = self.member(server)
            member.beat()

            def begin() -> Any:
                return member.begin(["b"], 60).resources

            # The first of the two beats is refused, the second one joins.
            original = member.beat

            def beat() -> None:
                try:
                    original()
                except MillraceError:
                    pass

            member.beat = beat  # type: ignore[method-assign]
            self.assertEqual(["b"], begin())
            self.assertEqual([None, 4, 4, None, 6], self.terms(server))

    def test_a_started_member_beats_by_itself_and_leaves_at_the_end(self) -> None:
        third = threading.Event()

        def beat(request: Request) -> Reply:
            if request.json.get("term") == 4 and len(server.requests) >= 3:
                third.set()
            return membership(4)

        def last(request: Request) -> Reply:
            return Reply(204) if request.method == "DELETE" else beat(request)

        with FakeServer(last) as server:
            central = Connection([server.url], lambda: "t", 60.0, PatientTransport(), self.clock.clock)
            with Member(central, "alarm", "h1", 0.1):
                self.assertTrue(third.wait(120))
            self.assertEqual("DELETE /v1/partitions/alarm/members/h1?term=4", server.paths()[-1])

    def test_a_member_that_has_left_is_not_used_any_more(self) -> None:
        with FakeServer(membership(4)) as server:
            member = self.member(server)
            member.beat()
            member.close()
            with self.assertRaises(RuntimeError):
                member.mine(["a"])


if __name__ == "__main__":
    unittest.main()
