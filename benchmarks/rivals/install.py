"""Install the rivals into `benchmarks/.rivals`: Playwright MCP from npm, browser-use from PyPI.

They run in folders of their own: nothing of them is a dependency of sgclaw or of its tests.
"""

import subprocess
import sys
import venv
from pathlib import Path

from browser.page.build import find_tools

MCP_VERSION = "0.0.83"
BROWSER_USE_VERSION = "0.13.14"
FOLDER = Path(__file__).parent.parent / ".rivals"
MCP = FOLDER / "npm" / "node_modules" / "@playwright" / "mcp" / "cli.js"
BROWSER_USE = FOLDER / "browser_use" / "bin" / "python"
_SECONDS_MAX = 900


def install() -> None:
    """Install what is missing.

    Raises:
        CalledProcessError: npm or pip failed; its words are on stderr.
    """
    _install_mcp()
    _install_browser_use()


def _install_mcp() -> None:
    if MCP.is_file():
        return
    print("installing Playwright MCP (npm) ...", file=sys.stderr, flush=True)
    place = FOLDER / "npm"
    place.mkdir(parents=True, exist_ok=True)
    (place / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error")
    command = (*find_tools().npm, "install", *quiet, f"@playwright/mcp@{MCP_VERSION}")
    subprocess.run(command, cwd=place, check=True, timeout=_SECONDS_MAX, stdout=sys.stderr)


def _install_browser_use() -> None:
    stamp = FOLDER / "browser_use" / f".{BROWSER_USE_VERSION}"
    if stamp.is_file():
        return
    print("installing browser-use (pip, 360 MB) ...", file=sys.stderr, flush=True)
    venv.create(FOLDER / "browser_use", with_pip=True, clear=True)
    command = [
        str(BROWSER_USE),
        "-m",
        "pip",
        "install",
        "-q",
        f"browser-use=={BROWSER_USE_VERSION}",
    ]
    subprocess.run(command, check=True, timeout=_SECONDS_MAX, stdout=sys.stderr)
    stamp.touch()


if __name__ == "__main__":
    install()
