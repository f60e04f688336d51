"""The list of gates: what is not a function in guards/ and yet decides whether something happens.

`gates.yaml` names for each the function, what in it is replaced by what, and the tests to run.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tools.mutation.rewrite import Change, GateGoneError

LIST = Path(__file__).parent / "gates.yaml"
_KEYS = frozenset({"gate", "in", "find", "becomes", "tests", "chromium", "also", "equal"})


class Mutant(NamedTuple):
    """One guard or gate in one variant.

    The tests of each stage run together, one stage after the other until one fails. *also* says
    what else stops the same thing, *equal* why nobody can tell the mutant from the program; only a
    *chromium* mutant may need a browser to be noticed.
    """

    name: str
    variant: str
    file: str
    change: Change
    stages: tuple[tuple[str, ...], ...]
    chromium: bool = False
    also: str = ""
    equal: str = ""


def listed_mutants(path: Path = LIST) -> Iterator[Mutant]:
    """Yield the gates that the list *path* names.

    Raises:
        GateGoneError: the list itself is wrong.
    """
    documents = yaml.safe_load(path.read_text(encoding="utf-8")) or []
    for module in documents:
        for entry in module["gates"]:
            yield _mutant(module, entry)


def _mutant(module: Mapping[str, Any], entry: Mapping[str, Any]) -> Mutant:
    unknown = entry.keys() - _KEYS
    if unknown or "gate" not in entry:
        raise GateGoneError(f"{module['file']}: {entry.get('gate')}: unknown {sorted(unknown)}")
    tests = entry.get("tests", module.get("tests", []))
    if not tests:
        raise GateGoneError(f"{module['file']}: {entry['gate']}: no tests")
    function = str(entry.get("in", ""))
    return Mutant(
        name=f"{module['file']}:{function}",
        variant=str(entry["gate"]),
        file=str(module["file"]),
        change=Change(function, str(entry.get("becomes", "False")), str(entry.get("find", ""))),
        stages=(tuple(tests),),
        chromium=bool(entry.get("chromium", False)),
        also=str(entry.get("also", "")),
        equal=str(entry.get("equal", "")),
    )
