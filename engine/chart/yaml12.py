"""Read YAML as version 1.2 means it, and remember the line of everything.

PyYAML follows YAML 1.1, where the key `on:` is the boolean true: a chart's transitions would
vanish without a word. So only its parser is used (text -> events) and scalars are resolved
here: `true` and `false` alone are booleans. Duplicate keys, anchors, aliases, merge keys and
tags are problems, not surprises.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from engine.chart.declaration import Scalar
from engine.chart.errors import Problem, problem

DEPTH_MAX = 40
DIGITS_MAX = 300

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INT = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?")
_WORDS: dict[str, Scalar] = {"true": True, "false": False, "null": None, "~": None, "": None}


class Node(NamedTuple):
    """A value and the line it starts on; a mapping is a list of (key node, value node)."""

    value: "Scalar | list[Node] | dict[str, tuple[int, Node]]"
    line: int


def plain(node: Node) -> Any:
    """Return *node* as bare dicts, lists and scalars, as a JSON Schema sees it."""
    if isinstance(node.value, dict):
        return {key: plain(child) for key, (_, child) in node.value.items()}
    if isinstance(node.value, list):
        return [plain(child) for child in node.value]
    return node.value


def parse(text: str, source: str) -> tuple[Node | None, list[Problem]]:
    """Return the document of *text*, or None, and the problems found on the way."""
    reader = _Reader(text, source)
    try:
        return reader.document(), reader.problems
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        cause = error.problem or error.context or "?"
    except yaml.YAMLError as error:
        line, cause = 1, str(error)
    return None, [*reader.problems, problem(source, line, "chart_not_yaml", cause=cause)]


class _Reader:
    def __init__(self, text: str, source: str) -> None:
        self._events: Iterator[Any] = yaml.parse(text, Loader=_Loader)
        self._source = source
        self.problems: list[Problem] = []

    def document(self) -> Node | None:
        next(self._events)  # stream start
        event = next(self._events)
        if isinstance(event, yaml.StreamEndEvent):
            return Node(None, 1)
        node = self._node(next(self._events), 0)
        next(self._events)  # document end
        extra = next(self._events)
        if not isinstance(extra, yaml.StreamEndEvent):
            self._report(extra, "chart_two_documents")
        return node

    def _report(self, event: Any, code: str, **facts: object) -> None:
        line = event.start_mark.line + 1
        self.problems.append(problem(self._source, line, code, **facts))

    def _node(self, event: Any, depth: int) -> Node:
        line = event.start_mark.line + 1
        if depth > DEPTH_MAX:
            mark = event.start_mark
            raise yaml.MarkedYAMLError(None, None, f"nested deeper than {DEPTH_MAX}", mark)
        if getattr(event, "anchor", None):
            self._report(event, "chart_alias", name=event.anchor)
        if isinstance(event, yaml.AliasEvent):
            return Node(None, line)
        if event.tag not in {None, "!"}:
            self._report(event, "chart_tag", tag=event.tag)
        if isinstance(event, yaml.ScalarEvent):
            if _is_number_too_long(event):
                self._report(event, "chart_number_too_long", most=DIGITS_MAX)
                return Node(None, line)
            return Node(_scalar(event), line)
        if isinstance(event, yaml.SequenceStartEvent):
            return Node(self._sequence(depth), line)
        return Node(self._mapping(depth), line)

    def _sequence(self, depth: int) -> list[Node]:
        items = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            items.append(self._node(event, depth + 1))
        return items

    def _mapping(self, depth: int) -> dict[str, tuple[int, Node]]:
        pairs: dict[str, tuple[int, Node]] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key_node = self._node(event, depth + 1)
            value = self._node(next(self._events), depth + 1)
            if isinstance(key_node.value, list | dict):
                self._report(event, "chart_key_not_text")
                continue
            # The spelling is the key: 30, 30.0 and true stay what the author wrote.
            key = getattr(event, "value", "")
            if key in pairs:
                self._report(event, "chart_duplicate_key", word=key, first_line=pairs[key][0])
                continue
            if key == "<<":
                self._report(event, "chart_alias", name="<<")
                continue
            pairs[key] = (key_node.line, value)
        return pairs


def _is_number_too_long(event: Any) -> bool:
    """Tell whether *event* is a number that cannot be read, or not as it is written."""
    if event.style or len(event.value) <= DIGITS_MAX:
        return False
    return bool(_INT.fullmatch(event.value) or _FLOAT.fullmatch(event.value))


def _scalar(event: Any) -> Scalar:
    """Resolve a scalar by the core schema of YAML 1.2 (without octal and hexadecimal)."""
    text: str = event.value
    if event.style is not None and event.style != "":
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text
