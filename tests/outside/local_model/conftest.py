"""The model's server as a process of its own; its tests are opted into by `LOCAL_MODEL=1`."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.local_model.install import MODEL, PYTHON, is_installed

SERVER = Path(__file__).parents[3] / "tools" / "local_model" / "server.py"
# Not part of `make check`: it needs 130 MB, and what a model answers is no property of this code.
collect_ignore = [] if os.environ.get("LOCAL_MODEL") else ["test_clicks.py"]


@pytest.fixture(scope="session")
def model_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base address of the running model."""
    assert is_installed(), "the model is not here; run `make test-local-model`"
    log = tmp_path_factory.mktemp("model") / "log"
    with log.open("wb") as words:
        command = [str(PYTHON), str(SERVER), str(MODEL)]
        child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=words
        )
        assert child.stdin is not None
        assert child.stdout is not None
        line = child.stdout.readline()
        assert line, log.read_text(encoding="utf-8", errors="replace")[-2_000:]
        yield f"http://127.0.0.1:{json.loads(line)['port']}/v1"
        child.stdin.close()
        child.stdout.close()
        assert child.wait(timeout=20) == 0
