"""Mutants are real faults of the chart, put in one at a time; each ends as it should."""

from collections import Counter

import pytest

from engine.chart.compile import compile_table
from engine.chart.core import Core
from engine.chart.coverage import coverage_of, read_reasons
from engine.chart.explore import explore
from engine.chart.fates import Fate, fates_of
from engine.chart.mutants import Mutant, mutants_of
from engine.chart.paths import generate
from engine.chart.scenario.model import Scenario, ScenarioError
from engine.chart.scenario.read import read_scenarios
from engine.chart.scenario.run import run_scenario
from tests.engine.chart.sample import NAMES, core_of
from tests.engine.chart.sample_probe import SAMPLES, probe_on, sample_probe

GATE = """
id: gate
version: 1
initial: closed
events:
  push: {ok: [true, false], loud: [true, false]}
  abort: {}
states:
  closed:
    on:
      push:
        - {guard: ok, target: open, actions: [count_step, x]}
        - {guard: loud, target: broken}
        - {actions: [y]}
      abort: broken
  open: {type: final, entry: [report]}
  broken: {type: final}
"""


def mutants(name: str = "nesting") -> list[Mutant]:
    core = sample_probe(name).core
    return list(mutants_of(core.chart, core.table))


@pytest.mark.parametrize("name", ["loan", "nesting", "order"])
def test_a_patched_table_is_what_the_machine_makes_of_the_changed_chart(name: str) -> None:
    for mutant in mutants(name):
        made = compile_table(mutant.chart)
        for leaf, events in mutant.table.rows.items():
            mine = {event: rows for event, rows in events.items() if rows}
            assert mine == made.rows[leaf], (mutant.name, leaf)


def test_there_is_a_mutant_of_each_kind_and_no_name_twice() -> None:
    core = core_of(GATE)
    made = list(mutants_of(core.chart, core.table))
    names = [mutant.name for mutant in made]
    assert len(names) == len(set(names))
    assert Counter(mutant.kind for mutant in made) == {
        "delete row": 4, "retarget": 5, "drop guard": 2, "negate guard": 2, "drop action": 3,
        "swap rows": 2, "drop entry action": 1,
    }  # fmt: skip
    assert "closed: push #1: drop count_step" in names
    assert any(mutant.kind == "drop guard part" for mutant in mutants("loan"))
    assert any(mutant.kind == "drop exit action" for mutant in mutants())


def test_no_mutant_is_the_chart_itself() -> None:
    for name in ("loan", "nesting", "order"):
        chart = sample_probe(name).core.chart
        assert all(mutant.chart != chart for mutant in mutants(name))


def scenarios(*steps: str) -> tuple[Scenario, ...]:
    told = "".join(f"\n  - {{name: s{n}, steps: [{step}]}}" for n, step in enumerate(steps))
    probes = {**SAMPLES, "gate": lambda: probe_on(core_of(GATE))}
    return read_scenarios(f"chart: gate\nscenarios:{told}", "gate.yaml", probes).scenarios


WHOLE = (
    "{send: push, with: {ok: true, loud: true}, state: open, effects: [do x, do report], "
    "context: {loan.steps: 1}}",
    "{send: push, with: {ok: false, loud: true}, state: broken, effects: []}",
    "{send: push, with: {ok: false, loud: false}, state: closed, effects: [do y]}",
    "{send: abort, state: broken, effects: []}",
)


def ends(*steps: str) -> dict[str, Fate]:
    found = explore(probe_on(core_of(GATE)))
    return {fate.mutant: fate for fate in fates_of(found, NAMES, scenarios(*steps))}


def test_a_whole_set_of_scenarios_leaves_nothing_alive() -> None:
    fates = ends(*WHOLE)
    assert {fate.end for fate in fates.values()} == {"killed", "lint"}
    assert fates["closed: abort #1: delete"].end == "lint"
    assert fates["closed: push #1: drop guard"].by == "chart_dead_row"
    assert fates["closed: push #1: drop count_step"].by == "s0"


NO_EFFECTS = WHOLE[0].replace("effects: [do x, do report], ", "")
NO_FACTS = WHOLE[0].replace(", context: {loan.steps: 1}", "")


@pytest.mark.parametrize(
    ("steps", "mutant"),
    [
        ((NO_EFFECTS, *WHOLE[1:]), "closed: push #1: drop x"),
        ((NO_EFFECTS, *WHOLE[1:]), "open: drop entry report"),
        ((NO_FACTS, *WHOLE[1:]), "closed: push #1: drop count_step"),
        (WHOLE[:3], "closed: abort #1: to open"),
        ((*WHOLE[:2], WHOLE[3]), "closed: push #3: drop y"),
    ],
)
def test_what_the_scenarios_do_not_ask_for_stays_alive(steps: tuple[str, ...], mutant: str) -> None:
    fate = ends(*steps)[mutant]
    assert fate.end == "alive"
    assert fate.place is not None
    assert ends(*WHOLE)[mutant].end == "killed"


def test_a_mutant_that_changes_nothing_is_proven_equal() -> None:
    text = GATE.replace("{guard: loud, target", "{guard: {and: [loud, {not: ok}]}, target")
    probe = probe_on(core_of(text))
    found = explore(probe)
    steps = read_scenarios(
        "chart: gate\nscenarios:" + "".join(
            f"\n  - {{name: s{n}, steps: [{step}]}}" for n, step in enumerate(WHOLE)),
        "gate.yaml", {"gate": lambda: probe},
    ).scenarios  # fmt: skip
    fates = {fate.mutant: fate for fate in fates_of(found, NAMES, steps)}
    equal = {name for name, fate in fates.items() if fate.end == "equal"}
    # ok has been asked by the row before; and the two rows exclude each other now.
    assert equal == {"closed: push #2: drop not ok", "closed: push #1: swap with #2"}
    assert all(fates[name].states == len(probe.initials) for name in equal)


@pytest.mark.parametrize("name", ["nesting", "loan", "order", "errand"])
def test_the_scenarios_made_from_a_chart_leave_no_mutant_alive(name: str) -> None:
    found = explore(sample_probe(name))
    made = generate(found, NAMES)
    fates = fates_of(found, NAMES, [each for kind in made for each in kind])
    assert [fate.mutant for fate in fates if fate.end == "alive"] == []
    assert sum(fate.end == "killed" for fate in fates) > 20


@pytest.mark.parametrize("name", ["nesting", "order"])
def test_a_mutant_is_killed_exactly_when_a_scenario_fails_on_it(name: str) -> None:
    probe = sample_probe(name)
    found = explore(probe)
    told = generate(found, NAMES).rows[::2]  # half of them, so that some mutants stay alive
    fates = {fate.mutant: fate.end for fate in fates_of(found, NAMES, told)}
    checked = Counter[str]()
    for mutant in mutants(name):
        if fates[mutant.name] != "lint":
            # Slowly: compiled anew by the machine, every scenario, every part.
            core = Core(mutant.chart, compile_table(mutant.chart), probe.core.bindings)
            failing = any(not run_scenario(each, probe, core).passed for each in told)
            assert failing == (fates[mutant.name] == "killed"), mutant.name
            checked[fates[mutant.name]] += 1
    assert checked["killed"] > 20
    assert checked["alive"] + checked["equal"] > 0


def test_coverage_names_what_is_listed_wrongly_and_what_is_not_listed() -> None:
    found = explore(probe_on(core_of(GATE)))
    reasons = {"closed: push #1: drop x": "it is only a sound", "closed: push #1: delete": "?"}
    steps = [WHOLE[0].replace("effects: [do x, do report], ", ""), *WHOLE[1:]]
    coverage = coverage_of(found, NAMES, scenarios(*steps), reasons)
    assert [fate.mutant for fate in coverage.unlisted] == ["open: drop entry report"]
    assert coverage.overtaken == ("closed: push #1: delete",)
    assert (coverage.rows.missing, coverage.whole) == ((), False)
    assert coverage_of(found, NAMES, scenarios(*WHOLE), {}).whole


def test_a_scenario_that_fails_holds_nothing_fast() -> None:
    found = explore(probe_on(core_of(GATE)))
    wrong = [WHOLE[0].replace("state: open", "state: broken"), *WHOLE[1:]]
    coverage = coverage_of(found, NAMES, scenarios(*wrong), {})
    assert coverage.failed == ("s0",)
    assert not coverage.whole
    assert "closed: push #1: drop x" in [fate.mutant for fate in coverage.unlisted]


@pytest.mark.parametrize(
    "text",
    ["[]", "gate: []", "other: {}", "gate: {a: 1}", "gate: {a: ''}", "gate: {a: [b]}", "a: ["],
)
def test_a_list_of_reasons_is_read_strictly(text: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        read_reasons(text, "equivalent.yaml", ["gate"])
    assert caught.value.problems
    assert read_reasons("gate: {a: because}", "", ["gate"]) == {"gate": {"a": "because"}}
    assert read_reasons("", "", ["gate"]) == {}
