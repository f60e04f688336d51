"""The operation log has both sides in the seed's shape, and trusts no line of the agent."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from browser.host.host_log import MemoryHostLog, note_request
from sgclaw.operation_log import OperationLog
from states.wire import Command, CommandSecurity

TRACE = "sgclaw-20260303-a1b2c3d4"
AT = datetime(2026, 3, 3, 10, 23, 5, 123456, tzinfo=UTC)
KEYS = ["timestamp", "level", "trace_id", "module", "event", "data"]
AGENT_ROW = {
    "timestamp": "2026-03-03T18:23:05.123+08:00",
    "level": "WARNING",
    "trace_id": TRACE,
    "module": "task",
    "event": "step_completed",
    "data": {"step": 3, "action": "click", "success": True},
}


class Written:
    """An operation log, the rows it wrote, and the host's own lines beside them."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self.host = MemoryHostLog()
        self.log = OperationLog(self.host, TRACE, lambda: AT, self.rows.append)


def test_the_hosts_own_lines_are_rows_in_the_agents_shape() -> None:
    written = Written()
    written.log.note("CMD_EXEC: FAILED timeout (9ms)", seq=3, why="late")
    [row] = written.rows
    assert list(row) == KEYS
    assert row["timestamp"] == "2026-03-03T10:23:05.123+00:00"
    assert (row["level"], row["trace_id"], row["module"]) == ("WARNING", TRACE, "browser.host")
    assert row["data"] == {"seq": 3, "why": "late"}
    assert written.host.lines == ["CMD_EXEC: FAILED timeout (9ms) seq=3 why=late"]


def test_a_row_of_the_agent_is_taken_as_it_is_told() -> None:
    written = Written()
    written.log.agent_line(json.dumps(AGENT_ROW))
    assert written.rows == [AGENT_ROW]
    assert len(written.host.lines) == 1


def test_typed_text_is_its_length_and_the_other_parameters_are_told() -> None:
    written = Written()
    command = Command(
        seq=1,
        action="type",
        params={"selector": "#a", "text": "hunter2"},
        security=CommandSecurity(hmac="0" * 64, expected_domain="erp.example.com"),
    )
    note_request(written.log, command)
    assert written.rows[0]["data"]["params"] == {"selector": "#a", "text": "<7 chars>"}


def test_an_agent_speaks_for_no_other_trace_level_or_time() -> None:
    written = Written()
    forged = AGENT_ROW | {"trace_id": "sgclaw-20260303-ffffffff", "level": "GOD", "timestamp": "x"}
    written.log.agent_line(json.dumps(forged))
    [row] = written.rows
    assert (row["trace_id"], row["level"]) == (TRACE, "INFO")
    assert row["timestamp"].startswith("2026-03-03T10:23:05")


@pytest.mark.parametrize(
    "line", ["Traceback (most recent call last):", "[1]", "", '{"a":', "[" * 5_000, "\x1b[2J"]
)
def test_a_line_that_is_no_row_is_kept_as_text(line: str) -> None:
    written = Written()
    written.log.agent_line(line)
    [row] = written.rows
    assert list(row) == KEYS
    assert (row["module"], row["level"]) == ("agent.stderr", "WARNING")
    assert row["data"]["text"][:1] == line[:1].replace("\x1b", "\\")


@pytest.mark.parametrize(
    "data",
    [{"password": "hunter2"}, {"url": "https://a.example.com/?access_token=hunter2&page=1"},
     {"url": "https://u:hunter2@a.example.com/"}, {"x": {"y": ["token=hunter2"]}},
     {"hmac": "hunter2"}, {"https://a/?token=hunter2": 1}],
)  # fmt: skip
def test_a_secret_is_struck_whichever_side_tells_it(data: dict[str, Any]) -> None:
    written = Written()
    written.log.agent_line(json.dumps(AGENT_ROW | {"data": data}))
    written.log.note("NOTE", **data)
    written.log.agent_line("crash: " + json.dumps(data).replace('"password": ', "password="))
    assert "hunter2" not in json.dumps(written.rows)


def test_what_an_agent_says_is_bounded_in_depth_and_length() -> None:
    written = Written()
    deep: Any = "x" * 100_000
    for _ in range(200):
        deep = [deep]
    written.log.agent_line(json.dumps(AGENT_ROW | {"data": {"deep": deep, "long": "y" * 9_000}}))
    assert len(json.dumps(written.rows)) < 10_000


def test_closing_it_closes_the_hosts_own_log_and_a_late_line_is_still_taken() -> None:
    written = Written()
    written.log.close()
    written.log.agent_line("late")
    assert len(written.rows) == 1
