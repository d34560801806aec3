"""What to run and how: the description of a job that is submitted."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Union

from millrace.format import Span, key, span, written_instant

Size = Union[int, str]
"""A size: bytes, or a text such as ``512MB``, in powers of 1024."""


@dataclass(frozen=True)
class RetryPolicy:
    """When a failed job is run again.

    ``max`` counts the runs after the first. ``on`` takes ``exit``, ``signal``, ``timeout``,
    ``memory``, ``node-lost`` and ``start-failed``; None means all. ``exit_codes`` are the only
    ones that are retried, ``final_exit_codes`` those that never are. ``scale`` is how memory and
    time limit grow after they were exceeded: a factor, or ``{"memory": 2, "timeout": ["2h", "8h"]}``;
    ``fallback`` has the pools for what outgrows its own.
    """

    max: int
    backoff: Optional[Span] = None
    max_backoff: Optional[Span] = None
    on: Optional[Sequence[str]] = None
    exit_codes: Optional[Sequence[int]] = None
    final_exit_codes: Optional[Sequence[int]] = None
    scale: Union[None, float, Mapping[str, Union[float, Sequence[str]]]] = None
    fallback: Optional[Sequence[str]] = None


@dataclass(frozen=True)
class Dependency:
    """A job that must have ended first; ``end`` is ``OK``, ``ANY`` or ``FAIL``."""

    job: int
    end: str = "OK"


@dataclass(frozen=True)
class Notification:
    """Whom to notify: ``on`` takes ``failed``, ``late`` and others, for a webhook or a command."""

    on: Optional[Sequence[str]] = None
    webhook: Optional[str] = None
    command: Optional[Sequence[str]] = None
    late_after: Optional[Span] = None
    hung_after: Optional[Span] = None


@dataclass(frozen=True)
class JobSpec:
    """A job to submit; fields that are None are left to the server (docs/jobs.md).

    ``command`` is an argument list and runs without a shell. ``timeout`` is the time until TERM,
    ``grace`` that from TERM to KILL. ``array`` is a text such as ``1-1000%50`` (at most 50 at a
    time) or a range. ``after`` has numbers of jobs that must succeed first, or dependencies.
    ``retry`` is the number of retries, or a policy. ``hold`` keeps it waiting until it is
    released. An instant without a time zone is refused with ValueError.
    """

    command: Sequence[str]
    name: Optional[str] = None
    env: Optional[Mapping[str, str]] = None
    env_file: Optional[str] = None
    secrets: Optional[Mapping[str, str]] = None
    cwd: Optional[str] = None
    stdin: Optional[str] = None
    run_as: Optional[str] = None
    slots: Optional[int] = None
    cpu: Optional[float] = None
    memory: Optional[Size] = None
    resources: Optional[Mapping[str, int]] = None
    licences: Optional[Mapping[str, int]] = None
    pool: Optional[str] = None
    requires: Optional[str] = None
    rank: Optional[str] = None
    preferred_node: Optional[str] = None
    priority: Optional[int] = None
    share: Optional[str] = None
    tags: Optional[Sequence[str]] = None
    timeout: Optional[Span] = None
    grace: Optional[Span] = None
    retry: Union[None, int, RetryPolicy] = None
    restart: Optional[bool] = None
    hold: Optional[bool] = None
    not_before: Union[None, datetime, str] = None
    deadline: Union[None, datetime, str] = None
    after: Optional[Sequence[Union[int, Dependency]]] = None
    lane: Optional[str] = None
    single: Optional[str] = None
    failover: Optional[Span] = None
    array: Union[None, str, range] = None
    idle_exit_codes: Optional[Sequence[int]] = None
    notify: Optional[Notification] = None

    def document(self) -> Dict[str, Any]:
        """Returns the JSON object that the API takes."""
        if isinstance(self.command, str):
            raise ValueError(
                f"the command must be a list of arguments, not the text '{self.command}';"
                f" for a shell write ['sh', '-c', '…']"
            )
        return _written(self)


# Fields whose values need another form than their own.
_FORMS: Mapping[str, Callable[[Any], Any]] = {
    "timeout": span,
    "grace": span,
    "failover": span,
    "backoff": span,
    "max_backoff": span,
    "late_after": span,
    "hung_after": span,
    "not_before": written_instant,
    "deadline": written_instant,
    "memory": lambda value: f"{value}B" if isinstance(value, int) else value,
    "retry": lambda value: {"max": value} if isinstance(value, int) else _written(value),
    "after": lambda jobs: [_written(Dependency(one) if isinstance(one, int) else one) for one in jobs],
    "array": lambda value: _array(value) if isinstance(value, range) else value,
    "notify": lambda value: _written(value),
}


def document_of(described: Union[Notification, RetryPolicy]) -> Dict[str, Any]:
    """Returns the JSON object of a part of a job."""
    return _written(described)


def _written(described: Any) -> Dict[str, Any]:
    document = {}
    for one in fields(described):
        value = getattr(described, one.name)
        if value is not None:
            form = _FORMS.get(one.name, _plain)
            document[key(one.name)] = form(value)
    return document


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value


def _array(indexes: range) -> str:
    if len(indexes) == 0 or indexes.step < 1:
        raise ValueError(f"{indexes} has no ascending indexes")
    text = f"{indexes[0]}-{indexes[-1]}"
    return text if indexes.step == 1 else f"{text}:{indexes.step}"
