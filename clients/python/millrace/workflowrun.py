"""What servers answer about workflows."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Dict, List, Literal, Mapping, Optional

from millrace.format import converted, instant, record, records
from millrace.job import Attempt

SubmissionOutcome = Literal["CREATED", "CONTINUED", "RESUMED", "UNCHANGED"]
"""What a submission did to its workflow.

``CREATED``: it did not exist; ``CONTINUED``: its submission had been interrupted; ``RESUMED``: it
runs on with this definition; ``UNCHANGED``: it existed and is as it was.
"""

_ENDED = ("SUCCEEDED", "FAILED", "CANCELLED", "REFUSED")


@dataclass(frozen=True)
class StepProgress:
    """How many steps are in which state.

    ``bound`` is how many listed steps the server has received; ``released`` steps run or wait for
    a slot.
    """

    steps: int = 0
    bound: int = 0
    waiting: int = 0
    released: int = 0
    succeeded: int = 0
    failed: int = 0
    cancelled: int = 0

    def __str__(self) -> str:
        parts = [f"{self.succeeded:,} of {self.steps:,} steps succeeded"]
        for name in ("released", "failed", "cancelled"):
            count = getattr(self, name)
            if count:
                parts.append(f"{count:,} {name}")
        return ", ".join(parts)


def _progress(document: Mapping[str, Any]) -> StepProgress:
    return record(StepProgress, document)


@dataclass(frozen=True)
class WorkflowRun:
    """A workflow as of an answer; instants are in UTC by the clock of the database.

    ``state`` is ``BINDING``, ``CHECKING``, ``RUNNING``, ``CANCELLING``, ``SUCCEEDED``, ``FAILED``,
    ``CANCELLED`` or ``REFUSED``. ``reason`` says why it is in it. ``revision`` counts the
    definitions with which it was submitted. ``outcome`` is only set by ``submit``,
    ``run`` and ``resume``.
    """

    id: int = 0
    name: str = ""
    run_key: str = ""
    owner: str = ""
    state: str = ""
    paused: bool = False
    reason: Optional[str] = None
    revision: int = 0
    progress: StepProgress = converted(_progress, StepProgress())
    max_running: Optional[int] = None
    submitted_at: Optional[datetime] = converted(instant)
    started_at: Optional[datetime] = converted(instant)
    ended_at: Optional[datetime] = converted(instant)
    outcome: Optional[SubmissionOutcome] = None

    @property
    def ended(self) -> bool:
        """Whether nothing of it runs or will run by itself."""
        return self.state in _ENDED

    @property
    def succeeded(self) -> bool:
        """Whether all its steps succeeded."""
        return self.state == "SUCCEEDED"

    def __str__(self) -> str:
        reason = f": {self.reason}" if self.reason else ""
        return f"workflow {self.id} ({self.name}) {self.state.lower()}{reason}"


@dataclass(frozen=True)
class ExpectedEnd:
    """When something is expected to end; if that is unknown, why."""

    at: Optional[datetime] = converted(instant)
    unknown: Optional[str] = None


def _expected(document: Mapping[str, Any]) -> ExpectedEnd:
    return record(ExpectedEnd, document)


@dataclass(frozen=True)
class TemplatePause:
    """Why no further steps of a template start; while ``trying``, a few at a time do."""

    reason: str = ""
    since: Optional[datetime] = converted(instant)
    trying: bool = False


@dataclass(frozen=True)
class AwaitedList:
    """A list that the step of a template has not given yet; ``problem`` says what is wrong with what it gave."""

    template: str = ""
    value: str = ""
    max: int = 0
    problem: Optional[str] = None


@dataclass(frozen=True)
class TemplateProgress:
    """A template of a run; ``array`` is the array of jobs whose elements its steps are now.

    ``pause`` says why its steps are held back, None if they are not; ``awaits`` is the list from
    which its steps are made, None if they are known.
    """

    name: str = ""
    progress: StepProgress = converted(_progress, StepProgress())
    max_running: Optional[int] = None
    array: Optional[int] = None
    running: int = 0
    expected_end: Optional[ExpectedEnd] = converted(_expected)
    pause: Optional[TemplatePause] = converted(lambda one: record(TemplatePause, one))
    awaits: Optional[AwaitedList] = converted(lambda one: record(AwaitedList, one))


@dataclass(frozen=True)
class WorkflowEvent:
    """What an operator did to a workflow."""

    at: Optional[datetime] = converted(instant)
    actor: str = ""
    event: str = ""


@dataclass(frozen=True)
class PendingReset:
    """A reset that is being carried out: ``left`` steps are not set back yet; ``ending`` the running ones first."""

    actor: str = ""
    ending: bool = False
    left: int = 0


@dataclass(frozen=True)
class WorkflowDetails:
    """A run with its templates in the order of the definition.

    ``archived_at`` is None if lists show it; ``reset`` None if nothing is set back; ``events`` are
    the last changes by operators, oldest first; ``warnings`` name templates that no node could run.
    """

    run: WorkflowRun
    templates: List[TemplateProgress]
    expected_end: Optional[ExpectedEnd]
    archived_at: Optional[datetime] = None
    reset: Optional[PendingReset] = None
    events: List[WorkflowEvent] = field(default_factory=list)
    warnings: List[str] = field(default_factory=list)

    @staticmethod
    def of(document: Mapping[str, Any]) -> WorkflowDetails:
        expected = document.get("expectedEnd")
        archived = document.get("archivedAt")
        reset = document.get("reset")
        return WorkflowDetails(
            record(WorkflowRun, document["workflow"]),
            records(TemplateProgress, document.get("templates")),
            None if expected is None else _expected(expected),
            None if archived is None else instant(archived),
            None if reset is None else record(PendingReset, reset),
            records(WorkflowEvent, document.get("events")),
            list(document.get("warnings") or []),
        )


@dataclass(frozen=True)
class WorkflowStep:
    """A step of a run; ``state`` is ``WAITING``, ``RELEASED``, ``SUCCEEDED``, ``FAILED`` or ``CANCELLED``.

    ``step`` is its number; ``unmet`` counts the needs of this step alone that have not succeeded.
    """

    step: int = 0
    name: Optional[str] = None
    template: str = ""
    state: str = ""
    arguments: Dict[str, str] = field(default_factory=dict)
    unmet: int = 0


@dataclass(frozen=True)
class StepDetails:
    """A step with why it waits, some of what it needs, and its job with the attempts, oldest first."""

    step: WorkflowStep
    reasons: List[str]
    needs: List[WorkflowStep]
    more_needs: int
    job: Optional[int]
    attempts: List[Attempt]

    @staticmethod
    def of(document: Mapping[str, Any]) -> StepDetails:
        return StepDetails(
            record(WorkflowStep, document["step"]),
            list(document.get("reasons") or []),
            records(WorkflowStep, document.get("needs")),
            int(document.get("moreNeeds") or 0),
            document.get("job"),
            records(Attempt, document.get("attempts")),
        )


@dataclass(frozen=True)
class FailureSample:
    """One failure; ``text`` is the end of its error output, or the reason."""

    item: str = ""
    job: Optional[int] = None
    attempt: Optional[int] = None
    node: Optional[str] = None
    at: Optional[datetime] = converted(instant)
    text: Optional[str] = None


@dataclass(frozen=True)
class FailureGroup:
    """Failed steps with the same cause and last line of error output; ``items`` are numbers of steps."""

    cause: str = ""
    line: str = ""
    count: int = 0
    items: List[str] = field(default_factory=list)
    sample: FailureSample = converted(lambda document: record(FailureSample, document), FailureSample())


@dataclass(frozen=True)
class RequestedResources:
    """A request, as it is written in definitions; what is not known or not limited is None."""

    memory: Optional[str] = None
    cpu: Optional[float] = None
    timeout: Optional[str] = None


@dataclass(frozen=True)
class MeasuredResources:
    """What the ``steps`` that succeeded used, as far as it was ``measured``."""

    steps: int = 0
    measured: int = 0
    memory_mean: Optional[str] = None
    memory_max: Optional[str] = None
    run_mean: Optional[str] = None
    run_max: Optional[str] = None
    cpu_mean: Optional[str] = None


@dataclass(frozen=True)
class AdjustedResources:
    """How many steps had their requests raised, and up to which."""

    steps: int = 0
    memory: Optional[str] = None
    timeout: Optional[str] = None


def _requested(document: Mapping[str, Any]) -> RequestedResources:
    return record(RequestedResources, document)


@dataclass(frozen=True)
class TemplateResources:
    """What the steps of a template asked for and used, and what to ask for next time."""

    name: str = ""
    asked: RequestedResources = converted(_requested, RequestedResources())
    measured: MeasuredResources = converted(lambda one: record(MeasuredResources, one), MeasuredResources())
    adjusted: AdjustedResources = converted(lambda one: record(AdjustedResources, one), AdjustedResources())
    next: RequestedResources = converted(_requested, RequestedResources())
    unused_memory_hours: float = 0.0
    unused_cpu_hours: float = 0.0


@dataclass(frozen=True)
class TemplateEdge:
    """Steps of ``to`` wait for steps of ``from_``; ``kind`` is ``ALL``, ``ELEMENT``, ``ARGUMENT`` or ``STEPS``."""

    from_: str = ""
    to: str = ""
    kind: str = ""
    steps: int = 0


@dataclass(frozen=True)
class TemplateNode:
    """A template of a graph; it waits for those of lower layers."""

    template: TemplateProgress = converted(lambda one: record(TemplateProgress, one), TemplateProgress())
    layer: int = 0


@dataclass(frozen=True)
class TemplateGraph:
    """The templates of a run with what they wait for; not ``complete`` if there are too many edges."""

    templates: List[TemplateNode]
    edges: List[TemplateEdge]
    complete: bool

    @staticmethod
    def of(document: Mapping[str, Any]) -> TemplateGraph:
        return TemplateGraph(
            records(TemplateNode, document.get("templates")),
            records(TemplateEdge, document.get("edges")),
            bool(document.get("complete", True)),
        )


@dataclass(frozen=True)
class PathLink:
    """A part of a critical path: a step, or a template without a step."""

    step: Optional[int] = None
    name: Optional[str] = None
    template: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class CriticalPath:
    """The longest chain by measured run times; ``skipped`` links in its middle are left out."""

    level: str = ""
    seconds: float = 0.0
    unmeasured: int = 0
    links: List[PathLink] = converted(lambda links: records(PathLink, links), ())
    skipped: int = 0
