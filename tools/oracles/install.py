"""Install npm packages that the tests use: `python tools/oracles/install.py [FOLDER]`.

They are pinned in the lock in FOLDER, else beside this file, and go into the `node_modules` there,
which git ignores.
Node is found as for the page bundle; nothing here is used when the program runs.
"""

import hashlib
import json
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
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ORACLES
    modules = folder / "node_modules"
    stamp = modules / ".installed.sha256"
    pinned = [folder / "package.json", folder / "package-lock.json"]
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in pinned)).hexdigest()
    if stamp.is_file() and stamp.read_text(encoding="ascii") == digest:
        return 0
    try:
        npm = find_tools().npm
    except SgclawError as error:
        sys.stderr.write(f"{error.text('en')}\n{error.text('zh-CN')}\n")
        return 1
    shutil.rmtree(modules, ignore_errors=True)
    names = ", ".join(json.loads(pinned[0].read_text(encoding="utf-8"))["devDependencies"])
    print(f"installing {names} for the tests (npm) ...", flush=True)
    command = (*npm, "ci", "--ignore-scripts", "--no-progress", "--loglevel=error")
    try:
        done = subprocess.run(command, cwd=folder, timeout=INSTALL_SECONDS_MAX, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        sys.stderr.write(f"npm: {error}\n")
        return 1
    if done.returncode == 0:
        stamp.write_text(digest, encoding="ascii")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
