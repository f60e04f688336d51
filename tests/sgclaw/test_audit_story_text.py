"""What of a story reaches a person: no control character, no secret, nothing without end."""

import json
from pathlib import Path

import pytest

from sgclaw.audit_story import Story, story_of
from sgclaw.audit_story_rows import Rows, Sources, rows_of_text
from sgclaw.audit_story_text import lines_of
from tests.sgclaw.story_stage import LOOK, told_run
from tests.sgclaw.task_stage import TRACE, call

GOLDEN = Path(__file__).parent.parent / "golden" / "0.1.0"
DEFAULT = {"text": "Done."}


def text(story: Story) -> str:
    return "\n".join(lines_of(story, "en"))


def golden(name: str) -> Sources:
    rows = rows_of_text(name, (GOLDEN / f"{name}.jsonl").read_bytes())
    return Sources(TRACE, rows, None, None, copy=True)


HOSTILE = "\x1b[2J\x1b]0;owned\x07\u202e\x9b31m\r\nCMD_EXEC: OK"


async def test_no_control_character_reaches_the_terminal(tmp_path: Path) -> None:
    hostile = {"text": HOSTILE, **call("getText", {"selector": f"#sum{HOSTILE}"}, "c")}
    told = await told_run(tmp_path / "data", replies=[hostile, LOOK, {"text": HOSTILE}])
    told.log.append(told.log[-1] + HOSTILE)
    told.rows[0]["event"]["payload"]["record"]["instruction"] = HOSTILE
    for lang in ("en", "zh-CN"):
        lines = list(lines_of(told.story(), lang))
        assert all(line.isprintable() for line in lines)
        assert any("\\x1b[2J" in line for line in lines)


async def test_what_was_typed_and_what_is_a_secret_is_not_shown(tmp_path: Path) -> None:
    typed = call("type", {"selector": "#name", "text": "hunter2-typed"}, "a")
    opened = call("navigate", {"url": "https://erp.example.com/?token=S3CR3T-URL"}, "b")
    said = {"text": "with sk-ant-0123456789abcdef", **typed}
    told = await told_run(tmp_path / "data", replies=[said, opened, DEFAULT])
    shown = text(told.story())
    assert "text=<13 chars>" in shown
    for secret in ("hunter2-typed", "S3CR3T-URL", "0123456789abcdef;", "sk-ant"):
        assert secret not in shown


async def test_a_long_text_is_cut_with_a_mark(tmp_path: Path) -> None:
    said = {"text": "x" * 50_000, **LOOK}
    told = await told_run(tmp_path / "data", replies=[said, DEFAULT])
    shown = text(told.story())
    assert "…(+49800)" in shown
    assert len(shown) < 10_000


@pytest.mark.parametrize("name", [path.stem for path in sorted(GOLDEN.glob("*.jsonl"))])
def test_every_recorded_ledger_is_told_whole(name: str) -> None:
    story = story_of(golden(name))
    assert story.is_whole
    assert {f.code for f in story.findings} == {"audit_host_log_missing", "audit_journal_missing"}


@pytest.mark.parametrize("junk", [
    {}, {"seq": "x"}, {"seq": 1, "event": 3, "effects": 7, "verdicts": "no"},
    {"seq": 1, "trace_id": TRACE, "event": {"type": "done.invoke.act", "payload": []},
     "effects": [["start"], ["cancel", "act"], 3], "verdicts": [{"guard": 1}, {"guard": "x"}]},
    {"seq": 1, "trace_id": TRACE, "event": {"type": "done.invoke.think", "payload":
     {"reply": "call", "record": {"request": {"params": {"a": [[[[[[]]]]]]}}}}},
     "effects": [["start", "act", "act", "no", "x"]]},
])  # fmt: skip
def test_a_row_of_any_form_is_told_without_a_fault(junk: dict[str, object]) -> None:
    rows = Rows("ledger", (json.loads(json.dumps(junk)),))
    journal = Rows("journal", ({"kind": "outcome", "command": {"seq": 0}}, {"kind": "intent"}))
    story = story_of(Sources(TRACE, rows, None, journal))
    assert not story.is_whole
    assert list(lines_of(story, "en"))


def test_a_deeply_nested_parameter_is_told_without_a_fault() -> None:
    nested: object = "x"
    for _ in range(500):
        nested = [nested]
    request = {"action": "click", "params": {"selector": nested}}
    payload = {"reply": "call", "record": {"request": request}}
    event = {"type": "done.invoke.think", "payload": payload}
    rows = Rows("ledger", ({"seq": 1, "trace_id": TRACE, "event": event},))
    assert any("…" in line for line in lines_of(story_of(Sources(TRACE, rows, None, None)), "en"))
