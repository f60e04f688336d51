"""Install the npm packages that the tests compare with: `python tools/oracles/install.py`.

They are pinned in the lock beside this file and go into its `node_modules`, which git ignores.
Node is found as for the page bundle; nothing here is used when the program runs.
"""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from browser.page.build import find_tools
from states.errors import SgclawError

ORACLES = Path(__file__).parent
INSTALL_SECONDS_MAX = 600


def main() -> int:
    """Install unless what the lock names is there; return the exit code."""
    modules = ORACLES / "node_modules"
    stamp = modules / ".installed.sha256"
    pinned = [ORACLES / "package.json", ORACLES / "package-lock.json"]
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in pinned)).hexdigest()
    if stamp.is_file() and stamp.read_text(encoding="ascii") == digest:
        return 0
    try:
        npm = find_tools().npm
    except SgclawError as error:
        sys.stderr.write(f"{error.text('en')}\n{error.text('zh-CN')}\n")
        return 1
    shutil.rmtree(modules, ignore_errors=True)
    print("installing xstate and mermaid for the tests (npm) ...", flush=True)
    command = (*npm, "ci", "--ignore-scripts", "--no-progress", "--loglevel=error")
    try:
        done = subprocess.run(command, cwd=ORACLES, timeout=INSTALL_SECONDS_MAX, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        sys.stderr.write(f"npm: {error}\n")
        return 1
    if done.returncode == 0:
        stamp.write_text(digest, encoding="ascii")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
