"""The listed steps of a workflow in arrays of numbers and one of bytes: about 80 bytes for a step."""

from __future__ import annotations

from array import array
from typing import Callable, Dict, Iterator, List, Mapping, Optional, Tuple

UNKNOWN = -1
"""In place of a template, of a step whose template does not exist."""

_NONE = -1
_LARGEST = 2**32 - 16


class Texts:
    """Texts as UTF-8 in one array of bytes, each after its length and one; 0 stands for None."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def __len__(self) -> int:
        return len(self._bytes)

    def append(self, text: Optional[str]) -> int:
        """Adds a text; returns where it begins. Raises ValueError if it is not Unicode or too much."""
        start = len(self._bytes)
        if text is None:
            self._bytes.append(0)
            return start
        utf8 = text.encode("utf-8")
        if start + len(utf8) > _LARGEST:
            raise ValueError("the names and arguments of the steps are longer than 4 GB together")
        length = len(utf8) + 1
        while length > 0x7F:
            self._bytes.append((length & 0x7F) | 0x80)
            length >>= 7
        self._bytes.append(length)
        self._bytes += utf8
        return start

    def read(self, at: int) -> Tuple[Optional[bytes], int]:
        """Returns the text that begins there, and where the next one begins."""
        length = shift = 0
        while True:
            part = self._bytes[at]
            at += 1
            length |= (part & 0x7F) << shift
            if part < 0x80:
                break
            shift += 7
        if length == 0:
            return None, at
        end = at + length - 1
        return bytes(self._bytes[at:end]), end

    def between(self, start: int, end: int) -> bytes:
        """Returns the bytes of the texts from one place to another."""
        return bytes(self._bytes[start:end])


class StepTable:
    """Steps by position from 0, with names, templates, arguments and needs; needs are numbers."""

    def __init__(self) -> None:
        self._templates = array("i")
        self._keys = array("i")
        # Where a step's name begins; the values of its arguments follow.
        self._starts = array("I")
        self._last_need = array("i")
        self._needs = array("i")
        # Each need refers to the one before it of the same step.
        self._earlier_need = array("i")
        self._texts = Texts()
        self._key_lists: List[Tuple[str, ...]] = []
        self._key_numbers: Dict[Tuple[str, ...], int] = {}
        self._names = _Index(self._name_bytes)

    def __len__(self) -> int:
        return len(self._templates)

    def add(self, name: Optional[str], template: int, arguments: Mapping[str, str]) -> int:
        """Adds a step without needs; returns its position."""
        keys = tuple(sorted(arguments))
        number = self._key_numbers.get(keys)
        if number is None:
            number = self._key_numbers[keys] = len(self._key_lists)
            self._key_lists.append(keys)
        self._starts.append(self._texts.append(name))
        for one in keys:
            self._texts.append(arguments[one])
        self._keys.append(number)
        self._last_need.append(_NONE)
        self._templates.append(template)
        return len(self) - 1

    def register(self, step: int) -> int:
        """Makes the step known by its name; returns the one that has the name already, or -1."""
        return self._names.put(step)

    def find(self, name: str) -> int:
        """Returns the step that was registered with a name, or -1."""
        return self._names.find(name.encode("utf-8", "replace"))

    def add_need(self, step: int, need: int) -> None:
        self._earlier_need.append(self._last_need[step])
        self._needs.append(need)
        self._last_need[step] = len(self._needs) - 1

    @property
    def needed(self) -> int:
        """How many needs were added to all steps."""
        return len(self._needs)

    def needs(self, step: int) -> List[int]:
        """Returns what the step needs, each once and sorted."""
        found = set()
        at = self._last_need[step]
        while at != _NONE:
            found.add(self._needs[at])
            at = self._earlier_need[at]
        return sorted(found)

    def template(self, step: int) -> int:
        return self._templates[step]

    def keys(self, step: int) -> int:
        """Returns a number of the names of its arguments: steps with the same names have the same."""
        return self._keys[step]

    def key_list(self, step: int) -> Tuple[str, ...]:
        """Returns the names of its arguments, sorted."""
        return self._key_lists[self._keys[step]]

    def name(self, step: int) -> Optional[str]:
        found, _ = self._texts.read(self._starts[step])
        return None if found is None else found.decode("utf-8")

    def arguments(self, step: int) -> Dict[str, str]:
        """Returns its arguments, sorted by their names."""
        _, at = self._texts.read(self._starts[step])
        arguments = {}
        for key in self.key_list(step):
            value, at = self._texts.read(at)
            arguments[key] = (value or b"").decode("utf-8")
        return arguments

    def repeated(self) -> Iterator[Tuple[int, int]]:
        """Returns each step whose template and arguments are those of an earlier one, with that one."""
        seen = _Index(self._argument_bytes)
        for step in range(len(self)):
            first = seen.put(step)
            if first >= 0:
                yield step, first

    def _name_bytes(self, step: int) -> bytes:
        return self._texts.read(self._starts[step])[0] or b""

    def _argument_bytes(self, step: int) -> bytes:
        _, start = self._texts.read(self._starts[step])
        end = self._starts[step + 1] if step + 1 < len(self) else len(self._texts)
        return b"%d %d " % (self._templates[step], self._keys[step]) + self._texts.between(start, end)


class _Index:
    """Finds steps by bytes. Open addressing: four bytes for each of at least two places."""

    def __init__(self, bytes_of: Callable[[int], bytes]) -> None:
        self._bytes_of = bytes_of
        # A step and one; 0 for a free place.
        self._places = array("i", bytes(4 * 64))
        self._size = 0

    def put(self, step: int) -> int:
        """Adds a step; returns the one with the same bytes, which stays, or -1."""
        wanted = self._bytes_of(step)
        at = self._place(wanted)
        if self._places[at]:
            return self._places[at] - 1
        self._places[at] = step + 1
        self._size += 1
        if self._size * 2 > len(self._places):
            self._grow()
        return -1

    def find(self, wanted: bytes) -> int:
        return self._places[self._place(wanted)] - 1

    def _place(self, wanted: bytes) -> int:
        places, mask = self._places, len(self._places) - 1
        at = hash(wanted) & mask
        while places[at] and self._bytes_of(places[at] - 1) != wanted:
            at = (at + 1) & mask
        return at

    def _grow(self) -> None:
        before = self._places
        self._places = array("i", bytes(8 * len(before)))
        mask = len(self._places) - 1
        for step in before:
            if step:
                at = hash(self._bytes_of(step - 1)) & mask
                while self._places[at]:
                    at = (at + 1) & mask
                self._places[at] = step
