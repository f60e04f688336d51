"""Property: signing makes a library that verifies with the new key only, and keeps no secret."""

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from skills.errors import SkillError, SkillRegistryError
from skills.registry import KEY_COPY, LIBRARY_ROOT, load_library
from skills.release_key import PUBLIC_KEY_HEX
from skills.signature import PinnedKey
from skills.signing import SigningPlaces, sign_library
from tests.skills.library import source_of

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def places(tmp_path: Path) -> SigningPlaces:
    root = tmp_path / "library"
    (root / "builtin").mkdir(parents=True)
    (root / "builtin/alpha.js").write_bytes(source_of("alpha"))
    return SigningPlaces(root, tmp_path / "release_key.py", tmp_path / "keys/release.pub")


def pinned(places: SigningPlaces) -> PinnedKey:
    return PinnedKey(places.key_copy.read_text(encoding="ascii").split()[0])


def test_a_signed_library_verifies_and_its_serial_goes_up(places: SigningPlaces) -> None:
    assert sign_library(NOW, places).serial == 1
    first = pinned(places)
    assert [s.header.skill for s in load_library(places.root, first).skills] == ["alpha"]
    assert sign_library(NOW, places).serial == 2
    assert load_library(places.root, pinned(places)).serial == 2
    with pytest.raises(SkillRegistryError):
        load_library(places.root, first)


def test_the_pinned_module_holds_the_key_of_the_readable_copy(places: SigningPlaces) -> None:
    sign_library(NOW, places)
    assert pinned(places).public_hex in places.key_module.read_text(encoding="ascii")
    assert KEY_COPY.read_text(encoding="ascii").split()[0] == PUBLIC_KEY_HEX


def test_nothing_is_written_when_a_file_has_no_valid_header(places: SigningPlaces) -> None:
    (places.root / "builtin/broken.js").write_bytes(b"async function execute() {}")
    with pytest.raises(SkillError):
        sign_library(NOW, places)
    assert not (places.root / "registry.json").exists()
    assert not places.key_module.exists()


def test_a_file_must_be_named_as_its_skill(places: SigningPlaces) -> None:
    (places.root / "builtin/beta.js").write_bytes(source_of("gamma"))
    with pytest.raises(SkillError, match="gamma"):
        sign_library(NOW, places)


def test_a_skill_that_was_switched_off_stays_off(places: SigningPlaces) -> None:
    sign_library(NOW, places)
    path = places.root / "registry.json"
    text = path.read_text(encoding="utf-8").replace('"enabled": true', '"enabled": false')
    path.write_text(text, encoding="utf-8")
    sign_library(NOW, places)
    assert load_library(places.root, pinned(places)).disabled == ("alpha",)


def test_the_shipped_files_are_what_a_new_signing_would_list(places: SigningPlaces) -> None:
    shutil.copytree(LIBRARY_ROOT, places.root, dirs_exist_ok=True)
    (places.root / "builtin/alpha.js").unlink()
    again = sign_library(NOW, places)
    shipped = load_library()
    assert [(e.name, e.hash) for e in again.skills] == [
        (s.entry.name, s.entry.hash) for s in shipped.skills
    ]
