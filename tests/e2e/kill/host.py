"""The real host with one change: somebody dies at one point of the run. Many runs, one import.

`python -m tests.e2e.kill.host` reads one job a line and forks a host for each, since to import
the product anew for a hundred hosts takes a minute. It answers `{"id", "pid"}` when that host
lives and `{"id", "code"}` when it ended. A job is `{"id", "words", "env", "text", "blow"}`: what
`sgclaw` is called with, whole environment, the file for what it says, and what befalls it: `ledger
N VICTIM MARKER`, `skills FIRST STRIDE` and `full_ledger N` befall the agent (see there), `journal N
VICTIM MARKER` and `full_journal N` the host's own journal. Without one the host is the person's.
"""

import asyncio
import dataclasses
import json
import os
import select
import signal
import sys
import traceback
from collections.abc import Sequence
from typing import Any

from memory.ledger import JsonLinesLedger
from sgclaw.cli import build_parser
from sgclaw.cli import main as cli_main
from sgclaw.host_run import run_plan
from sgclaw.paths import host_journal_path
from sgclaw.printer import Printer
from sgclaw.run_plan import plan_of
from tests.e2e.kill.striking import striking, without_room

_OF_AGENT = {"ledger": "row", "skills": "skills", "full_ledger": "full"}
AGENT = "tests.e2e.kill.agent"
_PAUSE_S = 0.01


def struck(words: Sequence[str], blow: Sequence[str]) -> int:
    """Run the plan of *words* with a *blow* in it; return the exit code."""
    given = build_parser().parse_args(words)
    plan = plan_of(given)
    where, *rest = blow
    if where in _OF_AGENT:
        command = (sys.executable, "-m", AGENT, _OF_AGENT[where], *rest)
        plan = dataclasses.replace(plan, agent_command=command)
    else:
        journal = without_room(int(rest[0])) if where == "full_journal" else _journal(*rest)
        if plan.journal is not None:
            plan.journal.close()
        path = host_journal_path(plan.data_dir, plan.trace_id)
        plan = dataclasses.replace(plan, journal=journal(path))
    return asyncio.run(run_plan(plan, Printer(as_json=given.json)))


def _journal(numbers: str, victim: Any, marker: str) -> type[JsonLinesLedger]:
    return striking(numbers, victim, os.getpid, marker)


def serve() -> None:
    """Fork a host for each line of stdin until it ends."""
    hosts: dict[int, str] = {}
    is_open, rest = True, b""
    while is_open or hosts:
        if is_open and select.select([0], [], [], _PAUSE_S)[0]:
            read = os.read(0, 1_000_000)
            is_open = bool(read)
            *lines, rest = (rest + read).split(b"\n")
            for job in map(json.loads, lines):
                hosts[_forked(job)] = job["id"]
        pid, status = os.waitpid(-1, os.WNOHANG) if hosts else (0, 0)
        if pid in hosts:
            _say({"id": hosts.pop(pid), "code": os.waitstatus_to_exitcode(status)})


def _forked(job: dict[str, Any]) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(_host(job))
        except BaseException:  # noqa: BLE001 - a fork must not go on as its parent
            traceback.print_exc()
            sys.stderr.flush()
        os._exit(98)
    _say({"id": job["id"], "pid": pid})
    return pid


def _host(job: dict[str, Any]) -> int:
    os.setsid()
    said = os.open(job["text"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(said, 1)
    os.dup2(said, 2)
    os.closerange(3, said + 1)
    os.environ.clear()
    os.environ.update(job["env"])
    if not job["blow"]:
        return cli_main(job["words"])
    return struck(job["words"], job["blow"])


def _say(document: dict[str, Any]) -> None:
    os.write(1, json.dumps(document).encode() + b"\n")


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serve()
