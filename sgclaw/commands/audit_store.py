"""`sgclaw audit prune|archive|size`: what an operator keeps, puts away and lets go (A3)."""

import argparse

from sgclaw.printer import Printer

EXAMPLES = """examples:
  sgclaw audit size
  sgclaw audit archive --to /mnt/archive
  sgclaw audit prune --dry-run
  sgclaw audit prune --profile long --json"""


def add(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verbs."""
    form = argparse.RawDescriptionHelpFormatter
    prune = verbs.add_parser(
        "prune", help="drop what is past its days", epilog=EXAMPLES, formatter_class=form
    )
    prune.add_argument("--dry-run", action="store_true", help="only say what would go")
    prune.add_argument(
        "--profile", choices=("standard", "long"),
        help="days by class: standard 90/30/90, long 185 (default: SGCLAW_AUDIT_RETENTION_PROFILE)",
    )  # fmt: skip
    prune.add_argument(
        "--archives", action="store_true", help="archives past SGCLAW_AUDIT_ARCHIVE_DAYS too"
    )
    prune.add_argument(
        "--without-archive", action="store_true", help="also segments that were not archived"
    )
    prune.add_argument(
        "--unfinished", action="store_true", help="also tasks that never came to an end"
    )
    prune.add_argument(
        "--compact", action="store_true", help="give the room back; nobody may write meanwhile"
    )
    prune.add_argument("--yes", action="store_true", help="the clock is right, though in doubt")
    prune.set_defaults(run=_prune)
    archive = verbs.add_parser(
        "archive", help="write closed segments to files", epilog=EXAMPLES, formatter_class=form
    )
    archive.add_argument("--to", metavar="DIR", help="the folder (default: archive in the data)")
    archive.set_defaults(run=_archive)
    size = verbs.add_parser(
        "size", help="how much room it all takes", epilog=EXAMPLES, formatter_class=form
    )
    size.set_defaults(run=_size)
    for verb in (prune, archive, size):
        verb.add_argument("--json", action="store_true", help="print one JSON document")


def _prune(given: argparse.Namespace, printer: Printer) -> int:
    # What only this verb needs is imported here: every start reads this file.
    from sgclaw.commands.audit_store_run import prune

    return prune(given, printer)


def _archive(given: argparse.Namespace, printer: Printer) -> int:
    # What only this verb needs is imported here: every start reads this file.
    from sgclaw.commands.audit_store_run import archive

    return archive(given, printer)


def _size(given: argparse.Namespace, printer: Printer) -> int:
    # What only this verb needs is imported here: every start reads this file.
    from sgclaw.commands.audit_store_run import size

    return size(given, printer)
