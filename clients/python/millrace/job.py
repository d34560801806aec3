"""Jobs and arrays of jobs: submitting, waiting, output, cancelling, retrying."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Iterator, List, Mapping, Optional, Sequence, Union

from millrace.connection import Connection, path
from millrace.errors import MillraceError, TimedOut, Unreachable
from millrace.format import Span, converted, instant, record, records, seconds
from millrace.jobspec import JobSpec
from millrace.transport import AnswerLost, Call

_LONGEST_POLL = 10.0
_QUIET = 600.0
_ENDED = ("SUCCEEDED", "FAILED", "CANCELLED")
_PAGE = 500


@dataclass(frozen=True)
class ArrayProgress:
    """How many elements of an array are in which state."""

    size: int = 0
    waiting: int = 0
    running: int = 0
    succeeded: int = 0
    failed: int = 0
    cancelled: int = 0


@dataclass(frozen=True)
class ProgramProgress:
    """What a program reported of its progress last; unknown parts are None."""

    percent: Optional[float] = None
    done: Optional[int] = None
    total: Optional[int] = None
    message: Optional[str] = None
    reported_at: Optional[datetime] = converted(instant)
    expected_end: Optional[datetime] = converted(instant)


@dataclass(frozen=True)
class Job:
    """A job as of an answer; instants are in UTC by the clock of the database.

    ``state`` is ``WAITING``, ``BLOCKED``, ``HELD``, ``PLACED``, ``RUNNING``, ``SUCCEEDED``,
    ``FAILED`` or ``CANCELLED``. ``outcome``, ``exit_code`` and ``signal`` are those of the last
    attempt of a job that has ended. ``progress`` is set for an array, ``array`` and ``index`` for
    an element of one.
    """

    id: int = 0
    name: str = ""
    kind: str = ""
    state: str = ""
    queue: Optional[str] = None
    segment_node: Optional[str] = None
    owner: Optional[str] = None
    priority: int = 0
    pool: str = ""
    attempt: int = 0
    node: Optional[str] = None
    outcome: Optional[str] = None
    exit_code: Optional[int] = None
    signal: Optional[int] = None
    reason: Optional[str] = None
    submitted_at: Optional[datetime] = converted(instant)
    not_before: Optional[datetime] = converted(instant)
    started_at: Optional[datetime] = converted(instant)
    ended_at: Optional[datetime] = converted(instant)
    share: Optional[str] = None
    lane: Optional[str] = None
    tags: List[str] = field(default_factory=list)
    deadline: Optional[datetime] = converted(instant)
    array: Optional[int] = None
    index: Optional[int] = None
    progress: Optional[ArrayProgress] = converted(lambda value: record(ArrayProgress, value))
    program_progress: Optional[ProgramProgress] = converted(lambda value: record(ProgramProgress, value))

    @property
    def ended(self) -> bool:
        """Whether it has ended; only a retry changes it then."""
        return self.state in _ENDED

    @property
    def succeeded(self) -> bool:
        """Whether it has ended successfully."""
        return self.state == "SUCCEEDED"


@dataclass(frozen=True)
class Attempt:
    """One start of a job; ``number`` counts from 1."""

    number: int = 0
    node: Optional[str] = None
    state: str = ""
    recorded_at: Optional[datetime] = converted(instant)
    started_at: Optional[datetime] = converted(instant)
    ended_at: Optional[datetime] = converted(instant)
    outcome: Optional[str] = None
    exit_code: Optional[int] = None
    signal: Optional[int] = None
    reason: Optional[str] = None
    stderr_tail: Optional[str] = None
    cause: Optional[str] = None
    usage: Optional[Mapping[str, Any]] = None


@dataclass(frozen=True)
class JobEvent:
    """One line of a job's history."""

    at: Optional[datetime] = converted(instant)
    state: str = ""
    attempt: int = 0
    words: str = ""


@dataclass(frozen=True)
class JobDetails:
    """A job with what was submitted (JSON of the API), its attempts and its history, oldest first."""

    job: Job
    spec: Mapping[str, Any]
    attempts: List[Attempt]
    history: List[JobEvent]


class Jobs:
    """The jobs of a cluster. Methods block and raise MillraceError. Thread-safe.

    All calls survive lost answers and servers until the client's deadline.
    """

    def __init__(self, central: Connection) -> None:
        self._central = central

    def submit(self, job: Union[JobSpec, Sequence[str]], *, key: Optional[str] = None) -> Job:
        """Submits a job or an array of jobs, given as a JobSpec or as a command.

        It is submitted once however often the request is repeated. ``key``, 1 to 200 visible
        ASCII characters, extends that to later calls with the same key within ten minutes;
        CONFLICT if it was used for another job. Without it, each call submits a new job.
        """
        spec = job if isinstance(job, JobSpec) else JobSpec(job)
        headers = {"Idempotency-Key": key or str(uuid.uuid4())}
        return record(Job, self._central.post("/v1/jobs", spec.document(), headers=headers))

    def show(self, job: int) -> JobDetails:
        """Returns a job with its attempts and its history; UNKNOWN_JOB."""
        answer = self._central.get(path("/v1/jobs/{}", job))
        return JobDetails(
            record(Job, answer["job"]),
            answer["spec"],
            records(Attempt, answer.get("attempts")),
            records(JobEvent, answer.get("history")),
        )

    def list(self, search: str = "", *, limit: Optional[int] = None) -> Iterator[Job]:
        """Returns jobs, newest first, read in pages while they are iterated.

        ``search`` is for instance ``state:failed tag:nightly``, or ``array:17`` for elements of
        an array (docs/api.md, Searching jobs). ``limit`` is the most that are returned.
        """
        before = None
        left = limit
        while left is None or left > 0:
            size = _PAGE if left is None else min(left, _PAGE)
            page = self._central.get(path("/v1/jobs", search=search or None, before=before, limit=size))
            yield from records(Job, page["jobs"])
            before = page.get("next")
            if before is None:
                return
            left = None if left is None else left - len(page["jobs"])

    def wait(self, job: int, timeout: Optional[Span] = None) -> Job:
        """Blocks until a job has ended and returns it; raises TimedOut if it has not in that time."""
        clock = self._central.clock
        end = None if timeout is None else clock.now() + seconds(timeout)
        while True:
            poll = _LONGEST_POLL if end is None else max(0.0, min(_LONGEST_POLL, end - clock.now()))
            where = path("/v1/jobs/{}/wait", job, timeout=f"{round(poll * 1000)}ms")
            answer = record(Job, self._central.get(where, timeout=poll + 15, deadline=self._central.deadline + poll))
            if answer.ended:
                return answer
            if end is not None and clock.now() >= end:
                raise TimedOut(f"job {job} is still {answer.state.lower()} and continues")

    def cancel(self, job: int) -> Job:
        """Cancels a job or an array; does nothing if it has ended."""
        return record(Job, self._central.post(path("/v1/jobs/{}/cancel", job)))

    def retry(self, job: int) -> Job:
        """Runs a failed or cancelled job again, of an array what failed; CONFLICT in other states.

        If the answer is lost, it is repeated only if the job is still as it was before.
        """
        where = path("/v1/jobs/{}/retry", job)
        end = self._central.clock.now() + self._central.deadline
        before = self.show(job).job
        while True:
            try:
                return record(Job, self._central.post(where, repeatable=False))
            except MillraceError as e:
                lost = isinstance(e, Unreachable) and e.outcome_unknown
                if not lost and e.status not in (502, 503, 504) or self._central.clock.now() >= end:
                    raise
            now = self.show(job).job
            if _run(now) != _run(before):
                return now
            self._central.clock.sleep(0.5)

    def output(self, job: int, *, attempt: int = 0, stream: str = "stdout") -> str:
        """Returns the present output of an attempt as text; arguments and errors as for ``logs``."""
        return b"".join(self.logs(job, attempt=attempt, stream=stream)).decode("utf-8", "replace")

    def logs(self, job: int, *, attempt: int = 0, stream: str = "stdout", follow: bool = False) -> Iterator[bytes]:
        """Returns the output of an attempt in parts as they arrive; that of an element has its own id.

        ``attempt`` 0 is the current or last one. ``stream`` is ``stdout`` or ``stderr``. With
        ``follow`` it waits for the start, and continues until the attempt has ended. A broken
        connection is resumed where it ended. UNKNOWN_ATTEMPT if there is no output, or no longer.
        """
        clock = self._central.clock
        offset = 0
        failing: Optional[float] = None
        while True:
            where = path("/v1/jobs/{}/logs", job, attempt=attempt, stream=stream, offset=offset, follow=follow)
            try:
                for part in self._central.stream(Call("GET", where, quiet=_QUIET if follow else 30.0)):
                    offset += len(part)
                    failing = None
                    yield part
                return
            except AnswerLost as e:
                if follow and e.silent:
                    # The program wrote nothing; whether the server is there shows when it is asked again.
                    continue
                failing = clock.now() if failing is None else failing
                if clock.now() - failing > self._central.deadline:
                    raise Unreachable(f"the output of job {job} ends at byte {offset}: {e}") from e
            except MillraceError as e:
                early = follow and offset == 0 and e.code == "UNKNOWN_ATTEMPT"
                if not early or self.show(job).job.ended:
                    raise
            clock.sleep(0.5)


# Changes with each run of a job.
def _run(job: Job) -> object:
    return job.state, job.attempt, job.ended_at
