"""Write down what a chart does as scenarios, so that it is asserted from then on."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from engine.chart.core import Core
from engine.chart.declaration import Scalar
from engine.chart.probe import Facts, Probe
from engine.chart.scenario.model import (
    Dropped,
    Scenario,
    ScenarioStep,
    WantedEffect,
    effect_text,
    parts_of,
    same,
)
from engine.chart.scenario.run import Sent, walk
from engine.chart.scenario.vocabulary import short_leaf
from engine.chart.step import Effect
from states.events import NOTHING

_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*( [A-Za-z0-9_./-]+)*")
_NOT_TEXT = frozenset({"true", "false", "null"})


class Told(NamedTuple):
    """One event to send: its declared fields, and whether it is late."""

    send: str
    fields: Mapping[str, Scalar] = NOTHING
    late: bool = False


def script_of(
    probe: Probe, name: str, context: Any, told: Iterable[Told], core: Core | None = None
) -> Scenario:
    """Return the scenario that sends *told* and asserts all that the chart does then.

    Raises:
        ChartFaultError: a guard or reducer failed.
    """
    bare = tuple(ScenarioStep(each.send, each.fields, late=each.late) for each in told)
    scenario = Scenario(name, context, bare)
    facts = probe.describe(context)
    steps: list[ScenarioStep] = []
    for sent in walk(scenario, probe, core or probe.core):
        steps.append(_asserted(sent, facts, probe))
        if sent.step is not None:
            facts = probe.describe(sent.step.snapshot.context)
    return scenario._replace(steps=tuple(steps))


def _asserted(sent: Sent, before: Facts, probe: Probe) -> ScenarioStep:
    step = sent.step
    if sent.error is not None:
        raise sent.error
    assert step is not None  # noqa: S101
    dropped: Dropped | None = None if step.result == "handled" else step.result
    after = probe.describe(step.snapshot.context)
    return sent.wanted._replace(
        state=step.snapshot.state,
        effects=tuple(map(_wanted, step.effects)),
        dropped=dropped,
        facts={path: value for path, value in after.items() if not same(before[path], value)},
    )


def _wanted(effect: Effect) -> WantedEffect:
    kind, name, _ = parts_of(effect)
    return WantedEffect(kind, (name,), None, effect_text(effect))


def written(probe: Probe, scenarios: Sequence[Scenario], heading: Sequence[str] = ()) -> str:
    """Return *scenarios* as the text of a scenario file, always the same for the same."""
    lines = [f"# {line}".rstrip() for line in heading]
    lines += [f"chart: {probe.core.chart.id}", "scenarios:"]
    for scenario in scenarios:
        lines += _scenario_lines(probe, scenario)
    return "\n".join(lines) + "\n"


def _scenario_lines(probe: Probe, scenario: Scenario) -> Iterator[str]:
    yield f"  - name: {_scalar(scenario.name)}"
    first, own = probe.describe(probe.initials[0]), probe.describe(scenario.context)
    changed = {path: value for path, value in own.items() if not same(first[path], value)}
    if changed:
        yield f"    context: {_flow(changed)}"
    yield "    steps:"
    for step in scenario.steps:
        yield from _step_lines(probe, step)


def _step_lines(probe: Probe, step: ScenarioStep) -> Iterator[str]:
    yield f"      - send: {_scalar(step.send)}"
    if step.fields:
        yield f"        with: {_flow(step.fields)}"
    if step.late:
        yield "        late: true"
    if step.dropped is not None:
        yield f"        dropped: {step.dropped}"
    if step.state is not None:
        yield f"        state: {short_leaf(probe.core.chart, step.state)}"
    if step.effects:
        yield f"        effects: [{', '.join(_scalar(each.text) for each in step.effects)}]"
    elif step.effects is not None:
        yield "        effects: []"
    if step.facts:
        yield f"        context: {_flow(step.facts)}"


def _flow(pairs: Mapping[str, Scalar]) -> str:
    return "{" + ", ".join(f"{name}: {_scalar(value)}" for name, value in pairs.items()) + "}"


def _scalar(value: Scalar) -> str:
    if isinstance(value, str) and _BARE.fullmatch(value) and value not in _NOT_TEXT:
        return value
    # JSON is YAML, and never ambiguous.
    return json.dumps(value, ensure_ascii=False)
