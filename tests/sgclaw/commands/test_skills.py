"""`sgclaw skills` shows what is trusted and why the rest is not, and signs a library anew."""

import json
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from skills.errors import SkillRegistryError
from skills.registry import LIBRARY_ROOT, load_library
from skills.release_key import PUBLIC_KEY_HEX
from skills.signature import PinnedKey
from skills.signing import SigningPlaces, sign_library
from tests.sgclaw.commands.conftest import Cli
from tests.skills.library import source_of
from tests.support.program_copy import ProgramCopy

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SKILL = "erp-monthly-report"


def test_the_list_names_each_skill_with_its_version_and_domains(cli: Cli) -> None:
    said = cli("skills", "list")
    assert (said.code, said.err) == (0, "")
    assert f"{SKILL}  1.0.0  erp.example.com" in said.out
    document = cli("skills", "list", "--json").document
    [skill] = document["skills"]
    assert (skill["skill"], skill["domains"]) == (SKILL, ["erp.example.com"])
    assert (LIBRARY_ROOT / skill["file"]).is_file()
    assert document["left_out"] == []


def test_the_library_that_is_shipped_verifies(cli: Cli) -> None:
    said = cli("skills", "verify")
    assert said.code == 0
    assert re.search(rf"^ok +{SKILL} 1\.0\.0 +sha256:[0-9a-f]{{64}}$", said.out.strip())
    document = cli("skills", "verify", "--json").document
    assert (document["verified"], document["problems"]) == ([SKILL], [])


def test_a_good_skill_file_passes_the_lint(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "mine.js"
    path.write_bytes(source_of("mine"))
    said = cli("skills", "lint", str(path))
    assert said.code == 0
    assert said.out == f"{path}: mine, no problem found\n"
    document = cli("skills", "lint", str(path), "--json").document
    assert (document["problems"], document["header"]["skill"]) == ([], "mine")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (b" * @version 1.0.0\n", b"", "@version"),
        (b"@version 1.0.0", b"@version one", "1.0.0"),
        (b"@skill mine", b"@skill My Skill", "@skill"),
        (b"@domains", b"@domain", "@domains"),
        (b"/**", b"/*", "/**"),
    ],
)
def test_a_bad_header_is_told_with_what_to_write(
    cli: Cli, tmp_path: Path, old: bytes, new: bytes, says: str
) -> None:
    path = tmp_path / "mine.js"
    path.write_bytes(source_of("mine").replace(old, new, 1))
    said = cli("skills", "lint", str(path))
    assert said.code == 1
    assert said.out.startswith(f"{path}: ")
    assert says in said.out
    as_json = cli("skills", "lint", str(path), "--json")
    [problem] = as_json.document["problems"]
    assert (as_json.code, problem["code"].startswith("skill_header")) == (1, True)


def test_a_file_that_is_too_large_is_not_read_as_a_skill(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "mine.js"
    path.write_bytes(source_of("mine") + b"/" * 300_000)
    said = cli("skills", "lint", str(path), "--json")
    assert (said.code, said.document["error"]["code"]) == (2, "file_unreadable")


def test_a_signed_copy_verifies_with_its_own_key_and_not_with_the_release_key(
    tmp_path: Path,
) -> None:
    places = SigningPlaces(tmp_path / "library", tmp_path / "key.py", tmp_path / "release.pub")
    shutil.copytree(LIBRARY_ROOT, places.root)
    before = load_library(places.root).serial
    assert sign_library(NOW, places).serial == before + 1
    own = PinnedKey(places.key_copy.read_text(encoding="ascii").split()[0])
    assert [skill.header.skill for skill in load_library(places.root, own).skills] == [SKILL]
    with pytest.raises(SkillRegistryError):
        load_library(places.root, PinnedKey(PUBLIC_KEY_HEX))


def test_signing_by_the_command_pins_the_new_key_in_the_same_program(tmp_path: Path) -> None:
    copy = ProgramCopy(tmp_path)
    library = copy.library / "builtin" / f"{SKILL}.js"
    library.write_bytes(library.read_bytes() + b"// more\n")
    assert copy.run("skills", "verify").returncode == 4
    signed = copy.run("skills", "sign", "--json")
    assert (signed.returncode, json.loads(signed.stdout)["signed"]) == (0, [SKILL])
    assert copy.run("skills", "verify").returncode == 0
    with pytest.raises(SkillRegistryError):
        load_library(copy.library, PinnedKey(PUBLIC_KEY_HEX))


def test_a_library_with_a_changed_and_an_unsigned_file_says_which(tmp_path: Path) -> None:
    copy = ProgramCopy(tmp_path)
    changed = copy.library / "builtin" / f"{SKILL}.js"
    changed.write_bytes(changed.read_bytes() + b"\n")
    (copy.library / "custom").mkdir(exist_ok=True)
    (copy.library / "custom/mine.js").write_bytes(source_of("mine"))
    verify = copy.run("skills", "verify", "--json")
    problems = {p["file"]: p["code"] for p in json.loads(verify.stdout)["problems"]}
    assert verify.returncode == 4
    assert problems == {
        f"builtin/{SKILL}.js": "skill_hash_differs",
        "custom/mine.js": "skill_unsigned",
    }
    listing = copy.run("skills", "list")
    assert listing.returncode == 0
    assert SKILL not in listing.stdout
    assert "custom/mine.js" in listing.stderr
