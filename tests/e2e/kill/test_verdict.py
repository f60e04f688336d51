"""The judge of killed runs finds each thing that it is there to find: its positive controls."""

import dataclasses
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import desk_in
from tests.e2e.kill.cases import Ending, Point
from tests.e2e.kill.verdict import faults, table

pytestmark = pytest.mark.chromium
Change = Callable[[Ending], object]


def _copy(ending: Ending, folder: Path) -> Ending:
    shutil.copytree(ending.desk.folder, folder)
    return dataclasses.replace(ending, desk=desk_in(folder))


def _of_commands(**changes: Any) -> Change:
    def change(ending: Ending) -> None:
        result = ending.result or {}
        for command in result["commands"]:
            command.update(changes if command["action"] == "click" else {})
        (ending.desk.folder / "out" / "result.json").write_text(json.dumps(result))

    return change


def _cut(ending: Ending) -> None:
    ending.ledger.write(ending.ledger.rows()[:-1])


def _edit(ending: Ending) -> None:
    text = json.dumps(ending.ledger.rows())
    ending.ledger.write(json.loads(text.replace('"#count"', '"#other"')))


def _end_of(state: str) -> Change:
    def change(ending: Ending) -> None:
        result = {**(ending.result or {}), "state": state}
        (ending.desk.folder / "out" / "result.json").write_text(json.dumps(result))

    return change


WRONGS: dict[str, tuple[Change, str]] = {
    "written twice": (lambda e: setattr(e, "writes", 2), "the site saw the write 2 times"),
    "told, not written": (lambda e: setattr(e, "writes", 0), "of what the site never saw"),
    "written, not told": (_of_commands(success=False, error="failed"), "the site saw 1"),
    "unknown, not printed": (
        _of_commands(success=False, error="unknown_outcome"),
        "the summary does not tell the unknown",
    ),
    "one process left": (lambda e: setattr(e, "left_over", ["x"]), "processes were left"),
    "a traceback": (lambda e: setattr(e, "text", "Traceback"), "a traceback was printed"),
    "a lie in the exit code": (lambda e: setattr(e, "codes", [1]), "it ended completed with"),
    "a failed end": (_end_of("failed"), "it ended failed"),
    "nobody struck": (lambda e: setattr(e, "point", Point("ledger", 1)), "0 blows were dealt"),
    "no end in the ledger": (_cut, "its ledger ends in"),
    "an edited ledger": (_edit, "its ledger replays differently"),
}


@pytest.mark.parametrize("wrong", WRONGS)
def test_what_is_wrong_is_found(undisturbed: Ending, wrong: str, tmp_path: Path) -> None:
    ending = _copy(undisturbed, tmp_path / "run")
    assert faults(ending) == []
    change, found = WRONGS[wrong]
    change(ending)
    assert found in " ".join(faults(ending))
    assert found in table([ending])
