"""`sgclaw doctor`: what this machine has, what is missing, and the command that mends it."""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sgclaw.commands.run import add_model_options
from sgclaw.errors import EXIT_FAILED, EXIT_OK
from sgclaw.paths import data_dir
from sgclaw.printer import Printer, cli_language
from states.catalogue import words
from states.errors import SgclawError

if TYPE_CHECKING:
    from sgclaw.keys import Keys
    from sgclaw.model_choice import Asked


EPILOG = """Nothing is sent anywhere but with --ping. Keys are looked for and never shown.

examples:
  sgclaw doctor --json
  sgclaw doctor --provider ollama --model qwen3:8b --ping"""


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
        help="check this machine: browser, fonts, page bundle, skills, charts, data folder, model",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_model_options(parser)
    parser.add_argument(
        "--ping", action="store_true", help="ask the model's server for its list of models"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=_run)


def _run(given: argparse.Namespace, printer: Printer) -> int:
    # Imported for this command only: others start without the wire's models.
    from sgclaw.keys import Keys
    from sgclaw.model_choice import Asked

    keys = Keys(os.environ)
    asked = Asked(given.provider or "", given.base_url or "", given.model or "")
    checks = {
        **_CHECKS,
        "model": lambda: _model(asked, keys, ping=given.ping),
        "keys": lambda: _keys(keys),
    }
    findings = [_checked(name, check) for name, check in checks.items()]
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


def _model(asked: "Asked", keys: "Keys", *, ping: bool) -> Finding:
    """Say which model would answer a run; only with *ping* is anything sent to it."""
    from sgclaw.model_choice import OFFERS, choose, told
    from sgclaw.settings import load_settings

    limits = load_settings(os.environ).model
    choice = choose(asked, limits, keys)
    found = told(choice, cli_language())
    if not ping or choice.spec.kind not in OFFERS:
        return Finding("model", ok=True, found=found)
    from sgclaw.model_ping import ping as asked_server

    answer = asked_server(choice.spec, limits)
    return Finding("model", answer.ok, found, answer.text(cli_language()))


def _keys(keys: "Keys") -> Finding:
    """Say of each provider where a key for it is found, never the key."""
    from sgclaw.keys import VARIABLES
    from sgclaw.model_choice import KEY_FROM, KEYRING_SAID, OFFERS

    lang, parts, keyring = cli_language(), [], ""
    for provider in OFFERS:
        search = keys.search(provider)
        place = search.key.place if search.key else ""
        parts.append(f"{provider}: {words(KEY_FROM[place], lang, variable=VARIABLES[provider])}")
        if search.keyring not in ("found", "empty"):
            keyring = words(KEYRING_SAID[search.keyring], lang)
    return Finding("keys", ok=True, found="; ".join([*parts, keyring] if keyring else parts))


_CHECKS: dict[str, Callable[[], Finding]] = {
    "python": _python,
    "browser": _browser,
    "fonts": _fonts,
    "page bundle": _bundle,
    "skills": _skills,
    "charts": _charts,
    "data folder": _data,
}
