"""The names in braces of a job's texts, and the texts of values. The rules are in docs/workflows.md."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import Dict, Iterable, Iterator, List, Mapping, Optional, Union

from millrace.jobspec import JobSpec

Value = Union[str, int, float, date]
"""A value of an argument: a text, or what is written as one: 1 is ``1``, True ``true``."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_BRACES = re.compile(r"\{\{|\}\}|\{([A-Za-z0-9][A-Za-z0-9._-]*)\}")
_RANGE = re.compile(r"(\d{1,18})(?:-(\d{1,18}))?(?::(\d{1,9}))?")
_MAX_VALUES = 1_000_000


@dataclass(frozen=True)
class ListFromStep:
    """A list that a step gives during the run; ``from_step`` makes it. ``from_`` is ``TEMPLATE.NAME``."""

    from_: str
    max: int


def from_step(value: str, *, max: int = 1000) -> ListFromStep:
    """Returns the list in a value, ``TEMPLATE.NAME``, of the only step of a template, for ``each``.

    The template must be among the ``needs``. ``max`` is the most values that the list may have.
    """
    return ListFromStep(value, max)


def used_by(job: JobSpec) -> List[str]:
    """Returns the names that the texts of a job use, each once, in their order."""
    texts = [*job.command, *(job.env or {}).values(), job.cwd, job.stdin]
    used: Mapping[str, None] = dict.fromkeys(name for text in texts if isinstance(text, str) for name in _names(text))
    return list(used)


def _names(text: str) -> Iterator[str]:
    for found in _BRACES.finditer(text):
        if found.group(1):
            yield found.group(1)


def is_output(name: str, templates: Mapping[str, object]) -> bool:
    """Tells whether a name stands for a value that another step gives: ``TEMPLATE.NAME``."""
    return giver_of(name, templates) is not None


def giver_of(name: str, templates: Mapping[str, object]) -> Optional[str]:
    """Returns the template whose step gives a value; None if the name stands for none."""
    dots = [at for at, letter in enumerate(name) if letter == "."]
    return next((name[:dot] for dot in dots if 0 < dot < len(name) - 1 and name[:dot] in templates), None)


def shown(text: object) -> str:
    """Returns what a caller wrote as messages repeat it: at most 100 characters."""
    whole = str(text)
    return whole if len(whole) <= 100 else whole[:99] + "…"


def wrong_name(what: str, name: object) -> Optional[str]:
    """Returns why a text is no name; None if it is one."""
    if isinstance(name, str) and _NAME.fullmatch(name):
        return None
    return f"{what} must be 1 to 60 letters, digits, dots, dashes or underscores, not '{shown(name)}'"


def text_of(value: object) -> str:
    """Returns the text of a value; raises ValueError for what is none."""
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as e:
            raise ValueError(f"{value!r} is not a Unicode text") from e
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    raise ValueError(f"{shown(repr(value))} is not a text, a number or a date")


class ValueList:
    """The values that an argument takes: a list, a range, which is sent as such, or a list of a step.

    Its length is that of the longest list that a step may give; iterating such a one has no values.
    Raises ValueError for values that occur twice, for none, and for more than a million.
    """

    def __init__(self, values: Union[str, range, ListFromStep, Iterable[Value]]) -> None:
        self.source = values if isinstance(values, ListFromStep) else None
        self._range = _range(values) if isinstance(values, (str, range)) else None
        self._list = [] if self._range is not None or isinstance(values, ListFromStep) else _texts(values)
        if not 1 <= len(self) <= _MAX_VALUES:
            raise ValueError(f"there must be from 1 to {_MAX_VALUES} values, not {_count(len(self))}")

    def __len__(self) -> int:
        if self.source is not None:
            return self.source.max
        return len(self._list) if self._range is None else len(self._range)

    def __iter__(self) -> Iterator[str]:
        return iter(self._list) if self._range is None else map(str, self._range)

    def document(self) -> object:
        """Returns the JSON of the API."""
        if self.source is not None:
            return {"from": self.source.from_, "max": self.source.max}
        if self._range is None:
            return self._list
        text = f"{self._range[0]}-{self._range[-1]}"
        return text if self._range.step == 1 else f"{text}:{self._range.step}"


def _count(size: int) -> str:
    return str(size) if size <= _MAX_VALUES else "more"


def _range(values: Union[str, range]) -> Optional[range]:
    if isinstance(values, range):
        return values if len(values) and values.step > 0 and values[0] >= 0 and values.step < 10**9 else None
    found = _RANGE.fullmatch(values.strip())
    if found is None:
        raise ValueError(f"'{shown(values)}' is not a range such as 1-500 or 0-90:10; write a single value as ['…']")
    first, step = int(found.group(1)), int(found.group(3) or 1)
    last = int(found.group(2) or first)
    if last < first or step < 1:
        raise ValueError(f"'{values}': the first number must not exceed the last, and the step must be at least 1")
    return range(first, last + 1, step)


def _texts(values: Iterable[Value]) -> List[str]:
    seen: Dict[str, None] = {}
    for value in values:
        text = text_of(value)
        if text in seen:
            raise ValueError(f"the value '{shown(text)}' occurs twice; each value makes one step")
        seen[text] = None
        if len(seen) > _MAX_VALUES:
            break
    return list(seen)
