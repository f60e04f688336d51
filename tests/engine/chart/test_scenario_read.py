"""A scenario file is read strictly: nothing that the chart does not know passes in silence."""

import pytest

from engine.chart.scenario.model import ScenarioError, ScenarioFile
from engine.chart.scenario.read import read_scenarios
from tests.engine.chart.sample_probe import SAMPLES

GOOD = """
chart: errand
scenarios:
  - name: a confirmed errand is sent
    context: {loan.failures: 1}
    steps:
      - {send: submit, state: confirm, effects: [do a, timer 60 60, do show_card]}
      - {send: approve, state: active.sending, context: {loan.steps: 0}}
      - send: done.invoke.send
        late: true
        dropped: stale
"""
PICK = """
chart: nesting
scenarios:
  - name: one
    steps:
      - {send: go}
      - {send: pick, with: {ok: true}}
"""


def read(text: str) -> ScenarioFile:
    return read_scenarios(text, "one.yaml", SAMPLES)


def problems(text: str) -> list[str]:
    with pytest.raises(ScenarioError) as caught:
        read(text)
    return [problem.text() for problem in caught.value.problems]


def test_a_file_is_read_with_every_part() -> None:
    [scenario] = read(GOOD).scenarios
    assert (scenario.name, scenario.line, scenario.context.failures) == (
        "a confirmed errand is sent", 4, 1
    )  # fmt: skip
    first, second, third = scenario.steps
    assert [effect.text for effect in first.effects or ()] == [
        "do a",
        "timer 60 60",
        "do show_card",
    ]
    assert (second.state, second.facts, second.effects) == (
        "active.sending", {"loan.steps": 0}, None
    )  # fmt: skip
    assert (third.late, third.dropped, third.line) == (True, "stale", 9)


def test_a_field_that_is_left_out_is_false_or_its_first_value() -> None:
    assert read(PICK).scenarios[0].steps[1].fields == {"ok": True, "loud": False}
    loan = "chart: loan\nscenarios: [{name: a, steps: [{send: done.invoke.critic}]}]"
    assert read(loan).scenarios[0].steps[0].fields["verdict"] == "next"


@pytest.mark.parametrize(
    ("right", "wrong", "line", "says"),
    [
        ("chart: errand", "chart: errant", 2, "There is no chart errant. Write errand."),
        ("chart: errand", "charts: errand", 2, "no key charts here. Write chart."),
        ("scenarios:", "scenario:", 3, "no key scenario here. Write scenarios."),
        ("name:", "nam:", 4, "no key nam here. Write name."),
        ("send: approve", "sent: approve", 8, "no key sent here. Write send."),
        ("send: approve", "send: aprove", 8, "no event aprove, so it could never come. Write app"),
        ("state: confirm", "state: confrim", 7, "no state confrim in which it could rest. Write c"),
        ("state: confirm", "state: active", 7, "no state active in which it could rest"),
        ("do show_card", "do show_crad", 7, "no effect with show_crad. Write show_card."),
        ("do show_card", "show_card", 7, "show_card is not an effect"),
        ("do show_card", "don show_card", 7, "no effect with don. Write do."),
        ("timer 60 60", "timer 61 60", 7, "no effect with 61"),
        ("timer 60 60", "timer 60 soon", 7, "timer 60 soon is not an effect"),
        ("do a,", "start a,", 7, "no effect with a"),
        ("dropped: stale", "dropped: stall", 11, "cannot be dropped as stall. Write stale."),
        ("loan.steps: 0", "loan.step: 0", 8, "no fact loan.step. Write loan.steps."),
        ("loan.steps: 0", "loan.steps: [0]", 8, "loan.steps must be a plain value"),
        ("loan.failures: 1", "loan.failures: 2", 5, "cannot begin with loan.failures: 2. It"),
        ("loan.failures: 1", "loan.failures: true", 5, "cannot begin with loan.failures: true"),
        ("send: done.invoke.send", "send: approve", 10, "approve cannot be late"),
        ("late: true", "late: maybe", 10, "late must be true or false"),
        ("late: true", "late: yes", 10, "late must be true or false"),
    ],
)  # fmt: skip
def test_a_typo_is_named_with_its_line_and_what_to_write(
    right: str, wrong: str, line: int, says: str
) -> None:
    assert right in GOOD
    found = problems(GOOD.replace(right, wrong))
    assert any(each.startswith(f"one.yaml:{line}: ") and says in each for each in found), found


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("{okay: true}", "payload of pick has no field okay. Write ok."),
        ("{ok: 1}", "1 is no value of ok of pick. Write one of: true, false."),
        ("{ok: yes}", "yes is no value of ok of pick"),
        ("{ok: [true]}", "is no value of ok of pick"),
        ("[ok]", "with must be a mapping"),
        ("{record: 3}", "record must be a mapping"),
    ],
)
def test_a_payload_stays_within_the_declared_domains(given: str, says: str) -> None:
    assert any(says in each for each in problems(PICK.replace("{ok: true}", given)))


@pytest.mark.parametrize(
    "text",
    ["", "[]", "chart: errand", "chart: errand\nscenarios: []", "chart: errand\nscenarios: {}",
     "chart: errand\nscenarios: [{name: a, steps: []}]", "chart: errand\nscenarios: [{name: a}]",
     "chart: errand\nscenarios: [{name: '', steps: [{send: submit}]}]", "chart: [",
     "chart: 1\n---\n2",
     "chart: errand\nscenarios: [{name: a, steps: [submit]}]", "&a chart: errand", "chart: {a: b}"],
)  # fmt: skip
def test_a_file_that_tests_nothing_is_refused(text: str) -> None:
    assert problems(text)


def test_two_scenarios_of_one_name_are_refused() -> None:
    twice = PICK + PICK.partition("scenarios:\n")[2]
    assert "already stands on line 4" in problems(twice)[0]


def test_all_problems_are_told_at_once_in_order() -> None:
    text = GOOD.replace("approve", "aprove").replace("confirm,", "confrim,")
    assert [each.split(":")[1] for each in problems(text)] == ["7", "8"]


def test_a_state_that_could_be_two_needs_its_whole_path() -> None:
    text = "chart: deep\nscenarios: [{name: a, steps: [{send: go, state: d}]}]"
    assert read(text).scenarios[0].steps[0].state == "a.b.c.d"
    two = "chart: twins\nscenarios: [{name: a, steps: [{send: go, state: same}]}]"
    assert "could be any of: one.same, two.same" in problems(two)[0]
