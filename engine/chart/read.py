"""Turn parsed YAML into a `Chart`: keys, types and spellings, with the line of each fault.

The same rules stand in `statecharts/schema.json` for editors and auditors. They are walked here
because importing jsonschema would cost a third of the time a start may take; a test holds the
two against each other.
"""

import re
from collections.abc import Collection

from engine.chart.declaration import (
    ALWAYS,
    Action,
    Chart,
    Delay,
    Description,
    Domains,
    Guard,
    Row,
    Scalar,
    Service,
    State,
    completion_events,
)
from engine.chart.errors import Problem, problem
from engine.chart.yaml12 import Node

TOP_KEYS = ("id", "version", "description", "initial", "events", "states")
TOP_REQUIRED = ("id", "version", "initial", "events", "states")
STATE_KEYS = (
    *("type", "description", "initial", "states", "entry", "exit"),
    *("on", "always", "after", "invoke", "spawn"),
)
ROW_KEYS = ("target", "guard", "actions", "description")
INVOKE_KEYS = ("id", "src", "emits", "onDone", "onError", "description")
SPAWN_KEYS = ("id", "src", "emits", "description")
GUARD_KEYS = ("and", "or", "not")
ACTION_KEYS = ("spawn", "stop")
LANGUAGES = ("en", "zh-CN")

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_EVENT = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)*")
_PATH = re.compile(rf"{NAME.pattern}(\.{NAME.pattern})*")
_SECONDS = re.compile(r"[0-9]+(\.[0-9]+)?")
_PAYLOAD_KEY = re.compile(r"[a-z][a-z0-9_]*")


def near(name: str, known: Collection[str]) -> str:
    """Return the known name closest to *name*, or the known ones when none is close."""
    # difflib is only needed to explain a broken chart.
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), n=1, cutoff=0.6)
    if close:
        return close[0]
    some = sorted(known)[:8]
    return ", ".join(some) + (", …" if len(known) > len(some) else "") if some else "-"


class ChartReader:
    """Reads one document; *problems* grows, and what can be read is read."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.problems: list[Problem] = []
        self.states: dict[str, State] = {}

    def chart(self, root: Node, sha256: str) -> Chart | None:
        """Return the chart that *root* declares, or None when it has no states at all."""
        top = self._mapping(root, "chart", TOP_KEYS, TOP_REQUIRED)
        chart_id = self._name(top.get("id"), "id")
        version = self._version(top.get("version"))
        events = self._events(top.get("events"))
        initial = self._name(top.get("initial"), "initial")
        for name, (line, node) in self._entries(top.get("states"), "states"):
            self._state(name, "", line, node)
        if not self.states:
            self._report(root.line, "chart_empty")
            return None
        description = self._description(top.get("description"), "description")
        return Chart(
            chart_id or "?",
            version,
            sha256,
            self.source,
            initial or next(iter(self.states)),
            events,
            self.states,
            description,
        )

    # -- states

    def _state(self, name: str, parent: str, line: int, node: Node) -> None:
        path = f"{parent}.{name}" if parent else name
        self._spelled(name, NAME, f"state {path}", line)
        keys = {} if node.value is None else self._mapping(node, f"state {path}", STATE_KEYS)
        self.states[path] = State(path, parent, line=line)  # keeps document order
        kind = keys.get("type")
        if kind is not None and kind.value != "final":
            self._report(kind.line, "chart_state_type", state=path, kind=kind.value)
        children = []
        for child, (child_line, child_node) in self._entries(keys.get("states"), path):
            children.append(f"{path}.{child}")
            self._state(child, path, child_line, child_node)
        initial = self._name(keys.get("initial"), f"{path}: initial")
        rows: list[Row] = []
        for event, (event_line, rows_node) in self._entries(keys.get("on"), f"{path}: on"):
            self._spelled(event, _EVENT, f"{path}: on", event_line)
            rows += self._rows(path, event, rows_node)
        rows += self._rows(path, ALWAYS, keys.get("always"))
        delays = self._delays(path, keys.get("after"), rows)
        invokes = self._invokes(path, keys.get("invoke"), rows)
        self.states[path] = State(
            path,
            parent,
            initial=f"{path}.{initial}" if initial else None,
            children=tuple(children),
            final=kind is not None and kind.value == "final",
            entry=self._actions(keys.get("entry"), f"{path}: entry"),
            exit=self._actions(keys.get("exit"), f"{path}: exit"),
            invokes=invokes,
            spawns=self._spawns(path, keys.get("spawn")),
            delays=delays,
            rows=tuple(rows),
            description=self._description(keys.get("description"), f"{path}: description"),
            line=line,
        )

    def _delays(self, path: str, node: Node | None, rows: list[Row]) -> tuple[Delay, ...]:
        delays = []
        for key, (line, rows_node) in self._entries(node, f"{path}: after"):
            number = _SECONDS.fullmatch(key)
            if not number:
                self._spelled(key, NAME, f"{path}: after", line)
            event = f"after.{path}.{key}"
            delays.append(Delay(key, event, float(key) if number else None, line))
            rows += self._rows(path, event, rows_node)
        return tuple(delays)

    def _invokes(self, path: str, node: Node | None, rows: list[Row]) -> tuple[Service, ...]:
        invokes = []
        for item in _listed(node):
            keys = self._mapping(item, f"{path}: invoke", INVOKE_KEYS, ("id", "src"))
            service = self._sending(keys, f"{path}: invoke")
            if service is not None:
                invokes.append(service)
                done, error = completion_events(service.id)
                rows += self._rows(path, done, keys.get("onDone"))
                rows += self._rows(path, error, keys.get("onError"))
        return tuple(invokes)

    def _spawns(self, path: str, node: Node | None) -> tuple[Service, ...]:
        spawns = []
        for item in _listed(node):
            keys = self._mapping(item, f"{path}: spawn", SPAWN_KEYS, ("id", "src"))
            service = self._sending(keys, f"{path}: spawn")
            if service is not None:
                spawns.append(service)
        return tuple(spawns)

    def _sending(self, keys: dict[str, Node], where: str) -> Service | None:
        """Return the service that *keys* declare, with the events that it may send."""
        service = self._service(keys, where)
        emits = [
            self._string(each, f"{where} emits", _EVENT) for each in _listed(keys.get("emits"))
        ]
        names = tuple(name for name in emits if name is not None)
        return service._replace(emits=names) if service is not None else None

    def _service(self, keys: dict[str, Node], where: str) -> Service | None:
        service_id = self._name(keys.get("id"), f"{where} id")
        src = self._name(keys.get("src"), f"{where} src")
        description = self._description(keys.get("description"), where)
        if service_id is None or src is None:
            return None
        return Service(service_id, src, (), description, keys["src"].line)

    # -- rows

    def _rows(self, path: str, event: str, node: Node | None) -> list[Row]:
        rows: list[Row] = []
        where = f"{path}: {event or 'always'}"
        if node is None:
            return rows
        if isinstance(node.value, list) and not node.value:
            self._report(node.line, "chart_wrong_type", where=where, expected="a row")
        for item in _listed(node):
            if isinstance(item.value, str):
                target = self._string(item, f"{where}: target", _PATH)
                rows.append(Row(path, event, len(rows) + 1, target, line=item.line))
                continue
            keys = self._mapping(item, where, ROW_KEYS)
            guard = keys.get("guard")
            rows.append(
                Row(
                    path,
                    event,
                    len(rows) + 1,
                    target=self._string(keys.get("target"), f"{where}: target", _PATH),
                    guard=self._guard(guard, where) if guard is not None else None,
                    actions=self._actions(keys.get("actions"), f"{where}: actions"),
                    description=self._description(keys.get("description"), where),
                    line=item.line,
                )
            )
        return rows

    def _guard(self, node: Node, where: str) -> Guard:
        if isinstance(node.value, str):
            return Guard("name", self._string(node, f"{where}: guard", NAME) or "?")
        pairs = node.value if isinstance(node.value, dict) else {}
        op = next(iter(pairs), "")
        parts = _listed(pairs[op][1]) if op in GUARD_KEYS else []
        listed = op in GUARD_KEYS and isinstance(pairs[op][1].value, list)
        if len(pairs) != 1 or not parts or listed != (op != "not"):
            self._report(node.line, "chart_guard_malformed", where=where)
            return Guard("name", "?")
        guards = tuple(self._guard(part, where) for part in parts)
        return Guard("and" if op == "and" else "or" if op == "or" else "not", "", guards)

    def _actions(self, node: Node | None, where: str) -> tuple[Action, ...]:
        actions = []
        for item in _listed(node):
            if isinstance(item.value, dict):
                keys = self._mapping(item, where, ACTION_KEYS)
                if len(keys) != 1:
                    expected = "{spawn: id} or {stop: id}"
                    self._report(item.line, "chart_wrong_type", where=where, expected=expected)
                for kind, child in keys.items():
                    name = self._name(child, f"{where}: {kind}")
                    if name:
                        is_spawn = kind == "spawn"
                        actions.append(Action("spawn" if is_spawn else "stop", name, item.line))
            elif (name := self._name(item, where)) is not None:
                # The lint decides between reduce and do: it knows what is bound.
                actions.append(Action("do", name, item.line))
        return tuple(actions)

    # -- the smaller parts

    def _events(self, node: Node | None) -> dict[str, Domains]:
        events: dict[str, Domains] = {}
        for event, (line, payload) in self._entries(node, "events"):
            self._spelled(event, _EVENT, "events", line)
            domains: dict[str, tuple[Scalar, ...]] = {}
            for key, (key_line, domain) in self._entries(payload, f"events: {event}"):
                where = f"events: {event}: {key}"
                self._spelled(key, _PAYLOAD_KEY, where, key_line)
                if not isinstance(domain.value, list):
                    expected = "a list of values"
                    self._report(key_line, "chart_wrong_type", where=where, expected=expected)
                    continue
                values = [item.value for item in domain.value]
                if not values:
                    self._report(key_line, "chart_empty_domain", event=event, word=key)
                for item in domain.value:
                    if isinstance(item.value, list | dict):
                        expected = "plain values"
                        self._report(item.line, "chart_wrong_type", where=where, expected=expected)
                domains[key] = tuple(v for v in values if not isinstance(v, list | dict))
            events[event] = domains
        return events

    def _description(self, node: Node | None, where: str) -> Description:
        if node is None:
            return Description()
        if isinstance(node.value, str):
            return Description(node.value)
        keys = self._mapping(node, where, LANGUAGES)
        texts = {lang: self._string(child, where) or "" for lang, child in keys.items()}
        return Description(texts.get("en", ""), texts.get("zh-CN", ""))

    def _version(self, node: Node | None) -> int:
        if node is None:
            return 0
        if isinstance(node.value, bool) or not isinstance(node.value, int) or node.value < 1:
            expected = "a whole number from 1"
            self._report(node.line, "chart_wrong_type", where="version", expected=expected)
            return 0
        return node.value

    def _mapping(
        self, node: Node, where: str, allowed: Collection[str], required: Collection[str] = ()
    ) -> dict[str, Node]:
        if not isinstance(node.value, dict):
            self._report(node.line, "chart_wrong_type", where=where, expected="a mapping")
            return {}
        found = {}
        for key, (line, child) in node.value.items():
            if key in allowed:
                found[key] = child
            else:
                self._report(
                    line, "chart_unknown_key", word=key, where=where, near=near(key, allowed)
                )
        for key in required:
            if key not in node.value:
                self._report(node.line, "chart_missing_key", word=key, where=where)
        return found

    def _entries(self, node: Node | None, where: str) -> list[tuple[str, tuple[int, Node]]]:
        if node is None:
            return []
        if not isinstance(node.value, dict):
            self._report(node.line, "chart_wrong_type", where=where, expected="a mapping")
            return []
        return list(node.value.items())

    def _name(self, node: Node | None, where: str) -> str | None:
        return self._string(node, where, NAME)

    def _string(
        self, node: Node | None, where: str, pattern: re.Pattern[str] | None = None
    ) -> str | None:
        if node is None:
            return None
        if not isinstance(node.value, str):
            self._report(node.line, "chart_wrong_type", where=where, expected="text")
            return None
        if pattern is not None:
            self._spelled(node.value, pattern, where, node.line)
        return node.value

    def _spelled(self, name: str, pattern: re.Pattern[str], where: str, line: int) -> None:
        if not pattern.fullmatch(name):
            self._report(line, "chart_bad_name", name=name, where=where)

    def _report(self, line: int, code: str, **facts: object) -> None:
        self.problems.append(problem(self.source, line, code, **facts))


def _listed(node: Node | None) -> list[Node]:
    """Return the items of *node*: of a list its members, of anything else itself."""
    if node is None:
        return []
    return node.value if isinstance(node.value, list) else [node]
