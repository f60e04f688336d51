"""Run a scenario on a core: what came of each step, up to the first that differs."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from engine.chart.core import Core
from engine.chart.declaration import Scalar
from engine.chart.errors import ChartError, ChartFaultError, ChartRuntimeError
from engine.chart.probe import Facts, Probe
from engine.chart.scenario.model import Scenario, ScenarioStep, effect_text, same
from engine.chart.step import Effect, Snapshot, Step
from states.events import Event

Part = Literal["fault", "result", "state", "effects", "context"]
NEVER_GIVEN = 0  # generations begin at 1


class Mismatch(NamedTuple):
    """One part of a step that is not as wanted, as lines of text."""

    part: Part
    wanted: tuple[str, ...]
    got: tuple[str, ...]


class RanStep(NamedTuple):
    """One step as it went: from the leaf *before* along *path* to *state*."""

    step: ScenarioStep
    result: str
    before: str
    state: str
    path: tuple[str, ...] = ()
    mismatches: tuple[Mismatch, ...] = ()


class Outcome(NamedTuple):
    """What came of a scenario; the last step is the one that differs, when one does."""

    scenario: Scenario
    ran: tuple[RanStep, ...]

    @property
    def passed(self) -> bool:
        """Tell whether every step went as wanted."""
        return not any(step.mismatches for step in self.ran)


class Sent(NamedTuple):
    """One step of a scenario on the way: its event, and what the core made of it."""

    wanted: ScenarioStep
    before: Snapshot
    event: Event
    step: Step | None
    error: ChartError | None = None


def run_scenario(scenario: Scenario, probe: Probe, core: Core | None = None) -> Outcome:
    """Return what *scenario* comes to on *core*; the probe's own when none is given."""
    ran: list[RanStep] = []
    for sent in walk(scenario, probe, core or probe.core):
        ran.append(_compared(sent, probe))
        if ran[-1].mismatches:
            break
    return Outcome(scenario, tuple(ran))


def holds(scenario: Scenario, probe: Probe, core: Core) -> bool:
    """Tell whether *scenario* passes on *core*: like `run_scenario`, but quick to say no."""
    contexts: list[tuple[Mapping[str, Scalar], Any]] = []
    for wanted, _, _, step, _ in walk(scenario, probe, core):
        if (
            step is None
            or step.result != (wanted.dropped or "handled")
            or wanted.state not in (None, step.snapshot.state)
            or (wanted.effects is not None and not _effects_fit(wanted, step.effects))
        ):
            return False
        contexts.append((wanted.facts, step.snapshot.context))
    # Facts are slow to name, and most faults show without them.
    return not any(facts and _facts_differ(facts, probe.describe(c)) for facts, c in contexts)


def walk(scenario: Scenario, probe: Probe, core: Core) -> Iterator[Sent]:
    """Send each step of *scenario* to *core*; a fault ends the walk."""
    snapshot = core.initial(scenario.context)
    ended: dict[str, int] = {}
    for wanted in scenario.steps:
        event = event_of(wanted, snapshot, ended, probe)
        try:
            step = core.feed(snapshot, event)
        except (ChartFaultError, ChartRuntimeError) as error:
            yield Sent(wanted, snapshot, event, None, error)
            return
        yield Sent(wanted, snapshot, event, step)
        still = set(step.snapshot.live)
        ended.update((name, gen) for name, gen in snapshot.live if (name, gen) not in still)
        snapshot = step.snapshot


def event_of(
    wanted: ScenarioStep, snapshot: Snapshot, ended: Mapping[str, int], probe: Probe
) -> Event:
    """Return the event of *wanted*: from its live sender, or late from one that has *ended*."""
    payload = dict(probe.sample(wanted.send, wanted.fields))
    if wanted.record:
        payload["record"] = {**payload.get("record", {}), **wanted.record}
    if not wanted.late:
        return probe.core.stamped(snapshot, wanted.send, payload)
    senders = probe.core.senders[wanted.send]
    generations = [ended[name] for name in senders.ids if name in ended]
    return Event(wanted.send, payload, max(generations, default=NEVER_GIVEN))


def _compared(sent: Sent, probe: Probe) -> RanStep:
    wanted, step = sent.wanted, sent.step
    if step is None:
        mismatch = Mismatch("fault", ("handled",), (str(sent.error),))
        before = sent.before.state
        return RanStep(wanted, "faulted", before, before, mismatches=(mismatch,))
    found: list[Mismatch] = []
    result = wanted.dropped or "handled"
    if step.result != result:
        found.append(Mismatch("result", (result,), (step.result,)))
    state = step.snapshot.state
    if wanted.state is not None and wanted.state != state:
        found.append(Mismatch("state", (wanted.state,), (state,)))
    if wanted.effects is not None and not _effects_fit(wanted, step.effects):
        texts = tuple(each.text for each in wanted.effects)
        found.append(Mismatch("effects", texts, _spelled_alike(wanted, step.effects)))
    if wanted.facts:
        found += _facts_differ(wanted.facts, probe.describe(step.snapshot.context))
    return RanStep(wanted, step.result, sent.before.state, state, step.path, tuple(found))


def _effects_fit(wanted: ScenarioStep, effects: tuple[Effect, ...]) -> bool:
    asked = wanted.effects or ()
    return len(asked) == len(effects) and all(
        each.fits(effect) for each, effect in zip(asked, effects, strict=True)
    )


def _spelled_alike(wanted: ScenarioStep, effects: tuple[Effect, ...]) -> tuple[str, ...]:
    """Return *effects* as text, spelled as the scenario does where it asks for them."""
    return tuple(
        next((each.text for each in wanted.effects or () if each.fits(effect)), effect_text(effect))
        for effect in effects
    )


def _facts_differ(wanted: Mapping[str, Scalar], facts: Facts) -> list[Mismatch]:
    differing = [path for path, value in wanted.items() if not same(facts[path], value)]
    if not differing:
        return []
    asked = tuple(f"{path}: {_plain(wanted[path])}" for path in differing)
    got = tuple(f"{path}: {_plain(facts[path])}" for path in differing)
    return [Mismatch("context", asked, got)]


def _plain(value: Scalar) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "null" if value is None else str(value)
