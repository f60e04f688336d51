"""The words a scenario of one chart may use: events, leaves, effects, facts."""

from collections.abc import Mapping
from typing import NamedTuple

from engine.chart.declaration import Chart, Domains
from engine.chart.probe import Probe
from engine.chart.scenario.model import EffectKind


class Vocabulary(NamedTuple):
    """What may stand in a scenario.

    *leaves* and *timers* map each spelling to the full names it may mean: a leaf may lose its
    first parents where that stays unambiguous, a timer may be named by its delay, with or without
    states before it.
    """

    events: Mapping[str, Domains]
    sent: frozenset[str]
    leaves: Mapping[str, tuple[str, ...]]
    effects: Mapping[EffectKind, Mapping[str, tuple[str, ...]]]
    facts: frozenset[str]


def vocabulary_of(probe: Probe) -> Vocabulary:
    """Return the words of the probe's chart."""
    chart = probe.core.chart
    sent = frozenset(probe.core.senders)
    services = {s.id: (s.id,) for state in chart.states.values() for s in state.services}
    timers = _timers(chart)
    actions = [action for state in chart.states.values() for action in state.actions()]
    return Vocabulary(
        events={**{event: {} for event in sorted(sent)}, **chart.events},
        sent=sent,
        leaves=_leaves(chart),
        effects={
            "start": services,
            "cancel": {**timers, **services},
            "timer": timers,
            "do": {a.name: (a.name,) for a in actions if a.kind == "do"},
        },
        facts=frozenset(probe.describe(probe.initials[0])),
    )


def short_leaf(chart: Chart, leaf: str) -> str:
    """Return *leaf* without its outermost state, as people read it, where that is unambiguous."""
    rest = leaf.partition(".")[2]
    return rest if rest and _leaves(chart).get(rest) == (leaf,) else leaf


def _leaves(chart: Chart) -> dict[str, tuple[str, ...]]:
    spellings: dict[str, tuple[str, ...]] = {}
    whole = [leaf.path for leaf in chart.leaves()]
    for leaf in whole:
        names = leaf.split(".")
        for start in range(1, len(names)):
            short = ".".join(names[start:])
            spellings[short] = (*spellings.get(short, ()), leaf)
    return {**spellings, **{leaf: (leaf,) for leaf in whole}}


def _timers(chart: Chart) -> dict[str, tuple[str, ...]]:
    spellings: dict[str, tuple[str, ...]] = {}
    for state in chart.states.values():
        names = state.path.split(".")
        for delay in state.delays:
            for start in range(len(names) + 1):
                short = ".".join([*names[start:], delay.key])
                spellings[short] = (*spellings.get(short, ()), delay.event)
            spellings[delay.event] = (delay.event,)
    return spellings
