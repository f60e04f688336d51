"""`sgclaw audit prune` and `archive` drop nothing in doubt, and go on with what was cut off."""

import os
from pathlib import Path

import pytest

from sgclaw.install import heads_path
from sgclaw.log_files import log_dir
from sgclaw.paths import ledger_lock_path
from tests.sgclaw.commands.conftest import Cli
from tests.sgclaw.commands.kept_folder import Kept, held
from tests.support.segment_lab import files_of_at_most


@pytest.fixture
def kept(cli: Cli) -> Kept:
    return Kept(cli)


@pytest.mark.parametrize("verb", ["prune", "archive", "size"])
def test_without_a_ledger_there_is_nothing_to_do_and_nothing_is_made(
    cli: Cli, kept: Kept, verb: str
) -> None:
    assert cli("audit", verb).code == 0
    assert cli("audit", verb, "--json").code == 0
    assert not kept.data.exists()


def test_two_prunes_at_once_are_one(cli: Cli, kept: Kept) -> None:
    old = kept.task(99)
    kept.task(0.5)
    with held(kept.data / "ledger" / "upkeep.lock"):
        for verb in ("prune", "archive"):
            said = cli("audit", verb)
            assert (said.code, said.out) == (4, "")
            assert "Another prune" in said.err
    assert kept.seqs(old) == [1, 2, 3, 4, 5]
    assert cli("audit", "prune", "--without-archive").code == 0
    assert kept.seqs(old) == []


def test_a_prune_that_was_killed_is_gone_on_with_and_told(cli: Cli, kept: Kept) -> None:
    old = kept.task(99)
    kept.task(0.5)
    cli("audit", "archive")
    with kept.store() as store:
        half = "stream = 'operation' AND number = 1"
        store.run(f"UPDATE segment SET state = 'dropping' WHERE {half}")  # noqa: S608 - ours
        store.run("DELETE FROM event WHERE stream = 'operation' AND position = 1")
    trace = cli("audit", "prune", "--profile", "long", "--json").document["trace_id"]
    assert kept.seqs(old) == [2, 5]
    [segment] = kept.told(trace)[1]["event"]["payload"]["segments"]
    assert (segment["stream"], segment["state"]) == ("operation", "dropped")
    assert kept.verifies()


def test_a_prune_that_was_killed_before_it_told_is_told_by_the_next(cli: Cli, kept: Kept) -> None:
    kept.task(99)
    kept.task(0.5)
    trace = cli("audit", "prune", "--without-archive", "--json").document["trace_id"]
    with kept.store() as store:
        store.run("DROP TRIGGER event_is_kept")
        store.run("DELETE FROM event WHERE kind = 'pruned'")
    lines = heads_path(kept.data).read_text(encoding="ascii").splitlines(keepends=True)
    heads_path(kept.data).write_text("".join(lines[:-1]), encoding="ascii")
    assert cli("audit", "prune").code == 0
    told = kept.told(trace)
    assert [row["kind"] for row in told] == ["pruning", "pruned"]
    said = told[1]["event"]["payload"]
    assert said["cut_off"] is True
    assert [segment["state"] for segment in said["segments"]] == ["dropped", "dropped"]
    assert kept.verifies()
    cli("audit", "prune")
    assert len(kept.told(trace)) == 2


@pytest.mark.parametrize("line", [0, 1, 2, 3], ids=["used", "used too", "last", "last too"])
def test_a_forged_head_stops_the_prune(cli: Cli, kept: Kept, line: int) -> None:
    old = kept.task(99)
    kept.task(0.5)
    path = heads_path(kept.data)
    good = path.read_text(encoding="ascii")
    lines = good.splitlines(keepends=True)
    lines[line] = lines[line].replace('"at":"2', '"at":"3')
    path.write_text("".join(lines), encoding="ascii")
    said = cli("audit", "prune", "--without-archive", "--json")
    assert (said.code, said.document["error"]["code"]) == (4, "ledger_head_forged")
    assert len(kept.seqs(old)) == 5
    path.write_text(good, encoding="ascii")
    assert cli("audit", "prune", "--without-archive").code == 0
    assert kept.seqs(old) == []


def test_a_line_that_is_no_head_stops_the_prune_but_not_a_torn_one(cli: Cli, kept: Kept) -> None:
    old = kept.task(99)
    kept.task(0.5)
    path = heads_path(kept.data)
    good = path.read_text(encoding="ascii")
    for wrong in ("{}\n" + good, good + "nothing\n"):
        path.write_text(wrong, encoding="ascii")
        said = cli("audit", "prune", "--without-archive", "--json")
        assert (said.code, said.document["error"]["code"]) == (4, "ledger_head_damaged")
    path.unlink()
    path.symlink_to("elsewhere")
    assert cli("audit", "prune", "--without-archive").code == 4
    path.unlink()
    assert len(kept.seqs(old)) == 5
    path.write_text(good + '{"install_id"', encoding="ascii")
    assert cli("audit", "prune", "--without-archive").code == 0
    assert kept.seqs(old) == []


def test_an_archive_that_was_changed_stops_the_whole_prune(cli: Cli, kept: Kept) -> None:
    old = kept.task(99)
    kept.task(0.5)
    cli("audit", "archive")
    path = kept.data / "archive" / "operation-1.jsonl.gz"
    content = path.read_bytes()
    path.write_bytes(content[:-10])
    said = cli("audit", "prune")
    assert (said.code, said.out) == (4, "")
    assert str(path) in said.err
    assert kept.seqs(old) == [1, 2, 3, 4, 5]
    path.write_bytes(content)
    assert cli("audit", "prune").code == 0
    assert kept.seqs(old) == []


def test_a_ledger_that_was_cut_off_is_not_pruned(cli: Cli, kept: Kept) -> None:
    old = kept.task(99)
    kept.task(0.5)
    with kept.store() as store:
        store.run("DROP TRIGGER event_is_kept")
        store.run("DELETE FROM event WHERE position > 4")
    said = cli("audit", "prune", "--without-archive")
    assert (said.code, said.out) == (4, "")
    assert "audit verify" in said.err
    assert kept.seqs(old) == [1, 2, 3, 4, 5]


def test_a_task_that_never_ended_holds_its_rows_and_files(cli: Cli, kept: Kept) -> None:
    old = kept.task(99, ended=False)
    files = kept.host(old, 99)
    kept.task(0.5)
    said = cli("audit", "prune", "--without-archive")
    assert f"has not ended ({old})" in said.out
    assert len(kept.seqs(old)) == 5
    assert all(path.exists() for path in files)
    cli("audit", "prune", "--without-archive", "--unfinished")
    assert kept.seqs(old) == []
    assert not any(path.exists() for path in files)


def test_a_task_that_runs_holds_its_rows_and_files(cli: Cli, kept: Kept) -> None:
    old = kept.task(99)
    files = kept.host(old, 99)
    kept.task(0.5)
    with held(ledger_lock_path(kept.data, old)):
        said = cli("audit", "prune", "--without-archive", "--unfinished")
        assert f"is running ({old})" in said.out
    with held(files[1]):
        cli("audit", "prune", "--without-archive", "--unfinished")
    assert len(kept.seqs(old)) == 5
    assert all(path.exists() for path in files)
    cli("audit", "prune", "--without-archive")
    assert kept.seqs(old) == []


def test_a_clock_that_jumped_ahead_drops_nothing_without_a_yes(cli: Cli, kept: Kept) -> None:
    traces = [kept.task(4_000), kept.task(3_990)]
    said = cli("audit", "prune", "--without-archive", "--json")
    assert (said.code, said.document["error"]["code"]) == (4, "prune_clock_ahead")
    assert [len(kept.seqs(trace)) for trace in traces] == [5, 5]
    dry = cli("audit", "prune", "--without-archive", "--dry-run")
    assert (dry.code, "would be refused" in dry.out) == (0, True)
    assert cli("audit", "prune", "--without-archive", "--yes").code == 0
    assert [kept.seqs(trace) for trace in traces] == [[], []]
    assert kept.verifies()


def test_a_clock_that_was_set_back_drops_nothing_without_a_yes(cli: Cli, kept: Kept) -> None:
    old = kept.task(99)
    kept.task(-2)
    said = cli("audit", "prune", "--without-archive")
    assert (said.code, said.out) == (4, "")
    assert "set back" in said.err
    assert len(kept.seqs(old)) == 5
    assert cli("audit", "prune", "--without-archive", "--yes").code == 0
    assert kept.seqs(old) == []


def test_a_folder_that_cannot_be_read_stops_the_prune(cli: Cli, kept: Kept) -> None:
    old = kept.task(99)
    kept.task(0.5)
    log_dir(kept.data).write_text("no folder", encoding="utf-8")
    said = cli("audit", "prune", "--without-archive")
    assert (said.code, said.out) == (1, "")
    assert str(log_dir(kept.data)) in said.err
    assert len(kept.seqs(old)) == 5


def test_a_full_disk_while_archiving_keeps_everything(cli: Cli, kept: Kept) -> None:
    old = kept.task(99, noise=os.urandom(200_000).hex())
    kept.task(0.5)
    with files_of_at_most(100_000):
        said = cli("audit", "archive")
    assert (said.code, said.out) == (1, "")
    assert "File too large" in said.err
    left = kept.states(), len(kept.seqs(old)), list((kept.data / "archive").iterdir())
    assert left == (["closed", "closed"], 5, [])
    assert cli("audit", "archive").code == 0
    assert kept.states() == ["archived", "archived"]


@pytest.mark.parametrize(
    "options",
    [("prune", "--profile", "short"), ("prune", "--days", "1"), ("prune", "x"), ("size", "x"),
     ("archive", "--to"), ("archive", "--to", ""), ("prune", "--dry")],
    ids=" ".join,
)  # fmt: skip
def test_nonsense_is_a_usage_error(cli: Cli, kept: Kept, options: tuple[str, ...]) -> None:
    old = kept.task(99)
    said = cli("audit", *options)
    assert (said.code, said.out) == (2, "")
    assert "Traceback" not in said.err
    assert len(kept.seqs(old)) == 5


def test_days_that_are_no_days_are_refused(cli: Cli, kept: Kept) -> None:
    kept.task(99)
    for value in ("-1", "99999999", "soon"):
        cli.env["SGCLAW_AUDIT_MODEL_DAYS"] = value
        assert cli("audit", "prune", "--without-archive").code == 2


def test_a_segment_that_names_another_file_as_its_archive_removes_none(
    cli: Cli, kept: Kept, tmp_path: Path
) -> None:
    kept.task(99)
    kept.task(0.5)
    cli("audit", "archive")
    cli("audit", "prune")
    precious = tmp_path / "precious"
    precious.write_text("mine", encoding="utf-8")
    with kept.store() as store:
        store.run("UPDATE segment SET archive = ? WHERE stream = 'model'", (str(precious),))
    cli.env["SGCLAW_AUDIT_ARCHIVE_DAYS"] = "30"
    said = cli("audit", "prune", "--archives")
    assert (said.code, said.out) == (4, "")
    assert precious.read_text(encoding="utf-8") == "mine"
    assert (kept.data / "archive" / "operation-1.jsonl.gz").exists()
    with kept.store() as store:
        store.run("UPDATE segment SET archive = 'gone' WHERE stream = 'model'")
    assert cli("audit", "prune", "--archives").code == 0
    assert not (kept.data / "archive" / "operation-1.jsonl.gz").exists()
