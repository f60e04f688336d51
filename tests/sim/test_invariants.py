"""Each invariant finds the breach that is planted in good evidence, and is silent before."""

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from states.wire import CommandReport
from tests.sim.episode import Stage, replay_problem, run_plan, stage
from tests.sim.evidence import Asked, Evidence, Note, Place, Reached, Row
from tests.sim.invariants import INVARIANTS, breaches_of
from tests.sim.plans import ONE_WRITE

Plant = Callable[[Evidence], None]


@pytest.fixture(scope="module")
def on() -> Iterator[Stage]:
    with stage() as on:
        yield on


@pytest.fixture
def evidence(on: Stage) -> Evidence:
    return run_plan(ONE_WRITE, on)


def _row(evidence: Evidence, event: str) -> int:
    """Return where the last row of *event* is."""
    found = [n for n, row in enumerate(evidence.rows) if row.row["event"]["type"] == event]
    return found[-1]


def _changed(row: Row, **fields: Any) -> Row:
    return row._replace(row={**copy.deepcopy(dict(row.row)), **fields})


def _later(row: Row) -> Row:
    return row._replace(when=Place(10_000, row.when.at_s))


def no_card(evidence: Evidence) -> None:
    evidence.cards.clear()


def card_of_another_digest(evidence: Evidence) -> None:
    evidence.cards[0].digest = "0" * 64


def card_too_old(evidence: Evidence) -> None:
    said = evidence.cards[0].ended_when
    assert said is not None
    evidence.cards[0].ended_when = said._replace(at_s=said.at_s - 20)


def card_used_before(evidence: Evidence) -> None:
    write = evidence.done[-1]
    evidence.done.append(write._replace(number=99, when=Place(10_000, write.when.at_s)))


def done_after_a_no(evidence: Evidence) -> None:
    evidence.cards[0].ended = "rejected"


def done_twice(evidence: Evidence) -> None:
    evidence.done.append(evidence.done[0])


def no_intent(evidence: Evidence) -> None:
    evidence.rows = [row for row in evidence.rows if row.when.n > evidence.done[0].when.n]


def intent_not_on_disk(evidence: Evidence) -> None:
    evidence.rows = [row._replace(durable=False) for row in evidence.rows]


def no_outcome(evidence: Evidence) -> None:
    evidence.rows = [r for r in evidence.rows if r.row["event"]["type"] != "done.invoke.act"]


def no_host_intent(evidence: Evidence) -> None:
    evidence.host_rows.clear()


def effect_untold(evidence: Evidence) -> None:
    end = evidence.ends[-1]
    evidence.ends[-1] = end._replace(told=end.told.model_copy(update={"commands": ()}))


def told_and_not_done(evidence: Evidence) -> None:
    report = CommandReport(seq=9, action="click", params={"timeout_ms": 1077}, success=True)
    end = evidence.ends[-1]
    commands = (*end.told.commands, report)
    evidence.ends[-1] = end._replace(told=end.told.model_copy(update={"commands": commands}))


def replays_otherwise(evidence: Evidence) -> None:
    evidence.replay = "the replay differs"


def goes_on_after_its_end(evidence: Evidence) -> None:
    evidence.rows.append(_later(evidence.rows[1]))


def done_after_the_end(evidence: Evidence) -> None:
    evidence.done.append(evidence.done[0]._replace(number=98, when=Place(10_000, 9.0)))


def reached_after_abort(evidence: Evidence) -> None:
    evidence.notes.append(Note(Place(0, 0.0), "ABORT", {}))


def asked_after_abort(evidence: Evidence) -> None:
    first = evidence.rows[0].row
    event = {**first["event"], "type": "abort"}
    evidence.rows.append(_later(_changed(evidence.rows[0], event=event, result="handled")))
    evidence.asked.append(Asked(Place(10_001, 9.0), 1, "command"))


def too_many_steps(evidence: Evidence) -> None:
    observed = evidence.rows[_row(evidence, "done.invoke.observe")]
    evidence.rows[1:1] = [observed] * 8


def too_many_failures(evidence: Evidence) -> None:
    observed = evidence.rows[_row(evidence, "done.invoke.observe")]
    event = copy.deepcopy(dict(observed.row["event"]))
    event["payload"]["outcome"] = "failed"
    evidence.rows[1:1] = [_changed(observed, event=event)] * 5


def model_too_slow(evidence: Evidence) -> None:
    row = evidence.rows[_row(evidence, "done.invoke.think")]
    evidence.rows[_row(evidence, "done.invoke.think")] = row._replace(when=Place(row.when.n, 60.0))


def task_too_long(evidence: Evidence) -> None:
    last = evidence.rows[-1]
    evidence.rows[-1] = last._replace(when=Place(last.when.n, 5_000.0))


def denied_and_reached(evidence: Evidence) -> None:
    evidence.reached.append(Reached(Place(10_000, 9.0), "getHtml", "erp.example.com", {}))


def seq_twice(evidence: Evidence) -> None:
    command = next(sent for sent in evidence.sent if sent.document["type"] == "command")
    evidence.sent.append(command)


def answer_twice(evidence: Evidence) -> None:
    evidence.rows.append(_later(evidence.rows[_row(evidence, "done.invoke.act")]))


def question_open(evidence: Evidence) -> None:
    evidence.cards[0].ended = ""


def silence_heard_as_no(evidence: Evidence) -> None:
    number = _row(evidence, "done.invoke.ask")
    event = copy.deepcopy(dict(evidence.rows[number].row["event"]))
    event["payload"]["decision"] = "rejected"
    evidence.rows[number] = _changed(evidence.rows[number], event=event)
    evidence.cards[0].ended = "expired"


def no_such_row(evidence: Evidence) -> None:
    evidence.rows[0] = _changed(evidence.rows[0], path=["active.observing"])


def moved_though_ignored(evidence: Evidence) -> None:
    evidence.rows[1] = _changed(evidence.rows[1], result="ignored")


def key_in_a_log(evidence: Evidence) -> None:
    evidence.written["host log"] += evidence.canaries["init key"]


def password_in_the_ledger(evidence: Evidence) -> None:
    evidence.written["ledger"] += evidence.canaries["password"]


def stuck(evidence: Evidence) -> None:
    evidence.stuck = "nothing is ready"


def agent_still_there(evidence: Evidence) -> None:
    evidence.leaked.append("task")


def died_unheard(evidence: Evidence) -> None:
    evidence.unheard.append("task: ValueError()")


def lost_for_no_reason(evidence: Evidence) -> None:
    end = evidence.ends[-1]
    told = end.told.model_copy(update={"state": "failed", "reason": "agent_lost"})
    evidence.ends[-1] = end._replace(told=told)


PLANTS: tuple[tuple[int, Plant], ...] = (
    (1, no_card), (1, card_of_another_digest), (1, card_too_old), (1, card_used_before),
    (1, done_after_a_no), (2, done_twice), (3, no_intent), (3, intent_not_on_disk),
    (3, no_outcome), (3, no_host_intent), (3, effect_untold), (3, told_and_not_done),
    (4, replays_otherwise), (5, goes_on_after_its_end), (5, done_after_the_end),
    (6, reached_after_abort), (6, asked_after_abort), (7, too_many_steps),
    (7, too_many_failures), (7, model_too_slow), (7, task_too_long), (8, denied_and_reached),
    (9, seq_twice), (9, answer_twice), (10, question_open), (10, silence_heard_as_no),
    (11, no_such_row), (11, moved_though_ignored), (12, key_in_a_log),
    (12, password_in_the_ledger), (13, stuck), (13, agent_still_there), (13, died_unheard),
    (13, lost_for_no_reason),
)  # fmt: skip


def test_a_good_episode_breaks_nothing_and_does_something(evidence: Evidence) -> None:
    assert [str(breach) for breach in breaches_of(evidence)] == []
    assert evidence.end is not None
    assert evidence.end.state == "completed"
    assert [(done.number, done.needs_person) for done in evidence.done] == [(1, False), (2, True)]
    assert [card.ended for card in evidence.cards] == ["approved"]


@pytest.mark.parametrize(("number", "plant"), PLANTS, ids=lambda v: getattr(v, "__name__", str(v)))
def test_a_planted_breach_is_found(evidence: Evidence, number: int, plant: Plant) -> None:
    plant(evidence)
    assert number in {breach.invariant.number for breach in breaches_of(evidence)}


def test_every_invariant_has_a_plant() -> None:
    assert {number for number, _ in PLANTS} == {each.number for each in INVARIANTS}


def test_a_changed_ledger_is_found_by_the_replay(evidence: Evidence) -> None:
    def rows(text: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in text.splitlines()]

    written = evidence.written["ledger"]
    assert replay_problem(rows(written), evidence, 1) == ""
    changed = written.replace('"decision":"approved"', '"decision":"rejected"')
    assert changed != written
    assert "differs" in replay_problem(rows(changed), evidence, 1)
