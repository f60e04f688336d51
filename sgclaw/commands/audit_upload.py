"""`sgclaw audit upload`: send what is closed to a URL, once, with retry (A3)."""

import argparse
import os
import random
import time

from sgclaw.clock import utc_now
from sgclaw.errors import EXIT_FAILED, EXIT_OK, UsageError
from sgclaw.install import known_install_id
from sgclaw.paths import data_dir, private_files
from sgclaw.printer import Printer, cli_language
from sgclaw.settings import load_settings
from sgclaw.upload import Clocks, Item, Sent, Upload, state_dir, waiting
from sgclaw.upload_state import read_state
from sgclaw.upload_target import URL, Target, target_of
from states.catalogue import words

EPILOG = f"""Each object is sent by PUT to URL/INSTALL/archive|logs|heads/NAME, its SHA-256 in the
header Content-SHA256; a second run sends only what is new. Sent are archived segments, rotated
log files and new signed heads; not the log files that are written now. Nothing is removed here.
The address is --url, else {URL}; it is https, or http on this machine. The token in
SGCLAW_AUDIT_UPLOAD_TOKEN goes as a bearer token; SGCLAW_AUDIT_UPLOAD_PROXY (http://host:port)
names a proxy, no other is used. Nothing uploads by itself: run this command, by a timer if need be.

examples:
  sgclaw audit upload --url https://logs.example.com/sgclaw --dry-run
  sgclaw audit upload --json

exit codes: 0 all is there, 1 something was not sent, 2 usage"""


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb."""
    parser = verbs.add_parser(
        "upload",
        help="send archived segments, rotated logs and signed heads to a URL",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--url", metavar="U", help=f"where to (default: {URL})")
    parser.add_argument("--dry-run", action="store_true", help="say what would be sent")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=_run)


def _run(given: argparse.Namespace, printer: Printer) -> int:
    url = given.url or os.environ.get(URL, "")
    if not url:
        raise UsageError("upload_url_missing", variable=URL)
    target = target_of(url, os.environ)
    limits = load_settings(os.environ).audit
    prefix = known_install_id(data_dir())
    if prefix is None:
        done: list[Sent] = []
        already = 0
    elif given.dry_run:
        return _dry_run(target, printer)
    else:
        clocks = Clocks(time.sleep, random.random, utc_now)
        upload = Upload(data_dir(), target, limits, clocks)
        with private_files():
            done = upload.run(prefix, lambda sent: _tell(sent, printer))
        already = upload.already
    return _ended(target, done, already, printer)


def _dry_run(target: Target, printer: Printer) -> int:
    confirmed = read_state(state_dir(data_dir()) / f"{target.id}.json")
    found = list(waiting(data_dir(), confirmed))
    would = [item for item in found if isinstance(item, Item)]
    stuck = [item for item in found if isinstance(item, Sent)]
    for item in would:
        printer.line(f"{item.name}  {item.size}")
    for sent in stuck:
        _tell(sent, printer)
    size = sum(item.size for item in would)
    printer.line(words("upload_would_send", cli_language(), count=len(would), bytes=size,
                       to=target.shown))  # fmt: skip
    if printer.as_json:
        listed = [{"name": item.name, "bytes": item.size} for item in would]
        failed = [_failure(sent) for sent in stuck]
        printer.document({"to": target.shown, "would_send": listed, "failed": failed})
    return EXIT_FAILED if stuck else EXIT_OK


def _ended(target: Target, done: list[Sent], already: int, printer: Printer) -> int:
    sent = [item for item in done if not item.code]
    failed = [item for item in done if item.code]
    printer.line(words("upload_ended", cli_language(), sent=len(sent), already=already,
                       failed=len(failed), to=target.shown))  # fmt: skip
    if printer.as_json:
        listed = [{"name": s.name, "bytes": s.size, "sha256": s.sha256} for s in sent]
        printer.document({"to": target.shown, "sent": listed, "already": already,
                          "failed": [_failure(item) for item in failed]})  # fmt: skip
    return EXIT_FAILED if failed else EXIT_OK


def _tell(sent: Sent, printer: Printer) -> None:
    if sent.code:
        printer.error(f"{sent.name}: {_why(sent)}")
    else:
        printer.line(f"{sent.name}  {sent.size}")


def _failure(sent: Sent) -> dict[str, str]:
    return {"name": sent.name, "code": sent.code, "message": _why(sent)}


def _why(sent: Sent) -> str:
    return words(sent.code, cli_language(), why=sent.why)
