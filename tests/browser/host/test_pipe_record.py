"""Each line of the pipe is recorded, both ways, and nothing that opens anything is in it."""

import hashlib
import json
import os
import sys
from datetime import UTC, datetime
from typing import Any

import pytest

from browser.host.agent_link import start_agent
from browser.host.pipe_record import FROM_AGENT, TO_AGENT, PipeRecord, content_of
from engine.pipe.errors import ProtocolViolationError
from engine.pipe.framing import encode_line
from states.policy import Policy
from states.settings import PipeLimits
from states.wire import (
    PROTOCOL_VERSION,
    Abort,
    Command,
    CommandSecurity,
    ConfirmResponse,
    Init,
    LedgerSpec,
    Mac,
    ProviderSpec,
    Response,
    WireError,
)

TRACE = "sgclaw-20260303-a1b2c3d4"
AT = datetime(2026, 3, 3, 10, 23, 5, 123456, tzinfo=UTC)
KEY, API_KEY, PROOF = "ab" * 32, "sk-abcdefghijklmnop", "cd" * 32
DB_WORD = "wordOfTheDatabase"
INIT = Init(
    protocol=PROTOCOL_VERSION,
    trace_id=TRACE,
    session_id="session-1",
    key=KEY,
    policy=Policy(version=1, hosts=()),
    provider=ProviderSpec(kind="claude", api_key=API_KEY),
    ledger=LedgerSpec(database=f"postgresql://me:{DB_WORD}@db.example.com/x"),
)
TYPE = Command(
    seq=3,
    action="type",
    params={"selector": "#a", "text": "hunter2"},
    security=CommandSecurity(hmac=PROOF, expected_domain="erp.example.com"),
)
ANSWER = Response(
    seq=3,
    success=False,
    data={"image_base64": "iVBOR" * 1_000, "url": "https://a.example.com/?token=hunter2&page=1"},
    error=WireError(code="timeout", message="too late"),
    security=Mac(hmac=PROOF),
)
AGENT = (
    "import json,os,sys\n"
    "init=json.loads(sys.stdin.buffer.readline())\n"
    "def say(**m): os.write(1, json.dumps(m).encode()+b'\\n')\n"
    "say(type='ready',protocol=init['protocol'],version='1',pid=os.getpid(),"
    "trace_id=init['trace_id'])\n"
    "os.write(1, b'{broken\\n' + b'x'*2_000_000 + b'\\n')\n"
    "say(type='command',seq=1,action='click')\n"
    "while sys.stdin.buffer.readline(): pass\n"
)


class Rows:
    """A record and what it wrote."""

    def __init__(self, *, content: bool = False) -> None:
        self.rows: list[Any] = []
        self.record = PipeRecord(TRACE, self.rows.append, lambda: AT, content=content)

    def both(self) -> None:
        """Record the three messages of one session."""
        self.record.went(encode_line(INIT))
        line = encode_line(TYPE).removesuffix(b"\n")
        self.record.came(line, json.loads(line))
        self.record.went(encode_line(ANSWER))


def test_a_row_tells_who_sent_what_how_large_and_how_long_it_took() -> None:
    rows = Rows()
    rows.both()
    _, command, answer = rows.rows
    line = encode_line(TYPE).removesuffix(b"\n")
    assert command == {
        "at": "2026-03-03T10:23:05.123+00:00",
        "trace_id": TRACE,
        "direction": FROM_AGENT,
        "type": "command",
        "seq": 3,
        "action": "type",
        "bytes": len(line),
        "sha256": hashlib.sha256(line).hexdigest(),
    }
    assert (answer["direction"], answer["type"], answer["seq"]) == (TO_AGENT, "response", 3)
    assert (answer["success"], answer["code"]) == (False, "timeout")
    assert 0 <= answer["duration_ms"] < 10_000


def test_what_a_message_says_is_left_out_unless_it_is_asked_for() -> None:
    rows = Rows()
    rows.both()
    assert "selector" not in json.dumps(rows.rows)
    asked = Rows(content=True)
    asked.both()
    assert asked.rows[1]["content"]["params"] == {"selector": "#a", "text": "<7 chars>"}
    assert asked.rows[2]["content"]["error"]["message"] == "too late"


@pytest.mark.parametrize("content", [False, True])
def test_no_key_proof_typed_text_or_picture_is_in_a_row(content: bool) -> None:
    rows = Rows(content=content)
    rows.both()
    said = json.dumps(rows.rows)
    secret = (KEY, API_KEY, PROOF, DB_WORD, "hunter2", "iVBORiVBOR")
    assert [word for word in secret if word in said] == []
    # The control: the lines themselves held each of them.
    sent = b"".join(encode_line(message) for message in (INIT, TYPE, ANSWER)).decode()
    assert all(word in sent for word in secret)


def test_a_decision_is_told_and_an_answer_to_nothing_has_no_duration() -> None:
    rows = Rows()
    answer = ConfirmResponse(
        seq=9, digest="", decision="rejected", approved_by="ask", security=Mac(hmac=PROOF)
    )
    rows.record.went(encode_line(answer))
    rows.record.went(encode_line(Abort(reason="stop")))
    assert rows.rows[0]["decision"] == "rejected"
    assert "duration_ms" not in rows.rows[0]
    assert (rows.rows[1]["type"], "seq" in rows.rows[1]) == ("abort", False)


def test_a_new_agent_that_counts_anew_does_not_inherit_a_wait() -> None:
    rows = Rows()
    rows.both()
    line = encode_line(TYPE)
    rows.record.came(line, json.loads(line))
    rows.record.went(encode_line(INIT))
    rows.record.went(encode_line(ANSWER))
    assert "duration_ms" not in rows.rows[-1]


@pytest.mark.parametrize(
    "document",
    [{}, {"type": 3, "seq": "1", "action": ["x"]}, {"type": "x" * 5_000, "error": "no"},
     {"type": "a\nb\x1b[2J", "action": "token=hunter2"}, {"type": "command", "seq": -(2**70)}],
)  # fmt: skip
def test_whatever_an_agent_sends_is_one_short_row(document: dict[str, Any]) -> None:
    rows = Rows()
    rows.record.came(b"x", document)
    [row] = rows.rows
    said = json.dumps(row)
    assert len(said) < 600
    assert "hunter2" not in said
    assert row["type"].isprintable()


def test_content_is_bounded_in_depth_and_length() -> None:
    deep: Any = "x"
    for _ in range(500):
        deep = {"a": deep}
    assert len(json.dumps(content_of({"deep": deep, "long": "y" * 100_000}))) < 5_000


async def test_a_real_pipe_is_recorded_line_by_line_and_passes_unchanged() -> None:
    rows = Rows()
    command = (sys.executable, "-c", AGENT)
    link = await start_agent(PipeLimits(), os.environ, print, command, rows.record)
    assert (await link.greet(INIT)).trace_id == TRACE
    for code in ("line_not_json", "line_too_long"):
        with pytest.raises(ProtocolViolationError) as raised:
            await link.reader.read_document()
        assert raised.value.code == code
    assert await link.reader.read_document() == {"type": "command", "seq": 1, "action": "click"}
    await link.close()
    told = [(row["direction"], row["type"], row.get("code", "")) for row in rows.rows]
    assert told == [
        (TO_AGENT, "init", ""),
        (FROM_AGENT, "ready", ""),
        (FROM_AGENT, "?", "line_not_json"),
        (FROM_AGENT, "?", "line_too_long"),
        (FROM_AGENT, "command", ""),
        (TO_AGENT, "shutdown", ""),
    ]
    sent = encode_line(INIT)
    assert rows.rows[0]["bytes"] == len(sent) - 1
    assert rows.rows[0]["sha256"] == hashlib.sha256(sent[:-1]).hexdigest()
    assert ["sha256" in row for row in rows.rows].count(False) == 1
