"""Nothing that an agent, a page or a model says moves the cursor of the person's terminal."""

from pathlib import Path
from typing import Any

import pytest

from browser.host.downloads import Download
from sgclaw.printer import Printer
from sgclaw.progress import Progress
from states.catalogue import words
from states.wire import CommandReport, LogEntry, StateChanged, TaskCompleted

HOSTILE = "fine\x1b]0;owned\x07\x1b[2J\u009b31m\u202e\r\u2028"
TRACE = "sgclaw-20260303-a1b2c3d4"


def shown(capsys: pytest.CaptureFixture[str], *events: LogEntry | StateChanged) -> str:
    progress = Progress(Printer(as_json=False), "en", lambda: 0.0)
    for event in events:
        progress.event(event)
    return capsys.readouterr().out


def harmless(text: str) -> bool:
    return all(line.isprintable() for line in text.split("\n"))


def test_the_answer_keeps_its_lines_and_nothing_else_that_a_terminal_obeys(
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer = f"3 reports\n{HOSTILE}"
    told = TaskCompleted(trace_id=TRACE, state="completed", answer=answer, reason_text=HOSTILE)
    download = Download(HOSTILE, Path(f"/out/{HOSTILE}"), "https://erp.example.com/", 1)
    progress = Progress(Printer(as_json=False), "en", lambda: 0.0)
    progress.starts(HOSTILE, TRACE)
    progress.ends(told, Path("/out"), [download])
    out = capsys.readouterr().out
    assert harmless(out)
    assert "3 reports\nfine\\x1b" in out
    assert "\\u202e" in out


def test_states_and_entries_are_one_bounded_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(
        capsys,
        StateChanged(state="confirm", event="x", action=HOSTILE, reason=HOSTILE + "\nHost: a"),
        StateChanged(state="confirm", event="x", reason="x" * 4_000),
        LogEntry(event="planned", data={"a": HOSTILE}),
        LogEntry(event="step_completed", data={"success": False, "error": HOSTILE}),
    )
    assert harmless(out)
    lines = out.splitlines()
    assert len(lines) == 4
    assert max(len(line) for line in lines) < 1_000
    assert lines[0].lstrip().startswith("0.00 s  confirm")


@pytest.mark.parametrize(
    ("state", "reason", "offered"),
    [
        ("failed", "agent_lost", True),
        ("failed", "browser_lost", True),
        ("failed", "agent_silent", True),
        ("failed", "ledger_unwritable", True),
        ("failed", "loop", False),
        ("aborted", "aborted", False),
    ],
)
@pytest.mark.parametrize("lang", ["en", "zh-CN"])
def test_a_task_that_can_go_on_is_offered_to_go_on_and_nothing_else(
    capsys: pytest.CaptureFixture[str], state: Any, reason: str, offered: bool, lang: Any
) -> None:
    text = words(reason, lang, why="x", seconds=1, path="x")
    told = TaskCompleted(trace_id=TRACE, state=state, reason=reason, reason_text=text)
    progress = Progress(Printer(as_json=False), lang, lambda: 0.0)
    progress.ends(told, Path("/out"), (), goes_on=offered)
    out = capsys.readouterr().out
    assert (f"sgclaw run --resume {TRACE}" in out) is offered
    if offered:  # two ways on beside each other would contradict
        assert not any(other in out for other in ("un the task again", "tart the task", "重新运行"))


def test_a_command_whose_outcome_nobody_knows_is_named_without_a_guess_why(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lost = CommandReport(
        seq=1, action="click", params={"selector": "#a"}, success=False, error="unknown_outcome"
    )
    told = TaskCompleted(trace_id=TRACE, state="completed", commands=(lost,))
    Progress(Printer(as_json=False), "en", lambda: 0.0).ends(told, Path("/out"), ())
    out = capsys.readouterr().out
    assert "click #a — it was sent, and no answer came" in out
    assert "killed" not in out
