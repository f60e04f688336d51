"""Logs hold no secret, stay on one line, and never format what a page said."""

import json

import pytest

from sgclaw.logs import log_for, redact, start_logs


@pytest.mark.parametrize(
    ("key", "value"),
    [("password", "hunter2"), ("api_key", "x"), ("Authorization", "Bearer abc"), ("hmac", "00"),
     ("text", "use sk-abcdefghijklmnopqrstuv please"), ("url", "https://u:p@erp.example.com/"),
     ("note", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc"), ("key", "ff")],
)  # fmt: skip
def test_a_secret_is_struck_out_by_key_or_by_form(key: str, value: str) -> None:
    shown = json.dumps(redact({key: value}))
    assert "[redacted]" in shown
    assert "hunter2" not in shown
    assert "sk-abc" not in shown


def test_what_is_no_secret_stays() -> None:
    kept = {"selector": "#go", "input_tokens": 5, "month": "2026-03", "keyboard": "x"}
    assert redact(kept) == kept


def test_a_line_is_one_json_object_whatever_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    start_logs("sgclaw-20261129-0123456789abcdef")
    log_for("test")("page_said", text="{0} {event} %s \n <red>x</red>", level="INFO")
    [line] = capsys.readouterr().err.splitlines()
    row = json.loads(line)
    assert row["event"] == "page_said"
    assert row["data"]["text"] == "{0} {event} %s \n <red>x</red>"
    assert row["trace_id"] == "sgclaw-20261129-0123456789abcdef"


def test_rows_go_where_the_caller_takes_them_and_then_to_stderr_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows: list[dict[str, object]] = []
    start_logs("sgclaw-20261129-0123456789abcdef", take=rows.append)
    log_for("result")("picture_not_drawn", level="WARNING", password="hunter2", why="no chart")
    assert capsys.readouterr().err == ""
    assert [(row["module"], row["level"], row["data"]) for row in rows] == [
        ("result", "WARNING", {"password": "[redacted]", "why": "no chart"})
    ]
    start_logs("sgclaw-20261129-0123456789abcdef")
    log_for("result")("later")
    assert '"later"' in capsys.readouterr().err
    assert len(rows) == 1
