"""Install the AgentDojo suites that a test runs: `python tools/agentdojo/install.py`.

AgentDojo (MIT, from PyPI) and what it imports are pinned in `requirements.txt` and get a virtual
environment of their own in `.agentdojo` beside this file, which git ignores: their SDKs are others
than the program's. Nothing here is used when the program runs.
"""

import hashlib
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).parent
FOLDER = HERE / ".agentdojo"
PYTHON = FOLDER / "venv" / "bin" / "python"
SERVE = HERE / "serve.py"
INSTALL_SECONDS_MAX = 600
_PINS = HERE / "requirements.txt"
_STAMP = FOLDER / ".installed.sha256"


def is_installed() -> bool:
    """Tell whether what the pins name is here."""
    return _STAMP.is_file() and _STAMP.read_text(encoding="ascii") == _digest()


def main() -> int:
    """Install unless it is there; return the exit code."""
    if is_installed():
        return 0
    print("installing AgentDojo for the tests (pip, 290 MB) ...", flush=True)
    shutil.rmtree(FOLDER, ignore_errors=True)
    venv.create(FOLDER / "venv", with_pip=True)
    command = [str(PYTHON), "-m", "pip", "install", "-q", "--no-deps", "--only-binary", ":all:"]
    try:
        done = subprocess.run(
            [*command, "-r", str(_PINS)], timeout=INSTALL_SECONDS_MAX, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        sys.stderr.write(f"pip: {error}\n")
        return 1
    if done.returncode == 0:
        _STAMP.write_text(_digest(), encoding="ascii")
    return done.returncode


def _digest() -> str:
    return hashlib.sha256(_PINS.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
