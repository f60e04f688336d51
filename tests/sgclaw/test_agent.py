"""The agent on its pipe: it greets, refuses bad lines with a reason, ends with its host."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.pipe.envelope import UNSEALED, Envelope
from sgclaw.agent import shortened
from sgclaw.ledgers import ledger_rows
from states.wire import Response, TaskCompleted

SGCLAW = Path(sys.executable).parent / "sgclaw"
KEY = "ab" * 32
SESSION = "session-0001"
INIT: dict[str, Any] = {
    "type": "init", "protocol": 1, "trace_id": "sgclaw-20261129-0123456789abcdef",
    "session_id": SESSION, "key": KEY,
    "policy": {"version": 1, "hosts": [{"host": "erp.example.com", "allow": ["*"]}]},
}  # fmt: skip


class Agent:
    """One agent process, spoken to by hand."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.child = subprocess.Popen(
            [str(SGCLAW), "agent"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def say(self, line: bytes | dict[str, Any]) -> None:
        raw = line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n"
        assert self.child.stdin is not None
        self.child.stdin.write(raw)
        self.child.stdin.flush()

    def hear(self, *types: str) -> dict[str, Any]:
        assert self.child.stdout is not None
        while line := self.child.stdout.readline():
            message: dict[str, Any] = json.loads(line)
            if message["type"] in types:
                return message
        pytest.fail(f"the agent ended before it said {types}")

    def greet(self, *replies: dict[str, Any]) -> None:
        script = self.folder / "s.jsonl"
        script.write_text("".join(json.dumps(r) + "\n" for r in replies), encoding="utf-8")
        provider = {"kind": "scripted", "script": str(script)}
        self.say({**INIT, "provider": provider, "data_dir": str(self.folder)})
        assert self.hear("ready")["protocol"] == 1

    def end(self) -> int:
        self.child.communicate(timeout=15)
        return self.child.returncode


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    agent = Agent(tmp_path)
    yield agent
    if agent.child.poll() is None:
        agent.child.kill()
    agent.child.communicate()


READ = {"tool_calls": [{"id": "1", "name": "browser_action", "input": {
    "action": "getText", "params": {}, "expected_domain": "erp.example.com"}}]}  # fmt: skip


def answer(seq: int, *, key: str = KEY, session: str = SESSION) -> dict[str, Any]:
    sealed = Envelope(bytes.fromhex(key), session, "host>agent").seal(
        Response.model_validate(
            {"seq": seq, "success": True, "data": {"text": "hi"}, "security": {"hmac": UNSEALED}}
        )
    )
    return sealed.model_dump(mode="json")


def test_a_task_runs_over_the_pipe(agent: Agent) -> None:
    agent.greet(READ, {"text": "The page says hi."})
    agent.say({"type": "submit_task", "instruction": "read"})
    command = agent.hear("command")
    assert (command["seq"], command["action"]) == (1, "getText")
    assert len(command["security"]["hmac"]) == 64
    agent.say(answer(1))
    done = agent.hear("task_completed")
    assert (done["state"], done["answer"]) == ("completed", "The page says hi.")
    assert agent.end() == 0


BAD_LINES = {
    "not UTF-8": b'{"type":"ping","nonce":"\xff"}\n',
    "not JSON": b"hello\n",
    "a list": b"[]\n",
    "too long": b'{"type":"ping","nonce":"' + b"x" * 40_000_000 + b'"}\n',
    "duplicate keys": b'{"type":"ping","type":"ping"}\n',
    "NaN": b'{"type":"ping","nonce":NaN}\n',
    "too deep": b'{"type":"ping","nonce":' + b"[" * 3000 + b"]" * 3000 + b"}\n",
    "unknown type": b'{"type":"fly"}\n',
    "unknown field": b'{"type":"ping","nonce":"","more":1}\n',
    "empty": b"\n",
    "BOM": b'\xef\xbb\xbf{"type":"ping"}\n',
}


@pytest.mark.parametrize("line", BAD_LINES.values(), ids=BAD_LINES.keys())
def test_a_bad_line_is_answered_and_the_next_good_one_works(agent: Agent, line: bytes) -> None:
    agent.greet({"text": "x"})
    agent.say(line)
    error = agent.hear("protocol_error")
    assert len(error["message"]) > 20
    agent.say({"type": "ping", "nonce": "n"})
    assert agent.hear("pong")["nonce"] == "n"
    assert agent.end() == 1


@pytest.mark.parametrize(
    ("forged", "code"),
    [
        (answer(1, key="cd" * 32), "bad_hmac"),
        (answer(1, session="session-0002"), "bad_hmac"),
        ({**answer(1), "data": {"text": "other"}}, "bad_hmac"),
        (answer(2), "seq_gap"),
    ],
    ids=["other key", "other session", "tampered", "other seq"],
)
def test_a_forged_answer_is_refused_and_the_true_one_still_counts(
    agent: Agent, forged: dict[str, Any], code: str
) -> None:
    agent.greet(READ, {"text": "The page says hi."})
    agent.say({"type": "submit_task", "instruction": "read"})
    agent.hear("command")
    agent.say(forged)
    assert agent.hear("protocol_error")["code"] == code
    agent.say(answer(1))
    assert agent.hear("task_completed")["state"] == "completed"


def test_a_replayed_answer_is_refused(agent: Agent) -> None:
    agent.greet(READ, READ, {"text": "x"})
    agent.say({"type": "submit_task", "instruction": "read"})
    agent.hear("command")
    agent.say(answer(1))
    assert agent.hear("command")["seq"] == 2
    agent.say(answer(1))
    assert agent.hear("protocol_error")["code"] == "seq_replayed"


def test_abort_ends_in_aborted(agent: Agent) -> None:
    agent.greet({"delay_s": 60, "text": "never"})
    agent.say({"type": "submit_task", "instruction": "wait"})
    agent.hear("state_changed")
    started = time.monotonic()
    agent.say({"type": "abort", "reason": "enough"})
    assert agent.hear("task_completed")["state"] == "aborted"
    assert time.monotonic() - started < 1
    assert agent.end() == 3


def test_abort_does_not_wait_for_the_matcher(agent: Agent) -> None:
    agent.say({**INIT, "data_dir": str(agent.folder)})
    agent.hear("ready")
    agent.say({"type": "submit_task", "instruction": "导出本月合规报表"})
    agent.hear("state_changed")
    started = time.monotonic()
    agent.say({"type": "abort"})
    assert agent.hear("task_completed")["state"] == "aborted"
    assert time.monotonic() - started < 1


def test_the_end_of_stdin_ends_the_process(agent: Agent) -> None:
    agent.greet({"delay_s": 60, "text": "never"})
    agent.say({"type": "submit_task", "instruction": "wait"})
    agent.hear("state_changed")
    started = time.monotonic()
    assert agent.end() == 1
    assert time.monotonic() - started < 2.5
    # No abort was wanted: the ledger stays open, and another agent may go on from it.
    rows = ledger_rows(agent.folder, INIT["trace_id"], "local")
    assert [row["event"]["type"] for row in rows] == ["submit_task"]


def test_a_host_that_vanishes_without_a_word_ends_the_process(agent: Agent) -> None:
    agent.greet({"text": "x"})
    assert agent.child.stdin is not None
    agent.child.stdin.close()
    agent.child.stdin = None
    assert agent.child.wait(5) == 0


def test_shutdown_ends_the_process(agent: Agent) -> None:
    agent.greet({"text": "x"})
    agent.say({"type": "shutdown"})
    assert agent.child.wait(5) == 0


def test_another_protocol_version_is_refused(agent: Agent) -> None:
    agent.say({**INIT, "protocol": 99})
    assert agent.hear("protocol_error")["code"] == "protocol_version"


def test_a_task_before_init_and_a_second_task_are_refused(agent: Agent) -> None:
    agent.say({"type": "submit_task", "instruction": "x"})
    assert agent.hear("protocol_error")["code"] == "init_missing"
    agent.greet({"delay_s": 60, "text": "never"})
    agent.say({"type": "submit_task", "instruction": "x"})
    agent.say({"type": "submit_task", "instruction": "y"})
    assert agent.hear("protocol_error")["code"] == "task_twice"


@pytest.mark.parametrize("text", ["x" * 1_200_000, "half \ud83d"], ids=["too long", "surrogate"])
def test_a_text_that_no_line_can_hold_still_ends_the_task(agent: Agent, text: str) -> None:
    agent.greet({"text": text})
    agent.say({"type": "submit_task", "instruction": "hi"})
    done = agent.hear("task_completed")
    assert (done["state"], done["reason"]) == ("failed", "model_failed")


def test_an_end_that_does_not_fit_is_shortened() -> None:
    command = {"seq": 1, "action": "click", "success": True}
    whole = TaskCompleted.model_validate(
        {"trace_id": "t", "state": "completed", "answer": "a", "commands": [command] * 9,
         "path": ["idle", *["planning"] * 100]}
    )  # fmt: skip
    short = shortened(whole)
    assert (short.state, short.commands, short.answer) == ("completed", (), "")


def test_too_many_violations_end_the_session(agent: Agent) -> None:
    agent.greet({"text": "x"})
    for _ in range(8):
        agent.say(b"nonsense\n")
    assert agent.child.wait(10) == 1


def test_a_print_of_a_library_never_reaches_the_pipe(agent: Agent) -> None:
    agent.greet({"text": "hello"})
    agent.say({"type": "submit_task", "instruction": "hi"})
    assert agent.hear("task_completed")["state"] == "completed"
    out, err = agent.child.communicate(timeout=15)
    assert all(json.loads(line)["type"] for line in out.splitlines())
    rows = [json.loads(line) for line in err.splitlines()]
    assert {"timestamp", "level", "trace_id", "module", "event", "data"} == set(rows[-1])
    assert rows[-1]["trace_id"] == INIT["trace_id"]
    assert KEY.encode() not in err


def test_a_stopped_agent_is_no_orphan(agent: Agent) -> None:
    agent.greet({"text": "x"})
    os.kill(agent.child.pid, signal.SIGINT)
    # What it was importing when it was stopped is finished first: seconds on a busy machine.
    assert agent.child.wait(40) in (3, -signal.SIGINT)
