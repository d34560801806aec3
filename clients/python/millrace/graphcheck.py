"""What is wrong with a graph before it is sent; the server checks the same, and finds cycles."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from millrace import placeholder
from millrace.placeholder import ListFromStep, shown
from millrace.steptable import UNKNOWN, StepTable

if TYPE_CHECKING:
    from millrace.workflow import Need, Template

MAX_STEPS = 5_000_000
MAX_NEEDS = 65_534
"""The most needs of a listed step, counting steps and templates."""

_LONGEST_NAME = 200
_LONGEST_ARGUMENTS = 64 * 1024
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")
_MAX_PROBLEMS = 100
_OF_WORKFLOW = "workflow."
# Of jobs alone: in a workflow they would contradict what it does itself.
_REFUSED = ("single", "array", "after", "lane", "not_before", "deadline", "notify", "hold", "restart")


class Problems:
    """The problems found so far, the first hundred, as ``PLACE: what is wrong``."""

    def __init__(self, others: Optional[Problems] = None) -> None:
        self._found: List[str] = [] if others is None else others.list()

    def add(self, place: str, text: Optional[str]) -> None:
        """Adds a problem; does nothing for None."""
        if text is not None and len(self._found) < _MAX_PROBLEMS:
            self._found.append(f"{place}: {text}" if place else text)

    def list(self) -> List[str]:
        return list(self._found)


def check_texts(place: str, name: Optional[str], arguments: Mapping[str, str], problems: Problems) -> None:
    """Adds what is wrong with the name and the arguments of a listed step."""
    if name is not None:
        if not name.strip() or _length([name]) > _LONGEST_NAME:
            problems.add(f"{place}.name", f"a name must have from 1 to {_LONGEST_NAME} characters")
        elif _CONTROLS.search(name):
            problems.add(f"{place}.name", "its name has control characters")
    texts = [*arguments, *arguments.values()]
    if any(map(_CONTROLS.search, texts)):
        text = "an argument has control characters; let the step read it from a file"
        problems.add(f"{place}.arguments", text)
    elif _length(texts) > _LONGEST_ARGUMENTS:
        problems.add(f"{place}.arguments", f"its arguments are longer than {_LONGEST_ARGUMENTS} characters")


def _length(texts: Sequence[str]) -> int:
    """Returns the length as servers count it, in units of UTF-16."""
    return sum(len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2 for text in texts)


class GraphCheck:
    """Finds arguments that nothing fills or uses, needs that cannot be met, and steps that occur twice."""

    def __init__(
        self, arguments: Mapping[str, str], templates: Mapping[str, Template], steps: StepTable, problems: Problems
    ) -> None:
        self._arguments = arguments
        self._templates = templates
        self._numbered = list(templates.values())
        self._steps = steps
        self._problems = problems
        self._used: Dict[str, List[str]] = {}
        # Arguments of listed steps that only the needs of templates compare.
        self._compared: Dict[str, List[str]] = {name: [] for name in templates}
        self._listed = [0] * len(templates)

    def run(self) -> None:
        """Adds all problems."""
        for step in range(len(self._steps)):
            if self._steps.template(step) != UNKNOWN:
                self._listed[self._steps.template(step)] += 1
        if not self._templates:
            self._problems.add("templates", "there must be from 1 to 10000, not 0")
        for name, template in self._templates.items():
            # A command that is no list has a problem of its own.
            self._used[name] = [] if isinstance(template.job.command, str) else placeholder.used_by(template.job)
            self._check_job(f"templates.{name}", template)
        for name, template in self._templates.items():
            self._check_texts(f"templates.{name}", template)
            self._check_source(f"templates.{name}.each", template)
            self._check_needs(f"templates.{name}", template)
        self._check_listed()
        size = len(self._steps) + sum(template.made for template in self._numbered)
        if size > MAX_STEPS:
            self._problems.add("", f"{size} steps; at most {MAX_STEPS} are allowed")

    def _check_job(self, place: str, template: Template) -> None:
        job = template.job
        wrong = [field for field in _REFUSED if getattr(job, field)]
        if wrong:
            self._problems.add(f"{place}.job", f"{', '.join(wrong)}: not allowed in workflows")
        if not isinstance(job.command, str):
            for argument in job.command:
                if not isinstance(argument, str):
                    self._problems.add(f"{place}.job", f"the argument {shown(repr(argument))} is not a text")
        if template.max_running is not None and template.max_running < 0:
            self._problems.add(place, "max_running must not be negative")
        if template.listed and template.each:
            self._problems.add(place, "each and listed exclude one another")

    def _check_texts(self, place: str, template: Template) -> None:
        for argument in template.each:
            self._problems.add(f"{place}.each", placeholder.wrong_name("an argument's name", argument))
            if argument.startswith(_OF_WORKFLOW):
                text = f"{argument}: names that begin with workflow. are those of its arguments"
                self._problems.add(f"{place}.each", text)
        for used in self._used[template.name]:
            if used.startswith(_OF_WORKFLOW):
                argument = used[len(_OF_WORKFLOW) :]
                if argument not in self._arguments:
                    text = f"{{{used}}}: the workflow has no argument {argument}; add it to arguments"
                    self._problems.add(f"{place}.job", text)
            elif not template.listed and used not in template.each and not self._is_output(used):
                text = f"no argument fills {{{used}}}; add {used} to each, or write {{{{{used}}}}} for the text in braces"
                self._problems.add(f"{place}.job", text)

    def _is_output(self, name: str) -> bool:
        return placeholder.is_output(name, self._templates)

    def _check_source(self, place: str, template: Template) -> None:
        for number, values in enumerate(template.each.values()):
            if values.source is None:
                continue
            if number > 0:
                text = "the list that a step gives must be the first one, and there can be only one"
                self._problems.add(place, text)
            value = shown(values.source.from_)
            name = placeholder.giver_of(values.source.from_, self._templates)
            if name is None or name == template.name:
                self._problems.add(place, f"'{value}' is not TEMPLATE.NAME, a value of the step of another template")
                continue
            giver = self._templates[name]
            size = self._size(giver)
            if size != 1 or _source(giver) is not None:
                text = f"a list is given by the only step of a template, but {name} has {size}"
                self._problems.add(place, f"{value}: {text}")
            elif all(need.of != name or need.match != "ALL" for need in template.needs):
                text = f"add {name} to needs; the list is known when its step has succeeded"
                self._problems.add(place, f"{value}: {text}")

    def _size(self, template: Template) -> int:
        return template.made + self._listed[self._numbered.index(template)]

    def _check_needs(self, template_place: str, template: Template) -> None:
        seen: Set[Need] = set()
        for i, need in enumerate(template.needs):
            place = f"{template_place}.needs[{i}]"
            other = self._templates.get(need.of)
            if other is None:
                self._problems.add(place, f"there is no template '{shown(need.of)}'")
            elif need.of == template.name:
                self._problems.add(place, "the template needs itself")
            elif need in seen:
                self._problems.add(place, "the same need is given twice")
            elif (need.match == "ARGUMENT") != bool(need.by):
                self._problems.add(place, "name the arguments that are compared, such as other.same('part')")
            elif need.match == "ELEMENT":
                self._check_sizes(place, template, other)
            elif need.match == "ARGUMENT":
                self._check_compared(place, template, other, need.by)
            seen.add(need)

    def _check_sizes(self, place: str, template: Template, other: Template) -> None:
        sizes = [self._size(one) for one in (template, other)]
        if _source(template) != _source(other):
            text = f"the same list, with the same max, if a step gives that of {template.name} or {other.name}"
            self._problems.add(place, f"the same position requires {text}")
        elif sizes[0] != sizes[1]:
            text = f"{template.name} has {sizes[0]} and {other.name} has {sizes[1]}"
            self._problems.add(place, f"the same position requires equally many steps; {text}")

    def _check_compared(self, place: str, template: Template, other: Template, by: Sequence[str]) -> None:
        for one in (template, other):
            for argument in by:
                if one.listed:
                    self._compared[one.name].append(argument)
                elif argument not in one.each:
                    self._problems.add(place, f"{one.name} has no argument {shown(argument)} in its each")

        for argument in by:
            lists = [one.each[argument].source for one in (template, other) if argument in one.each]
            if len(lists) == 2 and lists[0] != lists[1]:
                text = "a list that a step gives is only compared with the same list, with the same max"
                self._problems.add(place, f"{shown(argument)}: {text}")

    def _check_listed(self) -> None:
        refused = {UNKNOWN}
        checked: Set[Tuple[int, int]] = set()
        for step in range(len(self._steps)):
            number = self._steps.template(step)
            if number == UNKNOWN:
                continue
            template = self._numbered[number]
            if not template.listed:
                if number not in refused:
                    text = f"the steps of {template.name} are made by its each; remove each, or this step"
                    self._problems.add(f"steps[{step}].template", text)
                refused.add(number)
            elif (number, self._steps.keys(step)) not in checked:
                # Steps with the same names of arguments have the same problems, which are told once.
                checked.add((number, self._steps.keys(step)))
                self._check_arguments(step, template)
        for step, first in self._steps.repeated():
            number = self._steps.template(step)
            if number not in refused:
                name = self._numbered[number].name
                text = f"two steps of template {name} have the same arguments; the first is steps[{first}]"
                self._problems.add(f"steps[{step}]", text)

    def _check_arguments(self, step: int, template: Template) -> None:
        required = list(self._compared[template.name])
        for used in self._used[template.name]:
            if not used.startswith(_OF_WORKFLOW) and not self._is_output(used) and used not in required:
                required.append(used)
        given = self._steps.key_list(step)
        place = f"steps[{step}].arguments"
        missing = [one for one in required if one not in given]
        if missing:
            verb = "is" if len(missing) == 1 else "are"
            text = f"{shown(', '.join(missing))} {verb} missing, which template {template.name} uses"
            self._problems.add(place, f"{text}; for the text in braces, write {{{{{missing[0]}}}}} in its job")
        unknown = [one for one in given if one not in required]
        if unknown:
            uses = ", ".join(required) if required else "no arguments"
            text = f"template {template.name} does not use {shown(', '.join(unknown))}; it uses {uses}"
            self._problems.add(place, text)


def _source(template: Template) -> Optional[ListFromStep]:
    return next((values.source for values in template.each.values() if values.source is not None), None)
