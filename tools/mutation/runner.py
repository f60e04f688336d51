"""Run tests again and again, each time in a fresh fork: what is slow to import is imported once.

Run with the interpreter of the copy and in its folder. One line of JSON in (`{"args": [...]}`),
one line out: how pytest ended, and the first test that failed.
"""

import contextlib
import importlib
import json
import os
import sys
from pathlib import Path

import pytest

# Nothing of the program itself: each fork must read the changed file.
_ASIDE = ("ada_url", "asyncio", "hypothesis", "jieba", "jsonschema", "loguru", "nacl.signing",
          "peewee", "platformdirs", "pydantic", "pytest_asyncio", "rfc8785", "transitions",
          "yaml")  # fmt: skip
# pytest warns of plugins that it cannot rewrite any more.
_IMPORTED_BEFORE = ("-W", "ignore::pytest.PytestAssertRewriteWarning")


class FirstFailure:
    """The pytest plugin that notes which test failed first, and whether all could be read."""

    def __init__(self) -> None:
        self.test = ""
        self.broken = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a failed test."""
        if report.failed and not self.test:
            self.test = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a file that could not be collected: it tells nothing of the guard."""
        if report.failed and not self.broken:
            self.broken = f"{report.nodeid}: {str(report.longrepr)[-300:]}"


def main() -> None:
    """Serve until the input ends."""
    sys.path.insert(0, str(Path.cwd()))
    for name in _ASIDE:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    answers = os.dup(1)
    for line in sys.stdin:
        os.write(answers, _forked(json.loads(line)["args"]) + b"\n")


def _forked(args: list[str]) -> bytes:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.close(reading)
        _tested(args, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        said = told.read()
    os.waitpid(child, 0)
    return said or b'{"exit": -1, "test": "", "broken": "the run of the tests ended early"}'


def _tested(args: list[str], writing: int) -> None:
    """Run pytest, tell how it ended, and leave the process."""
    silent = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1):
        os.dup2(silent, fd)
    first = FirstFailure()
    try:
        code = int(pytest.main([*args, *_IMPORTED_BEFORE], plugins=[first]))
        told = {"exit": code, "test": first.test, "broken": first.broken}
        os.write(writing, json.dumps(told).encode("ascii"))
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
