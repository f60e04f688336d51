"""What a walk over a chart's whole behaviour needs: the checker, the path finder and the mutants.

A walk runs the real guards and reducers. Only what guards read (the control) is told apart;
the opaque record is put back after every step, so the number of product states stays finite.
"""

import itertools
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, NamedTuple

from engine.chart.core import Core, senders_of
from engine.chart.declaration import Chart, Scalar
from engine.chart.step import Snapshot
from states.events import Event

Payload = Mapping[str, Any]
Facts = Mapping[str, Scalar]


class Probe(NamedTuple):
    """How to walk one chart.

    *initials* are the contexts a task may begin with. *sample* fills a finite payload of an event
    type with the record that reducers read. *control* is what guards read of a context, *project*
    the context with all else put back. *describe* names every fact of a context that a scenario
    may assert. *build* returns the context of a control (`control(build(c)) is c`), and
    *domains* holds the declared values of each of its fields.
    """

    core: Core
    initials: tuple[Any, ...]
    sample: Callable[[str, Mapping[str, Scalar]], Payload]
    control: Callable[[Any], Hashable]
    project: Callable[[Any], Any]
    describe: Callable[[Any], Facts]
    build: Callable[[Any], Any]
    domains: Mapping[str, tuple[object, ...]] = {}


class Stimulus(NamedTuple):
    """One event with one payload out of its declared domains."""

    type: str
    fields: Mapping[str, Scalar]
    payload: Payload


def stimuli_of(probe: Probe) -> tuple[Stimulus, ...]:
    """Return every event that the chart can meet, with every payload of its declared domains."""
    chart = probe.core.chart
    found = [
        Stimulus(event, fields, probe.sample(event, fields))
        for event, domains in chart.events.items()
        for fields in _products(domains)
    ]
    undeclared = [event for event in senders_of(chart) if event not in chart.events]
    return tuple(found + [Stimulus(event, {}, probe.sample(event, {})) for event in undeclared])


def event_in(core: Core, snapshot: Snapshot, stimulus: Stimulus) -> Event | None:
    """Return *stimulus* as its live sender sends it; None when its sender is not live."""
    event = core.stamped(snapshot, stimulus.type, stimulus.payload)
    return None if event.generation is None and stimulus.type in core.senders else event


def _products(domains: Mapping[str, tuple[Scalar, ...]]) -> Iterator[dict[str, Scalar]]:
    for values in itertools.product(*domains.values()):
        yield dict(zip(domains, values, strict=True))


def state_of(probe: Probe, snapshot: Snapshot) -> tuple[str, Hashable, frozenset[str]]:
    """Return what tells two snapshots apart: leaf, control, and which senders are live.

    In a final state nothing is read any more, so its control does not count.
    """
    chart: Chart = probe.core.chart
    if chart.states[snapshot.state].final:
        return snapshot.state, None, frozenset()
    return snapshot.state, probe.control(snapshot.context), frozenset(k for k, _ in snapshot.live)
