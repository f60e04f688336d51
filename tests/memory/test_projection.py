"""Panel history: a pure fold of a trace's rows that loses nothing a person decided or was told."""

import copy
import itertools
import json
import unicodedata
from typing import Any, get_args

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory.panel_item import Kind, PanelItem, shown
from memory.projection import REFUSING, PanelHistory, panel_history
from states.catalogue import words
from states.task import Record
from tests.memory.walks import MANY, TYPED, Walked, many, walk

PICKS = st.lists(st.integers(min_value=0, max_value=2**40), max_size=60)
WALKS = PICKS.map(walk)
DECISIONS = ("approved", "rejected", "expired", "unresolved")
CODES_OF_ENDS = (
    "aborted", "budget_spent", "loop", "breaker_open", "no_evidence", "invalid_output",
    "approval_expired", "model_failed", "model_silent", "ask_failed", "internal_error",
    "skill_out_of_turn", "time_spent", "output_cut", "model_declined", "model_paused",
    "window_full",
)  # fmt: skip
FIXED = ("kind", "seq", "at", "action", "target", "about", "step", "source")


def handled(rows: list[dict[str, Any]], *events: str) -> list[dict[str, Any]]:
    return [r for r in rows if r["result"] == "handled" and r["event"]["type"] in events]


def texts(items: tuple[PanelItem, ...], kind: str) -> list[str]:
    return [item.text for item in items if item.kind == kind]


@settings(max_examples=60, deadline=None)
@given(WALKS)
def test_the_same_rows_give_the_same_history_and_stay_as_they_are(walked: Walked) -> None:
    rows = copy.deepcopy(walked.rows)
    assert panel_history(rows) == panel_history(iter(walked.rows))
    assert rows == walked.rows


@settings(max_examples=60, deadline=None)
@given(WALKS)
def test_row_by_row_gives_what_all_give_and_only_open_lines_change(walked: Walked) -> None:
    history = PanelHistory()
    before: tuple[PanelItem, ...] = ()
    for number, row in enumerate(walked.rows, start=1):
        history.feed(row)
        now = history.items
        assert now == panel_history(walked.rows[:number])
        for old, new in zip(before, now, strict=False):
            assert all(getattr(old, name) == getattr(new, name) for name in FIXED)
            assert old == new or old.is_open
        assert len(now) >= len(before)
        before = now


def test_each_answer_of_a_person_is_there_exactly_once() -> None:
    for walked in many():
        answers = handled(walked.rows, "done.invoke.ask")
        items = panel_history(walked.rows)
        statuses = [i.status for i in items if i.kind == "question" and i.status in DECISIONS]
        by_timer = len(handled(walked.rows, "after.active.confirm.approval_seconds"))
        said = [row["event"]["payload"]["decision"] for row in answers]
        assert sorted(statuses) == sorted([*said, *["expired"] * by_timer])
        assert all(i.by == "person" for i in items if i.status == "approved")


def test_each_refusal_of_a_rule_is_there_exactly_once() -> None:
    for walked in many():
        refused = [
            (row["seq"], words(v["reason"], "en", **v["facts"]))
            for row in walked.rows
            for v in row["verdicts"]
            if v["guard"] in REFUSING and not v["allowed"]
        ]
        told = [
            (item.seq, item.text) for item in panel_history(walked.rows) if item.kind == "refusal"
        ]
        assert sorted(told) == sorted(set(refused))


def test_end_steps_and_way_are_those_of_the_live_task() -> None:
    for walked in many():
        history = PanelHistory("zh-CN")
        for row in walked.rows:
            history.feed(row)
        snapshot = walked.snapshots[-1]
        record: Record = snapshot.context.record
        short = [leaf.removeprefix("active.") for row in walked.rows for leaf in row["path"]]
        assert history.path == ("idle", *short)
        assert history.steps == record.steps
        ends = [item for item in history.items if item.kind == "end"]
        if snapshot.state not in ("completed", "failed", "aborted"):
            assert ends == []
            continue
        [end] = ends
        assert end.status == snapshot.state
        assert not any(item.is_open for item in history.items)
        assert end.reason == record.reason
        facts = {name: shown(fact) for name, fact in record.reason_facts}
        told = words(record.reason, "zh-CN", **facts) if record.reason else ""
        assert end.text.split() == told.split()


def test_no_secret_no_typed_text_and_no_control_character_is_shown() -> None:
    for walked in many():
        told = json.dumps(
            [item._asdict() for item in panel_history(walked.rows)], ensure_ascii=False
        )
        assert "canary" not in told
        assert TYPED not in told
        for item in panel_history(walked.rows):
            for text in (item.text, item.action, item.target, item.by):
                kinds = {unicodedata.category(char) for char in text.replace("\n", "")}
                assert not kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"}
        assert "\n" not in "".join(item.target for item in panel_history(walked.rows))


def test_the_walks_come_to_every_end_and_every_line() -> None:
    items = [item for walked in many() for item in panel_history(walked.rows)]
    ends = {item.reason for item in items if item.kind == "end"}
    assert ends == {"", *CODES_OF_ENDS}
    assert {item.kind for item in items} == set(get_args(Kind))
    assert {item.status for item in items if item.kind == "step"} >= {
        "ok", "failed", "unknown", "refused", "rejected", "stopped"
    }  # fmt: skip
    assert {item.status for item in items if item.kind == "question"} >= {*DECISIONS, "unanswered"}
    assert sum(row["result"] == "stale" for walked in many() for row in walked.rows) > MANY / 10


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)


@settings(max_examples=100, deadline=None)
@given(WALKS, st.data())
def test_a_damaged_row_ends_nothing(walked: Walked, data: st.DataObject) -> None:
    rows = copy.deepcopy(walked.rows)
    row = data.draw(st.sampled_from(rows))
    place: Any = row
    for _ in range(data.draw(st.integers(0, 3))):
        inner = [value for value in place.values() if isinstance(value, dict) and value]
        if not inner:
            break
        place = data.draw(st.sampled_from(inner))
    place[data.draw(st.sampled_from(sorted(place)))] = data.draw(JSON)
    panel_history(rows)
    panel_history(data.draw(st.permutations(rows)))


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_rows_before_the_first_that_are_missing_leave_the_rest_told(cut: int) -> None:
    walked = walk([16 * n for n in range(1, 30)])
    items = panel_history(walked.rows)
    tail = panel_history(walked.rows[cut:])
    assert {i.seq for i in tail if i.kind == "refusal"} == {
        i.seq for i in items if i.kind == "refusal" and i.seq > cut
    }


def test_rows_of_other_charts_and_other_kinds_are_not_the_tasks() -> None:
    rows = walk([1000, 2000, 3000]).rows
    foreign = [{**row, "chart": "erp_write"} for row in rows] + [{"kind": "note"}, {}]
    assert panel_history(foreign) == ()
    mixed = itertools.chain.from_iterable(zip(rows, foreign, strict=False))
    assert panel_history(mixed) == panel_history(rows) != ()


@example("https://user:word@erp.example.com/a?session=1#x")
@given(st.just("https://erp.example.com/a?token=1"))
def test_of_an_address_neither_user_nor_query_is_shown(url: str) -> None:
    request = {"action": "navigate", "params": {"url": url}}
    row = {
        "kind": "event", "chart": "task", "result": "handled", "seq": 1, "at": "", "path": [],
        "verdicts": [], "effects": [["start", "act", "act", 1, ""]],
        "event": {"type": "done.invoke.plan",
                  "payload": {"reply": "call", "record": {"request": request}}},
    }  # fmt: skip
    [step] = panel_history([row])
    assert (step.action, step.target) == ("navigate", "https://erp.example.com/a")
