"""Workflows: what is built and refused, the identity, and how submissions continue."""

from __future__ import annotations

import io
import unittest
from datetime import date, datetime
from typing import Any, Callable, Dict, List, Optional

from millrace import (
    Breaker,
    Client,
    InvalidWorkflow,
    JobSpec,
    ListedStep,
    MillraceError,
    Need,
    Notification,
    RetryPolicy,
    TimedOut,
    Unreachable,
    Workflow,
    WorkflowRun,
    from_step,
)
from millrace.workflow import Values
from millrace.workflows import _ProgressLine
from tests.fake import DROPPED, FakeServer, ManualClock, Reply, Request, answer, closed_address, refusal

KINDS = ["a", "1.10"]


def view(state: str = "RUNNING", **more: Any) -> Any:
    return {"id": 17, "name": "nightly", "runKey": "", "owner": "ada", "state": state, "revision": 1, **more}


def binding(bound: int, steps: int) -> Any:
    return view("BINDING", progress={"bound": bound, "steps": steps})


def nightly() -> Workflow:
    workflow = Workflow("nightly", arguments={"night": date(2026, 3, 1), "place": "Zürich"})
    both: Dict[str, Values] = {"part": range(0, 91, 10), "kind": KINDS}
    fetch = workflow.template("fetch", ["fetch", "{workflow.night}", "{part}", "{kind}"], each=both)
    convert = workflow.template("convert", ["convert", "{part}{kind}"], each=both, needs=[fetch.same_position()])
    total = workflow.template("sum", ["sum", "{kind}"], each={"kind": KINDS}, needs=[convert.same("kind"), fetch])
    build = workflow.template("build", ["make", "{target}"])
    workflow.template("report", ["report"], needs=[total, "build"])
    workflow.step(build, "server", {"target": "sérver 🚀"}, needs=["library", total])
    library = workflow.step("build", name="library", arguments={"target": "library"}, needs=[fetch])
    workflow.step(build, arguments={"target": "client"}, needs=[library, "server", "library"])
    return workflow


def listed(count: int) -> Workflow:
    workflow = Workflow("many")
    one = workflow.template("one", ["true", "{n}"])
    workflow.steps(ListedStep(one, {"n": n}, f"s{n}", [f"s{n - 1}"] if n else []) for n in range(count))
    return workflow


class BuildingTest(unittest.TestCase):
    def problems(self, workflow: Workflow) -> List[str]:
        with self.assertRaises(InvalidWorkflow) as failed:
            workflow.submission()
        self.assertEqual("INVALID_DEFINITION", failed.exception.code)
        return failed.exception.problems

    def test_the_identity_is_the_one_that_the_command_computes(self) -> None:
        # Of the same graph in YAML, by 'millrace workflow submit --run-key tonight --dry-run --json'.
        expected = "682a9c6340f1c57a51094da10b753a5503967a89aa752b6b28dd2ebedff8932b"
        self.assertEqual(expected, nightly().identity("tonight"))
        self.assertNotEqual(expected, nightly().identity())

    def test_what_is_sent_has_the_form_of_the_api(self) -> None:
        workflow = Workflow("w", max_running=3, fail_fast=True, timeout="1h", on_failure=JobSpec(["mail"]))
        fetch = workflow.template(
            "fetch", ["fetch", "{part}"], each={"part": "1-3"}, memory="2GB", retry=3, max_running=2
        )
        scaled = RetryPolicy(2, scale={"memory": 2, "timeout": ["2h"]}, fallback=["large"])
        load = workflow.template("load", JobSpec(["load"], tags=["x"]), retry=scaled, needs=[fetch])
        listed = workflow.template("send", ["send", "{to}"])
        workflow.step(listed, "first", {"to": 1}, needs=[fetch.at(2), load])
        workflow.step(listed, None, {"to": True}, needs=["first"])
        sent = workflow.submission("key")
        self.assertEqual(("key", 2, 64), (sent["runKey"], sent["listedSteps"], len(sent["identity"])))
        spec = sent["workflow"]
        self.assertEqual(
            ("w", 3, True, "1h", {"command": ["mail"]}),
            (spec["name"], spec["maxRunning"], spec["failFast"], spec["timeout"], spec["onFailure"]),
        )
        self.assertEqual(
            {
                "job": {"command": ["fetch", "{part}"], "memory": "2GB", "retry": {"max": 3}},
                "each": {"part": "1-3"},
                "listed": False,
                "needs": [],
                "maxRunning": 2,
            },
            spec["templates"]["fetch"],
        )
        self.assertEqual(
            {"max": 2, "scale": {"memory": 2, "timeout": ["2h"]}, "fallback": ["large"]},
            spec["templates"]["load"]["job"]["retry"],
        )
        self.assertEqual([{"of": "fetch", "match": "ALL", "by": []}], spec["templates"]["load"]["needs"])
        self.assertEqual(
            {
                "first": 4,
                "steps": [
                    {"name": "first", "template": "send", "arguments": {"to": "1"}, "needs": [2], "all": ["load"]},
                    {"template": "send", "arguments": {"to": "true"}, "needs": [4], "all": []},
                ],
            },
            workflow.chunk(0),
        )
        self.assertEqual(6, len(workflow))
        with self.assertRaisesRegex(RuntimeError, "no longer changes"):
            workflow.template("late", ["true"])

    def test_values_of_outputs_and_doubled_braces_need_no_argument(self) -> None:
        workflow = Workflow("w", arguments={"a": 1})
        count = workflow.template("count", ["count", "{workflow.a}", "{{x}}", "{print $1}", "{}"])
        workflow.template("use", ["use", "{count.lines}"], needs=[count])
        self.assertEqual([], workflow.problems())

    def test_all_mistakes_are_named_together(self) -> None:
        workflow = Workflow("w", arguments={"night": datetime(2026, 3, 1)}, max_running=-1)
        a = workflow.template("a", ["x", "{part}", "{workflow.day}"], each={"part": [1, 1], "bad name": ["1"]})
        workflow.template("a", ["x"])
        workflow.template("b", "echo hi", needs=["nothing", a, a, a.same("part"), a.same_position(), "b"])
        workflow.template("c", JobSpec(["x"], hold=True, array="1-3"), each={"n": "7x"}, max_running=-1)
        build = workflow.template("build", ["make", "{target}"])
        workflow.step(build, "one", {"goal": 1}, needs=["later", "one"])
        workflow.step(build, "one", {"target": "x"})
        workflow.step(build, "a", {"target": "x"})
        workflow.step("biuld")
        workflow.step(build, " ", {"target": "\ud800"})
        self.assertEqual(
            [
                "arguments.night: datetime.datetime(2026, 3, 1, 0, 0) is not a text, a number or a date",
                "templates.a.each.part: the value '1' occurs twice; each value makes one step",
                "templates.a: there are two templates of this name",
                "templates.c.each.n: '7x' is not a range such as 1-500 or 0-90:10; write a single value as ['…']",
                "steps[0].needs: the step needs itself",
                "steps[1].name: steps[0] has the same name, 'one'",
                "steps[2].name: 'a' is the name of a template; choose another one",
                "steps[3].template: there is no template 'biuld'; there are a, b, c, build",
                "steps[4].arguments.target: '\\ud800' is not a Unicode text",
                "steps[4].name: a name must have from 1 to 200 characters",
                "steps[0].needs: there is no step or template 'later'",
                "templates.c.job: array, hold: not allowed in workflows",
                "templates.c: max_running must not be negative",
                "templates.a.each: an argument's name must be 1 to 60 letters, digits, dots, dashes or underscores,"
                " not 'bad name'",
                "templates.a.job: no argument fills {part}; add part to each, or write {{part}} for the text in braces",
                "templates.a.job: {workflow.day}: the workflow has no argument day; add it to arguments",
                "templates.b.needs[0]: there is no template 'nothing'",
                "templates.b.needs[2]: the same need is given twice",
                "templates.b.needs[3]: b has no argument part in its each",
                "templates.b.needs[3]: a has no argument part in its each",
                "templates.b.needs[5]: the template needs itself",
                "steps[0].arguments: target is missing, which template build uses; for the text in braces,"
                " write {{target}} in its job",
                "steps[0].arguments: template build does not use goal; it uses target",
                "steps[2]: two steps of template build have the same arguments; the first is steps[1]",
                "templates.b.job: the command must be a list of arguments, not the text 'echo hi';"
                " for a shell write ['sh', '-c', '…']",
                "maxRunning: it must not be negative",
            ],
            self.problems(workflow),
        )

    def test_the_message_has_the_first_problems_and_says_how_many_more_there_are(self) -> None:
        workflow = Workflow("w")
        for n in range(30):
            workflow.template(f"t{n}", ["x", "{y}"])
        with self.assertRaisesRegex(InvalidWorkflow, "(?s)templates.t19.job.*and 10 more problems"):
            workflow.identity()

    def test_sizes_that_differ_and_steps_beside_lists_are_refused(self) -> None:
        workflow = Workflow("w")
        a = workflow.template("a", ["x", "{n}"], each={"n": range(3)})
        workflow.template("b", ["x", "{n}"], each={"n": range(2)}, needs=[a.same_position(), Need("a", "ARGUMENT")])
        workflow.step(a, arguments={"n": "9"})
        self.assertEqual(
            [
                "templates.b.needs[0]: the same position requires equally many steps; b has 2 and a has 4",
                "templates.b.needs[1]: name the arguments that are compared, such as other.same('part')",
                "steps[0].template: the steps of a are made by its each; remove each, or this step",
            ],
            self.problems(workflow),
        )

    def test_what_servers_refuse_of_a_listed_step_is_found_before_it_is_sent(self) -> None:
        workflow = Workflow("w")
        one = workflow.template("one", ["x", "{a}", "{b}"])
        given = workflow.template("given", ["x", "{n}"], each={"n": from_step("many.list")}, needs=["many"])
        many = workflow.template("many", ["x"])
        workflow.template("few", ["x"])
        workflow.step(one, "n" * 200, {"a": "v" * 65_533, "b": "1"}, needs=[many])
        workflow.step(one, "n" * 201, {"a": "v" * 40_000, "b": "v" * 40_000})
        workflow.step(one, "🚀" * 101, {"a": "🚀" * 32_767, "b": "1"})
        workflow.step(one, "\x1b[2J", {"a": "1\x9b", "b": "3"}, needs=[one])
        self.assertEqual(
            [
                "steps[1].name: a name must have from 1 to 200 characters",
                "steps[1].arguments: its arguments are longer than 65536 characters",
                "steps[2].name: a name must have from 1 to 200 characters",
                "steps[2].arguments: its arguments are longer than 65536 characters",
                "steps[3].name: its name has control characters",
                "steps[3].arguments: an argument has control characters; let the step read it from a file",
                "steps[3].needs: it cannot need all steps of the template that it belongs to",
            ],
            self.problems(workflow),
        )
        with self.assertRaisesRegex(InvalidWorkflow, "known only when its list was given"):
            given.at(0)

    def test_a_step_has_at_most_65534_needs(self) -> None:
        workflow = listed(65_533)
        most = workflow.step("one", "most", {"n": "most"}, [f"s{n}" for n in range(65_533)])
        most.add_needs("total")
        workflow.template("total", ["x"])
        self.assertEqual([], workflow.problems())
        more = workflow.step("one", "more", {"n": "more"}, [*(f"s{n}" for n in range(65_533)), "later"])
        more.add_needs("total")
        workflow.template("later", ["x"])
        text = "it needs more than 65534 steps; put them under a separate template and need that as a whole"
        self.assertEqual([f"steps[65534].needs: {text}"], workflow.problems())

    def test_a_workflow_without_templates_is_refused(self) -> None:
        self.assertEqual(["templates: there must be from 1 to 10000, not 0"], self.problems(Workflow("empty")))

    def test_parts_of_other_workflows_and_places_that_do_not_exist_are_errors_at_once(self) -> None:
        workflow, other = Workflow("w"), Workflow("o")
        foreign = other.template("x", ["x", "{n}"], each={"n": range(3)})
        mine = workflow.template("y", ["y"])
        calls: List[Callable[[], object]] = [
            lambda: workflow.step(foreign),
            lambda: workflow.step(mine, needs=[foreign.at(0)]),
        ]
        for wrong in calls:
            with self.assertRaisesRegex(ValueError, "another workflow"):
                wrong()
        with self.assertRaises(IndexError):
            foreign.at(3)
        with self.assertRaisesRegex(ValueError, "said of their template"):
            foreign.at(0).add_needs("x")

    def test_names_found_after_growing_and_needs_are_each_once(self) -> None:
        workflow = listed(5000)
        last = workflow.step("one", "last", {"n": "last"}, needs=["s7", "s4999"])
        last.add_needs("s7", "s0")
        self.assertEqual([], workflow.problems())
        self.assertEqual([0, 7, 4999], workflow.chunk(5000)["steps"][0]["needs"])
        self.assertEqual(5001, len(workflow))

    def test_notifications_have_their_form(self) -> None:
        workflow = Workflow("w", notify=Notification(on=["failed"], late_after=60))
        workflow.template("x", ["x"])
        self.assertEqual({"on": ["failed"], "lateAfter": "60000ms"}, workflow.prepare()["notify"])

    def test_breakers_and_lists_that_steps_give_have_their_form(self) -> None:
        workflow = Workflow("fan")
        names = workflow.template("list", ["list"])
        convert = workflow.template(
            "convert",
            ["convert", "{file}", "{size}"],
            each={"file": from_step("list.files", max=3), "size": [1, 2]},
            needs=[names],
            breaker=Breaker(5, 0.8),
        )
        check: Dict[str, Values] = {"file": from_step("list.files", max=3), "size": [1, 2]}
        workflow.template(
            "check", ["check", "{file}"], each=check, needs=[names, convert.same_position()], breaker="off"
        )
        spec = workflow.prepare()["templates"]
        self.assertEqual({"file": {"from": "list.files", "max": 3}, "size": ["1", "2"]}, spec["convert"]["each"])
        self.assertEqual({"failures": 5, "share": 0.8}, spec["convert"]["breaker"])
        self.assertEqual("off", spec["check"]["breaker"])
        self.assertNotIn("breaker", spec["list"])
        self.assertEqual(13, len(workflow))
        # Of the same graph in YAML, by 'millrace workflow submit --run-key tonight --dry-run --json'.
        self.assertEqual("fa2a12ad8a5bc95d5685efea4bcbfa6428c53a0eb2748be13e3a747b03d6f9c9", workflow.identity("tonight"))

    def test_lists_of_no_single_step_that_is_needed_are_refused(self) -> None:
        workflow = Workflow("w")
        one = workflow.template("one", ["x"])
        workflow.template("two", ["x", "{n}"], each={"n": range(2)})
        workflow.template("a", ["x", "{n}"], each={"n": from_step("none.list")})
        workflow.template("b", ["x", "{n}"], each={"n": from_step("two.list")}, needs=["two"])
        c = workflow.template("c", ["x", "{n}"], each={"n": from_step("one.list", max=2)})
        workflow.template("d", ["x", "{n}"], each={"n": [1, 2]}, needs=[one, c.same_position(), c.same("n")])
        workflow.template("e", ["x", "{n}"], each={"n": from_step("one.list", max=0)}, needs=[one])
        self.assertEqual(
            [
                "templates.e.each.n: there must be from 1 to 1000000 values, not 0",
                "templates.a.each: 'none.list' is not TEMPLATE.NAME, a value of the step of another template",
                "templates.b.each: two.list: a list is given by the only step of a template, but two has 2",
                "templates.c.each: one.list: add one to needs; the list is known when its step has succeeded",
                "templates.d.needs[1]: the same position requires the same list, with the same max,"
                " if a step gives that of d or c",
                "templates.d.needs[2]: n: a list that a step gives is only compared with the same list,"
                " with the same max",
                "templates.e.job: no argument fills {n}; add n to each, or write {{n}} for the text in braces",
            ],
            self.problems(workflow),
        )


class SubmittingTest(unittest.TestCase):
    def setUp(self) -> None:
        self.clock = ManualClock()

    def client(self, server: FakeServer) -> Client:
        return Client(server.url, token="t", environment={}, clock=self.clock.clock)

    def test_listed_steps_are_sent_in_parts_and_the_graph_is_checked(self) -> None:
        seen: List[WorkflowRun] = []
        replies = [
            answer(binding(0, 2000), 201),
            answer(binding(1024, 2000)),
            answer(binding(2000, 2000)),
            answer(view("CHECKING")),
            answer(view("CHECKING")),
            answer(view("RUNNING")),
        ]
        with FakeServer(*replies) as server:
            run = self.client(server).workflows.submit(listed(2000), "k", progress=seen.append)
            self.assertEqual("RUNNING", run.state)
            steps, wait = "POST /v1/workflows/17/steps", "GET /v1/workflows/17/wait?timeout=0ms"
            begin, commit = "POST /v1/workflows", "POST /v1/workflows/17/commit"
            self.assertEqual([begin, steps, steps, commit, wait, wait], server.paths())
            sizes = [(one.json["first"], len(one.json["steps"])) for one in server.requests[1:3]]
            self.assertEqual([(0, 1024), (1024, 976)], sizes)
        self.assertEqual([0, 1024, 2000], [one.progress.bound for one in seen[:3]])

    def test_a_submission_continues_where_the_server_is(self) -> None:
        with FakeServer(answer(binding(1024, 2000)), answer(view("RUNNING"))) as server:
            self.client(server).workflows.submit(listed(2000))
            self.assertEqual(1024, server.requests[1].json["first"])

    def test_the_answer_says_what_the_submission_did(self) -> None:
        for outcome in ("CREATED", "CONTINUED", "RESUMED", "UNCHANGED"):
            first = {**binding(0, 2), "outcome": outcome}
            with FakeServer(answer(first), answer(binding(2, 2)), answer(view("RUNNING"))) as server:
                self.assertEqual(outcome, self.client(server).workflows.submit(listed(2)).outcome)
        with FakeServer(answer({**view(), "outcome": "RESUMED"}), answer(view("SUCCEEDED"))) as server:
            self.assertEqual("RESUMED", self.client(server).workflows.run(nightly()).outcome)

    def test_lost_parts_are_sent_again_for_ten_minutes(self) -> None:
        down = refusal(503, "UNAVAILABLE")
        replies = [answer(binding(0, 2), 201), DROPPED, *[down] * 80, refusal(500, "STORE_FAILURE")]
        with FakeServer(*replies, answer(binding(2, 2)), answer(view())) as server:
            self.assertEqual(17, self.client(server).workflows.submit(listed(2)).id)
        self.assertLess(60, self.clock.time, "longer than other calls")
        with FakeServer(answer(binding(0, 2), 201), down) as server:
            with self.assertRaisesRegex(MillraceError, "UNAVAILABLE"):
                self.client(server).workflows.submit(listed(2))
        self.assertLess(600, self.clock.time)

    def test_a_lost_beginning_is_repeated_under_the_same_key(self) -> None:
        down = refusal(503, "UNAVAILABLE")
        with FakeServer(DROPPED, *[down] * 80, answer(view())) as server:
            self.client(server).workflows.submit(nightly(), resume="cold")
            first, *others = [one.headers["idempotency-key"] for one in server.requests]
            self.assertEqual({first}, set(others))
            self.client(server).workflows.submit(nightly(), resume="cold")
            self.assertNotIn(server.requests[-1].headers["idempotency-key"], {"", first})

    def test_without_a_server_it_fails_after_the_deadline_of_the_client(self) -> None:
        client = Client(closed_address(), token="t", environment={}, clock=self.clock.clock, deadline=20)
        with self.assertRaises(Unreachable):
            client.workflows.submit(listed(1))
        self.assertLessEqual(self.clock.time, 20)

    def test_another_process_that_binds_the_same_is_no_error(self) -> None:
        replies = [
            answer(binding(0, 3)),
            refusal(409, "CONFLICT", "other steps come next"),
            answer(binding(3, 3)),
            refusal(409, "CONFLICT", "it is running"),
            answer(view()),
        ]
        with FakeServer(*replies) as server:
            self.assertEqual("RUNNING", self.client(server).workflows.submit(listed(3)).state)

    def test_a_server_that_does_not_proceed_is_an_error(self) -> None:
        with FakeServer(answer(binding(0, 3))) as server:
            with self.assertRaisesRegex(MillraceError, "has still 0 of 3 steps"):
                self.client(server).workflows.submit(listed(3))
        replies = [answer(binding(0, 3)), refusal(409, "CONFLICT", "send the steps in order"), answer(binding(0, 3))]
        with FakeServer(*replies) as server:
            with self.assertRaisesRegex(MillraceError, "send the steps in order"):
                self.client(server).workflows.submit(listed(3))

    def test_steps_that_are_refused_for_good_leave_no_workflow_that_this_call_created(self) -> None:
        cancel = "POST /v1/workflows/17/cancel"
        created = {**binding(0, 2), "outcome": "CREATED"}
        refused = [refusal(400, "INVALID_REQUEST", "step 0: wrong"), refusal(413, "BODY_TOO_LARGE")]
        for reply, code in zip(refused, ("INVALID_REQUEST", "BODY_TOO_LARGE")):
            with FakeServer(answer(created, 201), reply, answer(view("CANCELLED"))) as server:
                with self.assertRaisesRegex(MillraceError, code):
                    self.client(server).workflows.submit(listed(2))
                self.assertEqual(cancel, server.paths()[-1])
        with FakeServer(answer(created, 201), refused[0], refusal(403, "FORBIDDEN")) as server:
            with self.assertRaisesRegex(MillraceError, "step 0: wrong"):
                self.client(server).workflows.submit(listed(2))
        others = [refusal(403, "FORBIDDEN"), refusal(409, "CONFLICT")]
        continued = {**binding(0, 2), "outcome": "CONTINUED"}
        for begun, reply in [*((created, one) for one in others), (continued, refused[0])]:
            with FakeServer(answer(begun), reply, answer(begun)) as server:
                with self.assertRaises(MillraceError):
                    self.client(server).workflows.submit(listed(2))
                self.assertNotIn(cancel, server.paths())

    def test_a_refused_graph_raises_its_reason(self) -> None:
        with FakeServer(answer(view("REFUSED", reason="a cycle: a, b, a")), answer(view())) as server:
            with self.assertRaisesRegex(InvalidWorkflow, "workflow 17 .nightly. refused: a cycle: a, b, a"):
                self.client(server).workflows.submit(nightly())

    def test_mistakes_are_found_before_anything_is_sent(self) -> None:
        with FakeServer(answer(view())) as server:
            for wrong_key in ("", " ", "x" * 201):
                with self.assertRaises(ValueError):
                    self.client(server).workflows.submit(nightly(), wrong_key)
            with self.assertRaises(InvalidWorkflow):
                self.client(server).workflows.submit(Workflow("empty"))
            self.assertEqual([], server.requests)

    def test_running_waits_for_the_end_with_progress(self) -> None:
        seen: List[WorkflowRun] = []
        half = view("RUNNING", progress={"steps": 46, "succeeded": 23, "failed": 1})
        with FakeServer(answer(view()), answer(half), answer(view("FAILED", reason="1 failed"))) as server:
            run = self.client(server).workflows.run(nightly(), progress=seen.append)
            self.assertEqual("GET /v1/workflows/17/wait?timeout=1000ms", server.paths()[-1])
        self.assertEqual((True, False), (run.ended, run.succeeded))
        self.assertEqual("workflow 17 (nightly) failed: 1 failed", str(run))
        self.assertEqual("23 of 46 steps succeeded, 1 failed", str(seen[1].progress))

    def test_waiting_ends_at_its_timeout(self) -> None:
        def poll(_: Request) -> Reply:
            self.clock.time += 10
            return answer(view())

        with FakeServer(poll) as server:
            with self.assertRaisesRegex(TimedOut, "still running"):
                self.client(server).workflows.wait(17, timeout="25s")
            self.assertEqual("GET /v1/workflows/17/wait?timeout=5000ms", server.paths()[-1])

    def test_a_lost_retry_is_repeated_only_if_it_was_not_carried_out(self) -> None:
        failed, running = answer({"workflow": view("FAILED")}), answer({"workflow": view("RUNNING")})
        with FakeServer(failed, DROPPED, failed, DROPPED, running) as server:
            self.assertEqual("RUNNING", self.client(server).workflows.retry(17).state)
            show, retry = "GET /v1/workflows/17", "POST /v1/workflows/17/retry"
            self.assertEqual([show, retry, show, retry, show], server.paths())

    def test_changes_have_the_forms_of_the_api(self) -> None:
        limited = answer({"workflow": view(maxRunning=2), "templates": [{"name": "a", "maxRunning": 3}]})
        with FakeServer(limited) as server:
            run = self.client(server).workflows.limit(17, 2)
            self.assertEqual((17, 2), (run.id, run.max_running))
            self.assertEqual({"maxRunning": 2, "template": None}, server.requests[0].json)
        details = answer({"workflow": view()})
        with FakeServer(answer(view())) as server:
            workflows = self.client(server).workflows
            workflows.submit(nightly(), resume="cold")
            workflows.resume(17, template="a b")
            workflows.set_status(17, "succeeded", [3, "fetch[1,a]"], reason="by hand")
            workflows.archive(17)
            workflows.unarchive(17)
            self.assertEqual(
                [
                    "POST /v1/workflows?resume=cold",
                    "POST /v1/workflows/17/resume?template=a%20b",
                    "POST /v1/workflows/17/set-status",
                    "POST /v1/workflows/17/archive",
                    "POST /v1/workflows/17/unarchive",
                ],
                server.paths(),
            )
            declared = {"steps": ["3", "fetch[1,a]"], "to": "succeeded", "reason": "by hand"}
            self.assertEqual(declared, server.requests[2].json)
            with self.assertRaisesRegex(ValueError, "neither hot nor cold"):
                workflows.submit(nightly(), resume="warm")
            with self.assertRaisesRegex(ValueError, "neither hot nor cold"):
                workflows.retry(17, "warm")
        with FakeServer(details, answer(view()), details, answer(view())) as server:
            workflows = self.client(server).workflows
            workflows.retry(17, "hot", dependents=True)
            workflows.reset(17, [4], dependents=True)
            self.assertEqual("POST /v1/workflows/17/retry?resume=hot&dependents=true", server.paths()[1])
            self.assertEqual("POST /v1/workflows/17/reset", server.paths()[3])
            self.assertEqual(
                {"steps": ["4"], "template": None, "dependents": True, "cold": False}, server.requests[3].json
            )

    def test_a_lost_reset_of_a_running_workflow_is_found_in_its_events(self) -> None:
        before = answer({"workflow": view()})
        event = {"at": "2026-03-01T00:00:00Z", "actor": "ada", "event": "reset step 4"}
        after = answer({"workflow": view(), "events": [event]})
        with FakeServer(before, DROPPED, after) as server:
            self.assertEqual("RUNNING", self.client(server).workflows.reset(17, [4]).state)
            self.assertEqual(3, len(server.requests))

    def test_details_say_what_holds_a_workflow_back_and_who_changed_it(self) -> None:
        event = {"at": "2026-03-01T00:00:00Z", "actor": "ada", "event": "reset step 4"}
        document = {
            "workflow": view(paused=True),
            "templates": [
                {"name": "a", "pause": {"reason": "9 failed", "since": "2026-03-01T00:00:00Z", "trying": True}},
                {"name": "b", "awaits": {"template": "a", "value": "files", "max": 9}},
            ],
            "archivedAt": "2026-03-02T00:00:00Z",
            "reset": {"actor": "ada", "ending": True, "left": 7},
            "events": [event],
            "warnings": ["no node for a"],
        }
        with FakeServer(answer(document), answer({"events": [event, event]})) as server:
            details = self.client(server).workflows.show(17)
            history = self.client(server).workflows.history(17)
        a, b = details.templates
        assert a.pause is not None and b.awaits is not None and details.reset is not None
        self.assertEqual(("9 failed", True), (a.pause.reason, a.pause.trying))
        self.assertEqual(("a", "files", 9, None), (b.awaits.template, b.awaits.value, b.awaits.max, b.awaits.problem))
        self.assertEqual((True, 7), (details.reset.ending, details.reset.left))
        self.assertEqual(["no node for a"], details.warnings)
        self.assertEqual(("ada", "reset step 4"), (details.events[0].actor, details.events[0].event))
        self.assertEqual(2, len(history))
        self.assertIsNotNone(details.archived_at)

    def test_a_lost_deletion_is_repeated_until_the_workflow_is_gone(self) -> None:
        there, gone = answer({"workflow": view("FAILED")}), refusal(404, "UNKNOWN_WORKFLOW")
        with FakeServer(DROPPED, there, DROPPED, gone) as server:
            self.client(server).workflows.delete(17)
        with FakeServer(gone) as server:
            with self.assertRaisesRegex(MillraceError, "UNKNOWN_WORKFLOW"):
                self.client(server).workflows.delete(17)

    def test_lists_are_read_in_pages(self) -> None:
        pages = (answer({"workflows": [view(), view()], "next": 9}), answer({"workflows": [view()]}))
        with FakeServer(*pages) as server:
            self.assertEqual(3, len(list(self.client(server).workflows.list(state="running,failed"))))
            self.assertEqual("limit=500&before=9&state=running%2Cfailed", server.paths()[1].partition("?")[2])
        pages = (answer({"steps": [], "next": 9}), answer({"steps": [{"step": 10, "template": "a"}]}))
        with FakeServer(*pages) as server:
            steps = list(self.client(server).workflows.steps(17, template="a", limit=5))
            self.assertEqual([(10, "a")], [(one.step, one.template) for one in steps])
            self.assertEqual("GET /v1/workflows/17/steps?limit=5&after=9&template=a", server.paths()[1])

    def test_the_output_of_a_step_that_has_not_run_is_an_error_with_the_reason(self) -> None:
        waiting = {"step": {"step": 3}, "reasons": ["its workflow is paused"], "needs": [], "attempts": []}
        with FakeServer(answer(waiting)) as server:
            with self.assertRaisesRegex(MillraceError, "no job: its workflow is paused"):
                self.client(server).workflows.output(17, "fetch[3,a]")
            self.assertEqual("GET /v1/workflows/17/steps/fetch%5B3%2Ca%5D", server.paths()[0])


class Screen(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


class ProgressLineTest(unittest.TestCase):
    def shown(self, screen: Optional[Screen]) -> bool:
        with _ProgressLine(screen, 2000) as line:
            if line.wanted:
                for document in (binding(1024, 2001), view("RUNNING", progress={"steps": 3, "succeeded": 1})):
                    with FakeServer(answer(document)) as server:
                        client = Client(server.url, token="t", environment={})
                        line.show(client.workflows.cancel(17))
            return line.wanted

    def test_a_terminal_shows_one_line_that_is_written_over(self) -> None:
        screen = Screen(True)
        self.assertTrue(self.shown(screen))
        first, second = "workflow 17: 1,024 of 2,000 listed steps sent", "workflow 17: 1 of 3 steps succeeded"
        self.assertEqual(f"\r{first}\r{second.ljust(len(first))}\n", screen.getvalue())

    def test_other_outputs_get_nothing(self) -> None:
        screen = Screen(False)
        self.assertFalse(self.shown(screen))
        self.assertEqual("", screen.getvalue())
        self.assertFalse(self.shown(None))


if __name__ == "__main__":
    unittest.main()
