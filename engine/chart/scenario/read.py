"""Read scenario files strictly: what is not known is a problem with its line, never a silence.

A file names its chart and lists scenarios:

    chart: task
    scenarios:
      - name: a text answer that claims nothing ends the task
        context: {control.step_mode: false}       # one of the beginnings the chart allows
        steps:
          - {send: submit_task, state: planning}
          - send: done.invoke.plan
            with: {reply: text, claims: false}    # left out: false, or the first value
            state: completed                      # active. may be left out where it is clear
            effects: [cancel plan, do report]     # all of them, in order
            context: {control.evidence: none}
          - {send: done.invoke.plan, late: true, dropped: stale}

Only `send` is required. A step that does not say `dropped` must be taken by a row.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple, cast

from engine.chart.declaration import Domains, Scalar
from engine.chart.errors import Problem, problem
from engine.chart.probe import Probe
from engine.chart.read import near
from engine.chart.scenario.model import (
    Dropped,
    EffectKind,
    Scenario,
    ScenarioError,
    ScenarioFile,
    ScenarioStep,
    WantedEffect,
    same,
)
from engine.chart.scenario.vocabulary import Vocabulary, vocabulary_of
from engine.chart.yaml12 import Node, parse, plain

FILE_KEYS = ("chart", "description", "scenarios")
SCENARIO_KEYS = ("name", "context", "steps")
STEP_KEYS = ("send", "with", "late", "state", "effects", "dropped", "context")
DROPPED: tuple[Dropped, ...] = ("stale", "ignored")
RECORD = "record"

Probes = Mapping[str, Callable[[], Probe]]


def read_scenarios(text: str, source: str, probes: Probes) -> ScenarioFile:
    """Return the scenarios of *text*; *probes* holds each chart that may be named.

    Raises:
        ScenarioError: with every problem found, each with its line and what to write instead.
    """
    root, problems = parse(text, source)
    reader = _Reader(source, probes, problems)
    found = reader.file(root) if root is not None else None
    if found is None or reader.problems:
        ordered = sorted(reader.problems, key=lambda each: each.line)
        raise ScenarioError(tuple(ordered), source)
    return found


class _About(NamedTuple):
    """What the steps of a file are read against."""

    probe: Probe
    words: Vocabulary


class _Reader:
    def __init__(self, source: str, probes: Probes, problems: list[Problem]) -> None:
        self._source = source
        self._probes = probes
        self.problems = problems

    def file(self, root: Node) -> ScenarioFile | None:
        top = self._mapping(root, "the file", FILE_KEYS, ("chart", "scenarios"))
        chart = top.get("chart")
        if chart is None:
            return None
        name = str(plain(chart))
        if name not in self._probes:
            self._unknown(chart.line, "scenario_unknown_chart", name, self._probes)
            return None
        probe = self._probes[name]()
        about = _About(probe, vocabulary_of(probe))
        scenarios: list[Scenario] = []
        for node in self._items(top.get("scenarios"), "scenarios"):
            scenario = self._scenario(node, about)
            first = next((s.line for s in scenarios if s.name == scenario.name), None)
            if first is not None:
                self._says(node.line, "scenario_twice", name=scenario.name, first=first)
            scenarios.append(scenario)
        return ScenarioFile(self._source, name, tuple(scenarios))

    def _scenario(self, node: Node, about: _About) -> Scenario:
        keys = self._mapping(node, "a scenario", SCENARIO_KEYS, ("name", "steps"))
        name = self._text(keys.get("name"), "name")
        steps = [self._step(each, about) for each in self._items(keys.get("steps"), "steps")]
        context = self._beginning(keys.get("context"), about)
        return Scenario(name, context, tuple(steps), self._source, node.line)

    def _beginning(self, node: Node | None, about: _About) -> Any:
        """Return the first beginning that the facts of *node* fit."""
        facts = self._facts(node, about.words)
        for context in about.probe.initials:
            described = about.probe.describe(context)
            if all(same(described.get(path), value) for path, value in facts.items()):
                return context
        if node is not None:
            given = ", ".join(f"{path}: {_spelled(value)}" for path, value in facts.items())
            self._says(node.line, "scenario_beginning", given=given, known=_beginnings(about.probe))
        return about.probe.initials[0]

    def _step(self, node: Node, about: _About) -> ScenarioStep:
        keys = self._mapping(node, "a step", STEP_KEYS, ("send",))
        words = about.words
        event = self._text(keys.get("send"), "send")
        if "send" in keys and event not in words.events:
            self._unknown(keys["send"].line, "scenario_unknown_event", event, words.events)
        fields, record = self._payload(keys.get("with"), event, words.events.get(event, {}))
        late = self._late(keys.get("late"), event, words)
        return ScenarioStep(
            send=event,
            fields=fields,
            record=record,
            late=late,
            state=self._leaf(keys.get("state"), words),
            effects=self._effects(keys.get("effects"), words),
            dropped=self._dropped(keys.get("dropped")),
            facts=self._facts(keys.get("context"), words),
            line=node.line,
        )

    # -- the parts of a step

    def _payload(
        self, node: Node | None, event: str, domains: Domains
    ) -> tuple[dict[str, Scalar], Mapping[str, Any]]:
        fields = {name: left_out(values) for name, values in domains.items() if values}
        record: Mapping[str, Any] = {}
        for name, (line, child) in self._entries(node, "with").items():
            if name == RECORD:
                record = self._record(child)
            elif name not in domains:
                self._unknown(line, "scenario_unknown_field", name, (*domains, RECORD), event=event)
            elif not any(same(child.value, value) for value in domains[name]):
                known = ", ".join(map(_spelled, domains[name]))
                value = _spelled(plain(child))
                facts = {"value": value, "field": name, "event": event, "known": known}
                self._says(line, "scenario_value", **facts)
            else:
                fields[name] = cast(Scalar, child.value)
        return fields, record

    def _record(self, node: Node) -> Mapping[str, Any]:
        self._entries(node, RECORD)
        found = plain(node)
        return found if isinstance(found, dict) else {}

    def _late(self, node: Node | None, event: str, words: Vocabulary) -> bool:
        if node is None:
            return False
        if not isinstance(node.value, bool):
            self._wrong(node.line, "late", "true or false")
        elif node.value and event in words.events and event not in words.sent:
            self._says(node.line, "scenario_late", event=event)
        return node.value is True

    def _leaf(self, node: Node | None, words: Vocabulary) -> str | None:
        if node is None:
            return None
        known = words.leaves.get(str(node.value), ())
        if not known:
            self._unknown(node.line, "scenario_unknown_state", plain(node), words.leaves)
            return None
        if len(known) > 1:
            self._says(node.line, "scenario_ambiguous", name=node.value, known=", ".join(known))
        return known[0]

    def _effects(self, node: Node | None, words: Vocabulary) -> tuple[WantedEffect, ...] | None:
        if node is None:
            return None
        if not isinstance(node.value, list):
            self._wrong(node.line, "effects", "a list such as [start act, do report]")
            return None
        found = (self._effect(item, words) for item in node.value)
        return tuple(each for each in found if each is not None)

    def _effect(self, node: Node, words: Vocabulary) -> WantedEffect | None:
        parts = str(node.value).split()
        kind, name, seconds = (*parts, "", "", "")[:3]
        shaped = len(parts) == 2 or (len(parts) == 3 and kind == "timer" and _is_number(seconds))  # noqa: PLR2004
        if not isinstance(node.value, str) or not shaped:
            self._says(node.line, "scenario_effect", effect=_spelled(plain(node)))
            return None
        if kind not in words.effects:
            self._unknown(node.line, "scenario_unknown_effect", kind, words.effects)
            return None
        known = words.effects[cast(EffectKind, kind)]
        if name not in known:
            self._unknown(node.line, "scenario_unknown_effect", name, known)
            return None
        wanted = float(seconds) if seconds else None
        return WantedEffect(cast(EffectKind, kind), known[name], wanted, " ".join(parts))

    def _dropped(self, node: Node | None) -> Dropped | None:
        if node is None:
            return None
        if node.value not in DROPPED:
            self._unknown(node.line, "scenario_unknown_dropped", plain(node), DROPPED)
            return None
        return node.value

    def _facts(self, node: Node | None, words: Vocabulary) -> dict[str, Scalar]:
        facts: dict[str, Scalar] = {}
        for path, (line, child) in self._entries(node, "context").items():
            if path not in words.facts:
                self._unknown(line, "scenario_unknown_fact", path, words.facts)
            elif isinstance(child.value, list | dict):
                self._wrong(line, path, "a plain value")
            else:
                facts[path] = child.value
        return facts

    # -- the smaller parts

    def _mapping(
        self, node: Node, where: str, allowed: Collection[str], required: Collection[str]
    ) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for key, (line, child) in self._entries(node, where).items():
            if key in allowed:
                found[key] = child
            else:
                self._unknown(line, "scenario_unknown_key", key, allowed)
        for key in required:
            if isinstance(node.value, dict) and key not in node.value:
                self._says(node.line, "chart_missing_key", word=key, where=where)
        return found

    def _entries(self, node: Node | None, where: str) -> dict[str, tuple[int, Node]]:
        if node is None:
            return {}
        if not isinstance(node.value, dict):
            self._wrong(node.line, where, "a mapping")
            return {}
        return node.value

    def _items(self, node: Node | None, where: str) -> list[Node]:
        if node is None:
            return []
        if not isinstance(node.value, list) or not node.value:
            self._wrong(node.line, where, "a list with at least one entry")
            return []
        return node.value

    def _text(self, node: Node | None, where: str) -> str:
        if node is None:
            return ""
        if not isinstance(node.value, str) or not node.value.strip():
            self._wrong(node.line, where, "text")
        return str(node.value)

    def _wrong(self, line: int, where: str, expected: str) -> None:
        self._says(line, "chart_wrong_type", where=where, expected=expected)

    def _unknown(
        self, line: int, code: str, name: object, known: Collection[str], **facts: object
    ) -> None:
        self._says(line, code, name=str(name), near=near(str(name), known), **facts)

    def _says(self, line: int, code: str, **facts: object) -> None:
        self.problems.append(problem(self._source, line, code, **facts))


def left_out(values: tuple[Scalar, ...]) -> Scalar:
    """Return what a field has that a scenario leaves out: false, or else the first value."""
    return False if any(value is False for value in values) else values[0]


def _beginnings(probe: Probe) -> str:
    """Return what tells the beginnings of a chart apart."""
    described = [probe.describe(context) for context in probe.initials]
    paths = [path for path in described[0] if len({str(each[path]) for each in described}) > 1]
    told = [", ".join(f"{path}: {_spelled(each[path])}" for path in paths) for each in described]
    return " | ".join(text for text in told if text) or "-"


def _spelled(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "null" if value is None else str(value)


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()
