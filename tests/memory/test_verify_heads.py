"""Heads count only with the installation's own signature, as whole lines, for its own ledger."""

from collections.abc import Callable
from pathlib import Path

import pytest
from nacl.signing import SigningKey

from memory.database import Store
from memory.errors import LedgerError
from memory.heads import read_heads
from memory.verify import verify
from states.catalogue import CATALOGUE
from states.ledger_head import Head, SignedHead, head_line
from tests.memory.tampering import KEY, Attacker, signed, write_ledger
from tests.support.store_lab import OWNER

HEAD = Head(OWNER.install_id, "operation", 20, "a" * 64, "sha256")
OTHER_KEY = SigningKey(b"\x08" * 32)
EDITS: dict[str, Callable[[bytes], bytes]] = {
    "a later position": lambda line: line.replace(b'"position":20', b'"position":21'),
    "another hash": lambda line: line.replace(b"a" * 64, b"b" * 64),
    "another stream": lambda line: line.replace(b"operation", b"model"),
    "another time": lambda line: line.replace(b"T09:", b"T10:"),
    "another task": lambda line: line.replace(b"-20261130-", b"-20261129-"),
    "another installation": lambda line: line.replace(b"0123456789abcdef", b"0123456789abcdee"),
    "a key that is named only": lambda line: line.replace(
        head_line(signed(HEAD))[-170:-160], b'"x":"' + b"0" * 5
    ),
    "a word more": lambda line: line.replace(b"}", b',"more":1}'),
    "the words in another order": lambda line: b'{"stream":"operation",' + line[1:],
    "no JSON": lambda line: line[:-1],
    "a number as text": lambda line: line.replace(b'"position":20', b'"position":"20"'),
    "an empty line": lambda _: b"",
    "bytes that are no text": lambda line: line.replace(b"sha256", b"sha\xff56"),
}


def file_of(folder: Path, *heads: SignedHead) -> Path:
    path = folder / "heads.jsonl"
    path.write_bytes(b"".join(head_line(head) + b"\n" for head in heads))
    return path


def refused(path: Path) -> LedgerError:
    with pytest.raises(LedgerError) as caught:
        read_heads(path, KEY.verify_key)
    assert caught.value.code in CATALOGUE
    return caught.value


def test_signed_heads_are_read_in_their_order(tmp_path: Path) -> None:
    heads = [
        signed(HEAD),
        signed(HEAD._replace(stream="model")),
        signed(HEAD._replace(position=40)),
    ]
    assert read_heads(file_of(tmp_path, *heads), KEY.verify_key) == heads
    assert read_heads(tmp_path / "none", KEY.verify_key) == []


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_a_line_that_was_edited_is_refused_by_its_number(
    tmp_path: Path, edit: Callable[[bytes], bytes]
) -> None:
    path = file_of(tmp_path, signed(HEAD._replace(position=10)), signed(HEAD))
    first, second = path.read_bytes().splitlines()
    assert edit(second) != second
    path.write_bytes(first + b"\n" + edit(second) + b"\n")
    assert refused(path).facts["line"] == 2


def test_heads_signed_with_another_key_are_refused(tmp_path: Path) -> None:
    assert refused(file_of(tmp_path, signed(HEAD, OTHER_KEY))).code == "ledger_head_other_key"
    posing = signed(HEAD, OTHER_KEY)._replace(key_id=signed(HEAD).key_id)
    assert refused(file_of(tmp_path, posing)).code == "ledger_head_forged"


def test_half_a_last_line_is_no_head_and_half_a_line_between_is_refused(tmp_path: Path) -> None:
    path = file_of(tmp_path, signed(HEAD), signed(HEAD._replace(position=40)))
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    assert [h.head.position for h in read_heads(path, KEY.verify_key)] == [20]
    path.write_bytes(whole[200:])
    assert refused(path).facts["line"] == 1
    path.write_bytes(b"x" * 100_000)
    assert refused(path).code == "ledger_head_damaged"


def test_a_link_or_a_folder_is_not_read(tmp_path: Path) -> None:
    path = file_of(tmp_path, signed(HEAD))
    (tmp_path / "link").symlink_to(path)
    assert refused(tmp_path / "link").code == "ledger_heads_unreadable"
    assert refused(tmp_path).code == "ledger_heads_unreadable"


def test_lines_cut_off_leave_a_longer_unsigned_tail_and_a_copy_shows_what_went(
    store: Store, place: Path | str
) -> None:
    copy = write_ledger(store)
    cut = [h for h in copy if h.head.position <= 20]
    attacker = Attacker(place)
    attacker.run("DELETE FROM event WHERE at >= '2026-11-30T08:03:00'")
    attacker.close()
    found = verify(store, cut, install_id=OWNER.install_id)
    assert found.verified
    assert found.unanchored > 100
    problem = verify(store, copy, install_id=OWNER.install_id).problem
    assert problem is not None
    assert problem.code == "verify_truncated"


def test_heads_of_another_installation_prove_nothing_here(store: Store) -> None:
    heads = write_ledger(store)
    foreign = signed(heads[0].head._replace(install_id="f" * 16))
    problem = verify(store, [*heads, foreign], install_id=OWNER.install_id).problem
    assert problem is not None
    assert problem.code == "verify_other_install"
    assert verify(store, heads, install_id=OWNER.install_id).verified


def test_a_ledger_that_is_all_gone_is_missed(store: Store, place: Path | str) -> None:
    heads = write_ledger(store)
    attacker = Attacker(place)
    attacker.run("DELETE FROM event")
    attacker.close()
    problem = verify(store, heads, install_id=OWNER.install_id).problem
    assert problem is not None
    assert (problem.code, problem.position) == ("verify_truncated", 1)
    assert verify(store, [], install_id=OWNER.install_id).events == 0
