"""The tool that disables each guard: what it finds, what it tells, and with which exit code."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tools.mutation.gates import listed_mutants
from tools.mutation.guards import guard_mutants
from tools.mutation.rewrite import Change, GateGoneError, rewritten

ROOT = Path(__file__).parent.parent
PROGRAM = {
    "states/verdict.py": """
from typing import NamedTuple
class Verdict(NamedTuple):
    allowed: bool
    reason: str = ""
ALLOWED = Verdict(True)
def refused(reason): return Verdict(False, reason)
""",
    "guards/doors.py": """
from states.verdict import ALLOWED, Verdict, refused
def door_is_open(hour: int) -> Verdict:
    return ALLOWED if 8 <= hour < 18 else refused("closed")
""",
    "house/lock.py": """
def enter(key, guest):
    if key != "right":
        raise PermissionError
    if guest == "stranger":
        raise PermissionError
    return "inside"
""",
    "tests/guards/test_doors.py": """
from guards.doors import door_is_open
def test_the_door_is_closed_at_night(): assert not door_is_open(23).allowed
def test_the_door_is_open_at_noon(): assert door_is_open(12).allowed
""",
    "tests/test_lock.py": """
import pytest
from house.lock import enter
def test_a_wrong_key_does_not_open():
    with pytest.raises(PermissionError): enter("wrong", "friend")
    assert enter("right", "friend") == "inside"
""",
}
GATES = """
- file: house/lock.py
  tests: [tests/test_lock.py]
  gates:
    - {gate: the key, in: enter, find: 'key != "right"'}
"""
STRANGER = "    - {gate: the stranger, in: enter, find: 'if guest == \"stranger\"'}\n"


class Said(NamedTuple):
    code: int
    out: str
    err: str
    rows: list[dict[str, Any]]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    for name, text in PROGRAM.items():
        path = tmp_path / "program" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "program"


def run(program: Path, gates: str) -> Said:
    listed, told = program.parent / "gates.yaml", program.parent / "told.json"
    listed.write_text(gates, encoding="utf-8")
    tool = [sys.executable, str(ROOT / "tools/mutate_guards.py")]
    options = ["--root", str(program), "--gates", str(listed), "--json", str(told)]
    done = subprocess.run([*tool, *options], capture_output=True, text=True, check=False)
    rows = json.loads(told.read_text(encoding="utf-8")) if told.exists() else []
    return Said(done.returncode, done.stdout, done.stderr, rows)


def test_a_guard_and_a_gate_that_have_tests_are_missed_by_them(program: Path) -> None:
    said = run(program, GATES)
    killed = {
        (row["name"], row["variant"]): row["killed_by"].partition("::")[2] for row in said.rows
    }
    assert killed == {
        ("guards/doors.py:door_is_open", "allows all"): "test_the_door_is_closed_at_night",
        ("guards/doors.py:door_is_open", "refuses all"): "test_the_door_is_open_at_noon",
        ("house/lock.py:enter", "the key"): "test_a_wrong_key_does_not_open",
    }
    assert said.code == 0, said.out + said.err
    assert (program / "house/lock.py").read_text(encoding="utf-8") == PROGRAM["house/lock.py"]


def test_a_gate_that_no_test_sees_survives_and_is_told(program: Path) -> None:
    said = run(program, GATES + STRANGER)
    assert [row["variant"] for row in said.rows if row["survived"]] == ["the stranger"]
    assert said.code == 1
    assert "SURVIVED" in said.out


def test_tests_that_fail_as_things_are_prove_nothing(program: Path) -> None:
    path = program / "tests/test_lock.py"
    path.write_text(
        PROGRAM["tests/test_lock.py"].replace('"inside"', '"outside"'), encoding="utf-8"
    )
    said = run(program, GATES)
    assert (said.code, said.rows) == (2, [])
    assert "test_a_wrong_key_does_not_open" in said.err


def test_a_listed_gate_that_is_gone_is_an_error(program: Path) -> None:
    said = run(program, GATES.replace("right", "left"))
    assert (said.code, said.rows) == (2, [])
    assert "not there any more" in said.err


@pytest.mark.parametrize(
    ("function", "find"),
    [("nobody", ""), ("f", "b"), ("f", "a"), ("f", "if b"), ("f", "a; a"), ("f", "")],
)
def test_only_a_place_that_is_there_exactly_once_is_changed(function: str, find: str) -> None:
    source = "def f(a):\n    if a:\n        return a\n"
    if not find and function == "f":
        assert rewritten(source, Change("f", "pass")) == "def f(a):\n    pass"
        assert rewritten(source, Change("f", "False", "if a")).splitlines()[1] == "    if False:"
        return
    with pytest.raises(GateGoneError):
        rewritten(source, Change(function, "False", find))


def test_a_new_guard_is_found_and_one_of_a_strange_form_is_an_error(
    program: Path,
) -> None:
    path = program / "guards/new.py"
    path.write_text("def is_new(x: int) -> bool:\n    return x > 1\n", encoding="utf-8")
    assert {m.name for m in guard_mutants(program)} >= {"guards/new.py:is_new"}
    path.write_text("def is_odd(x: int) -> list[Verdict]:\n    return []\n", encoding="utf-8")
    with pytest.raises(GateGoneError, match="is_odd"):
        list(guard_mutants(program))


def test_every_gate_of_the_list_is_where_the_list_says() -> None:
    mutants = [*guard_mutants(ROOT), *listed_mutants()]
    assert len({(m.name, m.variant) for m in mutants}) == len(mutants) > 400
    for mutant in mutants:
        source = (ROOT / mutant.file).read_text(encoding="utf-8")
        rewritten(source, mutant.change)
        assert all((ROOT / t.partition("::")[0]).exists() for s in mutant.stages for t in s), mutant
