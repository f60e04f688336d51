"""The tool calls of one streamed reply, each in a slot of its own, whatever the server numbers.

A slot's id and name are set once and never joined together: servers that give every call the
index 0 would otherwise make one call out of two. Where it cannot be told to which call a piece
belongs, the arguments come out as no strict JSON, and nothing runs.
"""

import json
from collections.abc import Collection, Mapping
from typing import Any

from actions.llm.halves import joined
from actions.llm.strict_json import StrictJsonError, strict_object
from states.messages import ToolCall


class Slot:
    """One call as far as it came."""

    def __init__(self, call_id: str) -> None:
        self.id = call_id
        self.name = ""
        self._pieces: list[str] = []

    @property
    def written(self) -> str:
        """The arguments as they were written."""
        return joined("".join(self._pieces))

    @property
    def is_whole(self) -> bool:
        """Whether the arguments are one strict object already."""
        return bool(self.written.strip()) and not self._parsed()[1]

    @property
    def is_blank(self) -> bool:
        """Whether nothing at all was said of this call."""
        return not (self.id or self.name or self._pieces)

    def add(self, arguments: object) -> int:
        """Take a piece of the arguments and return its size; some servers give an object."""
        if arguments is None or arguments == "":
            return 0
        piece = arguments if isinstance(arguments, str) else json.dumps(arguments)
        self._pieces.append(piece)
        return len(piece)

    def call(self, call_id: str) -> ToolCall:
        """Return the call under *call_id*."""
        value, broken = self._parsed()
        raw = self.written if broken else ""
        return ToolCall(id=call_id, name=self.name, input=value, raw=raw)

    def _parsed(self) -> tuple[dict[str, Any] | None, bool]:
        try:
            return strict_object(self.written), False
        except StrictJsonError:
            return None, True


class Slots:
    """All calls of one reply, in the order in which they began."""

    def __init__(self) -> None:
        self._slots: list[Slot] = []
        self._by_index: dict[int | str, Slot] = {}

    def feed(self, entry: Mapping[str, Any]) -> tuple[int, str]:
        """Take one entry of `tool_calls`; return its size, and its name if that is new."""
        function = entry.get("function")
        told = function if isinstance(function, Mapping) else {}
        call_id, name = _text(entry.get("id")), _text(told.get("name"))
        slot = self._slot(entry.get("index"), call_id, name)
        slot.id = slot.id or call_id
        first = "" if slot.name else name
        slot.name = slot.name or name
        return len(first) + slot.add(told.get("arguments")), first

    def are_whole(self) -> bool:
        """Tell whether there are calls, and each one's arguments are there and strict."""
        begun = [slot for slot in self._slots if not slot.is_blank]
        return bool(begun) and all(slot.is_whole for slot in begun)

    def calls(self, taken: Collection[str]) -> tuple[ToolCall, ...]:
        """Return the calls; an id that is missing or *taken* gets another, the same each time."""
        used = set(taken)
        calls: list[ToolCall] = []
        for slot in self._slots:
            if slot.is_blank:
                continue
            call_id, number = slot.id, len(calls) + 1
            while not call_id or call_id in used:
                call_id, number = f"call-{number}", number + 1
            used.add(call_id)
            calls.append(slot.call(call_id))
        return tuple(calls)

    def _slot(self, index: object, call_id: str, name: str) -> Slot:
        number = index if isinstance(index, int | str) else None
        if number is not None:
            slot = self._by_index.get(number)
        elif call_id:
            slot = next((slot for slot in self._slots if slot.id == call_id), None)
        else:
            slot = self._slots[-1] if self._slots else None
        if slot is None or _is_another(slot, call_id, name):
            slot = Slot(call_id)
            self._slots.append(slot)
        if number is not None:
            self._by_index[number] = slot
        return slot


def _is_another(slot: Slot, call_id: str, name: str) -> bool:
    """Tell whether an entry with *call_id* and *name* begins a call of its own, not in *slot*."""
    if call_id and slot.id:
        return call_id != slot.id
    if not name or not slot.name:
        return False
    # Without ids: another name is another call, and nothing can follow a whole object.
    return name != slot.name or slot.is_whole


def _text(value: object) -> str:
    return joined(value) if isinstance(value, str) else ""
