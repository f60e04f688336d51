"""`sgclaw audit`: read, prove, export and keep the ledger; each verb has a module of its own."""

import argparse

from sgclaw.commands import (
    audit_export,
    audit_query,
    audit_show,
    audit_store,
    audit_upload,
    audit_verify,
)

EXAMPLES = """examples:
  sgclaw audit show sgclaw-20261129-0123456789abcdef
  sgclaw audit query --since 7d --verdict denied
  sgclaw audit verify
  sgclaw audit export evidence.zip --trace sgclaw-20261129-0123456789abcdef
  sgclaw audit prune --dry-run"""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `audit` and what stands under it."""
    parser = commands.add_parser(
        "audit",
        help="read, prove, export and keep the ledger",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb in (audit_show, audit_query, audit_verify, audit_export, audit_store, audit_upload):
        verb.add(verbs)
