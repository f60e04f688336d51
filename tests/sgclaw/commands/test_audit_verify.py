"""`sgclaw audit verify` ends with 0 only for a ledger that its heads prove; else it says why."""

from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from sgclaw.clock import utc_now
from sgclaw.head_log import signing_log
from sgclaw.install import heads_path, id_path, install_id, public_key_path, signing_key
from sgclaw.paths import database_path
from tests.sgclaw.commands.conftest import Cli
from tests.support.ledger_lab import TraceLedger
from tests.support.store_lab import TRACE, a_row


@pytest.fixture
def ledger(cli: Cli) -> TraceLedger:
    """Give a ledger of 30 events, the last 5 of which no head covers yet."""
    data = Path(cli.env["SGCLAW_DATA_DIR"])
    ledger, log = TraceLedger(data, TRACE), signing_log(data)
    with closing(ledger.open()) as rows:
        for number in range(30):
            at = (utc_now() + timedelta(seconds=number)).isoformat(timespec="milliseconds")
            rows.append(a_row(number, at=at), durable=False)
            if number in (9, 24):
                assert all(log.take(head, TRACE) for head in rows.heads())
    return ledger


def test_a_ledger_that_verifies_says_what_that_proves_and_what_not(
    cli: Cli, ledger: TraceLedger
) -> None:
    said = cli("audit", "verify")
    assert said.code == 0
    assert "events 30, tasks 1 " in said.out
    assert "signed up to number 25; not signed yet 5" in said.out
    assert "This proves: up to the last signed head" in said.out
    assert "It does not prove the events that are not signed yet (5)" in said.out
    assert "private key and all files" in said.out
    assert str(ledger.file) in said.out


def test_it_says_the_same_in_chinese(cli: Cli, ledger: TraceLedger) -> None:
    del ledger
    cli.env["SGCLAW_LANG"] = "zh-CN"
    said = cli("audit", "verify")
    assert said.code == 0
    assert "核验通过" in said.out
    assert "最后 5 个尚未签名的事件" in said.out


def test_the_document_tells_all_of_it(cli: Cli, ledger: TraceLedger) -> None:
    said = cli("audit", "verify", "--json")
    document = said.document
    assert (said.code, document["verified"], document["problem"]) == (0, True, None)
    assert (document["events"], document["unanchored"], document["heads_held"]) == (30, 5, 2)
    assert document["install_id"] == install_id(ledger.data)
    assert document["streams"][0]["anchored"] == 25
    assert document["events_per_second"] > 0


def test_the_first_bad_record_is_named(cli: Cli, ledger: TraceLedger) -> None:
    ledger.tamper("UPDATE event SET text = replace(text, '7', '8') WHERE position = 8",
                  "UPDATE event SET state = 'x' WHERE position = 12")  # fmt: skip
    said = cli("audit", "verify", "--json")
    problem = said.document["problem"]
    assert (said.code, said.document["verified"]) == (4, False)
    assert (problem["code"], problem["stream"], problem["position"]) == (
        "verify_hash", "operation", 8,
    )  # fmt: skip
    assert (problem["trace_id"], problem["seq"]) == (TRACE, 8)
    text = cli("audit", "verify").out
    assert f"DOES NOT VERIFY: Event 8 of the chain operation (row 8 of {TRACE})" in text
    assert "This proves" not in text


def test_a_ledger_that_was_cut_off_is_shown_by_the_heads(cli: Cli, ledger: TraceLedger) -> None:
    ledger.tamper("DELETE FROM event WHERE position > 20")
    said = cli("audit", "verify")
    assert said.code == 4
    assert "it ends at event 20, but event 25 was signed" in said.out


def test_heads_that_were_kept_elsewhere_show_what_the_local_ones_lost(
    cli: Cli, ledger: TraceLedger, tmp_path: Path
) -> None:
    heads, copy = heads_path(ledger.data), tmp_path / "copy.jsonl"
    copy.write_bytes(heads.read_bytes())
    heads.write_bytes(heads.read_bytes().splitlines(keepends=True)[0])
    ledger.tamper("DELETE FROM event WHERE position > 20")
    assert cli("audit", "verify").code == 0
    said = cli("audit", "verify", "--heads", str(copy))
    assert said.code == 4
    assert "was cut off" in said.out


def test_a_copied_ledger_is_checked_with_its_heads_and_its_key(
    cli: Cli, ledger: TraceLedger, tmp_path: Path
) -> None:
    there = tmp_path / "there"
    database_path(there).parent.mkdir(parents=True)
    database_path(there).write_bytes(ledger.file.read_bytes())
    cli.env["SGCLAW_DATA_DIR"] = str(there)
    heads, key = heads_path(ledger.data), public_key_path(ledger.data)
    key.chmod(0o664)
    said = cli("audit", "verify", "--heads", str(heads), "--key", str(key), "--json")
    assert (said.code, said.document["events"]) == (0, 30)
    assert not id_path(there).exists()
    assert cli("audit", "verify").code == 2


@pytest.mark.parametrize("option", ["--heads", "--key"])
def test_a_named_file_that_is_not_there_is_a_usage_error(
    cli: Cli, ledger: TraceLedger, option: str, tmp_path: Path
) -> None:
    del ledger
    said = cli("audit", "verify", option, str(tmp_path / "none"))
    assert said.code == 2
    assert "There is no file" in said.err


def test_heads_of_another_installation_do_not_verify(
    cli: Cli, ledger: TraceLedger, tmp_path: Path
) -> None:
    del ledger
    signing_key(tmp_path / "other")
    said = cli("audit", "verify", "--key", str(public_key_path(tmp_path / "other")))
    assert said.code == 4
    assert "of another installation, or forged" in said.err


def test_an_edited_head_does_not_verify(cli: Cli, ledger: TraceLedger) -> None:
    heads = heads_path(ledger.data)
    heads.write_bytes(heads.read_bytes().replace(b'"position":25', b'"position":24'))
    said = cli("audit", "verify", "--json")
    assert (said.code, said.document["error"]["code"]) == (4, "ledger_head_forged")


@pytest.mark.parametrize("content", [None, b"", b'{"install_id":'])
def test_a_ledger_without_a_head_proves_nothing(
    cli: Cli, ledger: TraceLedger, content: bytes | None
) -> None:
    heads_path(ledger.data).unlink()
    if content is not None:
        heads_path(ledger.data).write_bytes(content)
    said = cli("audit", "verify")
    assert said.code == 4
    assert "nothing shows whether events were cut off or made anew (there now: 30)" in said.out


def test_a_public_key_that_is_gone_does_not_verify(cli: Cli, ledger: TraceLedger) -> None:
    public_key_path(ledger.data).unlink()
    said = cli("audit", "verify")
    assert said.code == 4
    assert "is gone" in said.err


def test_a_file_that_is_no_ledger_is_refused_in_one_sentence(cli: Cli, ledger: TraceLedger) -> None:
    ledger.remove()
    assert cli("audit", "verify").code == 4
    ledger.file.write_bytes(b"\x00garbage" * 5_000)
    said = cli("audit", "verify")
    assert said.code == 4
    assert "Traceback" not in said.err + said.out


def test_looking_changes_nothing(cli: Cli, ledger: TraceLedger) -> None:
    before = ledger.rows()
    files = sorted(p.name for p in ledger.data.rglob("*") if "ledger.db" not in p.name)
    assert cli("audit", "verify").code == 0
    assert ledger.rows() == before
    assert sorted(p.name for p in ledger.data.rglob("*") if "ledger.db" not in p.name) == files
