"""`sgclaw doctor`: what this machine has, what is missing, and the command that mends it."""

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from sgclaw.errors import EXIT_FAILED, EXIT_OK
from sgclaw.paths import data_dir
from sgclaw.printer import Printer, cli_language
from states.catalogue import words
from states.errors import SgclawError


class Finding(NamedTuple):
    """One thing looked at."""

    name: str
    ok: bool
    found: str
    fix: str = ""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "doctor",
        help="check this machine: browser, fonts, page bundle, skills, charts, data folder",
        epilog="example: sgclaw doctor --json",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=_run)


def _run(given: argparse.Namespace, printer: Printer) -> int:
    del given
    findings = [_checked(name, check) for name, check in _CHECKS.items()]
    broken = [finding for finding in findings if not finding.ok]
    if printer.as_json:
        printer.document([finding._asdict() for finding in findings])
        return EXIT_FAILED if broken else EXIT_OK
    for finding in findings:
        mark = "ok " if finding.ok else "BAD"
        printer.line(f"{mark}  {finding.name:<12} {finding.found}")
        if finding.fix:
            printer.line(f"     {'':<12} {finding.fix}")
    return EXIT_FAILED if broken else EXIT_OK


def _checked(name: str, check: Callable[[], Finding]) -> Finding:
    try:
        return check()
    except SgclawError as error:
        return Finding(name, ok=False, found=error.code, fix=error.text(cli_language()))


def _python() -> Finding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    return Finding("python", sys.version_info >= (3, 11), version)


def _browser() -> Finding:
    from browser.host.chromium import find_browser

    path = find_browser()
    done = subprocess.run(  # noqa: S603 - the browser that find_browser chose
        [str(path), "--version"], capture_output=True, text=True, timeout=30, check=False
    )
    lines = done.stdout.strip().splitlines()
    return Finding("browser", done.returncode == 0, f"{path} {lines[-1] if lines else ''}".strip())


def _fonts() -> Finding:
    lister = shutil.which("fc-list")
    if lister is None:
        return Finding("fonts", ok=True, found=words("fonts_unknown", cli_language()))
    done = subprocess.run(  # noqa: S603 - a fixed program and fixed arguments
        [lister, ":lang=zh", "family"], capture_output=True, text=True, timeout=30, check=False
    )
    families = sorted({line.split(",")[0] for line in done.stdout.splitlines() if line})
    if families:
        return Finding("fonts", ok=True, found=families[0])
    return Finding("fonts", ok=False, found="-", fix=words("fonts_missing", cli_language()))


def _bundle() -> Finding:
    from browser.page import bundle_source

    return Finding("page bundle", ok=True, found=f"{len(bundle_source())} characters")


def _skills() -> Finding:
    from skills.registry import load_library

    library = load_library()
    problems = "; ".join(p.error.text(cli_language()) for p in library.problems)
    found = f"{len(library.skills)} verified, serial {library.serial}"
    return Finding("skills", not problems, found, problems)


def _charts() -> Finding:
    from sgclaw.charts import load_named
    from statecharts import chart_names

    charts = [load_named(name) for name in chart_names()]
    return Finding("charts", ok=True, found=", ".join(f"{c.id} {c.sha256[:12]}" for c in charts))


def _data() -> Finding:
    folder = data_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe: Path = folder / ".doctor"
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        fix = words("data_dir_unwritable", cli_language(), folder=folder, why=error.strerror)
        return Finding("data folder", ok=False, found=str(folder), fix=fix)
    return Finding("data folder", ok=True, found=str(folder))


_CHECKS: dict[str, Callable[[], Finding]] = {
    "python": _python,
    "browser": _browser,
    "fonts": _fonts,
    "page bundle": _bundle,
    "skills": _skills,
    "charts": _charts,
    "data folder": _data,
}
