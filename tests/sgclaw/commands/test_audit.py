"""`sgclaw audit show` tells one run in order: what was wanted, who approved, what refused."""

from pathlib import Path
from typing import Any

from browser.host.host_log import FileHostLog
from sgclaw.clock import utc_now
from sgclaw.paths import host_log_dir
from states.settings import PipeLimits
from states.wire import Command, ConfirmRequest
from tests.sgclaw.commands.conftest import Cli
from tests.sgclaw.task_stage import TRACE, Answer, Request, TaskStage, asks, call, done, says

OUTSIDE = call("navigate", {"url": "https://evil.test/"})
CLICK = call("click", {"selector": "#void"})
REPLIES = [OUTSIDE, CLICK, {"text": "已作废"}]


class AskingHost:
    """Wants a yes for the first command, and keeps the browser side's log."""

    def __init__(self, data: Path, decision: str) -> None:
        self._log = FileHostLog(host_log_dir(data), TRACE, utc_now, PipeLimits())
        self._decision: Any = decision
        self._asked = False

    def __call__(self, request: Request) -> Answer:
        if isinstance(request, ConfirmRequest):
            self._log.note(f"CONFIRM: {self._decision.upper()}", by="terminal")
            return says(request.seq, self._decision)
        if isinstance(request, Command) and not self._asked:
            self._asked = True
            return asks(request.seq)
        return done(request.seq, clicked=True)

    def close(self) -> None:
        self._log.close()


async def run(data: Path, decision: str = "approved") -> TaskStage:
    host = AskingHost(data, decision)
    stage = TaskStage(data, REPLIES, host)
    await stage.run()
    host.close()
    return stage


async def test_a_run_is_told_in_order_with_its_refusal_and_its_approval(
    cli: Cli, tmp_path: Path
) -> None:
    await run(tmp_path / "data")
    said = cli("audit", "show", TRACE)
    assert (said.code, said.err) == (0, "")
    story = [
        "submit_task -> planning",
        "navigate {'url': 'https://evil.test/'}",
        "[policy_allows: ",
        "click {'selector': '#void'}",
        "done.invoke.act -> confirm",
        "decision=approved approved_by=terminal",
        "done.invoke.think -> completed",
    ]
    found = [said.out.index(part) for part in story]
    assert found == sorted(found)
    refusal = next(line for line in said.out.splitlines() if "[policy_allows: " in line)
    assert "evil.test" in refusal.split("[policy_allows: ")[1]


async def test_a_no_is_told_and_approves_nothing(cli: Cli, tmp_path: Path) -> None:
    await run(tmp_path / "data", "rejected")
    said = cli("audit", "show", TRACE)
    assert "decision=rejected" in said.out
    assert "approved_by" not in said.out
    assert "-> completed" not in said.out


async def test_the_browser_sides_lines_stand_among_the_agents(cli: Cli, tmp_path: Path) -> None:
    await run(tmp_path / "data")
    rows = cli("audit", "show", TRACE, "--json").document
    assert [row["at"] for row in rows] == sorted(row["at"] for row in rows)
    [host] = [row for row in rows if row["side"] == "host"]
    assert host["text"] == "CONFIRM: APPROVED by=terminal"
    assert {row["side"] for row in rows} == {"agent", "host"}


async def test_the_document_holds_every_row_whole(cli: Cli, tmp_path: Path) -> None:
    stage = await run(tmp_path / "data")
    rows = cli("audit", "show", TRACE, "--json").document
    agent = [row["row"] for row in rows if row["side"] == "agent"]
    assert [row["seq"] for row in agent] == list(range(1, len(agent) + 1))
    assert len(agent) == len(stage.ledger.read_bytes().splitlines())
    refused = [
        verdict["reason"]
        for row in agent
        for verdict in row["verdicts"]
        if verdict["guard"] == "policy_allows" and not verdict["allowed"]
    ]
    assert refused == ["host_not_in_policy"]


async def test_a_copy_of_the_ledger_tells_the_same(cli: Cli, tmp_path: Path) -> None:
    stage = await run(tmp_path / "data")
    copied = cli("audit", "show", str(stage.ledger)).out.splitlines()
    whole = cli("audit", "show", TRACE).out.splitlines()
    assert copied == [line for line in whole if "  host   " not in line]


async def test_the_story_is_told_in_the_persons_language(cli: Cli, tmp_path: Path) -> None:
    await run(tmp_path / "data")
    cli.env["SGCLAW_LANG"] = "zh-CN"
    [refusal] = [
        line for line in cli("audit", "show", TRACE).out.splitlines() if "policy_allows: " in line
    ]
    assert "策略" in refusal


async def test_a_damaged_ledger_names_its_line(cli: Cli, tmp_path: Path) -> None:
    stage = await run(tmp_path / "data")
    lines = stage.ledger.read_bytes().splitlines()
    stage.ledger.write_bytes(b"\n".join([lines[0], b"{", *lines[2:]]) + b"\n")
    said = cli("audit", "show", TRACE, "--json")
    assert (said.code, said.document["error"]["code"]) == (4, "ledger_unreadable")
    assert "Line 2" in said.err


def test_an_unknown_run_and_a_name_that_is_none_are_usage_errors(cli: Cli) -> None:
    for trace, code in ((TRACE, "trace_unknown"), ("../../etc/passwd", "trace_malformed")):
        said = cli("audit", "show", trace, "--json")
        assert (said.code, said.document["error"]["code"]) == (2, code)
