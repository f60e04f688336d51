"""Other people's programs as oracles: Node with what `tools/oracles` pins, and Graphviz."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from browser.page.build import find_tools

ROOT = Path(__file__).parent.parent.parent
MODULES = ROOT / "tools" / "oracles" / "node_modules"
NODE_SECONDS_MAX = 50


def walk_in_xstate(charts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what XState does with each of *charts*; see tools/oracles/xstate_walk.mjs."""
    assert MODULES.is_dir(), "run `make oracles` first"
    node = find_tools().node
    # The development build of XState is the one that warns.
    script = [*node, "--conditions=development", str(MODULES.parent / "xstate_walk.mjs")]
    done = subprocess.run(
        script,
        input=json.dumps({"charts": charts}),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=NODE_SECONDS_MAX,
        check=False,
        env={**os.environ, "NODE_NO_WARNINGS": "1"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told: list[dict[str, Any]] = json.loads(done.stdout)["charts"]
    return told


def mermaid_bundle() -> str:
    """Return Mermaid as one script that sets `window.mermaid`."""
    return (MODULES / "mermaid" / "dist" / "mermaid.min.js").read_text(encoding="utf-8")


def rendered_by_graphviz(text: str, form: str = "svg") -> bytes:
    """Return the picture that `dot` draws of *text*; any warning fails."""
    dot = shutil.which("dot")
    assert dot is not None, "install graphviz first: make oracles"
    done = subprocess.run(
        [dot, f"-T{form}"], input=text.encode(), capture_output=True, timeout=30, check=False
    )
    assert (done.returncode, done.stderr.decode()) == (0, "")
    return done.stdout
