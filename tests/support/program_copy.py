"""A copy of the program in a folder, installed for itself: a change there changes nothing here.

Host, agent and skill child of the copy all run the copy's code.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PACKAGES = ("sgclaw", "engine", "states", "actions", "guards", "skills", "memory", "prompts",
            "statecharts", "browser")  # fmt: skip
RUN_SECONDS = 150
# Isolated: no PYTHONPATH of whoever runs the tests may bring in another program.
_SCRIPT = "#!{python} -I\nimport sys\nfrom sgclaw.__main__ import main\nsys.exit(main())\n"


class ProgramCopy:
    """The program at *folder*; `run` starts its own console script."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "program"
        self.library = self.root / "skills" / "library"
        self.data = folder / "data"
        self.env = {**os.environ, "SGCLAW_DATA_DIR": str(self.data), "SGCLAW_LANG": "en"}
        self._bin = folder / "env" / "bin"
        left_out = shutil.ignore_patterns("node_modules", "__pycache__", ".build")
        for package in PACKAGES:
            shutil.copytree(ROOT / package, self.root / package, ignore=left_out)
        self._install(folder / "env")

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run `sgclaw` with *arguments* and return how it ended."""
        return subprocess.run(
            [str(self._bin / "sgclaw"), *arguments],
            cwd=self.root.parent, env=self.env, capture_output=True, text=True, encoding="utf-8",
            stdin=subprocess.DEVNULL, timeout=RUN_SECONDS, check=False,
        )  # fmt: skip

    def _install(self, environment: Path) -> None:
        """Make an interpreter that finds the copy, and after it what the product stands on."""
        venv.create(environment, symlinks=True)
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        site = environment / "lib" / version / "site-packages"
        # A path file is not followed into the other path files of a folder it names: the
        # installation under test stays out.
        (site / "copy.pth").write_text(
            f"{self.root}\n{sysconfig.get_path('purelib')}\n", encoding="utf-8"
        )
        script = self._bin / "sgclaw"
        script.write_text(_SCRIPT.format(python=self._bin / "python"), encoding="utf-8")
        script.chmod(0o755)
