"""A bundle holds nothing but what was chosen, and a stranger finds whatever was changed in it."""

import json
import re
import shutil
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from nacl.signing import SigningKey

from memory.errors import LedgerError
from sgclaw.audit_bundle import Source, export_bundle, public_pem, verify_script
from sgclaw.audit_bundle_choice import Choice
from sgclaw.audit_bundle_read import is_bundle, read_bundle
from sgclaw.errors import RefusedError
from sgclaw.install import install_id, signing_key
from sgclaw.ledgers import store_of
from tests.sgclaw.bundle_lab import (
    OTHER,
    SECRET_OF_OTHER,
    TRACE,
    Runs,
    as_stranger,
    golden_rows,
    two_runs,
    verify,
    with_canary,
)
from tests.sgclaw.bundle_tampering import TAMPERED, flip, lines, of_other
from tests.support.ledger_lab import TraceLedger
from tests.support.postgres import shared_cluster

LINES_MAX = 40
DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "audit-bundle.md"


def now() -> datetime:
    return datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def export(data: Path, out: Path, choice: Choice, database: str = "") -> dict[str, Any]:
    store = store_of(data, database, create=False)
    try:
        source = Source(data, store, install_id(data), signing_key(data))
        return export_bundle(out, source, choice, "en", now)
    finally:
        store.close()


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a data folder with two runs, and beside it the bundle of one."""
    folder = tmp_path_factory.mktemp("exported")
    two_runs(folder / "data")
    export(folder / "data", folder / "bundle", Choice((TRACE,)))
    return folder


@pytest.fixture
def bundle(exported: Path, tmp_path: Path) -> Path:
    """Give a copy of the bundle that may be tampered with."""
    shutil.copytree(exported / "bundle", tmp_path / "bundle")
    return tmp_path / "bundle"


# --- the procedure


def test_the_procedure_has_forty_lines_and_is_the_one_in_the_documentation() -> None:
    text = verify_script().decode("utf-8")
    assert text.count("\n") <= LINES_MAX
    assert max(map(len, text.splitlines())) <= 110
    assert text in DOCUMENT.read_text(encoding="utf-8")


def test_a_stranger_without_sgclaw_finds_an_untouched_bundle_good(bundle: Path) -> None:
    without = as_stranger(["-c", "import sgclaw"], bundle)
    assert (without.code, "No module named 'sgclaw'" in without.text) == (1, True)
    said = verify(bundle)
    assert said.code == 0, said.text
    assert re.match(r"OK: \d+ events, 0 after the last head; key ", said.text)
    assert json.loads((bundle / "manifest.json").read_text())["key_sha256"] in said.text


@pytest.mark.parametrize("what", TAMPERED)
def test_a_stranger_finds_and_names_what_was_changed(what: str, bundle: Path) -> None:
    change, named = TAMPERED[what]
    change(bundle)
    said = verify(bundle)
    assert said.code == 1
    assert re.match(f"(BAD|bad) {named}", said.text), said.text
    assert "Traceback" not in said.text


def test_a_bundle_signed_anew_needs_other_heads_or_shows_another_key(bundle: Path) -> None:
    flip(bundle / "events.jsonl", b"active.planning", b"active.planninh")
    forger = SigningKey.generate()
    (bundle / "public_key.pem").write_bytes(public_pem(bytes(forger.verify_key)))
    signed = forger.sign((bundle / "manifest.json").read_bytes())
    (bundle / "manifest.sig").write_bytes(signed.signature)
    said = verify(bundle)
    assert (said.code, "heads.jsonl line 1: not signed" in said.text) == (1, True)


# --- what is in it


def test_a_bundle_of_one_run_holds_no_word_of_another(exported: Path) -> None:
    content = {
        p.relative_to(exported).as_posix(): p.read_bytes()
        for p in (exported / "bundle").rglob("*") if p.is_file()
    }  # fmt: skip
    assert not [name for name, text in content.items() if SECRET_OF_OTHER.encode() in text]
    assert not [name for name in content if OTHER in name]
    key = (exported / "data" / "keys" / "install.key").read_text().strip()
    assert not [name for name, text in content.items() if key.encode() in text]
    assert b"active.planning" in content["bundle/events.jsonl"]


def test_what_stands_between_is_a_link_without_content(exported: Path) -> None:
    events = [json.loads(line) for line in lines(exported / "bundle" / "events.jsonl")]
    between = [event for event in events if "text" not in event]
    assert {tuple(event) for event in between} == {
        ("install_id", "stream", "position", "algorithm", "prev", "content", "hash")
    }
    manifest = json.loads((exported / "bundle" / "manifest.json").read_text())
    assert len(between) == sum(s["links"] for s in manifest["streams"].values()) > 0


def test_every_event_of_a_run_among_another_is_proved_by_a_head(tmp_path: Path) -> None:
    ours, theirs = golden_rows("approved", TRACE), with_canary(golden_rows("approved", OTHER))
    runs = Runs(tmp_path / "data")
    for mine, other in zip(ours, theirs, strict=True):
        runs.write(OTHER, [other], signed=False)
        runs.write(TRACE, [mine], signed=mine is ours[-1])
    runs.write(OTHER, golden_rows("looping", OTHER)[:9])
    runs.close()
    export(tmp_path / "data", tmp_path / "b", Choice((TRACE,)))
    said = verify(tmp_path / "b")
    assert (said.code, said.text.split(";")[0].split(",")[1]) == (0, " 0 after the last head")
    events = [json.loads(line) for line in lines(tmp_path / "b" / "events.jsonl")]
    ends = [json.loads(line)["position"] for line in lines(tmp_path / "b" / "heads.jsonl")]
    assert sum("text" in event for event in events) == len(ours)
    assert sum("text" not in event for event in events) >= len(ours) - len(ends)
    flip(tmp_path / "b" / "events.jsonl", of_other(tmp_path / "b", "content"), b"f" * 64)
    said = verify(tmp_path / "b")
    assert (said.code, "its hash is another" in said.text) == (1, True)


def test_the_manifest_tells_what_was_chosen_counted_and_missing(exported: Path) -> None:
    manifest = json.loads((exported / "bundle" / "manifest.json").read_text())
    rows = golden_rows("approved", TRACE)
    assert manifest["chosen"] == {"traces": [TRACE], "since": "", "before": ""}
    assert manifest["traces"][TRACE]["events"] == manifest["traces"][TRACE]["last_seq"] == len(rows)
    assert manifest["charts"] == {"task": [rows[0]["chart_sha256"]]}
    assert manifest["install_id"] == install_id(exported / "data")
    assert manifest["made_at"] == "2026-11-30T09:00:00.000+00:00"
    assert manifest["missing"] == {f"host/{TRACE}.jsonl": "no_such_file"}
    assert set(manifest["files"]) | {"manifest.json", "manifest.sig"} == {
        p.relative_to(exported / "bundle").as_posix()
        for p in (exported / "bundle").rglob("*") if p.is_file()
    }  # fmt: skip


def test_the_same_choice_is_the_same_bundle(exported: Path, tmp_path: Path) -> None:
    for name in ("one.zip", "two.zip"):
        export(exported / "data", tmp_path / name, Choice((TRACE,)))
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_a_zip_verifies_when_it_is_unpacked(exported: Path, tmp_path: Path) -> None:
    export(exported / "data", tmp_path / "b.zip", Choice((TRACE,)))
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        archive.extractall(tmp_path / "b")
    assert verify(tmp_path / "b").code == 0


def test_all_runs_of_a_postgresql_ledger_verify_too(tmp_path: Path) -> None:
    with shared_cluster().database() as url:
        two_runs(tmp_path / "data", url)
        manifest = export(tmp_path / "data", tmp_path / "b", Choice(), url)
    assert set(manifest["traces"]) == {TRACE, OTHER}
    assert {s["links"] for s in manifest["streams"].values()} == {0}
    assert verify(tmp_path / "b").code == 0


def test_a_chain_of_sm3_verifies_too(tmp_path: Path) -> None:
    from states.settings import AuditLimits

    runs = Runs(tmp_path / "data", limits=AuditLimits(algorithm="sm3"))
    runs.write(TRACE, golden_rows("approved", TRACE))
    runs.close()
    export(tmp_path / "data", tmp_path / "b", Choice((TRACE,)))
    assert b'"algorithm":"sm3"' in (tmp_path / "b" / "events.jsonl").read_bytes()
    assert verify(tmp_path / "b").code == 0


def test_events_after_the_last_head_are_told(tmp_path: Path) -> None:
    rows = golden_rows("approved", TRACE)
    runs = Runs(tmp_path / "data")
    runs.write(TRACE, rows[:8])
    runs.write(TRACE, rows[8:], signed=False)
    runs.close()
    manifest = export(tmp_path / "data", tmp_path / "b", Choice((TRACE,)))
    assert sum(s["after_last_head"] for s in manifest["streams"].values()) == len(rows) - 8
    assert verify(tmp_path / "b").code == 0


# --- what is not signed


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET text = replace(text, 'planning', 'plannimg') WHERE seq = 1",
        "UPDATE event SET user_name = 'somebody' WHERE seq = 3",
        "UPDATE event SET algorithm = 'md99' WHERE seq = 3",
        "DELETE FROM event WHERE seq = 4",
        "DELETE FROM event WHERE seq >= 9",
    ],
)
def test_a_ledger_that_was_changed_is_not_signed(statement: str, tmp_path: Path) -> None:
    runs = Runs(tmp_path / "data")
    runs.write(TRACE, golden_rows("approved", TRACE))
    runs.close()
    TraceLedger(tmp_path / "data", TRACE).tamper(statement)
    with pytest.raises(RefusedError, match="does not verify at event"):
        export(tmp_path / "data", tmp_path / "b", Choice((TRACE,)))
    assert [p.name for p in tmp_path.iterdir()] == ["data"]


def test_without_any_signed_head_nothing_is_exported(tmp_path: Path) -> None:
    runs = Runs(tmp_path / "data")
    runs.write(TRACE, golden_rows("approved", TRACE))
    runs.close()
    heads = tmp_path / "data" / "host" / "heads.jsonl"
    kept = heads.read_bytes()
    heads.unlink()
    with pytest.raises(RefusedError, match="no signed head"):
        export(tmp_path / "data", tmp_path / "b", Choice((TRACE,)))
    heads.write_bytes(kept)
    assert export(tmp_path / "data", tmp_path / "b", Choice((TRACE,)))["traces"]


@pytest.mark.parametrize(
    ("signed", "refusal"),
    [(True, "at event 4 of the chain model"), (False, "lacks 3 of its events")],
)
def test_a_run_may_lack_events_only_where_retention_dropped_some(
    signed: bool, refusal: str, tmp_path: Path
) -> None:
    runs = Runs(tmp_path / "data")
    if not signed:  # some head there must be, or nothing is exported at all
        runs.write(OTHER, golden_rows("refused", OTHER)[:1])
    runs.write(TRACE, golden_rows("approved", TRACE), signed=signed)
    runs.close()
    ledger = TraceLedger(tmp_path / "data", TRACE)
    ledger.tamper("DELETE FROM event WHERE stream = 'model'")
    with pytest.raises(RefusedError, match=refusal):
        export(tmp_path / "data", tmp_path / "b", Choice((TRACE,)))
    dropped = "'model', 1, 1, '0', 4, '0', '', '', 4, 9, 'dropped', '', ''"
    ledger.tamper(f"INSERT INTO segment SELECT DISTINCT install_id, {dropped} FROM event")  # noqa: S608
    manifest = export(tmp_path / "data", tmp_path / "b", Choice((TRACE,)))
    assert manifest["traces"][TRACE]["lacks"] == 3
    assert manifest["missing"][f"lifecycle/{TRACE}.svg"] == "ledger_gap"
    assert verify(tmp_path / "b").code == 0


def test_the_first_event_of_a_chain_follows_nothing(tmp_path: Path) -> None:
    runs = Runs(tmp_path / "data")
    runs.write(TRACE, golden_rows("approved", TRACE))
    runs.close()
    TraceLedger(tmp_path / "data", TRACE).tamper(
        "UPDATE event SET prev = replace(prev, '0', '1') WHERE position = 1"
    )
    with pytest.raises(RefusedError, match="event 1 of the chain"):
        export(tmp_path / "data", tmp_path / "b", Choice((TRACE,)))


# --- reading it


@pytest.mark.parametrize("name", ["b", "b.zip"])
def test_the_rows_of_a_bundle_are_those_of_the_ledger(
    name: str, exported: Path, tmp_path: Path
) -> None:
    out = tmp_path / name
    export(exported / "data", out, Choice((TRACE,)))
    assert is_bundle(out)
    assert list(read_bundle(out).rows) == TraceLedger(exported / "data", TRACE).rows()
    assert "CONFIRM: APPROVED" in read_bundle(out).host_files[f"{TRACE}.log"]


@pytest.mark.parametrize(
    ("what", "file"),
    [("a space", "events.jsonl"), ("the manifest", "manifest.json"),
     ("the signature", "manifest.json"), ("the host's log", f"host/{TRACE}.log")],
)  # fmt: skip
def test_a_changed_bundle_is_not_read(what: str, file: str, bundle: Path) -> None:
    TAMPERED[what][0](bundle)
    with pytest.raises(LedgerError) as refused:
        read_bundle(bundle)
    assert (refused.value.code, refused.value.facts["file"]) == ("ledger_bundle_broken", file)


def test_what_is_no_bundle_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"PK no zip")
    for path in (tmp_path, tmp_path / "x.zip", tmp_path / "none"):
        assert not is_bundle(path)
        with pytest.raises(LedgerError):
            read_bundle(path)
