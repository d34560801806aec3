"""Workflows: submitting, waiting with progress, looking at their steps, and changing them."""

from __future__ import annotations

import sys
import uuid
from dataclasses import replace
from typing import Any, Callable, Iterator, List, Mapping, Optional, Sequence, TextIO, TypeVar, Union

from millrace.connection import Connection, path
from millrace.errors import MillraceError, TimedOut, Unreachable
from millrace.format import Span, record, records, seconds
from millrace.job import Jobs
from millrace.workflow import InvalidWorkflow, Workflow
from millrace.workflowrun import (
    CriticalPath,
    FailureGroup,
    StepDetails,
    TemplateGraph,
    TemplateResources,
    WorkflowDetails,
    WorkflowEvent,
    WorkflowRun,
    WorkflowStep,
)

Progress = Callable[[WorkflowRun], None]
"""Is told how a workflow proceeds: after each part of its submission, and about once a second."""

StepName = Union[int, str]
"""A step: its number, the name of a listed one, or ``TEMPLATE[VALUE,...]``."""

T = TypeVar("T")

_PATIENCE = 600.0
_SUBMITTED_WITHIN = 120.0
_LONGEST_POLL = 10.0
_PROGRESS_POLL = 1.0
_LONGEST_PAUSE = 10.0
_PAGE = 500
# Of steps that break a rule: no repetition changes these.
_REFUSED_FOR_GOOD = (400, 413)


class Workflows:
    """The workflows of a cluster. Methods block and raise MillraceError. Thread-safe.

    Submitting and waiting survive lost connections and restarts of central managers for ten
    minutes, unless no server can be reached at first; other calls do until the client's deadline.
    """

    def __init__(self, central: Connection, jobs: Jobs) -> None:
        self._central = central
        self._jobs = jobs

    def submit(
        self,
        workflow: Workflow,
        run_key: Optional[str] = None,
        *,
        resume: Optional[str] = None,
        progress: Optional[Progress] = None,
    ) -> WorkflowRun:
        """Submits a workflow and waits until its graph has been checked; it then runs by itself.

        Sends the listed steps that the server does not have yet, so that a submission that was
        interrupted continues when it is repeated, here or in another process. A workflow is
        recognised by its owner, name, ``run_key``, arguments, lists, needs and steps: one that runs
        is returned as it is, and one that failed or was cancelled is resumed. With ``resume``, one that
        runs uses this definition from now on and runs failed steps again: ``hot`` lets the steps that
        run continue, ``cold`` ends them first and runs them again. ``outcome`` of the answer says
        whether it was created, continued, resumed or left as it was. Raises
        InvalidWorkflow with all mistakes; CONFLICT if the same has succeeded: give another run_key. If
        the server refuses steps of a workflow that this call created, the workflow is cancelled.
        """
        if run_key is not None and not 1 <= len(run_key.strip()) <= len(run_key) <= 200:
            raise ValueError("a run key must have from 1 to 200 characters")
        _check_mode(resume)
        submission = workflow.submission(run_key)
        where = "/v1/workflows" + path("", resume=resume)
        # A repetition does not end again what the first one has started.
        key = str(uuid.uuid4())
        run = self._repeated(lambda limit: self._posted(where, submission, limit, key), first=True)
        outcome = run.outcome
        while True:
            if progress is not None:
                progress(run)
            if run.state != "BINDING":
                break
            try:
                run = self._bind_next(workflow, run)
            except MillraceError as e:
                if e.status in _REFUSED_FOR_GOOD and outcome == "CREATED":
                    self._abandon(run.id)
                raise
        return replace(self._checked(run), outcome=outcome)

    def run(
        self,
        workflow: Workflow,
        run_key: Optional[str] = None,
        *,
        timeout: Optional[Span] = None,
        progress: Optional[Progress] = None,
    ) -> WorkflowRun:
        """Submits a workflow, waits until it has ended, and returns it, whether it succeeded or not.

        Without ``progress``, a line on stderr shows how far it is if that is a terminal. Raises
        what ``submit`` and ``wait`` raise; after TimedOut and Ctrl-C the workflow continues.
        """
        with _ProgressLine(sys.stderr, workflow.listed_steps) as line:
            told = progress or (line.show if line.wanted else None)
            submitted = self.submit(workflow, run_key, progress=told)
            ended = self._until_end(submitted.id, timeout, told, first=False)
            return replace(ended, outcome=submitted.outcome)

    def wait(
        self, workflow: int, timeout: Optional[Span] = None, *, progress: Optional[Progress] = None
    ) -> WorkflowRun:
        """Blocks until a workflow has ended and returns it; raises TimedOut if it has not in that time."""
        return self._until_end(workflow, timeout, progress, first=True)

    def _until_end(
        self, workflow: int, timeout: Optional[Span], progress: Optional[Progress], first: bool
    ) -> WorkflowRun:
        clock = self._central.clock
        end = None if timeout is None else clock.now() + seconds(timeout)
        longest = _LONGEST_POLL if progress is None else _PROGRESS_POLL
        while True:
            poll = longest if end is None else max(0.0, min(longest, end - clock.now()))
            run = self._look(workflow, poll, first)
            first = False
            if progress is not None:
                progress(run)
            if run.ended:
                return run
            if end is not None and clock.now() >= end:
                raise TimedOut(f"workflow {workflow} is still {run.state.lower()} and continues")

    def show(self, workflow: int) -> WorkflowDetails:
        """Returns a workflow with its templates and when they are expected to end; UNKNOWN_WORKFLOW."""
        return WorkflowDetails.of(self._get(workflow))

    def list(
        self,
        *,
        state: Optional[str] = None,
        name: Optional[str] = None,
        archived: bool = False,
        limit: Optional[int] = None,
    ) -> Iterator[WorkflowRun]:
        """Returns workflows, newest first, read in pages while they are iterated.

        ``state`` has one or several, such as ``running,failed``; ``archived`` returns archived ones
        instead of the others.
        """
        query = {"state": state, "name": name, "archived": "true" if archived else None}
        for page in self._pages("/v1/workflows", "before", "workflows", limit, **query):
            yield from records(WorkflowRun, page)

    def steps(
        self,
        workflow: int,
        *,
        template: Optional[str] = None,
        state: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Iterator[WorkflowStep]:
        """Returns steps by rising number, read in pages while they are iterated."""
        where = path("/v1/workflows/{}/steps", workflow)
        for page in self._pages(where, "after", "steps", limit, template=template, state=state):
            yield from records(WorkflowStep, page)

    def explain(self, workflow: int, step: StepName) -> StepDetails:
        """Returns a step with what it waits for, what it needs, and its job with the attempts."""
        return StepDetails.of(self._central.get(path("/v1/workflows/{}/steps/{}", workflow, step)))

    def errors(self, workflow: int) -> List[FailureGroup]:
        """Returns the failed steps grouped by their causes, the most frequent first."""
        return records(FailureGroup, self._get(workflow, "/errors")["groups"])

    def resources(self, workflow: int, template: Optional[str] = None) -> List[TemplateResources]:
        """Returns what steps asked for and used, the most wasteful template first."""
        return records(TemplateResources, self._get(workflow, "/resources", template=template)["templates"])

    def graph(self, workflow: int) -> TemplateGraph:
        """Returns the templates with what they wait for; CONFLICT before the graph has been checked."""
        return TemplateGraph.of(self._get(workflow, "/graph"))

    def critical_path(self, workflow: int, level: Optional[str] = None) -> CriticalPath:
        """Returns the longest chain by measured run times, of ``steps`` or ``templates``."""
        return record(CriticalPath, self._get(workflow, "/critical-path", level=level))

    def logs(
        self, workflow: int, step: StepName, *, attempt: int = 0, stream: str = "stdout", follow: bool = False
    ) -> Iterator[bytes]:
        """Returns the output of a step in parts as they arrive; arguments and errors as of ``Jobs.logs``.

        UNKNOWN_JOB if the step has not been released, or its records were deleted.
        """
        return self._jobs.logs(self._job(workflow, step), attempt=attempt, stream=stream, follow=follow)

    def output(self, workflow: int, step: StepName, *, attempt: int = 0, stream: str = "stdout") -> str:
        """Returns the present output of a step as text."""
        return self._jobs.output(self._job(workflow, step), attempt=attempt, stream=stream)

    def cancel(self, workflow: int) -> WorkflowRun:
        """Cancels a workflow with all its steps; ``retry`` continues it."""
        return self._act(workflow, "cancel")

    def pause(self, workflow: int) -> WorkflowRun:
        """Starts no further steps; those that run continue."""
        return self._act(workflow, "pause")

    def resume(self, workflow: int, *, template: Optional[str] = None) -> WorkflowRun:
        """Ends a pause; of a ``template`` whose steps failed, tries some of its steps.

        ``outcome`` of the answer is ``UNCHANGED`` if it was not paused.
        """
        return self._act(workflow, "resume", template=template)

    def limit(self, workflow: int, max_running: Optional[int], *, template: Optional[str] = None) -> WorkflowRun:
        """Changes how many steps run at the same time, of a workflow or of a template; None for any number."""
        limit = {"maxRunning": max_running, "template": template}
        answer = self._central.post(path("/v1/workflows/{}/limit", workflow), limit)
        return record(WorkflowRun, answer["workflow"])

    def retry(self, workflow: int, mode: Optional[str] = None, *, dependents: bool = False) -> WorkflowRun:
        """Runs the failed and cancelled steps again, and then those that waited; CONFLICT in other states.

        One that runs needs a ``mode``: ``hot`` lets the steps that run continue, ``cold`` ends them
        first and runs them again. ``dependents`` sets all steps below them back as well.
        If the answer is lost, it is repeated only if the workflow is still as it was before.
        """
        _check_mode(mode)
        query = {"resume": mode, "dependents": "true" if dependents else None}
        return self._changed_once(workflow, "retry", None, **query)

    def reset(
        self,
        workflow: int,
        steps: Sequence[StepName] = (),
        *,
        template: Optional[str] = None,
        dependents: bool = False,
        cold: bool = False,
    ) -> WorkflowRun:
        """Lets steps that have ended, or all of a ``template``, run once more; at most 1,000 are named.

        ``dependents`` sets those below them back as well. CONFLICT if one of them waits for a slot
        or runs, unless ``cold`` ends these first. If the answer is lost, as of ``retry``.
        """
        document = {
            "steps": [str(step) for step in steps], "template": template, "dependents": dependents, "cold": cold
        }  # fmt: skip
        return self._changed_once(workflow, "reset", document)

    def set_status(
        self, workflow: int, to: str, steps: Sequence[StepName] = (), *, reason: Optional[str] = None
    ) -> WorkflowRun:
        """Declares how steps ended (``succeeded``, ``failed``), or, without steps, how an ended run did.

        A run may also be set to ``cancelled``. CONFLICT if it, or one of the steps, has not ended.
        """
        document = {"steps": [str(step) for step in steps], "to": to, "reason": reason}
        return self._act(workflow, "set-status", document)

    def archive(self, workflow: int) -> WorkflowRun:
        """Hides an ended workflow from ``list``; CONFLICT if it has not ended."""
        return self._act(workflow, "archive")

    def unarchive(self, workflow: int) -> WorkflowRun:
        """Shows an archived workflow in ``list`` again."""
        return self._act(workflow, "unarchive")

    def history(self, workflow: int) -> List[WorkflowEvent]:
        """Returns what operators did to a workflow, the newest 1,000 events, oldest first."""
        return records(WorkflowEvent, self._get(workflow, "/history")["events"])

    def delete(self, workflow: int) -> None:
        """Deletes a workflow that has ended, with all that is recorded of it; CONFLICT if it has not."""

        def delete() -> bool:
            self._central.delete(path("/v1/workflows/{}", workflow), repeatable=False)
            return True

        def done() -> Optional[bool]:
            try:
                self.show(workflow)
            except MillraceError as e:
                if e.code == "UNKNOWN_WORKFLOW":
                    return True
                raise
            return None

        self._once(delete, done)

    def _abandon(self, workflow: int) -> None:
        """Cancels a workflow whose steps are refused, so that it does not wait for them."""
        try:
            self.cancel(workflow)
        except MillraceError:
            pass  # servers delete it some time later

    def _bind_next(self, workflow: Workflow, run: WorkflowRun) -> WorkflowRun:
        """Sends the next part, or the end of the submission after the last one."""
        bound = run.progress.bound
        more = bound < workflow.listed_steps
        where = path("/v1/workflows/{}/steps" if more else "/v1/workflows/{}/commit", run.id)
        document = workflow.chunk(bound) if more else None
        refusal = MillraceError(
            "CONFLICT", f"workflow {run.id} has still {bound} of {workflow.listed_steps} steps; submit it again"
        )
        try:
            after = self._repeated(lambda limit: self._posted(where, document, limit))
        except MillraceError as e:
            if e.code != "CONFLICT":
                raise
            # Another process may have bound the same, step by step, or ended the submission.
            refusal = e
            after = self._look(run.id, 0.0)
        if after.state == "BINDING" and after.progress.bound == bound:
            raise refusal
        return after

    def _checked(self, run: WorkflowRun) -> WorkflowRun:
        pause = 0.05
        while run.state == "CHECKING":
            self._central.clock.sleep(pause)
            pause = min(2.0, pause * 2)
            run = self._look(run.id, 0.0)
        if run.state == "REFUSED":
            raise InvalidWorkflow([f"{run}"])
        return run

    def _job(self, workflow: int, step: StepName) -> int:
        found = self.explain(workflow, step)
        if found.job is None:
            why = found.reasons[0] if found.reasons else "its records were deleted"
            raise MillraceError("UNKNOWN_JOB", f"step {step} of workflow {workflow} has no job: {why}")
        return found.job

    def _get(self, workflow: int, rest: str = "", **query: object) -> Any:
        return self._central.get(path("/v1/workflows/{}" + rest, workflow, **query))

    def _pages(
        self, where: str, cursor: str, field: str, limit: Optional[int], **query: object
    ) -> Iterator[List[Mapping[str, Any]]]:
        position = None
        left = limit
        while left is None or left > 0:
            size = _PAGE if left is None else min(left, _PAGE)
            page = self._central.get(where + path("", limit=size, **{cursor: position}, **query))
            yield page[field]
            position = page.get("next")
            if position is None:
                return
            left = None if left is None else left - len(page[field])

    def _act(
        self, workflow: int, verb: str, document: object = None, *, repeatable: bool = True, **query: object
    ) -> WorkflowRun:
        where = path("/v1/workflows/{}/{}", workflow, verb, **query)
        return record(WorkflowRun, self._central.post(where, document, repeatable=repeatable))

    def _changed_once(self, workflow: int, verb: str, document: object, **query: object) -> WorkflowRun:
        before = self.show(workflow)

        def done() -> Optional[WorkflowRun]:
            now = self.show(workflow)
            return None if _round(now) == _round(before) else now.run

        return self._once(lambda: self._act(workflow, verb, document, repeatable=False, **query), done)

    def _posted(self, where: str, document: object, limit: float, key: Optional[str] = None) -> WorkflowRun:
        headers = {} if key is None else {"Idempotency-Key": key}
        posted = self._central.post(where, document, headers=headers, timeout=_SUBMITTED_WITHIN, deadline=limit)
        return record(WorkflowRun, posted)

    def _awaited(self, workflow: int, poll: float, limit: float) -> WorkflowRun:
        where = path("/v1/workflows/{}/wait", workflow, timeout=f"{round(poll * 1000)}ms")
        return record(WorkflowRun, self._central.get(where, timeout=poll + 15, deadline=limit + poll))

    def _look(self, workflow: int, poll: float, first: bool = False) -> WorkflowRun:
        return self._repeated(lambda limit: self._awaited(workflow, poll, limit), first)

    def _repeated(self, call: Callable[[float], T], first: bool = False) -> T:
        """Repeats a call while no server can answer it; at first only shortly if there is no server."""
        clock = self._central.clock
        end = clock.now() + _PATIENCE
        limit = min(self._central.deadline, _PATIENCE) if first else _PATIENCE
        pause = 0.2
        while True:
            try:
                return call(limit)
            except MillraceError as e:
                absent = isinstance(e, Unreachable) and not e.outcome_unknown
                if not _passing(e) or first and absent or clock.now() + pause >= end:
                    raise
            clock.sleep(pause)
            pause = min(_LONGEST_PAUSE, pause * 2)
            first = False
            limit = end - clock.now()

    def _once(self, call: Callable[[], T], done: Callable[[], Optional[T]]) -> T:
        """Repeats a call that must not be carried out twice only if it was not carried out."""
        end = self._central.clock.now() + self._central.deadline
        while True:
            try:
                return call()
            except MillraceError as e:
                lost = isinstance(e, Unreachable) and e.outcome_unknown
                if not lost and e.status not in (502, 503, 504) or self._central.clock.now() >= end:
                    raise
            found = done()
            if found is not None:
                return found
            self._central.clock.sleep(0.5)


def _passing(error: MillraceError) -> bool:
    return isinstance(error, Unreachable) or error.status in (502, 503, 504) or error.code == "STORE_FAILURE"


def _check_mode(mode: Optional[str]) -> None:
    if mode not in (None, "hot", "cold"):
        raise ValueError(f"'{mode}' is neither hot nor cold")


# Changes with each round of a workflow that is retried or reset, which is an event.
def _round(details: WorkflowDetails) -> object:
    run = details.run
    return run.state, run.revision, run.ended_at, details.events


class _ProgressLine:
    """One line of a terminal that is written over; written at most as often as it is told."""

    def __init__(self, out: Optional[TextIO], listed: int) -> None:
        self._out = out
        self._listed = listed
        self._width = 0
        self.wanted = out is not None and out.isatty()

    def __enter__(self) -> _ProgressLine:
        return self

    def __exit__(self, *failure: object) -> None:
        if self._out is not None and self._width:
            self._out.write("\n")
            self._out.flush()

    def show(self, run: WorkflowRun) -> None:
        if self._out is None:
            return
        sending = f"{run.progress.bound:,} of {self._listed:,} listed steps sent"
        text = f"workflow {run.id}: {sending if run.state == 'BINDING' else run.progress}"
        self._out.write("\r" + text.ljust(self._width))
        self._out.flush()
        self._width = len(text)
