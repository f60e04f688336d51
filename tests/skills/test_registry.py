"""Property: only what was signed is loaded, byte for byte; everything else says why it was not."""

import base64
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nacl.signing import SigningKey

from skills.errors import SkillRegistryError, SkillTrustError, SkillUnknownError
from skills.registry import load_library
from skills.signature import PinnedKey
from states.settings import SkillLimits
from tests.skills.library import Signed, library_at, source_of


@pytest.fixture
def signed(tmp_path: Path) -> Signed:
    return library_at(tmp_path, "alpha", "beta")


def names(signed: Signed) -> list[str]:
    return [s.header.skill for s in load_library(signed.root, signed.pinned).skills]


def problem_codes(signed: Signed) -> dict[str, str]:
    problems = load_library(signed.root, signed.pinned).problems
    return {problem.name: problem.error.code for problem in problems}


def test_the_library_that_is_shipped_verifies_with_the_pinned_key() -> None:
    library = load_library()
    assert [skill.header.skill for skill in library.skills] == ["erp-monthly-report"]
    assert library.problems == ()
    assert library.serial >= 1


def test_a_good_library_is_loaded_with_the_very_bytes_that_were_signed(signed: Signed) -> None:
    library = load_library(signed.root, signed.pinned)
    assert (library.serial, library.problems, library.disabled) == (3, (), ())
    assert library.get("beta").source.encode("utf-8") == source_of("beta")


def test_another_key_loads_nothing(signed: Signed) -> None:
    other = PinnedKey(bytes(SigningKey.generate().verify_key).hex())
    with pytest.raises(SkillRegistryError) as caught:
        load_library(signed.root, other)
    assert caught.value.code == "skill_registry_tampered"


@pytest.mark.parametrize("position", [0, 20, -2])
def test_one_changed_byte_of_the_registry_loads_nothing(signed: Signed, position: int) -> None:
    path = signed.root / "registry.json"
    raw = bytearray(path.read_bytes())
    raw[position] ^= 1
    path.write_bytes(raw)
    with pytest.raises(SkillRegistryError) as caught:
        load_library(signed.root, signed.pinned)
    assert caught.value.code == "skill_registry_tampered"


def flip_enabled(document: dict[str, Any]) -> None:
    document["skills"][0]["enabled"] = False


def drop_one(document: dict[str, Any]) -> None:
    del document["skills"][0]


def older_serial(document: dict[str, Any]) -> None:
    document["serial"] = 1


@pytest.mark.parametrize("change", [flip_enabled, drop_one, older_serial])
def test_what_the_registry_says_as_a_whole_cannot_be_edited(
    signed: Signed, change: Callable[[dict[str, Any]], None]
) -> None:
    path = signed.root / "registry.json"
    document = json.loads(path.read_bytes())
    path.write_text(json.dumps(document), encoding="utf-8")
    assert names(signed) == ["alpha", "beta"]  # the control: the same bytes again
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(SkillRegistryError):
        load_library(signed.root, signed.pinned)


@pytest.mark.parametrize("signature", [b"", b"ed25519:", b"ed25519:AAAA", b"\xff\xfe", b"rsa:AAAA"])
def test_a_malformed_registry_signature_loads_nothing(signed: Signed, signature: bytes) -> None:
    (signed.root / "registry.json.sig").write_bytes(signature)
    with pytest.raises(SkillRegistryError):
        load_library(signed.root, signed.pinned)


def test_a_missing_registry_and_a_missing_signature_are_told_apart(signed: Signed) -> None:
    (signed.root / "registry.json.sig").unlink()
    with pytest.raises(SkillRegistryError) as caught:
        load_library(signed.root, signed.pinned)
    assert caught.value.code == "skill_registry_unsigned"
    (signed.root / "registry.json").unlink()
    with pytest.raises(SkillRegistryError) as caught:
        load_library(signed.root, signed.pinned)
    assert caught.value.code == "skill_registry_missing"


def test_a_changed_file_fails_alone(signed: Signed) -> None:
    path = signed.root / "builtin/alpha.js"
    path.write_bytes(path.read_bytes().replace(b"success: true", b"success:!0 "))
    assert names(signed) == ["beta"]
    assert problem_codes(signed) == {"alpha": "skill_hash_differs"}
    with pytest.raises(SkillTrustError, match="changed after it was signed"):
        load_library(signed.root, signed.pinned).get("alpha")


def test_converted_line_endings_are_named_and_still_refused(signed: Signed) -> None:
    path = signed.root / "builtin/alpha.js"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert problem_codes(signed) == {"alpha": "skill_hash_line_endings"}
    assert names(signed) == ["beta"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"signature": "ed25519:" + "A" * 86 + "=="}, "skill_signature_bad"),
        ({"version": "1.0.1"}, "skill_signature_bad"),
        ({"size": 5}, "skill_signature_bad"),
        ({"hash": "sha256:" + "0" * 64}, "skill_signature_bad"),
        ({"key_id": "0" * 16}, "skill_key_unknown"),
        ({}, ""),
    ],
)
def test_an_entry_changed_after_its_signature_is_refused_even_in_a_signed_registry(
    signed: Signed, changes: dict[str, Any], code: str
) -> None:
    signed.publish([{**signed.entry("alpha"), **changes}, signed.entry("beta")])
    assert problem_codes(signed) == ({"alpha": code} if code else {})


def test_one_entrys_signature_serves_no_other(signed: Signed) -> None:
    alpha, beta = signed.entry("alpha"), signed.entry("beta")
    beta["signature"] = alpha["signature"]
    signed.publish([alpha, beta])
    assert problem_codes(signed) == {"beta": "skill_signature_bad"}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"version": "2.0.0"}, "skill_header_differs"),
        ({"hash": "sha256:" + "0" * 64}, "skill_hash_differs"),
        ({"size": 5}, "skill_hash_differs"),
    ],
)
def test_a_signed_entry_must_tell_the_truth_about_its_file(
    signed: Signed, changes: dict[str, Any], code: str
) -> None:
    signed.publish([signed.entry("alpha", **changes), signed.entry("beta")])
    assert problem_codes(signed) == {"alpha": code}


@pytest.mark.parametrize(
    "changes",
    [
        {"file": "builtin/alpha.js\n"},
        {"file": "builtin/../builtin/alpha.js"},
        {"file": "/etc/passwd"},
        {"file": "builtin/Alpha.js"},
        {"file": "builtin/beta.js", "name": "alpha"},
        {"name": "con", "file": "builtin/con.js"},
        {"name": "lpt1", "file": "custom/lpt1.js"},
        {"name": "alpha\n"},
        {"enabled": "yes please"},
        {"extra": 1},
    ],
)
def test_a_name_that_could_mean_another_file_rejects_the_registry(
    signed: Signed, changes: dict[str, Any]
) -> None:
    signed.publish([{**signed.entry("alpha"), **changes}])
    with pytest.raises(SkillRegistryError):
        load_library(signed.root, signed.pinned)


def test_a_skill_named_twice_rejects_the_registry(signed: Signed) -> None:
    signed.publish([signed.entry("alpha"), signed.entry("alpha")])
    with pytest.raises(SkillRegistryError) as caught:
        load_library(signed.root, signed.pinned)
    assert caught.value.code == "skill_registry_duplicate"


@pytest.mark.parametrize(
    "raw",
    [
        b'{"version":"1.1","serial":1,"serial":2,"updated_at":"x","skills":[]}',
        b'{"version":"1.1","serial":NaN,"updated_at":"x","skills":[]}',
        b'{"version":"1.0","serial":1,"updated_at":"x","skills":[]}',
        b'{"version":"1.1","serial":1,"updated_at":"x","skills":[]} x',
        b"[]",
        b"\xff",
        b"[" * 100_000,
    ],
)
def test_a_signed_registry_that_two_readers_could_read_differently_is_refused(
    signed: Signed, raw: bytes
) -> None:
    signed.publish_raw(raw)
    with pytest.raises(SkillRegistryError):
        load_library(signed.root, signed.pinned)
    signed.publish_raw(b'{"version":"1.1","serial":1,"updated_at":"x","skills":[]}')
    assert names(signed) == []


def test_an_expiry_that_nobody_would_check_is_refused(signed: Signed) -> None:
    signed.publish([signed.entry("alpha")], expires_at="2027-01-01T00:00:00Z")
    with pytest.raises(SkillRegistryError) as caught:
        load_library(signed.root, signed.pinned)
    assert caught.value.code == "skill_registry_expiry"


def test_links_and_special_files_are_not_read(signed: Signed) -> None:
    alpha, beta = signed.root / "builtin/alpha.js", signed.root / "builtin/beta.js"
    alpha.rename(signed.root / "elsewhere.js")
    alpha.symlink_to(signed.root / "elsewhere.js")
    beta.unlink()
    os.mkfifo(beta)
    assert problem_codes(signed) == {"alpha": "skill_file_link", "beta": "skill_file_irregular"}


def test_a_linked_folder_is_not_followed(signed: Signed) -> None:
    (signed.root / "builtin").rename(signed.root / "real")
    (signed.root / "builtin").symlink_to(signed.root / "real")
    assert set(problem_codes(signed).values()) == {"skill_file_link"}
    (signed.root / "builtin").unlink()
    (signed.root / "real").rename(signed.root / "builtin")
    assert names(signed) == ["alpha", "beta"]


def test_a_missing_and_an_oversized_file_are_named(signed: Signed) -> None:
    (signed.root / "builtin/alpha.js").unlink()
    assert problem_codes(signed) == {"alpha": "skill_file_missing"}
    signed.entry("alpha")
    library = load_library(signed.root, signed.pinned, SkillLimits(file_bytes_max=1_000))
    assert {p.error.code for p in library.problems} == set()
    with (signed.root / "builtin/alpha.js").open("ab") as file:
        file.write(b"/" * 1_000)
    library = load_library(signed.root, signed.pinned, SkillLimits(file_bytes_max=1_000))
    assert {p.error.code for p in library.problems} == {"skill_file_too_large"}


def test_a_file_that_nobody_signed_is_shown_and_never_loaded(signed: Signed) -> None:
    (signed.root / "custom").mkdir()
    (signed.root / "custom/mine.js").write_bytes(source_of("mine"))
    assert problem_codes(signed) == {"mine": "skill_unsigned"}
    with pytest.raises(SkillTrustError, match="not in the signed registry"):
        load_library(signed.root, signed.pinned).get("mine")


def test_a_skill_that_is_switched_off_is_not_loaded_and_says_so(signed: Signed) -> None:
    signed.publish([{**signed.entry("alpha"), "enabled": False}, signed.entry("beta")])
    library = load_library(signed.root, signed.pinned)
    assert (library.disabled, library.problems) == (("alpha",), ())
    with pytest.raises(SkillUnknownError, match="switched off"):
        library.get("alpha")


def test_an_unknown_name_gets_the_list_of_known_ones(signed: Signed) -> None:
    with pytest.raises(SkillUnknownError, match="alpha, beta") as caught:
        load_library(signed.root, signed.pinned).get("gamma")
    assert "没有名为 gamma 的技能" in caught.value.text("zh-CN")


@pytest.mark.parametrize("key", ["", "00", "zz" * 32, "00" * 33])
def test_a_key_that_is_no_key_is_refused(key: str) -> None:
    with pytest.raises(SkillRegistryError):
        PinnedKey(key)


def test_a_signature_that_every_message_would_satisfy_is_refused() -> None:
    # Under the key of order 1 the equation S*B = R + h*A holds for S = 0, R = A, whatever h is.
    identity = b"\x01" + bytes(31)
    signature = "ed25519:" + base64.b64encode(identity + bytes(32)).decode("ascii")
    assert not PinnedKey(identity.hex()).signed(b"anything", signature)
