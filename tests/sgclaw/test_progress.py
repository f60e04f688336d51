"""Nothing that an agent, a page or a model says moves the cursor of the person's terminal."""

from pathlib import Path
from typing import Any

import pytest

from browser.host.downloads import Download
from sgclaw.printer import Printer
from sgclaw.progress import Progress
from states.catalogue import words
from states.messages import ModelReport, Usage
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


def says(text: str, kind: str = "text") -> LogEntry:
    return LogEntry(event="model_says", data={"kind": kind, "text": text})


def test_what_the_model_says_and_thinks_is_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(capsys, says("I look first."), says("is it March?", "thought"), says("a\nb"))
    assert [line.split("s  ", 1)[1] for line in out.splitlines()] == [
        "» I look first.", "~ is it March?", "» a", "» b"
    ]  # fmt: skip


def test_what_the_model_says_obeys_nobody_and_holds_no_secret(
    capsys: pytest.CaptureFixture[str],
) -> None:
    key = "sk-ant-0123456789abcdef"
    out = shown(capsys, says(HOSTILE + key), says(HOSTILE, "thought"), says("x" * 4_000))
    assert harmless(out)
    assert key not in out
    assert max(len(line) for line in out.splitlines()) < 1_000


def test_a_failed_try_and_a_call_are_one_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    usage = {"input_tokens": 2310, "output_tokens": 120, "cache_read_tokens": 1900}
    called = {"model": "m", "duration_ms": 2345, "usage": usage}
    out = shown(
        capsys,
        LogEntry(event="model_retry", data={"why": "overloaded", "wait_s": 2.0, "number": 1}),
        LogEntry(event="model_called", data=called),
        LogEntry(event="model_called", data={**called, "model": ""}),  # the matcher is no model
    )
    retry, call = out.splitlines()
    assert "overloaded; try 1 failed, another in 2 s" in retry
    assert "2310 tokens in (1900 cached), 120 out, 2.3 s" in call


@pytest.mark.parametrize("event", ["model_retry", "model_called", "model_says"])
@pytest.mark.parametrize("wrong", [None, "x", [], {"input_tokens": "x"}, 10**30, HOSTILE])
def test_an_agent_that_tells_nonsense_of_a_model_breaks_nothing(
    capsys: pytest.CaptureFixture[str], event: str, wrong: Any
) -> None:
    names = ("text", "why", "code", "wait_s", "number", "usage", "duration_ms", "model", "kind")
    out = shown(capsys, LogEntry(event=event, data=dict.fromkeys(names, wrong)))
    assert harmless(out)


def summary(capsys: pytest.CaptureFixture[str], report: ModelReport, usage: Usage) -> str:
    told = TaskCompleted(trace_id=TRACE, state="completed", model=report, usage=usage)
    Progress(Printer(as_json=False), "en", lambda: 0.0).ends(told, Path("/out"), ())
    return capsys.readouterr().out


def test_the_summary_says_in_one_line_what_the_model_cost(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = ModelReport(provider="claude", model="m1", calls=3, failed_tries=1, duration_ms=4_200,
                         cost_microusd=12_345)  # fmt: skip
    usage = Usage(input_tokens=900, output_tokens=80, cache_read_tokens=600)
    [line] = [line for line in summary(capsys, report, usage).splitlines() if "m1" in line]
    for part in ("claude m1", "3 calls", "1 tries", "900 tokens in (600 cached)", "80 out", "4.2 s",
                 "$0.0123"):  # fmt: skip
        assert part in line
    unknown = report.model_copy(update={"cost_microusd": None})
    assert "cost not known" in summary(capsys, unknown, usage)


def test_a_run_without_a_model_says_nothing_of_its_cost(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "model" not in summary(capsys, ModelReport(provider="offline", calls=2), Usage())


def test_the_first_lines_say_which_model_answers(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(Printer(as_json=False), "en", lambda: 0.0)
    progress.starts("do it", TRACE, "m1 of claude (why)")
    assert "model   m1 of claude (why)" in capsys.readouterr().out
