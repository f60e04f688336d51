"""The folder of a run holds what happened, no secret, and nothing of an earlier run."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from browser.host.downloads import Download
from sgclaw.errors import UsageError
from sgclaw.result_folder import ResultFolder
from states.messages import ModelReport, Usage
from states.wire import CommandReport, TaskCompleted
from tests.support.ledger_lab import TraceLedger

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


def test_tokens_and_costs_of_the_model_are_numbers_in_the_result(tmp_path: Path) -> None:
    usage = Usage(input_tokens=9, output_tokens=4, cache_read_tokens=3, cache_write_tokens=2,
                  thinking_tokens=1)  # fmt: skip
    report = ModelReport(provider="claude", model="m1", calls=2, failed_tries=1, duration_ms=5)
    text, _ = written(tmp_path, ended().model_copy(update={"usage": usage, "model": report}))
    document = json.loads(text)
    assert document["usage"] == usage.model_dump()
    assert document["model"] == report.model_dump()


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
    TraceLedger(tmp_path / "data", TRACE).write([{"kind": "note", "text": "中文"}])
    written(tmp_path, ended())
    copy = (tmp_path / "out" / "ledger.jsonl").read_text(encoding="utf-8")
    assert copy == '{"v":1,"seq":1,"kind":"note","text":"中文"}\n'


def test_a_ledger_that_was_changed_is_not_copied(tmp_path: Path) -> None:
    ledger = TraceLedger(tmp_path / "data", TRACE).write([{"kind": "note"}])
    ledger.tamper("UPDATE event SET text = '{}'")
    written(tmp_path, ended())
    assert not (tmp_path / "out" / "ledger.jsonl").exists()


def test_a_folder_that_cannot_be_written_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="--out") as caught:
        ResultFolder(tmp_path / "file" / "out", tmp_path)
    assert caught.value.exit_code == 2


def names_in(document: dict[str, Any]) -> list[str]:
    return [entry["file"] for entry in document["downloads"]]


def lying(out: Path, trace: str, *listed: str) -> Path:
    """Make the folder of an earlier life of *trace*, whose result lists *listed*."""
    downloads = out / "downloads"
    downloads.mkdir(parents=True)
    half = "0f8fad5b-d9cb-469f-a165-70867728950e"
    for name in ("report.csv", "other.csv", half, "page.crdownload"):
        (downloads / name).write_text("12", encoding="utf-8")
    if trace:
        entries = [{"file": f"downloads/{name}", "size": 2} for name in listed]
        told = {"trace_id": trace, "downloads": entries}
        (out / "result.json").write_text(json.dumps(told), encoding="utf-8")
    return out


@pytest.mark.parametrize("trace", [TRACE, ""], ids=["it told its end", "it was killed"])
def test_a_run_that_goes_on_keeps_and_lists_what_it_had_downloaded(
    tmp_path: Path, trace: str
) -> None:
    out = lying(tmp_path / "out", trace, "report.csv")
    folder = ResultFolder(out, tmp_path / "data", goes_on=TRACE)
    new = Download("new.csv", out / "downloads" / "new.csv", "", 3)
    document = folder.write(ended(), None, (new,))
    assert names_in(document) == [
        "downloads/other.csv", "downloads/report.csv", "downloads/new.csv"
    ]  # fmt: skip
    assert [d.name for d in folder.kept] == ["other.csv", "report.csv"]
    assert (out / "downloads" / "report.csv").exists()


def test_each_download_is_listed_with_the_hash_of_what_lies_there(tmp_path: Path) -> None:
    out = lying(tmp_path / "out", TRACE, "report.csv")
    folder = ResultFolder(out, tmp_path / "data", goes_on=TRACE)
    known = Download("new.csv", out / "downloads" / "new.csv", "", 3, "ab" * 32)
    taken = Download("taken.csv", out / "downloads" / "taken.csv", "", 3)
    document = folder.write(ended(), None, (known, taken))
    hashes = {entry["file"]: entry["sha256"] for entry in document["downloads"]}
    assert hashes["downloads/report.csv"] == hashlib.sha256(b"12").hexdigest()
    assert hashes["downloads/new.csv"] == "ab" * 32
    assert hashes["downloads/taken.csv"] is None


def test_what_was_only_found_there_is_never_removed(tmp_path: Path) -> None:
    out = lying(tmp_path / "out", TRACE, "report.csv")
    ResultFolder(out, tmp_path / "data", goes_on=TRACE).write(ended(), None, ())
    written(tmp_path, ended())  # another run, into the same folder
    assert not (out / "downloads" / "report.csv").exists()
    assert (out / "downloads" / "other.csv").exists()


def test_a_run_that_goes_on_does_not_take_over_what_another_run_left(tmp_path: Path) -> None:
    out = lying(tmp_path / "out", "sgclaw-20261129-ffffffff", "report.csv")
    document = ResultFolder(out, tmp_path / "data", goes_on=TRACE).write(ended(), None, ())
    assert names_in(document) == []
    assert not (out / "downloads" / "report.csv").exists()


def test_on_a_full_disk_the_summary_is_told_all_the_same(tmp_path: Path) -> None:
    code = (
        "import resource, signal, sys\nfrom pathlib import Path\n"
        "from sgclaw.result_folder import ResultFolder\n"
        "from tests.sgclaw.test_result_folder import ended\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "folder = ResultFolder(Path(sys.argv[1]) / 'out', Path(sys.argv[1]))\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (40, 40))\n"
        "document = folder.write(ended(text='x'), None, ())\n"
        "print(document['state'], '|', folder.failure)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "completed | File too large"
    assert not (tmp_path / "out" / "result.json").exists()


def test_with_room_on_the_disk_nothing_is_missing(tmp_path: Path) -> None:
    folder = ResultFolder(tmp_path / "out", tmp_path / "data")
    folder.write(ended(text="x"), b"png", ())
    assert folder.failure == ""
    assert sorted(p.name for p in folder.path.iterdir()) == ["last_page.png", "result.json"]
