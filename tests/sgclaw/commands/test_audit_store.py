"""`sgclaw audit prune|archive|size`: what is due goes, is told, and the rest verifies."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory.segments import segments_of
from sgclaw.install import heads_path, install_id
from sgclaw.log_files import log_dir
from sgclaw.paths import host_log_dir, ledger_lock_path
from tests.sgclaw.commands.conftest import Cli
from tests.sgclaw.commands.kept_folder import Kept
from tests.support.postgres import shared_cluster
from tests.support.segment_lab import trace_of


@pytest.fixture
def kept(cli: Cli) -> Kept:
    return Kept(cli)


@pytest.fixture(params=["sqlite", "postgresql"])
def anywhere(request: pytest.FixtureRequest, cli: Cli) -> Iterator[Kept]:
    if request.param == "sqlite":
        yield Kept(cli)
        return
    with shared_cluster().database() as url:
        yield Kept(cli, url)


def test_archived_segments_past_their_days_go_and_the_rest_verifies(
    cli: Cli, anywhere: Kept
) -> None:
    old, young = anywhere.task(99), anywhere.task(0.5)
    assert cli("audit", "archive").code == 0
    said = cli("audit", "prune", "--json")
    assert (said.code, said.err) == (0, "")
    assert anywhere.seqs(old) == []
    assert anywhere.seqs(young) == [1, 2, 3, 4, 5]
    assert anywhere.states() == ["dropped", "dropped"]
    assert [s["last_position"] for s in said.document["gone"]["segments"]] == [2, 3]
    assert anywhere.verifies()


def test_a_prune_is_told_in_the_ledger_before_and_after(cli: Cli, kept: Kept) -> None:
    kept.task(99)
    kept.task(0.5)
    cli("audit", "archive")
    trace = cli("audit", "prune", "--json").document["trace_id"]
    before, after = kept.told(trace)
    assert (before["kind"], after["kind"]) == ("pruning", "pruned")
    said = after["event"]["payload"]
    assert said["by"]
    with kept.store() as store:
        hashes = {segment.last_hash for segment in segments_of(store, kept.install)}
    assert {segment["last_hash"] for segment in said["segments"]} == hashes
    assert {segment["state"] for segment in said["segments"]} == {"dropped"}
    assert heads_path(kept.data).read_text(encoding="ascii").count(trace) == 1


def test_the_story_of_a_prune_misses_no_browser_side(cli: Cli, kept: Kept) -> None:
    kept.task(99)
    kept.task(0.5)
    cli("audit", "archive")
    trace = cli("audit", "prune", "--json").document["trace_id"]
    said = cli("audit", "show", trace)
    assert (said.code, "!" in said.out) == (0, False)
    assert "a prune of the ledger, no task" in said.out
    assert "is about to drop: segments 2 (events model 1-2, operation 1-3), files 0" in said.out
    assert "dropped by " in said.out
    assert cli("audit", "show", trace, "--json").document["findings"] == []


def test_the_story_of_a_prune_that_was_killed_says_so(cli: Cli, kept: Kept) -> None:
    kept.task(99)
    kept.task(0.5)
    cli("audit", "archive")
    before = kept.told(cli("audit", "prune", "--json").document["trace_id"])[0]
    copy = kept.data.parent / "killed.jsonl"
    copy.write_text(json.dumps(before) + "\n", encoding="utf-8")
    said = cli("audit", "show", str(copy))
    assert said.code == 1
    assert "  ! The prune did not tell what went" in said.out


def test_with_nothing_to_archive_it_says_when_there_will_be(cli: Cli, kept: Kept) -> None:
    kept.task(0.5)
    said = cli("audit", "archive")
    assert (said.code, said.out.count("\n")) == (0, 1)
    assert "One closes at 10000 events or 24 hours" in said.out


def test_a_dry_run_says_the_same_and_changes_nothing(cli: Cli, kept: Kept) -> None:
    old = kept.task(99)
    kept.task(0.5)
    files = kept.host(old, 40)
    said = cli("audit", "prune", "--dry-run", "--without-archive", "--json").document
    assert kept.seqs(old) == [1, 2, 3, 4, 5]
    assert kept.states() == []
    assert all(path.exists() for path in files)
    done = cli("audit", "prune", "--without-archive", "--json").document
    for of in ("operation", "pipe", "model"):
        assert said["classes"][of] == done["classes"][of]
    assert (said["trace_id"], len(said["would_go"]["files"])) == ("", 2)
    assert not any(path.exists() for path in files)


def test_what_was_not_archived_stays_and_is_told(cli: Cli, kept: Kept) -> None:
    old = kept.task(99)
    kept.task(0.5)
    said = cli("audit", "prune")
    assert said.code == 0
    assert "1 not archived yet" in said.out
    assert kept.seqs(old) == [1, 2, 3, 4, 5]
    cli("audit", "prune", "--without-archive")
    assert kept.seqs(old) == []
    assert kept.verifies()


def test_the_long_profile_keeps_more_than_half_a_year(cli: Cli, kept: Kept) -> None:
    older, old = kept.task(190), kept.task(179)
    kept.task(0.5)
    cli("audit", "prune", "--without-archive", "--profile", "long")
    assert (kept.seqs(older), kept.seqs(old)) == ([], [1, 2, 3, 4, 5])
    cli.env["SGCLAW_AUDIT_RETENTION_PROFILE"] = "long"
    cli("audit", "prune", "--without-archive")
    assert kept.seqs(old) == [1, 2, 3, 4, 5]


def test_days_of_one_class_can_be_set(cli: Cli, kept: Kept) -> None:
    old = kept.task(50)
    kept.task(0.5)
    cli.env["SGCLAW_AUDIT_MODEL_DAYS"] = "30"
    cli("audit", "prune", "--without-archive")
    assert kept.seqs(old) == [1, 3, 4]
    assert kept.verifies()
    cli.env["SGCLAW_AUDIT_OPERATION_DAYS"] = "40"
    cli("audit", "prune", "--without-archive")
    assert kept.seqs(old) == []
    assert kept.verifies()


def test_a_prune_tells_of_what_was_gone_before_it(cli: Cli, kept: Kept) -> None:
    kept.task(50)
    kept.task(0.5)
    cli.env["SGCLAW_AUDIT_MODEL_DAYS"] = "30"
    cli("audit", "prune", "--without-archive")
    cli.env["SGCLAW_AUDIT_OPERATION_DAYS"] = "40"
    trace = cli("audit", "prune", "--without-archive", "--json").document["trace_id"]
    payload = kept.told(trace)[0]["event"]["payload"]
    assert [(s["stream"], s["state"]) for s in payload["dropped"]] == [("model", "dropped")]
    assert [s["stream"] for s in payload["segments"]] == ["operation"]


def test_pruning_twice_does_nothing_the_second_time(cli: Cli, kept: Kept) -> None:
    kept.task(99)
    kept.task(0.5)
    first = cli("audit", "prune", "--without-archive", "--json").document
    second = cli("audit", "prune", "--without-archive", "--json").document
    assert (len(first["gone"]["segments"]), second["gone"]["segments"]) == (2, [])
    assert second["trace_id"] == ""


def test_nothing_of_what_was_dropped_is_left_in_the_file(cli: Cli, kept: Kept) -> None:
    kept.task(99, noise="an old secret ")
    kept.task(0.5)
    database = kept.data / "ledger" / "ledger.db"
    assert b"an old secret" in database.read_bytes()
    cli("audit", "prune", "--without-archive")
    assert b"an old secret" not in database.read_bytes()


def test_the_room_is_given_back_when_it_is_said(cli: Cli, kept: Kept) -> None:
    kept.task(99, noise="much " * 50_000)
    kept.task(0.5)
    database = kept.data / "ledger" / "ledger.db"
    before = database.stat().st_size
    assert cli("audit", "prune", "--without-archive", "--compact").code == 0
    assert database.stat().st_size < before / 5
    assert kept.verifies()


def test_local_files_go_after_their_days_and_no_others(cli: Cli, kept: Kept) -> None:
    kept.task(0.5)
    logs, host = log_dir(kept.data), host_log_dir(kept.data)
    gone = [
        kept.file(logs / "pipe-20260101-000000-1.jsonl", 31),
        kept.file(logs / "operation-20260101-000000-1.jsonl", 91),
        kept.file(logs / "pipe.jsonl", 31),
        *kept.host(trace_of(77), 31),
        kept.file(ledger_lock_path(kept.data, trace_of(77)), 91),
    ]
    stays = [
        kept.file(logs / "pipe-20260101-000000-2.jsonl", 29),
        kept.file(logs / "operation-20260101-000000-2.jsonl", 89),
        kept.file(logs / "notes.txt", 999),
        kept.file(host / "notes.log", 999),
        kept.file(heads_path(kept.data).with_name("heads.old"), 999),
        kept.file(ledger_lock_path(kept.data, trace_of(1)), 91),
        *kept.host(trace_of(78), 29),
    ]
    link = host / f"{trace_of(79)}.log"
    link.symlink_to(stays[2])
    said = cli("audit", "prune", "--json").document
    assert [path.name for path in gone if path.exists()] == []
    assert [path.name for path in stays if not path.exists()] == []
    assert link.is_symlink()
    assert {file["path"] for file in said["gone"]["files"]} == {str(path) for path in gone}
    assert kept.told(said["trace_id"])[1]["event"]["payload"]["files_total"] == len(gone)


def test_files_without_a_ledger_go_too_and_are_told(cli: Cli, kept: Kept) -> None:
    old, young = kept.host(trace_of(1), 40), kept.host(trace_of(2), 1)
    trace = cli("audit", "prune", "--json").document["trace_id"]
    assert not any(path.exists() for path in old)
    assert all(path.exists() for path in young)
    kept.install = install_id(kept.data)
    assert [row["kind"] for row in kept.told(trace)] == ["pruning", "pruned"]


def test_archives_go_after_their_own_days_when_it_is_said(cli: Cli, kept: Kept) -> None:
    kept.task(999)
    kept.task(99)
    kept.task(0.5)
    cli("audit", "archive")
    cli("audit", "prune")
    cli.env["SGCLAW_AUDIT_ARCHIVE_DAYS"] = "500"
    assert cli("audit", "prune", "--json").document["gone"]["archives"] == []
    names = {path.name for path in (kept.data / "archive").iterdir()}
    assert len(names) == 4
    said = cli("audit", "prune", "--archives")
    assert "archives: days kept 500. Gone: 2." in said.out
    left = {path.name for path in (kept.data / "archive").iterdir()}
    assert left == {"operation-2.jsonl.gz", "model-2.jsonl.gz"}
    assert kept.verifies()
    assert cli("audit", "prune", "--archives", "--json").document["trace_id"] == ""


def test_archives_can_be_kept_elsewhere(cli: Cli, kept: Kept, tmp_path: Path) -> None:
    kept.task(99)
    kept.task(0.5)
    folder = tmp_path / "elsewhere"
    said = cli("audit", "archive", "--to", str(folder), "--json")
    assert len(said.document["archived"]) == len(list(folder.iterdir())) == 2
    assert cli("audit", "prune").code == 0
    assert kept.states() == ["dropped", "dropped"]


def test_the_size_of_everything_is_told(cli: Cli, anywhere: Kept) -> None:
    old = anywhere.task(99)
    anywhere.task(0.5)
    anywhere.host(old, 40)
    cli("audit", "archive")
    said = cli("audit", "size", "--json").document
    assert said["database"]["events"] == 10
    assert said["database"]["bytes_per_1000_events"] == (
        (said["database"]["bytes"] + said["database"]["wal_bytes"]) * 100
    )
    streams = {s["stream"]: (s["events"], s["segments"]) for s in said["streams"]}
    assert streams == {"operation": (6, {"archived": 1}), "model": (4, {"archived": 1})}
    assert all(s["oldest"] < s["newest"] and s["bytes"] > 500 for s in said["streams"])
    assert said["files"]["pipe"] == {"files": 2, "bytes": 20}
    assert said["files"]["archives"]["files"] == 2
    assert said["files"]["archives"]["bytes"] > 500
    assert "bytes per 1,000 events" in cli("audit", "size").out
