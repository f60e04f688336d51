"""A program whose skills were touched starts nothing; one with a stranger's file says so (S3)."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.skills.library import source_of
from tests.support.program_copy import ProgramCopy

INSTRUCTION = "导出本月合规报表"
SKILL = "builtin/erp-monthly-report.js"


@pytest.fixture
def copy(tmp_path: Path) -> ProgramCopy:
    return ProgramCopy(tmp_path)


def one_byte(copy: ProgramCopy) -> None:
    path = copy.library / SKILL
    path.write_bytes(path.read_bytes().replace(b"success: true", b"success: !0 ", 1) + b"\n")


def line_endings(copy: ProgramCopy) -> None:
    path = copy.library / SKILL
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))


def missing_file(copy: ProgramCopy) -> None:
    (copy.library / SKILL).unlink()


def link(copy: ProgramCopy) -> None:
    path = copy.library / SKILL
    path.rename(copy.root / "elsewhere.js")
    path.symlink_to(copy.root / "elsewhere.js")


def registry_edited(copy: ProgramCopy) -> None:
    path = copy.library / "registry.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["serial"] += 1
    path.write_text(json.dumps(document), encoding="utf-8")


def signature_missing(copy: ProgramCopy) -> None:
    (copy.library / "registry.json.sig").unlink()


def key_copy_differs(copy: ProgramCopy) -> None:
    path = copy.root / "skills" / "keys" / "release.pub"
    path.write_text("0" * 64 + " 0000000000000000\n", encoding="ascii")


def key_copy_missing(copy: ProgramCopy) -> None:
    (copy.root / "skills" / "keys" / "release.pub").unlink()


def pinned_key_replaced(copy: ProgramCopy) -> None:
    path = copy.root / "skills" / "release_key.py"
    path.write_text(f'PUBLIC_KEY_HEX = "{"ab" * 32}"\n', encoding="ascii")


TAMPERED = {
    one_byte: "changed after it was signed",
    line_endings: "line endings",
    missing_file: "erp-monthly-report.js",
    link: "erp-monthly-report.js",
    registry_edited: "registry.json",
    signature_missing: "registry.json.sig",
    key_copy_differs: "release.pub",
    key_copy_missing: "release.pub",
    pinned_key_replaced: "release.pub",
}


@pytest.mark.parametrize(
    ("tamper", "names"), TAMPERED.items(), ids=[tamper.__name__ for tamper in TAMPERED]
)
def test_a_program_whose_skills_were_touched_starts_nothing(
    copy: ProgramCopy, tamper: Callable[[ProgramCopy], None], names: str
) -> None:
    tamper(copy)
    done = copy.run("run", "--demo", INSTRUCTION, "--out", "out")
    assert done.returncode == 4, done.stdout + done.stderr
    assert names in done.stderr
    assert "nothing was started" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert not (copy.root.parent / "out").exists()
    assert not copy.data.exists()


@pytest.mark.chromium
@pytest.mark.timeout(180)
def test_a_strangers_skill_is_named_and_the_rest_runs(copy: ProgramCopy) -> None:
    """The control too: an untouched library beside the stranger's file exports the report."""
    (copy.library / "custom").mkdir(exist_ok=True)
    (copy.library / "custom" / "x.js").write_bytes(source_of("x"))
    done = copy.run("run", "--demo", INSTRUCTION, "--out", "out")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "custom/x.js" in done.stderr
    result = json.loads((copy.root.parent / "out" / "result.json").read_text(encoding="utf-8"))
    assert (result["state"], len(result["downloads"])) == ("completed", 1)


def test_an_untouched_copy_gets_past_the_check(copy: ProgramCopy) -> None:
    copy.env["SGCLAW_BROWSER"] = str(copy.root / "none")  # so far it went, and no further
    done = copy.run("run", "--demo", INSTRUCTION, "--out", "out", "--json")
    assert (done.returncode, json.loads(done.stdout)["reason"]) == (1, "no_browser")
    assert "skill" not in done.stderr
