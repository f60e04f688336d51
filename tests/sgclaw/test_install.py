"""The installation's id and key are made once, and never replaced by what was not there before."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sgclaw.errors import RefusedError
from sgclaw.install import (
    heads_path,
    id_path,
    install_id,
    key_path,
    known_install_id,
    public_key,
    public_key_path,
    signing_key,
)
from states.catalogue import CATALOGUE
from states.key_id import key_id_of

Ask = Callable[[Path], object]
BOTH = pytest.mark.parametrize(
    ("ask", "place"), [(install_id, id_path), (signing_key, key_path)], ids=["id", "key"]
)
CHILD = """
import sys
from pathlib import Path
from sgclaw.install import install_id, signing_key
data = Path(sys.argv[1])
sys.stdin.readline()
print(install_id(data), bytes(signing_key(data).verify_key).hex())
"""


def refused(ask: Ask, data: Path) -> str:
    with pytest.raises(RefusedError) as caught:
        ask(data)
    assert caught.value.code in CATALOGUE
    return caught.value.code


def test_an_installation_keeps_its_id_and_its_key(tmp_path: Path) -> None:
    first, key = install_id(tmp_path), signing_key(tmp_path)
    assert install_id(tmp_path) == first == known_install_id(tmp_path)
    assert bytes(signing_key(tmp_path)) == bytes(key)
    assert public_key(tmp_path) == key.verify_key
    assert install_id(tmp_path / "other") != first


def test_asking_what_is_known_makes_nothing(tmp_path: Path) -> None:
    assert known_install_id(tmp_path) is None
    assert public_key(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_the_files_are_for_their_owner_and_the_public_key_is_text(tmp_path: Path) -> None:
    install_id(tmp_path)
    public = bytes(signing_key(tmp_path).verify_key)
    for path in (id_path(tmp_path), key_path(tmp_path), public_key_path(tmp_path)):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert public_key_path(tmp_path).read_text() == f"{public.hex()} {key_id_of(public)}\n"
    assert sorted(p.name for p in tmp_path.rglob("*")) == [
        "install", "install.key", "install.pub", "keys",
    ]  # fmt: skip


def test_programs_that_start_at_once_come_to_the_same_installation(tmp_path: Path) -> None:
    children = [
        subprocess.Popen(
            [sys.executable, "-c", CHILD, str(tmp_path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for _ in range(6)
    ]  # fmt: skip
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    said = {child.communicate(timeout=50)[0] for child in children}
    assert said == {f"{install_id(tmp_path)} {bytes(signing_key(tmp_path).verify_key).hex()}\n"}


@BOTH
@pytest.mark.parametrize("content", ["", "\n", "zz" * 32, "ab" * 15, "ab" * 500, "\x00\xff"])
def test_a_damaged_file_is_refused_and_left_as_it_is(
    tmp_path: Path, ask: Ask, place: Callable[[Path], Path], content: str
) -> None:
    ask(tmp_path)
    place(tmp_path).write_text(content)
    assert refused(ask, tmp_path) == "install_file_damaged"
    assert place(tmp_path).read_text() == content


@BOTH
def test_a_link_a_pipe_or_a_folder_in_the_place_of_a_file_is_refused(
    tmp_path: Path, ask: Ask, place: Callable[[Path], Path]
) -> None:
    ask(tmp_path)
    path = place(tmp_path)
    path.rename(tmp_path / "moved")
    path.symlink_to(tmp_path / "moved")
    assert refused(ask, tmp_path) == "install_file_link"
    path.unlink()
    os.mkfifo(path, 0o600)
    assert refused(ask, tmp_path) == "install_file_link"
    path.unlink()
    path.mkdir(0o700)
    assert refused(ask, tmp_path) == "install_file_link"
    path.rmdir()
    (tmp_path / "moved").rename(path)
    ask(tmp_path)


@BOTH
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_file_that_others_reach_is_not_trusted(
    tmp_path: Path, ask: Ask, place: Callable[[Path], Path], mode: int
) -> None:
    ask(tmp_path)
    place(tmp_path).chmod(mode)
    assert refused(ask, tmp_path) == "install_file_open"
    place(tmp_path).chmod(0o600)
    ask(tmp_path)


@BOTH
def test_what_is_gone_is_not_made_anew_while_signed_heads_are_there(
    tmp_path: Path, ask: Ask, place: Callable[[Path], Path]
) -> None:
    ask(tmp_path)
    heads_path(tmp_path).parent.mkdir()
    heads_path(tmp_path).write_bytes(b"{}\n")
    place(tmp_path).unlink()
    public_key_path(tmp_path).unlink(missing_ok=True)
    assert refused(ask, tmp_path) == "install_file_gone"
    assert not place(tmp_path).exists()


def test_a_private_key_that_is_gone_is_not_made_anew_beside_its_public_one(tmp_path: Path) -> None:
    signing_key(tmp_path)
    key_path(tmp_path).unlink()
    assert refused(signing_key, tmp_path) == "install_file_gone"
    assert not key_path(tmp_path).exists()


def test_an_exchanged_key_is_refused(tmp_path: Path) -> None:
    signing_key(tmp_path)
    signing_key(tmp_path / "other")
    key_path(tmp_path).write_bytes(key_path(tmp_path / "other").read_bytes())
    assert refused(signing_key, tmp_path) == "install_keys_differ"


def test_a_public_key_that_is_gone_comes_back_from_the_private_one(tmp_path: Path) -> None:
    key = signing_key(tmp_path)
    public_key_path(tmp_path).unlink()
    assert signing_key(tmp_path).verify_key == key.verify_key == public_key(tmp_path)


@pytest.mark.parametrize("content", ["", "ab" * 32, f"{'ab' * 32} {'0' * 16}", "x y z"])
def test_a_public_key_that_is_none_is_refused(tmp_path: Path, content: str) -> None:
    signing_key(tmp_path)
    public_key_path(tmp_path).write_text(content)
    assert refused(public_key, tmp_path) == "install_file_damaged"


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert refused(install_id, tmp_path / "file" / "data") == "install_file_unusable"
