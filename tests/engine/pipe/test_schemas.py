"""docs/protocol says what the wire models say, and its example session is real."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from engine.pipe.envelope import Envelope
from engine.pipe.framing import decode_line
from engine.pipe.parse import parse_agent_message, parse_host_message
from engine.pipe.schemas import main, schema_files, stale_files, write_files
from states.digest import digest_of
from states.policy import Target
from states.settings import PipeLimits

DOCS = Path(__file__).parents[3] / "docs" / "protocol"
COMMAND: dict[str, Any] = {
    "type": "command",
    "seq": 1,
    "action": "click",
    "params": {"selector": "#go"},
    "security": {"hmac": "0" * 64, "expected_domain": "erp.example.com"},
}


def session() -> list[tuple[str, dict[str, Any]]]:
    """Return (who, message) of the README's example."""
    text = (DOCS / "README.md").read_text("utf-8").split("## One session")[1]
    lines = [line for line in text.split("\n") if line.startswith(("host  → ", "agent → "))]
    limits = PipeLimits()
    return [(line[:5].strip(), decode_line(line[8:].encode(), limits, 10_000)) for line in lines]


def test_no_schema_is_stale() -> None:
    assert stale_files(DOCS) == []


def test_every_message_and_every_action_has_a_schema() -> None:
    names = schema_files().keys()
    assert sum(name.startswith("host-to-agent/") for name in names) == 8
    assert sum(name.startswith("agent-to-host/") for name in names) == 10
    assert sum(name.startswith("params/") for name in names) == 14


@pytest.mark.parametrize(
    "change", [{"extra": 1}, {"seq": 0}, {"seq": "1"}, {"type": "run"}, {"security": {}}]
)
def test_the_schema_of_a_command_refuses_what_the_model_refuses(change: dict[str, Any]) -> None:
    schema = json.loads(schema_files()["agent-to-host/command.json"])
    jsonschema.validate(COMMAND, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**COMMAND, **change}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({k: v for k, v in COMMAND.items() if k != "type"}, schema)


def test_a_stale_a_missing_and_a_left_over_file_are_named_and_written_anew(tmp_path: Path) -> None:
    write_files(tmp_path)
    assert main(["--check", str(tmp_path)]) == 0
    (tmp_path / "params" / "click.json").write_text("{}", "utf-8")
    (tmp_path / "params" / "type.json").unlink()
    (tmp_path / "params" / "fly.json").write_text("{}", "utf-8")
    assert stale_files(tmp_path) == ["params/click.json", "params/fly.json", "params/type.json"]
    assert main(["--check", str(tmp_path)]) == 1
    assert main([str(tmp_path)]) == 0
    assert main(["--check", str(tmp_path)]) == 0
    assert main([]) == 2


def test_the_example_session_is_real() -> None:
    lines = session()
    first = lines[0][1]
    key = bytes.fromhex(first["key"])
    requests = Envelope(key, first["session_id"], "agent>host")
    answers = Envelope(key, first["session_id"], "host>agent")
    proved = 0
    for who, document in lines:
        (parse_agent_message if who == "agent" else parse_host_message)(document)
        if "security" in document:
            proved += 1
            if who == "agent":
                requests.verify(document)
            else:
                answers.verify_answer(document, requests.seq.last)
    assert (len(lines), proved) == (14, 8)


def test_the_digest_of_the_example_is_the_one_the_host_computes() -> None:
    by_type = {document["type"]: document for _, document in session()}
    asked = by_type["confirmation_required"]
    params = {"selector": "#void", "timeout_ms": 10_000}
    page = by_type["response"]["page"]
    digest = digest_of(
        "click",
        params,
        page["origin"],
        page["document_id"],
        Target.model_validate(asked["target"]),
        by_type["init"]["trace_id"],
    )
    assert asked["digest"] == by_type["confirm_request"]["digest"] == digest
