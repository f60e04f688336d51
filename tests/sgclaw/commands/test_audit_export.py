"""`sgclaw audit export` leaves a whole bundle at a new place, or nothing at all."""

import json
import os
import resource
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from sgclaw.audit_bundle_read import read_bundle
from sgclaw.clock import utc_now
from tests.sgclaw.bundle_lab import OTHER, TRACE, Runs, golden_rows, two_runs, verify
from tests.sgclaw.commands.conftest import Cli
from tests.support.ledger_lab import TraceLedger


@pytest.fixture
def data(tmp_path: Path) -> Path:
    two_runs(tmp_path / "data")
    return tmp_path / "data"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_bundle_is_written_and_its_key_is_told(cli: Cli, data: Path, tmp_path: Path) -> None:
    said = cli("audit", "export", str(tmp_path / "b"), "--trace", TRACE)
    assert (said.code, said.err) == (0, "")
    good = verify(tmp_path / "b")
    assert good.code == 0
    key = good.text.split()[-1]
    assert f"SHA-256 of the public key: {key}" in said.out
    assert "of other runs, as hashes alone" in said.out
    assert names(tmp_path) == ["b", "data"]
    modes = {path.stat().st_mode & 0o077 for path in (tmp_path / "b").rglob("*")}
    assert modes == {0}


def test_the_document_is_the_manifest(cli: Cli, data: Path, tmp_path: Path) -> None:
    said = cli("audit", "export", str(tmp_path / "b.zip"), "--trace", TRACE, "--json")
    assert said.code == 0
    assert said.document["manifest"] == read_bundle(tmp_path / "b.zip").manifest
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        assert archive.testzip() is None
        assert archive.namelist() == sorted(archive.namelist())
    assert (tmp_path / "b.zip").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("kind", ["file", "folder", "link", "zip"])
def test_what_is_there_is_not_touched(kind: str, cli: Cli, data: Path, tmp_path: Path) -> None:
    out = tmp_path / ("b.zip" if kind == "zip" else "b")
    if kind == "folder":
        out.mkdir()
    elif kind == "link":
        out.symlink_to("nowhere")
    else:
        out.write_text("mine")
    said = cli("audit", "export", str(out), "--trace", TRACE, "--json")
    assert (said.code, said.document["error"]["code"]) == (2, "export_exists")
    assert names(tmp_path) == sorted([out.name, "data"])
    assert not list(out.iterdir()) if kind == "folder" else True
    assert out.read_text() == "mine" if kind in ("file", "zip") else True


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--trace", "sgclaw-20261129-00000000000000aa"], "trace_unknown"),
        (["--trace", TRACE, "--trace", "../../etc/passwd"], "trace_malformed"),
        (["--since", "2031-01-01"], "export_empty"),
        (["--trace", TRACE, "--until", "2001-01-01"], "export_empty"),
        (["--since", "yesterday"], "export_time_malformed"),
        (["--until", "9999-12-31"], "export_time_malformed"),
        (["--content"], "export_content_needs_otlp"),
        (["--otlp", "http://127.0.0.1:1"], "export_nowhere"),
    ],
)
def test_a_choice_that_is_none_leaves_nothing(
    arguments: list[str], code: str, cli: Cli, data: Path, tmp_path: Path
) -> None:
    said = cli("audit", "export", str(tmp_path / "b"), *arguments, "--json")
    assert (said.code, said.document["error"]["code"]) == (2, code)
    assert names(tmp_path) == ["data"]


def test_an_export_to_nowhere_is_a_usage_error(cli: Cli) -> None:
    said = cli("audit", "export", "--json")
    assert (said.code, said.document["error"]["code"]) == (2, "export_nowhere")


def test_a_ledger_that_is_not_there_holds_no_run(cli: Cli, tmp_path: Path) -> None:
    said = cli("audit", "export", str(tmp_path / "b"), "--json")
    assert (said.code, said.document["error"]["code"]) == (2, "export_empty")
    assert names(tmp_path) == []


def test_a_period_chooses_whole_runs(cli: Cli, tmp_path: Path) -> None:
    runs = Runs(tmp_path / "data")
    for trace, day in ((TRACE, "2026-11-27"), (OTHER, "2026-11-28")):
        rows = golden_rows("approved", trace)
        at = f"{day}T23:59:59.999+00:00"
        runs.write(trace, [{**row, "at": at} for row in rows])
    runs.close()
    chosen = {
        ("2026-11-27", "2026-11-27"): [TRACE],
        ("2026-11-28", "2026-11-28"): [OTHER],
        ("2026-11-28T07:59:59.999+08:00", "2026-11-28"): [TRACE, OTHER],
        ("2026-11-28T08:00:00+08:00", "2026-11-28T23:59:59.999Z"): [],
    }
    for number, ((since, until), traces) in enumerate(chosen.items()):
        out = tmp_path / f"b{number}"
        said = cli("audit", "export", str(out), "--since", since, "--until", until, "--json")
        found = list(said.document["manifest"]["traces"]) if said.code == 0 else []
        assert found == traces
        assert not traces or verify(out).code == 0


def test_a_period_may_be_told_from_now_back_as_in_a_query(cli: Cli, tmp_path: Path) -> None:
    runs = Runs(tmp_path / "data")
    for trace, days in ((TRACE, 40), (OTHER, 3)):
        at = (utc_now() - timedelta(days=days)).isoformat(timespec="milliseconds")
        runs.write(trace, [{**row, "at": at} for row in golden_rows("approved", trace)])
    runs.close()
    for number, (option, back, trace) in enumerate(
        [("--since", "7d", OTHER), ("--until", "7d", TRACE), ("--until", "1w", TRACE)]
    ):
        out = str(tmp_path / f"b{number}")
        said = cli("audit", "export", out, option, back, "--json")
        assert (said.code, list(said.document["manifest"]["traces"])) == (0, [trace])


@pytest.mark.parametrize("out", ["none/b", "file/b", "none/b.zip"])
def test_a_folder_that_cannot_be_written_is_a_usage_error(
    out: str, cli: Cli, data: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine")
    said = cli("audit", "export", str(tmp_path / out), "--json")
    assert (said.code, said.document["error"]["code"]) == (2, "export_unwritable")
    assert names(tmp_path) == ["data", "file"]


@contextmanager
def disk_of(size: int) -> Iterator[None]:
    """Let no file get larger than *size* bytes in the block, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("name", ["b", "b.zip"])
def test_a_full_disk_leaves_nothing_half_made(
    name: str, cli: Cli, data: Path, tmp_path: Path
) -> None:
    # The picture is larger than this; the database's own small files are not.
    with disk_of(33_000):
        said = cli("audit", "export", str(tmp_path / name), "--json")
    assert (said.code, said.document["error"]["code"]) == (1, "export_unwritable")
    assert "too large" in said.err
    assert names(tmp_path) == ["data"]
    assert cli("audit", "export", str(tmp_path / name)).code == 0


def test_a_changed_ledger_is_refused_in_the_persons_language(
    cli: Cli, data: Path, tmp_path: Path
) -> None:
    TraceLedger(data, TRACE).tamper("UPDATE event SET seq = 99 WHERE position = 3")
    cli.env["SGCLAW_LANG"] = "zh-CN"
    said = cli("audit", "export", str(tmp_path / "b"))
    assert said.code == 4
    assert "未通过核验" in said.err
    assert names(tmp_path) == ["data"]


def test_a_link_in_the_place_of_a_log_is_not_followed(cli: Cli, data: Path, tmp_path: Path) -> None:
    log = data / "host" / f"{TRACE}.log"
    log.unlink()
    log.symlink_to(data / "keys" / "install.key")
    os.mkfifo(data / "host" / f"{TRACE}.jsonl")
    said = cli("audit", "export", str(tmp_path / "b"), "--trace", TRACE, "--json")
    assert said.code == 0
    assert said.document["manifest"]["missing"] == {
        f"host/{TRACE}.log": "unreadable", f"host/{TRACE}.jsonl": "unreadable",
    }  # fmt: skip
    assert not (tmp_path / "b" / "host").exists()
    assert verify(tmp_path / "b").code == 0


def test_heads_of_another_key_are_not_taken(cli: Cli, data: Path, tmp_path: Path) -> None:
    path = data / "host" / "heads.jsonl"
    lines = path.read_text().splitlines()
    first = json.loads(lines[0])
    first["signature"] = "0" * 128
    path.write_text("\n".join([json.dumps(first, separators=(",", ":")), *lines[1:]]) + "\n")
    said = cli("audit", "export", str(tmp_path / "b"), "--json")
    assert said.code == 4
    assert names(tmp_path) == ["data"]
