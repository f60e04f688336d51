"""Install the outside suites that the tests run: `python tools/outside/install.py`.

The pages of miniwob (MIT) come from its wheel on PyPI, pinned by version and digest. Only its html
folder is unpacked, into `.miniwob` beside this file, which git ignores; none of its Python code is
kept, and nothing here is used when the program runs.
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

VERSION = "1.1.0"
SHA256 = "297006e84219d56ad037e843527ed773a4a82509dc43b6031ec4a3ad3e3e61d9"
FOLDER = Path(__file__).parent / ".miniwob"
DOWNLOAD_SECONDS_MAX = 300
_HTML = "miniwob/html/"


def html_folder() -> Path:
    """Return the folder with the pages.

    Raises:
        FileNotFoundError: they are not installed.
    """
    html = FOLDER / _HTML
    if not _is_installed():
        raise FileNotFoundError(f"the pages of miniwob {VERSION} are not here; run `make outside`")
    return html


def main() -> int:
    """Install unless it is there; return the exit code."""
    if _is_installed():
        return 0
    print(f"installing the pages of miniwob {VERSION} for the tests (pip) ...", flush=True)
    with tempfile.TemporaryDirectory() as made:
        wheel = _downloaded(Path(made))
        if wheel is None:
            return 1
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        if digest != SHA256:
            sys.stderr.write(f"{wheel.name} is not the pinned file: its SHA-256 is {digest}\n")
            return 1
        shutil.rmtree(FOLDER, ignore_errors=True)
        with zipfile.ZipFile(wheel) as packed:
            pages = [name for name in packed.namelist() if name.startswith(_HTML)]
            packed.extractall(FOLDER, pages)
    _stamp().write_text(SHA256, encoding="ascii")
    return 0


def _downloaded(folder: Path) -> Path | None:
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:"]
    command += ["--dest", str(folder), f"miniwob=={VERSION}"]
    try:
        done = subprocess.run(command, timeout=DOWNLOAD_SECONDS_MAX, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        sys.stderr.write(f"pip: {error}\n")
        return None
    wheels = list(folder.glob("*.whl"))
    return wheels[0] if done.returncode == 0 and wheels else None


def _stamp() -> Path:
    return FOLDER / ".installed.sha256"


def _is_installed() -> bool:
    return _stamp().is_file() and _stamp().read_text(encoding="ascii") == SHA256


if __name__ == "__main__":
    sys.exit(main())
