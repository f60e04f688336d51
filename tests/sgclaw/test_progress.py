"""Nothing that an agent, a page or a model says moves the cursor of the person's terminal."""

from pathlib import Path

import pytest

from browser.host.downloads import Download
from sgclaw.printer import Printer
from sgclaw.progress import Progress
from states.wire import LogEntry, StateChanged, TaskCompleted

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
