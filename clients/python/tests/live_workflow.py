"""Workflows with a real cluster, which MILLRACE_URL and MILLRACE_TOKEN_FILE name.

    python3 -m unittest tests.live_workflow
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import unittest
import uuid
from pathlib import Path
from typing import Dict, Iterator, List

from millrace import (
    Breaker,
    Client,
    InvalidWorkflow,
    JobSpec,
    ListedStep,
    MillraceError,
    RetryPolicy,
    TimedOut,
    Workflow,
    WorkflowRun,
    from_step,
)
from millrace.workflow import Values

SOON = "3m"
AT_ONCE = RetryPolicy(2, backoff=0.05)

# Submits 6,000 steps; dies in the middle if it is told to.
SUBMITTER = """
import os, sys
import millrace
workflow = millrace.Workflow("killed-client", max_running=0)
one = workflow.template("one", ["true", "{n}"])
for n in range(6000):
    workflow.step(one, f"s{n}", {"n": n}, [f"s{n - 1}"] if n % 10 else [])
def progress(run):
    print(run.id, run.state, run.progress.bound, flush=True)
    if len(sys.argv) > 2 and run.progress.bound >= 2048:
        os.kill(os.getpid(), 9)
millrace.Client().workflows.submit(workflow, sys.argv[1], progress=progress)
"""


def sh(script: str, *arguments: str) -> List[str]:
    return ["sh", "-c", script, "step", *arguments]


class LiveWorkflowTest(unittest.TestCase):
    def setUp(self) -> None:
        self.workflows = Client().workflows
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.key = str(uuid.uuid4())

    def test_it_runs_with_progress_in_the_order_of_its_needs(self) -> None:
        workflow = Workflow("py-order", arguments={"folder": str(self.folder)})
        write = 'sleep 0.1; date +%s%N > "$1/$2"'
        model: List[str] = ["linear", "a b$'"]
        fetch = workflow.template(
            "fetch", sh(write, "{workflow.folder}", "fetch-{part}"), each={"part": range(1, 6)}, max_running=3
        )
        # Fails unless the element of the same part has succeeded, and is the only one that it waits for.
        convert = workflow.template(
            "convert",
            sh('test -s "$1/fetch-$2" && ' + write.replace("$2", "convert-$2"), "{workflow.folder}", "{part}"),
            each={"part": range(1, 6)},
            needs=[fetch.same_position()],
        )
        study = workflow.template(
            "study",
            sh('test $(ls "$1" | grep -c convert) = 5 && ' + write, "{workflow.folder}", "study-{model}-{seed}"),
            each={"model": model, "seed": "1-2"},
            needs=[convert],
        )
        mean = workflow.template(
            "mean",
            sh('test -s "$1/study-$2-1" -a -s "$1/study-$2-2"', "{workflow.folder}", "{model}"),
            each={"model": model},
            needs=[study.same("model")],
        )
        single = workflow.template("single", sh('test -s "$1/convert-$2"', "{workflow.folder}", "{number}"))
        workflow.step(single, "third", {"number": 3}, needs=[convert.at(2)])
        workflow.step(single, None, {"number": 4}, needs=["third", mean])
        seen: List[WorkflowRun] = []
        run = self.workflows.run(workflow, self.key, timeout=SOON, progress=seen.append)
        self.assertTrue(run.succeeded, self.workflows.errors(run.id))
        self.assertEqual((18, 18), (run.progress.steps, run.progress.succeeded))
        self.assertIn("BINDING", [one.state for one in seen])
        self.assertEqual("SUCCEEDED", seen[-1].state)
        details = self.workflows.show(run.id)
        self.assertEqual(
            [("fetch", 5), ("convert", 5), ("study", 4), ("mean", 2), ("single", 2)],
            [(one.name, one.progress.succeeded) for one in details.templates],
        )
        self.assertEqual(3, details.templates[0].max_running)
        graph = self.workflows.graph(run.id)
        edges = {(one.from_, one.to, one.kind) for one in graph.edges}
        self.assertLessEqual(
            {("fetch", "convert", "ELEMENT"), ("convert", "study", "ALL"), ("study", "mean", "ARGUMENT")}, edges
        )
        self.assertEqual([0, 1, 2, 3], [one.layer for one in graph.templates][:4])
        self.assertTrue(self.workflows.critical_path(run.id).links)
        resources = {one.name: one for one in self.workflows.resources(run.id)}
        self.assertEqual(5, resources["fetch"].measured.steps)
        self.assertIsNotNone(resources["fetch"].next.timeout)
        self.assertIn(run.id, [one.id for one in self.workflows.list(name="py-order", state="succeeded")])
        self.assertEqual(
            [{"model": m, "seed": s} for m in model for s in ("1", "2")],
            [one.arguments for one in self.workflows.steps(run.id, template="study")],
        )

    def test_a_failed_one_says_why_and_is_resumed(self) -> None:
        workflow = Workflow("py-failing", arguments={"folder": str(self.folder)})
        script = 'test "$2" != 3 -o -e "$1/repaired" || { echo "part $2 is broken" >&2; exit 7; }'
        check = workflow.template("check", sh(script, "{workflow.folder}", "{part}"), each={"part": range(1, 5)})
        workflow.template("report", sh("echo done"), needs=[check])
        failed = self.workflows.run(workflow, self.key, timeout=SOON)
        self.assertEqual(("FAILED", 3, 1), (failed.state, failed.progress.succeeded, failed.progress.failed))
        group = self.workflows.errors(failed.id)[0]
        self.assertEqual(("exit code 7", "part 3 is broken", ["2"]), (group.cause, group.sample.text, group.items))
        step = self.workflows.explain(failed.id, "check[3]")
        self.assertEqual((2, "FAILED", 7), (step.step.step, step.step.state, step.attempts[0].exit_code))
        self.assertIn("check", " ".join(self.workflows.explain(failed.id, "report").reasons))
        self.assertEqual("part 3 is broken\n", self.workflows.output(failed.id, 2, stream="stderr"))
        self.assertEqual([2], [one.step for one in self.workflows.steps(failed.id, state="failed")])

        (self.folder / "repaired").touch()
        self.workflows.retry(failed.id)
        self.assertTrue(self.workflows.wait(failed.id, SOON).succeeded)
        self.assertEqual("done\n", self.workflows.output(failed.id, "report"))
        self.assertEqual(1, len(self.workflows.explain(failed.id, "check[1]").attempts), "did not run again")

    def test_a_failed_one_is_resumed_by_submitting_it_again_with_other_commands(self) -> None:
        def drafted(command: List[str]) -> Workflow:
            workflow = Workflow("py-again")
            good = workflow.template("good", ["true"])
            workflow.template("bad", command, needs=[good])
            return workflow

        failed = self.workflows.run(drafted(["false"]), self.key, timeout=SOON)
        self.assertEqual("FAILED", failed.state)
        again = self.workflows.run(drafted(["true"]), self.key, timeout=SOON)
        self.assertEqual((failed.id, "SUCCEEDED", 2), (again.id, again.state, again.revision))
        self.assertEqual(("CREATED", "RESUMED"), (failed.outcome, again.outcome))
        with self.assertRaisesRegex(MillraceError, "another run key") as refused:
            self.workflows.submit(drafted(["true"]), self.key)
        self.assertEqual("CONFLICT", refused.exception.code)
        other = self.workflows.run(drafted(["true"]), self.key + "-2", timeout=SOON)
        self.assertNotEqual(failed.id, other.id)

    def test_a_step_is_retried(self) -> None:
        workflow = Workflow("py-retry", arguments={"file": str(self.folder / "seen")})
        workflow.template("flaky", sh('test -e "$1" || { touch "$1"; exit 1; }', "{workflow.file}"), retry=AT_ONCE)
        run = self.workflows.run(workflow, self.key, timeout=SOON)
        self.assertTrue(run.succeeded)
        attempts = self.workflows.explain(run.id, 0).attempts
        self.assertEqual(["FAILED", "SUCCEEDED"], [one.state for one in attempts])

    def test_steps_use_values_of_others(self) -> None:
        workflow = Workflow("py-values")
        count = workflow.template(
            "count", sh('echo "lines=$1 and more" >> "$MILLRACE_OUTPUT"', "{part}"), each={"part": ["7", "ä{x}"]}
        )
        workflow.template(
            "use", ["echo", "{count.lines}"], each={"part": ["7", "ä{x}"]}, needs=[count.same_position()]
        )
        run = self.workflows.run(workflow, self.key, timeout=SOON)
        self.assertTrue(run.succeeded, self.workflows.errors(run.id))
        self.assertEqual("ä{x} and more\n", self.workflows.output(run.id, 3))
        self.assertEqual(b"7 and more\n", b"".join(self.workflows.logs(run.id, 2)))

    def test_a_running_one_is_paused_limited_cancelled_and_deleted(self) -> None:
        workflow = Workflow("py-cancelled", max_running=1)
        workflow.template("sleep", ["sleep", "1000"], each={"n": range(3)})
        # The argument n is no part of the command: steps differ by it alone.
        run = self.workflows.submit(workflow, self.key)
        same = self.workflows.submit(workflow, self.key)
        self.assertEqual((run.id, "UNCHANGED"), (same.id, same.outcome), "is the same")
        self.assertTrue(self.workflows.pause(run.id).paused)
        self.assertFalse(self.workflows.resume(run.id).paused)
        self.assertEqual(2, self.workflows.limit(run.id, 2).max_running)
        self.workflows.limit(run.id, 1, template="sleep")
        self.assertEqual(1, self.workflows.show(run.id).templates[0].max_running)
        self.assertIsNone(self.workflows.limit(run.id, None).max_running)
        with self.assertRaisesRegex(TimedOut, "still running"):
            self.workflows.wait(run.id, timeout=0.5)
        with self.assertRaises(MillraceError) as early:
            self.workflows.delete(run.id)
        self.assertEqual("CONFLICT", early.exception.code)
        self.workflows.cancel(run.id)
        ended = self.workflows.wait(run.id, SOON)
        self.assertEqual(("CANCELLED", 0), (ended.state, ended.progress.succeeded))
        self.workflows.delete(run.id)
        with self.assertRaises(MillraceError) as gone:
            self.workflows.show(run.id)
        self.assertEqual("UNKNOWN_WORKFLOW", gone.exception.code)

    def test_steps_come_from_a_list_and_run_again_after_a_reset(self) -> None:
        workflow = Workflow("py-fan")
        names = workflow.template("list", sh('echo "files=a,b" >> "$MILLRACE_OUTPUT"'))
        each: Dict[str, Values] = {"file": from_step("list.files", max=5)}
        workflow.template("use", ["echo", "{file}"], each=each, needs=[names], breaker=Breaker(5, 0.8))
        run = self.workflows.run(workflow, self.key, timeout=SOON)
        self.assertEqual(("SUCCEEDED", 3), (run.state, run.progress.succeeded))
        self.assertEqual("b\n", self.workflows.output(run.id, "use[b]"))
        first = self.workflows.explain(run.id, "use[b]").job
        self.workflows.reset(run.id, ["use[b]"])
        self.assertTrue(self.workflows.wait(run.id, SOON).succeeded)
        self.assertNotEqual(first, self.workflows.explain(run.id, "use[b]").job)
        self.workflows.archive(run.id)
        self.assertIsNotNone(self.workflows.show(run.id).archived_at)
        self.assertIn(run.id, [one.id for one in self.workflows.list(name="py-fan", archived=True)])
        self.workflows.unarchive(run.id)
        self.assertEqual(3, len(self.workflows.history(run.id)))
        self.assertEqual("FAILED", self.workflows.set_status(run.id, "failed", reason="by hand").state)

    def test_a_cycle_is_refused_with_its_path(self) -> None:
        workflow = Workflow("py-cycle")
        one = workflow.template("one", ["true", "{n}"])
        workflow.step(one, "a", {"n": 1}, needs=["c"])
        workflow.step(one, "b", {"n": 2}, needs=["a"])
        workflow.step(one, "c", {"n": 3}, needs=["b"])
        with self.assertRaises(InvalidWorkflow) as refused:
            self.workflows.submit(workflow, self.key)
        self.assertIn("step 0 (a) needs step 2 (c) needs step 1 (b) needs step 0 (a)", refused.exception.detail)

    def test_a_job_at_its_end_is_submitted(self) -> None:
        mark = self.folder / "mark"
        workflow = Workflow("py-end", on_success=JobSpec(["touch", str(mark)]))
        workflow.template("one", ["true"])
        self.assertTrue(self.workflows.run(workflow, self.key, timeout=SOON).succeeded)
        end = time.monotonic() + 120
        while not mark.exists() and time.monotonic() < end:
            time.sleep(0.05)
        self.assertTrue(mark.exists())

    def test_a_submission_whose_client_was_killed_is_continued_by_another_one(self) -> None:
        first = self.submitter("die")
        self.assertEqual(-9, first.returncode, first.stderr)
        id, state, bound = first.stdout.splitlines()[-1].split()
        self.assertEqual(("BINDING", "2048"), (state, bound))
        self.assertEqual("BINDING", self.workflows.show(int(id)).run.state)
        second = self.submitter()
        self.assertEqual(0, second.returncode, second.stderr)
        continued = [line.split() for line in second.stdout.splitlines()]
        self.assertEqual([id, "BINDING", "2048"], continued[0])
        self.assertEqual(6000, self.workflows.show(int(id)).run.progress.steps)
        self.workflows.cancel(int(id))

    def submitter(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", SUBMITTER, self.key, *arguments]
        return subprocess.run(command, env=os.environ, capture_output=True, text=True, timeout=170)

    def test_a_generator_of_many_steps_needs_little_memory(self) -> None:
        count = 100_000
        workflow = Workflow("py-many", max_running=0)
        one = workflow.template("one", ["true", "{n}"])

        def steps() -> Iterator[ListedStep]:
            for n in range(count):
                yield ListedStep(one, {"n": n}, f"s{n}", [f"s{n // 2}", f"s{n // 3}"] if n > 2 else [])

        before = resident()
        self.assertEqual(count, workflow.steps(steps()))
        run = self.workflows.submit(workflow, self.key)
        grown = resident() - before
        self.assertEqual(count, run.progress.steps)
        self.assertEqual(["s49999", "s33333"], [one.name for one in self.workflows.explain(run.id, 99999).needs][::-1])
        # All as JSON would take more than 100 MB.
        self.assertLess(grown, 40 << 20)
        self.workflows.cancel(run.id)


def resident() -> int:
    status = Path("/proc/self/status")
    if not status.exists():
        raise unittest.SkipTest("the memory of processes is only known on Linux")
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    unittest.main()
