"""Every fault of a chart is refused at load, with its line, in both languages, with a remedy.

Positive control of all cases: the same text without the one change loads.
"""

import re

import pytest

from engine.chart.errors import ChartError, Problem
from engine.chart.load import Names, load_chart, problems_of
from states.catalogue import CATALOGUE
from tests.engine.chart.sample import CHARTS, NAMES, chart_of

TEXT = (CHARTS / "loan.yaml").read_text("utf-8")


def _problems(text: str, names: Names = NAMES) -> tuple[Problem, ...]:
    return problems_of(text, source="loan.yaml", names=names)


def _changed(old: str, new: str) -> tuple[str, int]:
    """Return the chart with its first *old* changed to *new*, and the line of the change."""
    assert old in TEXT
    changed = TEXT.replace(old, new, 1)
    pairs = zip(TEXT.splitlines(), changed.splitlines(), strict=False)
    return changed, next(n for n, (a, b) in enumerate(pairs, 1) if a != b)


def test_the_sample_chart_loads_and_breaks_no_schema() -> None:
    assert _problems(TEXT) == ()
    assert chart_of(TEXT).states["active.confirm"].delays[0].seconds == 300


# What is changed in the good chart, and the code expected on the changed line.
ON_THE_LINE = [
    ("chart_unknown_key", "onError: failed", "onErorr: failed"),
    ("chart_unknown_key", "version: 1", "version: 1\ncontext: {}"),
    (
        "chart_unknown_guard",
        "guard: is_done, target: completed",
        "guard: is_don, target: completed",
    ),
    ("chart_unknown_action", "[count_step]", "[count_stp]"),
    ("chart_unknown_service", "src: make_plan", "src: make_plans"),
    ("chart_unknown_delay", "{task_time:", "{task_tme:"),
    ("chart_unknown_target", "submit: {target: active,", "submit: {target: activ,"),
    ("chart_unknown_spawn", "{stop: reader}", "{stop: raeder}"),
    ("chart_unknown_event", "reject: {target: active}", "rejekt: {target: active}"),
    ("chart_unknown_event", "emits: [asked]", "emits: [asked, unheard]"),
    ("chart_unknown_completion", "error.invoke.reader: {target", "error.invoke.raeder: {target"),
    ("chart_duplicate_key", "version: 1", "version: 1\nversion: 2"),
    (
        "chart_dead_row",
        "  - {guard: tired, target: failed, act",
        "  - {target: failed}\n          - {act",
    ),
    ("chart_state_type", "completed: {type: final", "completed: {type: history"),
    ("chart_state_type", "resting:\n", "resting:\n        type: parallel\n"),
    ("chart_bad_name", "resting:\n", "Resting:\n"),
    ("chart_bad_name", "rest_time:", "rest__time:"),
    ("chart_wrong_type", "exit: [tidy]", "exit: 7"),
    ("chart_wrong_type", "version: 1", "version: true"),
    ("chart_guard_malformed", "guard: {not: ok}", "guard: {not: [ok]}"),
    ("chart_guard_malformed", "guard: {not: ok}", "guard: {xor: [ok, loud]}"),
    ("chart_guard_malformed", "guard: {or: [is_stop, tired]}", "guard: {or: []}"),
    ("chart_guard_malformed", "guard: {or: [is_stop, tired]}", "guard: {or: [ok], and: [ok]}"),
    ("chart_empty_domain", "note: {loud: [true, false]}", "note: {loud: []}"),
    (
        "chart_abort_guarded",
        "abort: aborted\n      fault",
        "abort: {guard: ok, target: aborted}\n      fault",
    ),
    ("chart_emit_reserved", "emits: [asked]", "emits: [asked, done.invoke.plan]"),
    ("chart_emit_unhandled", "emits: [asked]", "emits: [asked, submit]"),
    ("chart_final_goes_on", "entry: report}", "entry: report, exit: report}"),
    ("chart_final_goes_on", "entry: report}", "entry: report, on: {note: failed}}"),
    ("chart_final_goes_on", "entry: report}", "entry: report, always: failed}"),
    ("chart_final_goes_on", "entry: report}", "entry: report, after: {1: failed}}"),
    ("chart_id_live_twice", "- id: send\n", "- id: reader\n"),
    ("chart_tag", "id: loan", "id: !!str loan"),
]

# The fault is reported where it must be mended, which is not the changed line.
ELSEWHERE = [
    ("chart_missing_key", "version: 1\n", ""),
    ("chart_missing_key", "src: make_plan\n", "\n"),
    ("chart_initial", "initial: idle", "initial: idel"),
    ("chart_initial", "initial: planning", "initial: planing"),
    ("chart_initial", "        initial: dispatch\n", ""),
    ("chart_initial_of_leaf", "resting:\n", "resting:\n        initial: planning\n"),
    ("chart_initial_never_entered", "nothing to do yet\n", "waits\n    entry: ring\n"),
    ("chart_initial_never_entered", "nothing to do yet\n", "waits\n    after: {9: failed}\n"),
    ("chart_initial_never_entered", "nothing to do yet\n", "waits\n    always: failed\n"),
    ("chart_invoke_unhandled", "          onError: failed\n", ""),
    ("chart_spawn_unhandled", "      error.invoke.reader: {target: failed}\n", ""),
    ("chart_no_else", "        - active.evaluate\n      error.inv", "      error.inv"),
    ("chart_no_else", "            - {target: active.executing, actions: [take_risk]}\n", ""),
    ("chart_no_else", "                  - active.evaluate\n", ""),
    (
        "chart_rows_twice",
        "          approve: {target: active.executing, act",
        "          after.active.confirm.300: failed\n          approve: {act",
    ),
    (
        "chart_spawn_outside_owner",
        "[start_count, log_task]}",
        "[start_count]}\n      note: {target: failed, actions: {spawn: reader}}",
    ),
    ("chart_spawn_outside_owner", "exit: [tidy]", "exit: [tidy, {spawn: reader}]"),
    (
        "chart_final_nested",
        "      observing:\n        always:",
        "      stuck: {type: final}\n      observing:\n        always:",
    ),
    (
        "chart_always_cycle",
        "{target: active.resting, actions: [count_failure]}",
        "active.resting\n      spin: {always: active.spun}\n      spun: {always: active.spin}",
    ),
    (
        "chart_always_cycle",
        "      resting:\n",
        "      spin: {always: {actions: ring}}\n      resting:\n",
    ),
]


@pytest.mark.parametrize(("code", "old", "new"), ON_THE_LINE)
def test_a_fault_is_reported_on_its_line(code: str, old: str, new: str) -> None:
    text, line = _changed(old, new)
    found = [problem for problem in _problems(text) if problem.code == code]
    assert found, [problem.text() for problem in _problems(text)]
    assert abs(found[0].line - line) <= new.count("\n"), found[0].text()


@pytest.mark.parametrize(("code", "old", "new"), ELSEWHERE)
def test_a_fault_is_reported_where_it_must_be_mended(code: str, old: str, new: str) -> None:
    text, _ = _changed(old, new)
    assert code in {problem.code for problem in _problems(text)}


def test_an_unused_session_is_reported() -> None:
    text = TEXT.replace(", {spawn: reader}]", "]").replace("[{spawn: reader}]", "[ring]")
    assert "chart_spawn_unused" in {problem.code for problem in _problems(text)}


def test_a_session_id_names_one_service_only() -> None:
    text, _ = _changed("resting:\n", "resting:\n        spawn: {id: plan, src: work}\n")
    assert "chart_spawn_twice" in {problem.code for problem in _problems(text)}


def test_a_wait_without_timer_or_service_is_reported() -> None:
    bare = TEXT.replace("    after: {task_time: {target: failed, actions: [note_timeout]}}\n", "")
    assert _problems(bare) == ()
    stuck = bare.replace("        after: {300: {target: aborted, actions: [note_timeout]}}\n", "")
    found = {(problem.code, dict(problem.facts)["state"]) for problem in _problems(stuck)}
    assert found == {("chart_waits_for_ever", "active.confirm")}
    # A guarded always row alone does not move a task on.
    held = bare.replace("            after: {0.5: active.executing.waiting}\n", "")
    assert [dict(p.facts)["state"] for p in _problems(held)] == ["active.executing.dispatch"]


def test_every_state_must_be_abortable() -> None:
    text = TEXT.replace("      abort: aborted\n      fault", "      fault")
    found = [dict(problem.facts)["state"] for problem in _problems(text)]
    assert {problem.code for problem in _problems(text)} == {"chart_no_abort"}
    assert found == [
        *("active.planning", "active.confirm", "active.executing.dispatch"),
        *("active.executing.waiting", "active.observing", "active.resting", "active.evaluate"),
    ]


def test_a_name_may_not_be_reducer_and_effect() -> None:
    names = NAMES._replace(effects=NAMES.effects | {"count_step"})
    assert [problem.code for problem in _problems(TEXT, names)] == ["chart_bound_twice"]


def test_a_near_name_is_suggested() -> None:
    text, _ = _changed("onError: failed", "onErorr: failed")
    assert "Write onError" in next(p.fix for p in _problems(text) if p.code == "chart_unknown_key")
    text, _ = _changed("submit: {target: active,", "submit: {target: activ,")
    assert "Known: active." in _problems(text)[0].fix


def test_all_problems_are_raised_at_once_in_the_order_of_their_lines() -> None:
    text = TEXT.replace("src: make_plan", "src: made_plan").replace("[tidy]", "[tydi]")
    text = text.replace("version: 1", "version: one")
    with pytest.raises(ChartError) as caught:
        load_chart(text, source="loan.yaml", names=NAMES)
    lines = [problem.line for problem in caught.value.problems]
    assert len(lines) == 3
    assert lines == sorted(lines)
    for lang in ("en", "zh-CN"):
        shown = caught.value.text(lang).splitlines()
        assert len(shown) == 4
        assert all(line.startswith("loan.yaml:") for line in shown[1:])


@pytest.mark.parametrize(
    "text", ["", "[]", "states: {}", "id: x", "3", "states: 3", "states: {a: []}"]
)
def test_a_file_that_is_no_chart_is_refused(text: str) -> None:
    assert _problems(text)


def test_every_problem_has_a_sentence_and_a_remedy_in_both_languages() -> None:
    source = "".join(
        p.read_text("utf-8") for p in (CHARTS.parents[3] / "engine/chart").glob("*.py")
    )
    codes = set(re.findall(r'"(chart_[a-z_]+)"', source))
    assert len(codes) > 40
    for code in codes:
        assert code in CATALOGUE
        assert all(CATALOGUE[code])
    kinds = {f"chart_unknown_{kind}" for kind in ("guard", "action", "service", "delay", "spawn")}
    kinds |= {f"chart_unknown_{kind}" for kind in ("target", "event", "completion", "key")}
    for code in kinds | {code for code, _, _ in (*ON_THE_LINE, *ELSEWHERE)}:
        assert all(CATALOGUE[code])
        assert all(CATALOGUE[f"{code}_fix"])
