"""stdout carries messages and nothing else, whatever a library prints and whatever fd 1 is."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

AGENT = """
from engine.pipe.stdio import capture_stdio, open_stdio
fds = capture_stdio()
import asyncio, os, subprocess, sys
from engine.pipe.errors import PipeError, ProtocolViolationError
from states.settings import PipeLimits
from states.wire import Pong, ProtocolError
print("a library prints")
os.write(1, b"a C library prints\\n")
subprocess.run([sys.executable, "-c", "import sys; print('a child prints', len(sys.stdin.read()))"])
async def main():
    end = await open_stdio(fds, PipeLimits(response_bytes_max=1000))
    while True:
        try:
            document = await end.reader.read_document()
        except ProtocolViolationError as error:
            await end.writer.send(ProtocolError(code=error.code, message=error.text()))
            continue
        if document is None:
            break
        await end.writer.send(Pong(nonce=str(document.get("nonce", ""))))
    await end.close(5)
asyncio.run(main())
print("done", file=sys.stderr)
"""
LINES = b'{"nonce":"1"}\n' + b"x" * 5000 + b'\n\xff\n{"nonce":"2"}\n{"nonce":"cut off'
EXPECTED = ["1", "line_too_long", "line_not_utf8", "2", "line_unfinished"]


def said(output: bytes) -> list[str]:
    documents = [json.loads(line) for line in output.split(b"\n")[:-1]]
    return [document.get("nonce", document.get("code")) for document in documents]


def agent(**streams: object) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", AGENT]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.run(command, timeout=50, check=True, **options)  # type: ignore[call-overload,no-any-return]


def test_only_messages_reach_stdout_and_prints_end_on_stderr() -> None:
    done = agent(input=LINES)
    assert said(done.stdout) == EXPECTED
    for printed in (b"a library prints", b"a C library prints", b"a child prints 0", b"done"):
        assert printed in done.stderr


def test_files_serve_as_well_as_pipes(tmp_path: Path) -> None:
    incoming, outgoing = tmp_path / "in", tmp_path / "out"
    incoming.write_bytes(LINES)
    with incoming.open("rb") as stdin, outgoing.open("wb") as stdout:
        agent(stdin=stdin, stdout=stdout)
    assert said(outgoing.read_bytes()) == EXPECTED


def test_an_agent_without_a_stderr_still_keeps_stdout_clean() -> None:
    again = f"os.execv(sys.executable, [sys.executable, '-c', {AGENT!r}])"
    script = f"import os,sys; os.close(2); {again}"
    done = subprocess.run(
        [sys.executable, "-c", script], input=LINES, stdout=subprocess.PIPE, timeout=50, check=False
    )
    assert said(done.stdout) == EXPECTED


def test_a_host_that_went_away_is_a_quiet_end() -> None:
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", AGENT.replace("PipeError,", "PipeClosedError, PipeError,")]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdout.close()
        child.stdin.close()
        assert child.wait(timeout=50) == 0


@pytest.mark.parametrize("module", ["asyncio", "json", "pydantic", "engine.pipe.framing"])
def test_the_capture_comes_before_every_other_import(module: str) -> None:
    code = f"import sys, engine.pipe.stdio; sys.exit({module!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=50).returncode == 0
