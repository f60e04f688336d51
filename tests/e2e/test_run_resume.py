"""`run --resume TRACE`: one at a time, from an undamaged ledger of this very chart, or not at all.

A resume that is refused starts nothing and leaves every file as it was.
"""

import json
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sgclaw.past_run import past_run
from tests.e2e.conftest import INVOICES, Desk, Run, call, desk_in
from tests.support.ledger_lab import TraceLedger, told_in, traces_in

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(180)]
LOOKED = call("getText", {"selector": "body"})
SLOW = {"delay_s": 60, "text": "never"}
END = {"text": "looked"}
Rows = list[dict[str, Any]]


class Killed(Desk):
    """A desk with a task whose host was killed while the model thought about its third call."""

    @property
    def journal(self) -> Path:
        [path] = (self.folder / "data" / "host").glob("sgclaw-*.jsonl")
        return path

    @property
    def ledger(self) -> TraceLedger:
        return TraceLedger(self.folder / "data", self.trace)

    @property
    def trace(self) -> str:
        return self.journal.stem

    def model(self, *replies: dict[str, Any]) -> None:
        """Let the model reply with *replies*; the first two were given before the kill."""
        self.script(*replies)

    def resume(self, *words: str) -> Run:
        return self.run("run", "--resume", self.trace, "--out", "out", *words)

    def files(self) -> tuple[bytes, Rows]:
        return self.journal.read_bytes(), self.ledger.rows()

    def change(self, path: Path | TraceLedger, change: Callable[[Rows], Rows]) -> None:
        if isinstance(path, TraceLedger):
            path.write(change(path.rows()))
            return
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in change(rows))
        path.write_text("".join(lines), encoding="utf-8")


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A run whose host is killed, with all that it leaves."""
    desk = desk_in(tmp_path_factory.mktemp("interrupted") / "desk")
    script = desk.script(INVOICES, LOOKED, SLOW)
    child = desk.start("run", "--demo", "x", "--out", "out", "--provider", script)
    data = desk.folder / "data"
    desk.until(lambda: [event for _, event in told_in(data)].count("done.invoke.observe") == 2)
    os.kill(child.pid, signal.SIGKILL)
    assert desk.finish(child).code == -signal.SIGKILL
    desk.until(lambda: desk.left_over() == [], seconds=10)
    return desk


@pytest.fixture
def killed(desk: Desk, interrupted: Desk) -> Killed:
    """A copy of the interrupted run, to be spoilt; its model goes on to the end."""
    gone = shutil.ignore_patterns("profiles")  # the killed browser's, swept at the next start
    shutil.copytree(interrupted.folder / "data", desk.folder / "data", ignore=gone)
    found = Killed(desk.folder, desk.env)
    found.change(found.journal, lambda rows: [_with_script(rows[0], desk.folder), *rows[1:]])
    found.model(INVOICES, LOOKED, END)
    return found


def _with_script(plan: dict[str, Any], folder: Path) -> dict[str, Any]:
    return {**plan, "provider": {**plan["provider"], "script": str(folder / "replies.jsonl")}}


def _refused(killed: Killed, code: int, *words: str) -> None:
    before = killed.files()
    run = killed.resume()
    said = run.stdout + run.stderr
    assert run.code == code, said
    assert [word for word in words if word not in said] == []
    assert "Traceback" not in said
    assert "starting the browser" not in said
    assert killed.files() == before


# --- the control: what was not spoilt goes on


def test_a_killed_run_goes_on_where_it_was(killed: Killed) -> None:
    run = killed.resume()
    assert (run.code, run.result["answer"]) == (0, "looked"), run.stdout + run.stderr
    assert [c["action"] for c in run.result["commands"]] == ["navigate", "getText"]
    assert run.result["path"].count("planning") == 2
    assert run.result["trace_id"] == killed.trace
    assert "goes on in a new browser" in run.stdout
    assert past_run(killed.ledger.rows()).replayed.difference is None


def test_a_torn_last_row_was_never_acted_upon_and_is_dropped(killed: Killed) -> None:
    killed.journal.write_bytes(killed.journal.read_bytes()[:-7])
    run = killed.resume()
    assert run.code == 0, run.stdout + run.stderr
    assert past_run(killed.ledger.rows()).replayed.difference is None


def test_a_ledger_that_lost_its_last_rows_whole_goes_on_from_what_is_left(killed: Killed) -> None:
    killed.change(killed.ledger, lambda rows: rows[:3])
    run = killed.resume()
    assert run.code == 0, run.stdout + run.stderr
    # What the host did stands in its own journal.
    assert [c["action"] for c in run.result["commands"]][:2] == ["navigate", "getText"]


def test_a_ledger_that_knows_less_than_the_host_did_is_not_gone_on_with(killed: Killed) -> None:
    """What the host says was about to act, and the ledger does not tell, was cut off."""

    def acted(rows: Rows) -> Rows:
        return json.loads(json.dumps(rows).replace('"navigate"', '"click"'))  # type: ignore[no-any-return]

    killed.change(killed.journal, acted)
    _refused(killed, 4, killed.ledger.file.name)


# --- two at once


def test_of_two_resumes_at_once_the_second_is_refused(killed: Killed) -> None:
    killed.model(INVOICES, LOOKED, {**END, "delay_s": 3})
    words = ("run", "--resume", killed.trace, "--out")
    children = [killed.start(*words, out) for out in ("out", "out2")]
    runs = [killed.finish(child) for child in children]
    assert sorted(run.code for run in runs) == [0, 4], [r.stdout + r.stderr for r in runs]
    [loser] = [run for run in runs if run.code == 4]
    assert "this task runs already" in loser.stderr
    assert "starting the browser" not in loser.stdout
    assert past_run(killed.ledger.rows()).replayed.difference is None


def test_a_run_that_nobody_killed_is_not_resumed(desk: Desk) -> None:
    script = desk.script(INVOICES, {**END, "delay_s": 8})
    child = desk.start("run", "--demo", "x", "--out", "out", "--provider", script)
    data = desk.folder / "data"
    desk.until(lambda: any(event == "done.invoke.observe" for _, event in told_in(data)))
    [trace] = traces_in(data)
    second = desk.run("run", "--resume", trace, "--out", "out2")
    assert second.code == 4, second.stdout
    assert "this task runs already" in second.stderr
    assert desk.finish(child).code == 0


# --- what is damaged, edited, or of another time


def _edit_payload(rows: Rows) -> Rows:
    """Have the model ask for something else than it did."""
    return json.loads(json.dumps(rows).replace("/invoices", "/login"))  # type: ignore[no-any-return]


def _of_other_chart(rows: Rows) -> Rows:
    return [{**row, "chart_sha256": "0" * 64} for row in rows]


# Each of these with a chain made anew, as whoever has the file could: a replay shows it.
DAMAGES: dict[str, tuple[Callable[[Rows], Rows], str]] = {
    "a row is missing": (lambda rows: [*rows[:2], *rows[3:]], "replay"),
    "rows are swapped": (lambda rows: [rows[1], rows[0], *rows[2:]], "replay"),
    "the first rows are gone": (lambda rows: rows[2:], "replay"),
    "a call was edited": (_edit_payload, "replay"),
    "a state was edited": (lambda rows: [*rows[:-1], {**rows[-1], "state": "idle"}], "replay"),
    "an event is none": (lambda rows: [{**rows[0], "event": 7}, *rows[1:]], "damaged or edited"),
    "another chart": (_of_other_chart, "chart"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_ledger_is_not_gone_on_with(killed: Killed, damage: str) -> None:
    change, word = DAMAGES[damage]
    killed.change(killed.ledger, change)
    _refused(killed, 4, word)


RUBBISH = {"bytes": b"\xff\xfe\n", "a list": b"[]\n", "a deep list": b"[" * 9999 + b"\n"}


@pytest.mark.parametrize("line", RUBBISH)
def test_a_line_of_rubbish_is_named(killed: Killed, line: str) -> None:
    path = killed.journal
    path.write_bytes(path.read_bytes() + RUBBISH[line])
    _refused(killed, 4, "cannot be read", path.name)


@pytest.mark.parametrize("key", ["settings", "policy_file"])
def test_a_journal_without_a_part_of_its_plan_is_refused(killed: Killed, key: str) -> None:
    def without(rows: Rows) -> Rows:
        return [{k: v for k, v in rows[0].items() if k != key}, *rows[1:]]

    killed.change(killed.journal, without)
    _refused(killed, 4, "cannot be read")


def test_a_journal_with_a_broken_command_is_refused(killed: Killed) -> None:
    def broken(rows: Rows) -> Rows:
        return [{**row, "command": {"seq": "x"}} if "command" in row else row for row in rows]

    killed.change(killed.journal, broken)
    _refused(killed, 4, "Line 2", "cannot be read")


# --- what there is not, and what had ended


def test_a_task_that_had_ended_is_not_begun_again(killed: Killed) -> None:
    assert killed.resume().code == 0
    _refused(killed, 2, "had ended (completed)", "audit show")


@pytest.mark.parametrize(
    ("trace", "word"),
    [
        ("sgclaw-20260101-0123456789abcdef", "There is no run"),
        ("../../etc/passwd", "is no trace id"),
        ("", "is no trace id"),
    ],
)
def test_a_trace_that_is_not_there_is_a_usage_error(desk: Desk, trace: str, word: str) -> None:
    run = desk.run("run", "--resume", trace)
    assert (run.code, run.stdout) == (2, "")
    assert word in run.stderr
    assert not list((desk.folder / "data").rglob("*.jsonl"))


@pytest.mark.parametrize(
    "words", [("do it",), ("--demo",), ("--max-steps", "3"), ("--max-seconds", "5")]
)
def test_a_task_keeps_what_it_was_started_with(killed: Killed, words: tuple[str, ...]) -> None:
    before = killed.files()
    run = killed.resume(*words)
    assert run.code == 2
    assert "cannot be given together with --resume" in run.stderr
    assert killed.files() == before
