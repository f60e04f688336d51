"""The command line in this process: `cli("chart", "list")`, and what it said."""

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sgclaw.cli import main
from statecharts import chart_text


class Said(NamedTuple):
    """What one command said, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """Return the one JSON document that stdout is."""
        return json.loads(self.out)


class Cli:
    """Runs the command line with *env* beside the environment of the tests."""

    def __init__(self, capsys: pytest.CaptureFixture[str], data: Path) -> None:
        self.env = {"SGCLAW_LANG": "en", "SGCLAW_DATA_DIR": str(data)}
        self._capsys = capsys

    def __call__(self, *arguments: str) -> Said:
        self._capsys.readouterr()
        before = dict(os.environ)
        os.environ.update(self.env)
        try:
            code = main(arguments)
        finally:
            os.environ.clear()
            os.environ.update(before)
        return Said(code, *self._capsys.readouterr())


def broken_chart(folder: Path) -> tuple[Path, int]:
    """Write the task chart with one guard misspelt; return the file and the line of it."""
    lines = chart_text("task").splitlines()
    at = next(n for n, line in enumerate(lines) if "guard: reply_is_text," in line)
    lines[at] = lines[at].replace("reply_is_text", "reply_is_txt")
    path = folder / "broken.yaml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path, at + 1


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Cli:
    return Cli(capsys, tmp_path / "data")
