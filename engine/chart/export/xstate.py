"""XState v5 JSON: what `createMachine` and the Stately tools load.

A compound guard is a function in XState and no JSON, so each one gets its text as a name and
its tree stands under `meta.guards`. A session is started and ended by the actions
`sgclaw.spawn` and `sgclaw.stop`, whose params say which. Events keep their names, but what
services and timers send is spelled as XState sends it.
"""

import json
from collections.abc import Iterable
from typing import Any

from engine.chart.declaration import (
    ALWAYS,
    Action,
    Chart,
    Delay,
    Description,
    Guard,
    Row,
    Service,
    State,
    completion_events,
)
from states.catalogue import Lang

SPAWN = "sgclaw.spawn"
STOP = "sgclaw.stop"


def xstate(chart: Chart, lang: Lang = "en") -> str:
    """Return *chart* as XState v5 JSON; *lang* chooses the descriptions, `meta` has all."""
    return json.dumps(_Writer(chart, lang).machine(), ensure_ascii=False, indent=2) + "\n"


def xstate_event(chart: Chart, event: str) -> str:
    """Return how *event* of *chart* is called in XState."""
    for ours, theirs in (
        ("done.invoke.", "xstate.done.actor."),
        ("error.invoke.", "xstate.error.actor."),
    ):
        if event.startswith(ours):
            return theirs + event.removeprefix(ours)
    for state in chart.states.values():
        for delay in state.delays:
            if delay.event == event:
                return f"xstate.after.{_delay_key(delay)}.{chart.id}.{state.path}"
    return event


class _Writer:
    def __init__(self, chart: Chart, lang: Lang) -> None:
        self._chart = chart
        self._lang = lang
        self._sources = {s.id: s.src for state in chart.states.values() for s in state.spawns}

    def machine(self) -> dict[str, Any]:
        chart = self._chart
        top = [path for path, state in chart.states.items() if not state.parent]
        return {
            "id": chart.id,
            "version": str(chart.version),
            **self._described(chart.description),
            "initial": chart.initial,
            "meta": {
                **_both(chart.description),
                "sha256": chart.sha256,
                "guards": _compound_guards(chart.rows()),
            },
            "states": self._states(top),
        }

    def _states(self, paths: Iterable[str]) -> dict[str, Any]:
        states = self._chart.states
        return {path.rpartition(".")[2]: self._state(states[path]) for path in paths}

    def _state(self, state: State) -> dict[str, Any]:
        own = {event for invoke in state.invokes for event in completion_events(invoke.id)}
        own |= {delay.event for delay in state.delays} | {ALWAYS}
        events = dict.fromkeys(row.event for row in state.rows if row.event not in own)
        meta = {
            **_both(state.description),
            "spawn": [_session(s) for s in state.spawns],
            # An invoke of XState has no place to say what it sends while it lives.
            "emits": {s.id: list(s.emits) for s in state.invokes if s.emits},
        }
        told = {
            **self._described(state.description),
            "type": "final" if state.final else None,
            "initial": state.initial.rpartition(".")[2] if state.initial else None,
            "entry": self._actions(state.entry),
            "exit": self._actions(state.exit),
            "invoke": [self._invoke(state, invoke) for invoke in state.invokes],
            "on": {xstate_event(self._chart, e): self._rows(state, e) for e in events},
            "always": self._rows(state, ALWAYS),
            "after": {_delay_key(d): self._rows(state, d.event) for d in state.delays},
            "meta": _filled(meta),
            "states": self._states(state.children),
        }
        return _filled(told)

    def _invoke(self, state: State, invoke: Service) -> dict[str, Any]:
        done, error = completion_events(invoke.id)
        rows = {"onDone": self._rows(state, done), "onError": self._rows(state, error)}
        return _filled({"id": invoke.id, "src": invoke.src, **rows})

    def _rows(self, state: State, event: str) -> list[dict[str, Any]]:
        return [self._row(row) for row in state.alternatives(event)]

    def _row(self, row: Row) -> dict[str, Any]:
        return _filled(
            {
                **self._described(row.description),
                "guard": row.guard.text() if row.guard else None,
                "target": f"#{self._chart.id}.{row.target}" if row.target else None,
                # Since version 5 a row to its own state stays inside it unless it says so.
                "reenter": True if row.target == row.source else None,
                "actions": self._actions(row.actions),
                "meta": _both(row.description),
            }
        )

    def _actions(self, actions: Iterable[Action]) -> list[dict[str, Any]]:
        return [self._action(action) for action in actions]

    def _action(self, action: Action) -> dict[str, Any]:
        if action.kind == "spawn":
            params = {"id": action.name, "src": self._sources[action.name]}
            return {"type": SPAWN, "params": params}
        if action.kind == "stop":
            return {"type": STOP, "params": {"id": action.name}}
        return {"type": action.name}

    def _described(self, description: Description) -> dict[str, str]:
        text = description.text(self._lang)
        return {"description": text} if text else {}


def _compound_guards(rows: Iterable[Row]) -> dict[str, Any]:
    guards = [row.guard for row in rows if row.guard and row.guard.op != "name"]
    # `{and: [a]}` reads like the plain name `a`, and means the same.
    return {guard.text(): _tree(guard) for guard in guards if guard.text() not in guard.names()}


def _tree(guard: Guard) -> Any:
    if guard.op == "name":
        return guard.name
    parts = [_tree(part) for part in guard.parts]
    return {guard.op: parts[0] if guard.op == "not" else parts}


def _session(service: Service) -> dict[str, Any]:
    return _filled({"id": service.id, "src": service.src, "emits": list(service.emits)})


def _delay_key(delay: Delay) -> str:
    """Return the delay as XState spells it: its name, or whole or broken milliseconds."""
    return delay.key if delay.seconds is None else f"{delay.seconds * 1000:.10g}"


def _both(description: Description) -> dict[str, Any]:
    texts = _filled({"en": description.en, "zh-CN": description.zh})
    return {"description": texts} if texts else {}


def _filled(told: dict[str, Any]) -> dict[str, Any]:
    """Return *told* without what is empty."""
    return {key: value for key, value in told.items() if value}
