"""The folder of a run holds what happened, no secret, and nothing of an earlier run."""

import json
from pathlib import Path
from typing import Any

import pytest

from sgclaw.errors import UsageError
from sgclaw.result_folder import ResultFolder
from states.wire import CommandReport, TaskCompleted

TRACE = "sgclaw-20261129-0123456789abcdef"
SECRET = "sk-abcdefghijklmnopqrstuv"


def ended(**params: Any) -> TaskCompleted:
    command = CommandReport(seq=1, action="type", params=params, success=True)
    return TaskCompleted(trace_id=TRACE, state="completed", commands=(command,))


def written(folder: Path, completed: TaskCompleted) -> tuple[str, dict[str, Any]]:
    document = ResultFolder(folder / "out", folder / "data").write(completed, None, ())
    return (folder / "out" / "result.json").read_text(encoding="utf-8"), document


@pytest.mark.parametrize(
    "params",
    [
        {"selector": "#a", "text": f"use {SECRET}"},
        {"selector": "#a", "password": SECRET},
        {"url": f"https://me:{SECRET}@erp.example.com/"},
        {"value": {"deep": [{"token": SECRET}]}},
    ],
    ids=["by form", "by key", "in an address", "deep"],
)
def test_a_secret_of_a_command_is_struck_out(tmp_path: Path, params: dict[str, Any]) -> None:
    text, document = written(tmp_path, ended(**params))
    assert SECRET not in text
    assert "[redacted]" in text
    assert json.loads(text) == document


def test_what_is_no_secret_is_written_as_it_was(tmp_path: Path) -> None:
    params = {"selector": "#month", "text": "2026-03", "clear": True}
    text, _ = written(tmp_path, ended(**params))
    assert json.loads(text)["commands"][0]["params"] == params


def test_what_an_earlier_run_left_is_gone_and_what_is_the_persons_own_stays(
    tmp_path: Path,
) -> None:
    out = tmp_path / "out"
    (out / "downloads").mkdir(parents=True)
    for name in ("ledger.jsonl", "last_page.png", "downloads/old.csv", "downloads/mine.csv"):
        (out / name).write_text("old", encoding="utf-8")
    listed = [{"file": name} for name in ("downloads/old.csv", "../mine.txt", "downloads/../x")]
    (out / "result.json").write_text(json.dumps({"downloads": listed}), encoding="utf-8")
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    written(tmp_path, ended())
    assert sorted(path.name for path in out.iterdir()) == ["downloads", "result.json"]
    assert [path.name for path in (out / "downloads").iterdir()] == ["mine.csv"]
    assert (tmp_path / "mine.txt").exists()


def test_a_folder_that_no_run_made_loses_nothing(tmp_path: Path) -> None:
    downloads = tmp_path / "out" / "downloads"
    downloads.mkdir(parents=True)
    (downloads / "precious.txt").write_text("mine", encoding="utf-8")
    written(tmp_path, ended())
    assert (downloads / "precious.txt").read_text(encoding="utf-8") == "mine"


def test_the_ledger_is_copied_beside_the_result(tmp_path: Path) -> None:
    ledger = tmp_path / "data" / "ledger" / f"{TRACE}.jsonl"
    ledger.parent.mkdir(parents=True)
    ledger.write_text('{"seq":1}\n', encoding="utf-8")
    written(tmp_path, ended())
    assert (tmp_path / "out" / "ledger.jsonl").read_text(encoding="utf-8") == '{"seq":1}\n'


def test_a_folder_that_cannot_be_written_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="--out") as caught:
        ResultFolder(tmp_path / "file" / "out", tmp_path)
    assert caught.value.exit_code == 2
