"""A run arrives at a real server as spans that fit together, without a word of its content."""

import hashlib
import json
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from sgclaw.install import install_id
from sgclaw.otel import endpoint_of
from sgclaw.otel_spans import spans_of
from tests.sgclaw.bundle_lab import TRACE, Runs, golden_rows
from tests.sgclaw.commands.conftest import Cli
from tests.sgclaw.otlp_server import OtlpServer, facts_of, otlp_server

CANARY = "canary words of a person"


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Cli:
    return Cli(capsys, tmp_path / "data")


@pytest.fixture
def server() -> Iterator[OtlpServer]:
    with otlp_server() as started:
        yield started


def with_words(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return *rows* with the canary wherever a person, a page or a model speaks."""
    text = json.dumps(rows)
    for name in ("instruction", "text", "thinking", "page_text", "observation", "note", "title"):
        text = text.replace(f'"{name}": "', f'"{name}": "{CANARY} ')
    rows = json.loads(text)
    for row in rows:
        request = row["event"]["payload"].get("record", {}).get("request", {})
        if request.get("action"):
            request["params"]["value"] = CANARY
    return rows


@pytest.fixture
def ledger(tmp_path: Path) -> list[dict[str, Any]]:
    rows = with_words(golden_rows("approved", TRACE))
    runs = Runs(tmp_path / "data")
    runs.write(TRACE, rows)
    runs.close()
    return rows


def test_a_run_arrives_whole_with_names_parents_and_ids(
    cli: Cli, server: OtlpServer, ledger: list[dict[str, Any]], tmp_path: Path
) -> None:
    said = cli("audit", "export", "--otlp", server.url, "--trace", TRACE)
    assert (said.code, said.err) == (0, "")
    assert server.paths == ["/v1/traces"]
    spans = server.spans
    assert f"runs: 1, spans: {len(spans)}" in said.out
    assert Counter(span.name for span in spans) == {
        "invoke_agent sgclaw": 1, "plan sgclaw": 1, "chat": 4,
        "execute_tool browser_action": 4, "approval": 1,
    }  # fmt: skip
    whole = f"{install_id(tmp_path / 'data')}|{TRACE}".encode()
    assert {span.trace_id for span in spans} == {hashlib.sha256(whole).digest()[:16]}
    by_id = {span.span_id: span for span in spans}
    assert len(by_id) == len(spans)
    [root] = [span for span in spans if not span.parent_span_id]
    assert root.name == "invoke_agent sgclaw"
    above = Counter((span.name, by_id[span.parent_span_id].name) for span in spans if span != root)
    assert above["chat", "plan sgclaw"] == 1
    assert above["chat", "invoke_agent sgclaw"] == 3
    assert above["execute_tool browser_action", "invoke_agent sgclaw"] == 4
    for span in spans:
        within = (root.start_time_unix_nano, root.end_time_unix_nano)
        assert within[0] <= span.start_time_unix_nano <= span.end_time_unix_nano <= within[1]
    assert (root.start_time_unix_nano, root.end_time_unix_nano) == (ns(ledger[0]), ns(ledger[-1]))


def ns(row: dict[str, Any]) -> int:
    return round(datetime.fromisoformat(row["at"]).timestamp() * 1000) * 1_000_000


def test_attributes_are_those_of_the_genai_conventions(
    cli: Cli, server: OtlpServer, ledger: list[dict[str, Any]]
) -> None:
    cli("audit", "export", "--otlp", server.url, "--trace", TRACE)
    told = [(span.name, facts_of(span)) for span in server.spans]
    assert {facts["gen_ai.conversation.id"] for _, facts in told} == {TRACE}
    operations = {name: facts.get("gen_ai.operation.name") for name, facts in told}
    assert operations == {
        "invoke_agent sgclaw": "invoke_agent", "plan sgclaw": "plan", "chat": "chat",
        "execute_tool browser_action": "execute_tool", "approval": None,
    }  # fmt: skip
    [root] = [facts for name, facts in told if name.startswith("invoke")]
    assert (root["gen_ai.agent.name"], root["sgclaw.outcome"]) == ("sgclaw", "completed")
    tools = [facts for name, facts in told if name.startswith("execute_tool")]
    assert [facts["gen_ai.tool.call.id"] for facts in tools] == ["a", "b", "b", "c"]
    assert {facts["gen_ai.tool.name"] for facts in tools} == {"browser_action"}
    assert [facts["sgclaw.action"] for facts in tools] == ["getText", "click", "click", "getText"]
    assert [facts.get("sgclaw.approval.by") for facts in tools] == [None, None, "terminal", None]
    [approval] = [facts for name, facts in told if name == "approval"]
    assert approval["sgclaw.approval.decision"] == "approved"
    chats = [facts for name, facts in told if name == "chat"]
    usage = [facts["gen_ai.usage.input_tokens"] for facts in chats]
    assert usage == [turn["usage"]["input_tokens"] for turn in turns(ledger)]
    assert root["gen_ai.usage.input_tokens"] == sum(usage)
    assert all("error.type" not in facts for _, facts in told)


def turns(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    records = [row["event"]["payload"].get("record", {}) for row in rows]
    return [record["turn"] for record in records if record.get("turn")]


def test_no_content_is_sent_unless_it_is_asked_for(
    cli: Cli, server: OtlpServer, ledger: list[dict[str, Any]]
) -> None:
    assert CANARY in json.dumps(ledger)
    cli("audit", "export", "--otlp", server.url, "--trace", TRACE)
    assert CANARY.encode() not in b"".join(server.bodies)
    cli("audit", "export", "--otlp", server.url, "--trace", TRACE, "--content")
    held = [
        f"{s.name} {n}" for s in server.spans for n, v in facts_of(s).items() if CANARY in str(v)
    ]
    assert set(held) == {
        "invoke_agent sgclaw gen_ai.input.messages",
        "chat gen_ai.output.messages",
        "execute_tool browser_action gen_ai.tool.call.arguments",
        "execute_tool browser_action gen_ai.tool.call.result",
    }


def test_a_second_export_is_the_same(
    cli: Cli, server: OtlpServer, ledger: list[dict[str, Any]]
) -> None:
    for _ in range(2):
        assert cli("audit", "export", "--otlp", server.url, "--since", "2000-01-01").code == 0
    assert server.bodies[0] == server.bodies[1]


def test_a_command_of_a_skill_stands_below_it(tmp_path: Path) -> None:
    lines = (Path(__file__).parent / "skill_run.jsonl").read_text(encoding="utf-8").splitlines()
    spans = spans_of("i", TRACE, [json.loads(line) for line in lines], with_content=False)
    names = {span.span_id: span.name for span in spans}
    below = Counter((span.name, names.get(span.parent_id, "")) for span in spans)
    assert below["execute_tool run_skill", "invoke_agent sgclaw"] == 1
    assert below["execute_tool browser_action", "execute_tool run_skill"] == 2
    [skill] = [span for span in spans if span.name == "execute_tool run_skill"]
    assert skill.attributes["sgclaw.skill.name"] == "erp-monthly-report"


@pytest.mark.parametrize(
    ("name", "error", "kind"),
    [("looping", "failed", "invoke_agent sgclaw"), ("refused", "script_ended", "chat")],
)
def test_what_went_wrong_has_an_error_type(name: str, error: str, kind: str) -> None:
    spans = spans_of("i", TRACE, golden_rows(name, TRACE), with_content=False)
    wrong = [(span.name, span.attributes["error.type"]) for span in spans if span.error]
    assert (kind, error) in wrong


def test_rows_that_are_none_make_no_traceback() -> None:
    rows: list[dict[str, Any]] = [
        {}, {"at": 7, "event": [], "effects": [["start"], 3, ["start", "act", "act", 1, 2]]},
        {"at": "2026-11-29", "event": {"type": "done.invoke.act", "generation": 1, "payload": 0}},
        {"event": {"type": "done.invoke.think", "generation": 9}, "verdicts": [0, {}]},
    ]  # fmt: skip
    spans = spans_of("i", TRACE, rows, with_content=True)
    assert [span.name for span in spans] == ["invoke_agent sgclaw", "execute_tool act"]
    assert spans_of("i", TRACE, [], with_content=True) == []


def test_a_server_that_fails_is_one_sentence(
    cli: Cli, server: OtlpServer, ledger: list[dict[str, Any]]
) -> None:
    server.status = 400
    said = cli("audit", "export", "--otlp", server.url, "--trace", TRACE, "--json")
    assert (said.code, said.document["error"]["code"]) == (1, "otel_failed")
    assert "400" in said.err
    assert "Traceback" not in said.err
    server.status = 200
    assert cli("audit", "export", "--otlp", server.url, "--trace", TRACE).code == 0


def test_a_server_that_is_not_there_is_one_sentence(cli: Cli, ledger: list[dict[str, Any]]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        said = cli("audit", "export", "--otlp", url, "--trace", TRACE)
    assert said.code == 1
    assert said.err.count("\n") == 1
    assert url in said.err


def test_without_the_extra_the_command_says_what_to_install(
    ledger: list[dict[str, Any]], tmp_path: Path
) -> None:
    # As on a machine that lacks it: the program runs where the package cannot be found.
    program = (
        "import sys; from importlib.abc import MetaPathFinder\n"
        "class Absent(MetaPathFinder):\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'opentelemetry': raise ModuleNotFoundError('No module named ' + name)\n"
        "sys.meta_path.insert(0, Absent())\n"
        "from sgclaw.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    env = {"SGCLAW_DATA_DIR": str(tmp_path / "data"), "SGCLAW_LANG": "en", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", program, "audit", "export", "--otlp", "http://127.0.0.1:1"],
        env=env, capture_output=True, text=True, timeout=50, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "pip install 'sgclaw[otel]'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "url", ["", "file:///x", "127.0.0.1:4318", "http://", "http://h:x", "http://a b"]
)
def test_what_is_no_address_is_a_usage_error(url: str, cli: Cli, ledger: object) -> None:
    said = cli("audit", "export", "--otlp", url, "--trace", TRACE, "--json")
    assert (said.code, said.document["error"]["code"]) == (2, "otel_url")


def test_an_address_with_a_path_stays_as_it_is() -> None:
    assert (
        endpoint_of("http://h:4318") == endpoint_of("http://h:4318/") == "http://h:4318/v1/traces"
    )
    assert endpoint_of("https://h/api/public/otel/v1/traces").endswith("/api/public/otel/v1/traces")
