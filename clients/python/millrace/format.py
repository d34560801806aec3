"""Durations, instants and records in the forms of the API."""

from __future__ import annotations

import dataclasses
import re
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Dict, List, Mapping, Optional, Type, TypeVar, Union

Span = Union[int, float, timedelta, str]
"""A duration: seconds, a ``timedelta``, or a text such as ``500ms`` or ``1h30m``."""

R = TypeVar("R")

_PART = re.compile(r"(\d+)(ms|s|m|h|d)")
_WHOLE = re.compile(r"(?:\d+(?:ms|s|m|h|d))+")
_ISO = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?")
_INSTANT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z")
_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}


def span(value: Span) -> str:
    """Returns a duration as the API reads it, to the millisecond.

    Raises ValueError if it is negative. Texts are passed on; the server checks them.
    """
    if isinstance(value, str):
        return value
    seconds = value.total_seconds() if isinstance(value, timedelta) else value
    if seconds < 0:
        raise ValueError(f"a duration must not be negative: {value}")
    return f"{round(seconds * 1000)}ms"


def seconds(value: Span) -> float:
    """Returns a duration in seconds; raises ValueError for a text that is none."""
    if isinstance(value, timedelta):
        return value.total_seconds()
    if not isinstance(value, str):
        return float(value)
    text = value.strip()
    if text == "0":
        return 0.0
    if _WHOLE.fullmatch(text):
        return float(sum(int(n) * _SECONDS[unit] for n, unit in _PART.findall(text)))
    iso = _ISO.fullmatch(text)
    if iso is None or text == "PT":
        raise ValueError(f"'{value}' is not a duration; write for instance 500ms, 10s or 1h30m")
    hours, minutes, rest = (float(part or 0) for part in iso.groups())
    return hours * 3600 + minutes * 60 + rest


def instant(text: str) -> datetime:
    """Returns an instant of an answer, in UTC, to the microsecond."""
    found = _INSTANT.fullmatch(text)
    if found is None:
        raise ValueError(f"'{text}' is not an instant")
    moment = datetime.strptime(found.group(1), "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
    return moment + timedelta(microseconds=int((found.group(2) or "0").ljust(9, "0")[:6]))


def written_instant(moment: Union[datetime, str]) -> str:
    """Returns an instant as the API reads it; raises ValueError for one without a time zone."""
    if isinstance(moment, str):
        return moment
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone; write for instance datetime.now(timezone.utc)")
    return moment.astimezone(timezone.utc).replace(tzinfo=None).isoformat() + "Z"


def key(name: str) -> str:
    """Returns the name of a field in JSON: ``exit_code`` is ``exitCode``."""
    first, *others = name.rstrip("_").split("_")
    return first + "".join(other.capitalize() for other in others)


def converted(read: Callable[[Any], Any], default: Any = None) -> Any:
    """Declares an optional field of a record whose JSON is converted by ``read``."""
    return dataclasses.field(default=default, metadata={"read": read})


def record(kind: Type[R], document: Mapping[str, Any]) -> R:
    """Reads a dataclass from a JSON object; ignores unknown fields, absent ones keep defaults."""
    values: Dict[str, Any] = {}
    for one in dataclasses.fields(kind):  # type: ignore[arg-type]
        value = document.get(key(one.name))
        if value is not None:
            read = one.metadata.get("read")
            values[one.name] = value if read is None else read(value)
    return kind(**values)


def records(kind: Type[R], documents: Optional[List[Mapping[str, Any]]]) -> List[R]:
    """Reads dataclasses from a JSON array; none if it is absent."""
    return [record(kind, one) for one in documents or []]
