"""A real model's run from the command line to the folder it leaves: words, work, cost, key (R3)."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Run
from tests.e2e.model_desk import CANARY, LOOK, VOID, ModelDesk, holders, model_desk
from tests.support.byte_server import refusal
from tests.support.model_lab import finish

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(120)]
PRICED = {"claude": "claude-sonnet-5-5", "openai": "gpt-5.5"}
END = finish("Invoice FP0001 is void.", 1, 2, cached=800)


@pytest.fixture(params=["claude", "openai"])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ModelDesk]:
    with model_desk(tmp_path, request.param) as desk:
        yield desk


@pytest.fixture
def claude(tmp_path: Path) -> Iterator[ModelDesk]:
    with model_desk(tmp_path, "claude") as desk:
        yield desk


def turns(run: Run) -> list[dict[str, Any]]:
    """Return the replies in the ledger of *run*."""
    payloads = [row["event"]["payload"] for row in run.ledger]
    return [p["record"]["turn"] for p in payloads if "turn" in p.get("record", {})]


def test_a_task_of_three_steps_is_told_done_and_counted(desk: ModelDesk) -> None:
    wire = desk.server.wire
    busy = refusal(529, {"error": {"type": "overloaded_error", "message": "busy now"}})
    desk.server.plays(busy, LOOK, VOID, END)
    words = desk.words("void invoice FP0001", "--approve", desk.approvals("approve"))
    run = desk.run(*words, "--model", PRICED[wire.provider])
    assert run.code == 0, run.stdout + run.stderr
    assert (run.result["answer"], run.result["citations"]) == ("Invoice FP0001 is void.", [1, 2])
    assert [c["approved_by"] for c in run.result["commands"]] == [None, "file"]
    assert "(HTTP 529: busy now); try again later.; try 1 failed, another in 0.05 s" in run.stdout
    assert "» I open the list." in run.stdout
    summary = (
        f"{wire.provider} {PRICED[wire.provider]}: 3 calls (1 tries failed), 3000 tokens in (800"
    )
    assert summary in run.stdout
    assert "150 out" in run.stdout
    assert run.result["usage"]["cache_read_tokens"] == 800
    assert run.result["usage"]["input_tokens"] == 3000
    report = run.result["model"]
    assert (report["provider"], report["calls"], report["failed_tries"]) == (wire.provider, 3, 1)
    assert f"${report['cost_microusd'] / 1e6:.4f}" in run.stdout
    assert report["cost_microusd"] > 0
    assert [turn["usage"]["cache_read_tokens"] for turn in turns(run)] == [0, 0, 800]
    assert all(t["report"]["provider"] == wire.provider for t in turns(run))
    assert all(t["report"]["duration_ms"] >= t["report"]["first_token_ms"] > 0 for t in turns(run))
    [tried] = [
        row["event"]["payload"] for row in run.ledger if row["event"]["type"] == "model_tried"
    ]
    assert tried["kind"] == "overload"
    assert (tried["record"]["number"], tried["record"]["wait_ms"]) == (1, 50)
    _prefix_is_stable(desk)
    replay = desk.run("chart", "replay", run.result["trace_id"])
    assert (replay.code, "Identical" in replay.stdout) == (0, True), replay.stdout + replay.stderr
    picture = (run.out / "lifecycle.svg").read_text(encoding="utf-8")
    assert picture.count(run.result["trace_id"]) == 1


def _prefix_is_stable(desk: ModelDesk) -> None:
    """Check that system text and tools are the same bytes in each request."""
    bodies = [request.json for request in desk.server.requests]
    heads = {json.dumps([b.get("system") or b["messages"][0], b["tools"]]) for b in bodies}
    assert len(heads) == 1


def test_words_come_before_the_reply_ends_and_the_key_stays_in_one_header(desk: ModelDesk) -> None:
    """Not even where the whole pipe is written down is the key of the agent's init line."""
    desk.env |= {"SGCLAW_AUDIT_PIPE_CONTENT": "true", "SGCLAW_DEBUG": "1"}
    echo = {"error": {"type": "overloaded_error", "message": f"busy, {CANARY}"}}
    desk.server.plays(refusal(503, echo), desk.server.holds(LOOK), finish("Looked.", 1))
    child = desk.begin("look")
    assert child.stdout is not None
    assert child.stderr is not None
    said = ""
    while "» I open the list." not in said:
        said += child.stdout.readline()
    # The reply has not ended: no row holds it, and its last bytes are not sent yet.
    assert not desk.told("done.invoke.plan")
    agent, others = _processes(desk, child.pid)
    desk.server.opened.set()
    rest = child.stdout.read()
    said += rest + child.stderr.read()
    child.stdout.close()
    child.stderr.close()
    assert child.wait(60) == 0, said
    assert "» I open the list." not in rest
    assert CANARY not in agent
    assert CANARY not in others
    assert CANARY not in said
    assert holders(desk.folder, CANARY) == []
    # The same search finds what is there.
    assert "result.json" in holders(desk.folder, "test-model")
    assert holders(desk.folder, '"type":"init"') == ["pipe.jsonl"]
    for request in desk.server.requests:
        assert request.headers["authorization"] == f"Bearer {CANARY}"
        assert CANARY.encode() not in request.body
        assert sum(CANARY in value for _, value in request.header_lines) == 1
        assert CANARY not in request.line


def _processes(desk: ModelDesk, host: int) -> tuple[str, str]:
    """Return environment and arguments of the agent, and the arguments of all others."""
    agents, others = "", ""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().decode("utf-8", "replace")
            environ = (entry / "environ").read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        if f"SGCLAW_DATA_DIR={desk.folder}" not in environ and str(desk.folder) not in words:
            continue
        others += words
        if words.rstrip("\0").endswith("\0agent"):
            agents += environ + words
        elif int(entry.name) not in (host, os.getpid()):
            others += environ
    assert agents
    return agents, others


def test_a_chinese_task_has_a_chinese_prompt_and_a_chinese_summary(claude: ModelDesk) -> None:
    desk = claude
    desk.env["SGCLAW_LANG"] = "zh-CN"
    desk.server.plays(LOOK, finish("已查看发票列表。", 1, cached=500))
    run = desk.ask("查看发票列表")
    assert run.code == 0, run.stdout + run.stderr
    assert "已查看发票列表。" in run.stdout
    assert "输入 2000 " in run.stdout
    assert "缓存" in run.stdout
    system = desk.server.requests[-1].json["system"][0]["text"]
    assert "工具" in system
    assert "页面" in system
    assert "第 1 步" in desk.server.said_to_it() or "步骤 1" in desk.server.said_to_it()
