"""What happens between two lives of agent and browser: nothing is lost, nothing is done twice."""

import contextlib
import http.server
import os
import re
import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.conftest import INVOICES, Desk, call
from tests.e2e.test_run_killed import kill, ledger_has, pids
from tests.support.ledger_lab import told_in, traces_in

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(180)]
GOES_ON = re.compile("a new one goes on")
FORM = (
    "<title>t</title><form action=/void><input type=hidden name=id value=7>"
    "<button id=void>作废 Void</button></form>"
)


def started(desk: Desk, *replies: dict[str, Any]) -> Any:
    """Start a task and return it once its first command is answered."""
    script = desk.script(INVOICES, {"delay_s": 4, "text": "late"}, *replies)
    child = desk.start("run", "--demo", "x", "--out", "out", "--provider", script)
    desk.until(lambda: ledger_has(desk, "done.invoke.observe"))
    return child


@pytest.mark.parametrize("victim", ["agent", "browser"])
def test_ctrl_c_while_another_one_starts_is_aborted(desk: Desk, victim: str) -> None:
    child = started(desk, {"text": "looked"})
    kill(desk, victim)
    for line in child.stdout:
        if GOES_ON.search(line):
            break
    os.kill(child.pid, signal.SIGINT)
    run = desk.finish(child)
    assert run.code == 3, run.stdout + run.stderr
    told = run.result
    assert (told["state"], told["reason"]) == ("aborted", "aborted")
    assert [c["action"] for c in told["commands"]] == ["navigate"]
    assert "planning" in told["path"]
    assert "Ctrl-C" in told["reason_text"]
    assert "--resume" not in run.stdout
    [journal] = (desk.folder / "data" / "host").glob("sgclaw-*.jsonl")
    assert '"kind":"ended","state":"aborted"' in journal.read_text(encoding="utf-8")


def test_both_killed_at_once_cost_one_restart(desk: Desk) -> None:
    desk.env["SGCLAW_TASK_RESTARTS_MAX"] = "1"
    child = started(desk, {"text": "looked"})
    for pid in [*pids(desk, "sgclaw", " agent"), *pids(desk, "--remote-debugging-pipe")]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    run = desk.finish(child)
    assert (run.code, len(GOES_ON.findall(run.stdout))) == (0, 1), run.stdout + run.stderr
    assert "the browser was killed; a new one goes on" in run.stdout


@contextlib.contextmanager
def company() -> Iterator[tuple[str, list[str]]]:
    """Serve a form whose approved click writes by GET; yield its address and what was written."""
    written: list[str] = []

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/void"):
                written.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(FORM.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", written
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("whole", ["browser", "host"])
def test_a_new_browser_does_not_repeat_an_approved_write_by_get(desk: Desk, whole: str) -> None:
    with company() as (address, written):
        port = address.rpartition(":")[2]
        rule = f"{{host: 127.0.0.1, scheme: http, port: {port}, allow: ['*']}}"
        desk.write("policy.yaml", f"version: 1\nhosts:\n  - {rule}\n")
        look = call("getText", {"selector": "body"}, expected_domain=f"127.0.0.1:{port}")
        script = desk.script(
            call("click", {"selector": "#void"}, expected_domain=f"127.0.0.1:{port}"),
            look, {"delay_s": 4, **look}, look, {"text": "looked"}, {"text": "looked"},
        )  # fmt: skip
        policy, yes = ("--policy", "policy.yaml"), ("--approve", desk.approvals("approve"))
        child = desk.start(
            "run", "void it", "--url", f"{address}/form", *policy,
            "--provider", script, *yes, "--out", "out",
        )  # fmt: skip
        data = desk.folder / "data"
        desk.until(lambda: [e for _, e in told_in(data)].count("done.invoke.observe") >= 2)
        assert written == ["/void?id=7"]  # the control: the click wrote
        if whole == "browser":
            kill(desk, "browser")
            run = desk.finish(child)
        else:
            os.kill(child.pid, signal.SIGKILL)
            desk.finish(child)
            [trace] = traces_in(data)
            run = desk.run("run", "--resume", trace, "--out", "out")
        assert run.code == 0, run.stdout + run.stderr
        assert f"goes on in a new browser, on {address}/form" in run.stdout
        assert written == ["/void?id=7"]
