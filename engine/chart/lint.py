"""What a chart may not say: every rule reads the declaration and reports where it is broken.

A rule is a generator of problems. Names first (is it bound, does it exist), then the shape of
states and rows, then what could leave a task hanging: a completion without a row, a wait without
a timer, a state without abort, eventless rows that chase each other.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from engine.chart.declaration import (
    ABORT,
    ALWAYS,
    Action,
    Chart,
    Row,
    Service,
    State,
    completion_events,
    is_within,
)
from engine.chart.errors import Problem, problem
from engine.chart.read import near


class Names(NamedTuple):
    """What the program binds: a chart may use these names and no others."""

    guards: frozenset[str] = frozenset()
    reducers: frozenset[str] = frozenset()
    effects: frozenset[str] = frozenset()
    services: frozenset[str] = frozenset()
    delays: frozenset[str] = frozenset()


def lint(chart: Chart, names: Names) -> list[Problem]:
    """Return every problem of *chart*, in the order of their lines."""
    found = [each for rule in _RULES for each in rule(chart, names)]
    return sorted(found, key=lambda each: each.line)


def _says(chart: Chart, line: int, code: str, **facts: object) -> Problem:
    return problem(chart.source, line, code, **facts)


def _where(row: Row) -> str:
    return f"{row.source}: {row.event or 'always'} #{row.number}"


# -- names


def _bound_names(chart: Chart, names: Names) -> Iterator[Problem]:
    """Report guards, actions, services and delays that nothing binds."""
    for row in chart.rows():
        for guard in row.guard.names() if row.guard else ():
            if guard not in names.guards and guard != "?":
                yield _unknown(chart, row.line, "guard", guard, names.guards)
    for state in chart.states.values():
        for action in state.actions():
            yield from _bound_action(chart, action, names)
        for service in state.services:
            if service.src not in names.services:
                yield _unknown(chart, service.line, "service", service.src, names.services)
        for delay in state.delays:
            if delay.seconds is None and delay.key not in names.delays:
                yield _unknown(chart, delay.line, "delay", delay.key, names.delays)


def _bound_action(chart: Chart, action: Action, names: Names) -> Iterator[Problem]:
    if action.kind in {"spawn", "stop"}:
        spawns = {spawn.id for state in chart.states.values() for spawn in state.spawns}
        if action.name not in spawns:
            yield _unknown(chart, action.line, "spawn", action.name, spawns)
        return
    is_reducer, is_effect = action.name in names.reducers, action.name in names.effects
    if is_reducer and is_effect:
        yield _says(chart, action.line, "chart_bound_twice", name=action.name)
    if not is_reducer and not is_effect:
        known = names.reducers | names.effects
        yield _unknown(chart, action.line, "action", action.name, known)


def _unknown(chart: Chart, line: int, kind: str, name: str, known: Iterable[str]) -> Problem:
    return _says(chart, line, f"chart_unknown_{kind}", name=name, near=near(name, list(known)))


def _known_targets(chart: Chart, names: Names) -> Iterator[Problem]:
    """Report targets that are not a state's absolute path."""
    for row in chart.rows():
        if row.target is not None and row.target not in chart.states:
            yield _unknown(chart, row.line, "target", row.target, chart.states)


def _known_events(chart: Chart, names: Names) -> Iterator[Problem]:
    """Report events that `events:` does not list, and completions of nothing."""
    sent = {event for state in chart.states.values() for event in _sent_by(state)}
    used = [(event, 1) for event in chart.events]
    for state in chart.states.values():
        used += [(row.event, row.line) for row in state.rows if row.event != ALWAYS]
        for service in state.services:
            used += [(event, service.line) for event in service.emits if not _is_completion(event)]
    for event, line in used:
        if _is_completion(event):
            if event not in sent:
                yield _unknown(chart, line, "completion", event, sent)
        elif event not in chart.events:
            yield _unknown(chart, line, "event", event, chart.events)


def _is_completion(event: str) -> bool:
    return event.startswith(("done.", "error.", "after."))


def _sent_by(state: State) -> Iterator[str]:
    for service in state.services:
        yield from completion_events(service.id)
    for delay in state.delays:
        yield delay.event


# -- the shape of states and rows


def _initial_states(chart: Chart, names: Names) -> Iterator[Problem]:
    """Report an initial that is missing or no child, and work on a state nothing enters."""
    top = [path for path, state in chart.states.items() if not state.parent]
    if chart.initial not in top:
        yield _says(chart, 1, "chart_initial", state="chart", near=near(chart.initial, top))
    for path, state in chart.states.items():
        if state.children and state.initial not in state.children:
            children = [child.rpartition(".")[2] for child in state.children]
            named = near((state.initial or "").rpartition(".")[2], children)
            yield _says(chart, state.line, "chart_initial", state=path, near=named)
        if state.initial and not state.children:
            yield _says(chart, state.line, "chart_initial_of_leaf", state=path)
    for state in _initial_chain(chart):
        never: dict[str, tuple[object, ...]] = {
            "entry": state.entry,
            "invoke": state.invokes,
            "after": state.delays,
            "always": state.alternatives(ALWAYS),
        }
        for key, used in never.items():
            if used:
                line, path = state.line, state.path
                yield _says(chart, line, "chart_initial_never_entered", state=path, word=key)


def _initial_chain(chart: Chart) -> Iterator[State]:
    path = chart.initial
    while path in chart.states:
        yield chart.states[path]
        path = chart.states[path].initial or ""


def _final_states(chart: Chart, names: Names) -> Iterator[Problem]:
    """Report a final state that could go on, or that stands inside another state."""
    for path, state in chart.states.items():
        if not state.final:
            continue
        if state.parent:
            yield _says(chart, state.line, "chart_final_nested", state=path)
        used = {
            "on, always, after or invoke": state.rows or state.delays or state.invokes,
            "spawn": state.spawns,
            "states": state.children,
            "exit": state.exit,
        }
        for key, value in used.items():
            if value:
                yield _says(chart, state.line, "chart_final_goes_on", state=path, word=key)


def _row_order(chart: Chart, names: Names) -> Iterator[Problem]:
    """Report rows that can never be taken, and one event listed in two places of a state."""
    for state in chart.states.values():
        for event in dict.fromkeys(row.event for row in state.rows):
            rows = state.alternatives(event)
            firsts = [row for row in rows if row.number == 1]
            if len(firsts) > 1:
                line = firsts[1].line
                yield _says(chart, line, "chart_rows_twice", state=state.path, event=event)
                continue
            unguarded: Row | None = None
            for row in rows:
                if unguarded is not None:
                    facts = {"where": _where(row), "line_of": unguarded.line}
                    yield _says(chart, row.line, "chart_dead_row", **facts)
                elif row.guard is None:
                    unguarded = row


# -- services and sessions


def _services(chart: Chart, names: Names) -> Iterator[Problem]:
    """Report completions that a leaf could drop, and ids that would be live twice."""
    for state in chart.states.values():
        below = [leaf for leaf in chart.leaves() if is_within(leaf.path, state.path)]
        for invoke in state.invokes:
            for event in completion_events(invoke.id):
                missing = "chart_invoke_unhandled"
                yield from _handled(chart, below, event, invoke.line, missing)
        for spawn in state.spawns:
            for event in completion_events(spawn.id):
                missing = "chart_spawn_unhandled"
                yield from _handled(chart, below, event, spawn.line, missing)
        for service in state.services:
            yield from _emitted(chart, state, below, service)
        yield from _live_twice(chart, state)


def _emitted(chart: Chart, state: State, below: list[State], service: Service) -> Iterator[Problem]:
    """Report what *service* may send and nobody in *state* takes."""
    for event in service.emits:
        if _is_completion(event):
            yield _says(chart, service.line, "chart_emit_reserved", id=service.id, event=event)
        elif not any(chart.rows_for(leaf.path, event) for leaf in below):
            facts = {"event": event, "state": state.path}
            yield _says(chart, service.line, "chart_emit_unhandled", **facts)


def _handled(
    chart: Chart, leaves: list[State], event: str, line: int, missing: str
) -> Iterator[Problem]:
    for leaf in leaves:
        rows = chart.rows_for(leaf.path, event)
        if not rows:
            yield _says(chart, line, missing, event=event, state=leaf.path)
            return
        if all(row.guard for row in rows):
            yield _says(chart, rows[-1].line, "chart_no_else", event=event, state=leaf.path)
            return


def _live_twice(chart: Chart, state: State) -> Iterator[Problem]:
    above = [each.id for parent in chart.chain(state.path)[1:] for each in parent.services]
    own: list[str] = []
    for service in state.services:
        if service.id in above or service.id in own:
            facts = {"id": service.id, "state": state.path}
            yield _says(chart, service.line, "chart_id_live_twice", **facts)
        own.append(service.id)
    everywhere = [each.id for other in chart.states.values() for each in other.services]
    for spawn in state.spawns:
        if everywhere.count(spawn.id) > 1 and spawn.id not in above:
            facts = {"id": spawn.id, "state": state.path}
            yield _says(chart, spawn.line, "chart_spawn_twice", **facts)


def _sessions(chart: Chart, names: Names) -> Iterator[Problem]:
    """Report a session nothing starts, or one started where its owner may not be active."""
    owners: dict[str, list[str]] = {}
    for state in chart.states.values():
        for spawn in state.spawns:
            owners.setdefault(spawn.id, []).append(state.path)
    started = set()
    for state in chart.states.values():
        places = [(action, state.path) for action in state.entry]
        places += [(a, row.target or row.source) for row in state.rows for a in row.actions]
        # An exit action runs while its owner may be leaving: the session would end at once.
        places += [(action, "") for action in state.exit]
        for action, place in places:
            if action.kind != "spawn" or action.name not in owners:
                continue
            started.add(action.name)
            if not any(is_within(place, owner) for owner in owners[action.name]):
                facts = {"id": action.name, "owner": owners[action.name][0]}
                yield _says(chart, action.line, "chart_spawn_outside_owner", **facts)
    for state in chart.states.values():
        for spawn in state.spawns:
            if spawn.id not in started:
                yield _says(chart, spawn.line, "chart_spawn_unused", id=spawn.id)


# -- what could hang


def _waiting_states(chart: Chart, names: Names) -> Iterator[Problem]:
    """Report a leaf that could wait for ever: no timer, no service, no way on by itself."""
    resting = {state.path for state in _initial_chain(chart)}
    for leaf in chart.leaves():
        chain = chart.chain(leaf.path)
        moves_on = any(row.guard is None for row in chart.rows_for(leaf.path, ALWAYS))
        timed = any(state.delays or state.invokes for state in chain)
        if not (leaf.final or moves_on or timed or leaf.path in resting):
            yield _says(chart, leaf.line, "chart_waits_for_ever", state=leaf.path)


def _eventless_states(chart: Chart, names: Names) -> Iterator[Problem]:
    """Report a state that only passes on but may not, or passes on to itself for ever."""
    for state in chart.states.values():
        rows = state.alternatives(ALWAYS)
        if not rows:
            continue
        only_passes = not any(row.event != ALWAYS for row in state.rows) and not state.services
        if only_passes and all(row.guard for row in rows):
            yield _says(chart, rows[-1].line, "chart_no_else", event="always", state=state.path)
        for row in rows:
            if row.number > 1 and row.guard is None and row.target == state.path:
                path = f"{state.path} -> {state.path}"
                yield _says(chart, row.line, "chart_always_cycle", path=path)


def _abort_everywhere(chart: Chart, names: Names) -> Iterator[Problem]:
    """Report a guarded abort and a leaf that no abort reaches."""
    for row in chart.rows():
        if row.event == ABORT and row.guard is not None:
            yield _says(chart, row.line, "chart_abort_guarded", where=_where(row))
    for leaf in chart.leaves():
        if not leaf.final and not chart.rows_for(leaf.path, ABORT):
            yield _says(chart, leaf.line, "chart_no_abort", state=leaf.path)


def _always_cycles(chart: Chart, names: Names) -> Iterator[Problem]:
    """Report eventless rows that follow each other for ever because none has a guard."""
    onward: dict[str, Row] = {}
    for leaf in chart.leaves():
        rows = chart.rows_for(leaf.path, ALWAYS)
        if rows and rows[0].guard is None and (rows[0].target or leaf.path) in chart.states:
            onward[leaf.path] = rows[0]
    reported: set[str] = set()
    for start in onward:
        trail: list[str] = []
        at = start
        while at in onward and at not in trail and at not in reported:
            trail.append(at)
            at = _after_row(chart, at, onward[at])
        if at in trail:
            cycle = trail[trail.index(at) :]
            path = " -> ".join([*cycle, at])
            yield _says(chart, onward[at].line, "chart_always_cycle", path=path)
        reported.update(trail)


def _after_row(chart: Chart, leaf: str, row: Row) -> str:
    """Return the leaf after *row*, or "" when the chart is too broken to tell."""
    path = row.target or leaf
    while (initial := chart.states[path].initial) is not None:
        if initial not in chart.states:
            return ""
        path = initial
    return path


_RULES: tuple[Callable[[Chart, Names], Iterator[Problem]], ...] = (
    _bound_names,
    _known_targets,
    _known_events,
    _initial_states,
    _final_states,
    _row_order,
    _services,
    _sessions,
    _waiting_states,
    _eventless_states,
    _abort_everywhere,
    _always_cycles,
)
