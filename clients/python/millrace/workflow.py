"""Building a workflow: its templates, and steps that are listed one by one."""

from __future__ import annotations

import hashlib
import struct
from array import array
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from millrace.errors import MillraceError
from millrace.format import Span, span
from millrace.graphcheck import MAX_NEEDS, MAX_STEPS, GraphCheck, Problems, check_texts
from millrace.jobspec import JobSpec, Notification, RetryPolicy, Size, document_of
from millrace.placeholder import ListFromStep, Value, ValueList, shown, text_of, wrong_name
from millrace.steptable import UNKNOWN, StepTable

CHUNK = 1024
"""Steps that are sent at a time; a rule of the API."""

Values = Union[str, range, ListFromStep, Iterable[Value]]
"""What an argument takes, one step for each: values, a ``range``, its text such as ``1-500``, or ``from_step``."""

_FORM = "millrace-workflow-1"
_MAX_TEMPLATES = 10_000
_SHOWN_PROBLEMS = 20
# What a step needs is one number: a listed step from 0 on; below it templates, and then steps that
# are made by lists.
_FIRST_TEMPLATE = -1
_FIRST_MADE = _FIRST_TEMPLATE - _MAX_TEMPLATES


class InvalidWorkflow(MillraceError):
    """A graph has mistakes; ``problems`` are all that were found. Nothing of it has run."""

    def __init__(self, problems: Sequence[str]) -> None:
        hidden = len(problems) - _SHOWN_PROBLEMS
        more = [f"and {hidden} more problems"] if hidden > 0 else []
        super().__init__("INVALID_DEFINITION", "\n".join([*problems[:_SHOWN_PROBLEMS], *more]))
        self.problems = list(problems)


@dataclass(frozen=True)
class Need:
    """Which steps of another template the steps of a template wait for.

    ``match`` is ``ALL``, ``ELEMENT`` (the one at the same position) or ``ARGUMENT`` (those with the
    same values of the arguments ``by``). ``Template.same_position`` and ``Template.same`` make them.
    """

    of: str
    match: str = "ALL"
    by: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Breaker:
    """When a template is paused because its steps fail.

    This happens when at least ``failures`` of its steps have failed for good, and the ``share`` of
    the last ``2 * failures`` that ended. ``"off"`` in its place never pauses.
    """

    failures: int = 10
    share: float = 0.9


class Template:
    """What equal steps run; ``Workflow.template`` makes it. Not thread-safe."""

    def __init__(self, workflow: Workflow, number: int, name: str, job: JobSpec, max_running: Optional[int]) -> None:
        self.breaker: Union[None, str, Breaker] = None
        self._workflow = workflow
        self._number = number
        self.name = name
        self.job = job
        self.max_running = max_running
        self.each: Dict[str, ValueList] = {}
        self.needs: List[Need] = []
        self._declared = False
        self._used = False

    @property
    def listed(self) -> bool:
        """Whether its steps are listed one by one."""
        return self._declared or (self._used and not self.each)

    @property
    def made(self) -> int:
        """How many steps its lists make; 0 if its steps are listed."""
        if self.listed:
            return 0
        steps = 1
        for values in self.each.values():
            steps *= len(values)
        return steps

    def same_position(self) -> Need:
        """Its step at the same position; both templates have equally many."""
        return Need(self.name, "ELEMENT")

    def same(self, *arguments: str) -> Need:
        """Its steps with the same values of these arguments."""
        return Need(self.name, "ARGUMENT", arguments)

    def at(self, position: int) -> Step:
        """Returns its step at a position from 0, the last argument varying fastest. Raises IndexError.

        Raises InvalidWorkflow if a step gives one of its lists.
        """
        if any(values.source is not None for values in self.each.values()):
            raise InvalidWorkflow([f"{self.name}: which steps it has is known only when its list was given"])
        if not 0 <= position < self.made:
            raise IndexError(f"{self.name} has no step at position {position}")
        return self._workflow._made(self, position)

    def add_needs(self, *needs: Union[Template, Need, str]) -> None:
        """Makes its steps wait for more: templates, or their names, for all of their steps."""
        self._workflow._changing()
        for need in needs:
            if isinstance(need, Template):
                self._workflow._own(need._workflow)
                self.needs.append(Need(need.name))
            else:
                self.needs.append(Need(need) if isinstance(need, str) else need)

    def document(self) -> Dict[str, Any]:
        """Returns the JSON of the API; raises ValueError if the job has no such form."""
        document = {
            "job": self.job.document(),
            "each": {argument: values.document() for argument, values in self.each.items()},
            "listed": self.listed,
            "needs": [{"of": one.of, "match": one.match, "by": list(one.by)} for one in self.needs],
            "maxRunning": self.max_running,
        }
        if isinstance(self.breaker, Breaker):
            document["breaker"] = {"failures": self.breaker.failures, "share": self.breaker.share}
        elif self.breaker is not None:
            document["breaker"] = self.breaker
        return document


class Step:
    """A step of a workflow, for what needs it; it may be thrown away. Not thread-safe."""

    __slots__ = ("_number", "_workflow")

    def __init__(self, workflow: Workflow, number: int) -> None:
        self._workflow = workflow
        self._number = number

    def add_needs(self, *needs: Needed) -> None:
        """Makes it wait for steps, for all steps of templates, or for those of these names."""
        self._workflow._need(self._number, needs)


Needed = Union[Step, Template, str]


class ListedStep(NamedTuple):
    """A step for ``Workflow.steps``; its fields are the parameters of ``Workflow.step``."""

    template: Union[Template, str]
    arguments: Mapping[str, Value] = {}
    name: Optional[str] = None
    needs: Sequence[Needed] = ()


class Workflow:
    """A graph of steps that is submitted as one.

    ``arguments`` are values for the whole run, written ``{workflow.NAME}`` in commands.
    ``max_running`` is the most steps that run at the same time; ``fail_fast`` starts no further
    step once one has failed; after ``timeout`` the run is cancelled and fails. ``on_failure`` and
    ``on_success`` are jobs that are submitted at its end.

    Mistakes are collected: ``problems()`` returns them, and submitting raises InvalidWorkflow with
    all of them. A million listed steps take about 75 MB. Not thread-safe.
    """

    def __init__(
        self,
        name: str,
        *,
        arguments: Optional[Mapping[str, Value]] = None,
        max_running: Optional[int] = None,
        fail_fast: bool = False,
        timeout: Optional[Span] = None,
        priority: int = 0,
        on_failure: Optional[JobSpec] = None,
        on_success: Optional[JobSpec] = None,
        notify: Optional[Notification] = None,
    ) -> None:
        self.name = name
        self.arguments: Dict[str, str] = {}
        self.templates: Dict[str, Template] = {}
        self._by_number: List[Template] = []
        self._steps = StepTable()
        self._made_template = array("i")
        self._made_position = array("i")
        # Needs of steps by names that were not known yet.
        self._later: List[Tuple[int, str]] = []
        self._problems = Problems()
        self._prepared: Optional[Dict[str, Any]] = None
        self._rest: Dict[str, Any] = {
            "maxRunning": max_running,
            "failFast": fail_fast,
            "timeout": timeout,
            "priority": priority,
            "onFailure": on_failure,
            "onSuccess": on_success,
            "notify": notify,
        }
        self._problems.add("name", wrong_name("it", name))
        for argument, value in (arguments or {}).items():
            self._problems.add("arguments", wrong_name("an argument's name", argument))
            self.arguments[argument] = self._text(f"arguments.{argument}", value)

    def template(
        self,
        name: str,
        command: Union[JobSpec, Sequence[str]],
        *,
        each: Optional[Mapping[str, Values]] = None,
        needs: Iterable[Union[Template, Need, str]] = (),
        max_running: Optional[int] = None,
        listed: bool = False,
        env: Optional[Mapping[str, str]] = None,
        stdin: Optional[str] = None,
        cpu: Optional[float] = None,
        memory: Optional[Size] = None,
        timeout: Optional[Span] = None,
        retry: Union[None, int, RetryPolicy] = None,
        pool: Optional[str] = None,
        breaker: Union[None, str, Breaker] = None,
    ) -> Template:
        """Adds what equal steps run: a command, or a JobSpec with more than the parameters here.

        ``{NAME}`` in its command, environment, folder and standard input stands for the step's
        argument of that name. ``each`` has the values of arguments; a step is made for each
        combination, the last argument varying fastest. Without it, and without listed steps, the
        template has one step. An argument may take a list that a step gives, ``from_step``; it comes
        first in ``each``. ``breaker`` is a Breaker or ``"off"``. ``needs`` has templates of which all steps must have succeeded,
        ``other.same_position()`` and ``other.same("argument")``. ``listed`` is only needed if no
        step may be listed.
        """
        self._changing()
        job = command if isinstance(command, JobSpec) else JobSpec(command)
        given = {
            "env": env, "stdin": stdin, "cpu": cpu, "memory": memory, "timeout": timeout, "retry": retry, "pool": pool
        }  # fmt: skip
        changes: Dict[str, Any] = {field: value for field, value in given.items() if value is not None}
        place = f"templates.{shown(name)}"
        refusal = "there are two templates of this name" if name in self.templates else None
        if len(self._by_number) == _MAX_TEMPLATES:
            refusal = f"there must be at most {_MAX_TEMPLATES} templates"
        number = UNKNOWN if refusal else len(self._by_number)
        draft = Template(self, number, name, replace(job, **changes), max_running)
        draft._declared = listed
        draft.breaker = breaker
        self._problems.add(place, refusal)
        if refusal is None:
            self._problems.add(place, wrong_name("a template's name", name))
            self.templates[name] = draft
            self._by_number.append(draft)
        for argument, values in (each or {}).items():
            try:
                draft.each[argument] = ValueList(values)
            except (TypeError, ValueError) as e:
                self._problems.add(f"{place}.each.{shown(argument)}", str(e))
        draft.add_needs(*needs)
        return draft

    def step(
        self,
        template: Union[Template, str],
        name: Optional[str] = None,
        arguments: Optional[Mapping[str, Value]] = None,
        needs: Iterable[Needed] = (),
    ) -> Step:
        """Lists a step of a template, with exactly the arguments that the template uses.

        ``name`` is unique in the workflow, and only needed for others that need it by its name.
        ``needs`` has steps, templates of which all steps must have succeeded, and names of either;
        a named step may be listed later.
        """
        self._changing()
        if len(self._steps) == MAX_STEPS:
            raise InvalidWorkflow([f"more than {MAX_STEPS} steps"])
        place = f"steps[{len(self._steps)}]"
        found = self.templates.get(template) if isinstance(template, str) else template
        if found is None:
            known = shown(", ".join(self.templates))
            self._problems.add(f"{place}.template", f"there is no template '{shown(template)}'; there are {known}")
        else:
            self._own(found._workflow)
            found._used = True
        texts = {key: self._text(f"{place}.arguments.{shown(key)}", value) for key, value in (arguments or {}).items()}
        check_texts(place, name, texts, self._problems)
        position = self._steps.add(self._name(place, name), UNKNOWN if found is None else found._number, texts)
        if name is not None:
            first = self._steps.register(position)
            if first >= 0:
                self._problems.add(f"{place}.name", f"steps[{first}] has the same name, '{shown(name)}'")
        self._need(position, needs)
        return Step(self, position)

    def steps(self, listed: Iterable[Union[ListedStep, Tuple[Any, ...]]]) -> int:
        """Lists the steps that a generator yields, and keeps none of its objects; returns how many."""
        before = len(self._steps)
        for one in listed:
            template, arguments, name, needs = one if isinstance(one, ListedStep) else ListedStep(*one)
            self.step(template, name, arguments, needs)
        return len(self._steps) - before

    @property
    def listed_steps(self) -> int:
        """How many steps are listed one by one."""
        return len(self._steps)

    def __len__(self) -> int:
        return sum(one.made for one in self._by_number) + len(self._steps)

    def problems(self) -> List[str]:
        """Returns what is wrong: the first hundred problems. Cycles are found by the server."""
        found = Problems(self._problems)
        for step, name in self._later:
            if name not in self.templates and self._steps.find(name) < 0:
                found.add(f"steps[{step}].needs", f"there is no step or template '{shown(name)}'")
        GraphCheck(self.arguments, self.templates, self._steps, found).run()
        for template, position in zip(self._made_template, self._made_position):
            one = self._by_number[template]
            if position >= one.made:
                found.add(f"templates.{one.name}", f"a step needs that at position {position}, but its steps are listed")
        self._check_needs(found)
        self._document(found)
        return found.list()

    def _check_needs(self, found: Problems) -> None:
        if self._steps.needed + len(self._later) <= MAX_NEEDS:
            return
        later = Counter(step for step, _ in self._later)
        for step in range(len(self._steps)):
            if len(self._steps.needs(step)) + later[step] > MAX_NEEDS:
                text = f"it needs more than {MAX_NEEDS} steps; put them under a separate template and need that as a whole"
                found.add(f"steps[{step}].needs", text)

    def prepare(self) -> Dict[str, Any]:
        """Returns the JSON without the listed steps; nothing is added any more. Raises InvalidWorkflow."""
        if self._prepared is None:
            found = self.problems()
            if found:
                raise InvalidWorkflow(found)
            for step, name in self._later:
                self._need_named(step, name)
            self._later.clear()
            self._first_of = [0]
            for one in self._by_number:
                self._first_of.append(self._first_of[-1] + one.made)
            self._prepared = self._document(Problems())
        return self._prepared

    def submission(self, run_key: Optional[str] = None) -> Dict[str, Any]:
        """Returns the JSON that begins its submission. Raises InvalidWorkflow."""
        key = "" if run_key is None else run_key
        return {
            "workflow": self.prepare(),
            "runKey": key,
            "listedSteps": len(self._steps),
            "identity": self.identity(key),
        }

    def chunk(self, bound: int) -> Dict[str, Any]:
        """Returns the JSON of the listed steps that follow those that the server has."""
        self.prepare()
        steps = [self._listed(step) for step in range(bound, min(len(self._steps), bound + CHUNK))]
        return {"first": self._first_of[-1] + bound, "steps": steps}

    def identity(self, run_key: Optional[str] = None) -> str:
        """Returns the hash by which servers recognise it; all clients compute the same. Raises InvalidWorkflow.

        SHA-256 over texts, each after its length in bytes, and numbers of four bytes. Commands,
        resources, retries and limits are not part of it. Takes seconds for a million steps.
        """
        self.prepare()
        digest = hashlib.sha256()
        digest.update(_text(_FORM) + _text(self.name) + _text(run_key or "") + _map(self.arguments))
        digest.update(_number(len(self._by_number)))
        for one in self._by_number:
            digest.update(_text(one.name) + _number(one.listed) + _number(len(one.each)))
            for argument, values in one.each.items():
                digest.update(_text(argument))
                if values.source is not None:
                    # What a step gives may differ from run to run.
                    digest.update(_number(-1) + _text(values.source.from_) + _number(values.source.max))
                    continue
                digest.update(_number(len(values)))
                for value in values:
                    digest.update(_text(value))
            digest.update(_number(len(one.needs)))
            for need in one.needs:
                digest.update(_text(need.of) + _text(need.match) + _texts(need.by))
        for step in range(len(self._steps)):
            needs, all_of = self._numbered_needs(step)
            name = self._by_number[self._steps.template(step)].name
            numbers = struct.pack(f">{len(needs) + 1}i", len(needs), *needs)
            digest.update(_text(name) + _map(self._steps.arguments(step)) + numbers + _texts(sorted(all_of)))
        return digest.hexdigest()

    def _listed(self, step: int) -> Dict[str, Any]:
        needs, all_of = self._numbered_needs(step)
        template = self._by_number[self._steps.template(step)].name
        arguments = self._steps.arguments(step)
        listed = {"template": template, "arguments": arguments, "needs": needs, "all": all_of}
        name = self._steps.name(step)
        return listed if name is None else {"name": name, **listed}

    def _numbered_needs(self, step: int) -> Tuple[List[int], List[str]]:
        needs, all_of = [], []
        for need in self._steps.needs(step):
            if need >= 0:
                needs.append(self._first_of[-1] + need)
            elif need > _FIRST_MADE:
                all_of.append(self._by_number[_FIRST_TEMPLATE - need].name)
            else:
                made = _FIRST_MADE - need
                needs.append(self._first_of[self._made_template[made]] + self._made_position[made])
        return sorted(set(needs)), all_of

    def _document(self, problems: Problems) -> Dict[str, Any]:
        document: Dict[str, Any] = {"name": self.name, "arguments": self.arguments, "templates": {}}
        for name, template in self.templates.items():
            try:
                document["templates"][name] = template.document()
            except (TypeError, ValueError) as e:
                problems.add(f"templates.{name}.job", str(e))
        for field, value in self._rest.items():
            try:
                document[field] = _form(field, value)
            except (TypeError, ValueError) as e:
                problems.add(field, str(e))
        return document

    def _name(self, place: str, name: Optional[str]) -> Optional[str]:
        if name is None:
            return None
        if name in self.templates:
            self._problems.add(f"{place}.name", f"'{name}' is the name of a template; choose another one")
        return self._text(f"{place}.name", name)

    def _text(self, place: str, value: object) -> str:
        try:
            return text_of(value)
        except ValueError as e:
            self._problems.add(place, str(e))
            return ""

    def _made(self, template: Template, position: int) -> Step:
        self._made_template.append(template._number)
        self._made_position.append(position)
        return Step(self, _FIRST_MADE - (len(self._made_template) - 1))

    def _need(self, step: int, needs: Iterable[Needed]) -> None:
        self._changing()
        if step < 0:
            raise ValueError("what steps made by lists need is said of their template")
        for need in needs:
            if isinstance(need, str):
                if not self._need_named(step, need):
                    self._later.append((step, need))
                continue
            self._own(need._workflow)
            if isinstance(need, Template):
                self._need_whole(step, need)
            else:
                if need._number == step:
                    self._problems.add(f"steps[{step}].needs", "the step needs itself")
                self._steps.add_need(step, need._number)

    def _need_whole(self, step: int, template: Template) -> None:
        if template._number == self._steps.template(step):
            text = "it cannot need all steps of the template that it belongs to"
            self._problems.add(f"steps[{step}].needs", text)
        self._steps.add_need(step, _FIRST_TEMPLATE - template._number)

    def _need_named(self, step: int, name: str) -> bool:
        template = self.templates.get(name)
        if template is not None:
            self._need_whole(step, template)
            return True
        found = self._steps.find(name)
        if found == step:
            self._problems.add(f"steps[{step}].needs", "the step needs itself")
        if found >= 0:
            self._steps.add_need(step, found)
        return found >= 0

    def _changing(self) -> None:
        if self._prepared is not None:
            raise RuntimeError(f"workflow {self.name} was prepared for submission and no longer changes")

    def _own(self, other: Workflow) -> None:
        if other is not self:
            raise ValueError("a template or step of another workflow")


def _form(field: str, value: Any) -> Any:
    if isinstance(value, JobSpec):
        return value.document()
    if isinstance(value, Notification):
        return document_of(value)
    if field == "timeout" and value is not None:
        return span(value)
    if field == "maxRunning" and value is not None and value < 0:
        raise ValueError("it must not be negative")
    return value


def _number(value: int) -> bytes:
    return struct.pack(">i", value)


def _text(text: str) -> bytes:
    utf8 = text.encode("utf-8")
    return struct.pack(">i", len(utf8)) + utf8


def _texts(texts: Sequence[str]) -> bytes:
    return _number(len(texts)) + b"".join(map(_text, texts))


def _map(texts: Mapping[str, str]) -> bytes:
    return _number(len(texts)) + b"".join(_text(key) + _text(texts[key]) for key in sorted(texts))
