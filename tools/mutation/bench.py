"""A copy of the program to break: one file is changed, tests run, and the file is put back."""

import compileall
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Any, NamedTuple

from tools.mutation.gates import Mutant
from tools.mutation.rewrite import rewritten

_LEFT_OUT = shutil.ignore_patterns(
    ".*", "*.egg-info", "__pycache__", "node_modules", "out", "docs", "bench.json"
)
_TEST_SECONDS = 30
_TIDY = ("-x", "-q", "-p", "no:cacheprovider", f"--timeout={_TEST_SECONDS}")
_SCRIPT = "#!{python} -I\nimport sys\nfrom sgclaw.__main__ import main\nsys.exit(main())\n"
PASSED = 0
FAILED = 1


class Result(NamedTuple):
    """What became of one mutant: killed by the first failing test, or *broken*: none could run."""

    mutant: Mutant
    killed_by: str
    broken: str
    seconds: float

    @property
    def survived(self) -> bool:
        """True when every test passed without the guard, and some should not have."""
        return not (self.killed_by or self.broken or self.mutant.equal)

    @property
    def end(self) -> str:
        """Say in a few words what became of it."""
        if self.broken:
            return f"BROKEN {self.broken}"
        if not self.mutant.equal:
            return self.killed_by or "SURVIVED"
        return f"NOT EQUAL {self.killed_by}" if self.killed_by else f"equal: {self.mutant.equal}"

    @property
    def is_well(self) -> bool:
        """True when it is missed by a test, or is equal as the list says."""
        return not self.broken and bool(self.killed_by) != bool(self.mutant.equal)


class Bench:
    """The copy in *folder* of the program at *root*, and the runner that tests it.

    *without* names tests that are not run.
    """

    def __init__(self, root: Path, folder: Path, without: Sequence[str] = ()) -> None:
        self._args = [*_TIDY, *(f"--deselect={test}" for test in without)]
        self.root = folder / "program"
        shutil.copytree(root, self.root, ignore=_LEFT_OUT)
        python = _install(folder / "env", self.root)
        # Checked by hash: a file changed within the same second must not be taken from a cache.
        compileall.compile_dir(
            self.root, quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH
        )
        self._env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        self._env.pop("PYTHONPATH", None)
        runner = Path(__file__).parent / "runner.py"
        self._runner = subprocess.Popen(
            [str(python), "-P", str(runner)], cwd=self.root, env=self._env, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
        )  # fmt: skip

    def close(self) -> None:
        """End the runner."""
        if self._runner.stdin is not None:
            self._runner.stdin.close()
        self._runner.wait()

    def failure_without_change(self, mutants: Sequence[Mutant], *, quick: bool) -> str:
        """Return which test of *mutants* fails as things are, "" when none does."""
        only = ("-m", "not chromium") if quick else ()
        tests = {test for mutant in mutants for stage in mutant.stages for test in stage}
        # A folder holds its files; named twice, its tests would run twice.
        kept = sorted(t for t in tests if not any(t.startswith(f"{other}/") for other in tests))
        told = self._told([*self._args, *only, *kept]) if kept else {"exit": PASSED}
        return "" if told["exit"] == PASSED else str(told["test"] or told["broken"] or told["exit"])

    def tried(self, mutant: Mutant, *, quick: bool) -> Result:
        """Return what the tests say of *mutant*; *quick* leaves out those with a browser."""
        started = time.monotonic()
        only = ("-m", "not chromium") if quick or not mutant.chromium else ()
        with self._changed(mutant):
            for stage in mutant.stages:
                told = self._told([*self._args, *only, *stage])
                if told["exit"] == PASSED:
                    continue
                killer = str(told["test"]) if told["exit"] == FAILED else ""
                broken = (
                    "" if killer else str(told["broken"] or f"pytest ended with {told['exit']}")
                )
                return Result(mutant, killer, broken, time.monotonic() - started)
        return Result(mutant, "", "", time.monotonic() - started)

    @contextmanager
    def _changed(self, mutant: Mutant) -> Iterator[None]:
        path = self.root / mutant.file
        source = path.read_text(encoding="utf-8")
        path.write_text(rewritten(source, mutant.change), encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(source, encoding="utf-8")

    def _told(self, args: list[str]) -> dict[str, Any]:
        asked, answers = self._runner.stdin, self._runner.stdout
        if asked is None or answers is None:
            raise RuntimeError("the runner has no pipes")
        asked.write(json.dumps({"args": args}) + "\n")
        asked.flush()
        told: dict[str, Any] = json.loads(answers.readline())
        return told


def _install(environment: Path, program: Path) -> Path:
    """Make an interpreter that finds the copy and what it stands on, but not us; return it."""
    venv.create(environment, symlinks=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = environment / "lib" / version / "site-packages"
    for package in Path(sysconfig.get_path("purelib")).iterdir():
        if "sgclaw" not in package.name and not (site / package.name).exists():
            (site / package.name).symlink_to(package)
    (site / "copy.pth").write_text(f"{program}\n", encoding="utf-8")
    python = environment / "bin" / "python"
    script = environment / "bin" / "sgclaw"
    script.write_text(_SCRIPT.format(python=python), encoding="utf-8")
    script.chmod(0o755)
    return python
