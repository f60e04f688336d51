"""`sgclaw mcp`: which MCP servers there are, and which of their tools a person approved (R6)."""

import argparse
from collections.abc import Callable
from pathlib import Path

from sgclaw.printer import Printer

EXAMPLES = """examples:
  sgclaw mcp add time -- mcp-server-time --local-timezone UTC
  sgclaw mcp list
  sgclaw mcp approve time get_current_time --read-only
  sgclaw mcp remove time

Nothing that a server offers is used before it was approved. A tool that changes is refused until
it is approved again. What is not approved as read-only asks the person at each call."""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `mcp` and what stands under it."""
    form = argparse.RawDescriptionHelpFormatter
    parser = commands.add_parser(
        "mcp",
        help="tools of MCP servers: add, list, approve, remove",
        epilog=EXAMPLES,
        formatter_class=form,
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    adding = verbs.add_parser(
        "add",
        help="add a server that is started over stdio, and show its tools",
        epilog="example: sgclaw mcp add files --env NODE_PATH -- npx server-filesystem /srv/files",
    )
    adding.add_argument("name", metavar="NAME", help="its name: a-z, 0-9 and -, at most 31")
    adding.add_argument(
        "--env", action="append", default=[], metavar="VARIABLE",
        help="hand this variable of the environment on to it (PATH, HOME, LANG always are)",
    )  # fmt: skip
    adding.add_argument("--cwd", type=Path, metavar="DIR", help="start it in this folder")
    adding.add_argument("words", nargs="+", metavar="COMMAND", help="after --: its command")
    listing = verbs.add_parser(
        "list",
        help="name each server and its tools: allowed, changed, new",
        epilog="example: sgclaw mcp list --json",
    )
    listing.add_argument(
        "--no-start", action="store_true", help="start no server: only what was approved"
    )
    approve = verbs.add_parser(
        "approve",
        help="look at tools and allow them",
        epilog="example: sgclaw mcp approve time get_current_time --read-only",
    )
    approve.add_argument("name", metavar="NAME", help="the server")
    approve.add_argument("tools", nargs="*", metavar="TOOL", help="which (default: asks for each)")
    approve.add_argument(
        "--read-only", action="store_true", help="they change nothing: they run without a question"
    )
    approve.add_argument("--yes", action="store_true", help="do not ask (for scripts)")
    remove = verbs.add_parser(
        "remove",
        help="forget a server, or some of its tools",
        epilog="example: sgclaw mcp remove time get_current_time",
    )
    remove.add_argument("name", metavar="NAME", help="the server")
    remove.add_argument("tools", nargs="*", metavar="TOOL", help="only these (default: all of it)")
    for verb, run in ((adding, "add_server"), (listing, "list_servers"),
                      (approve, "approve_tools"), (remove, "remove_server")):  # fmt: skip
        verb.add_argument("--json", action="store_true", help="print one JSON document")
        verb.set_defaults(run=_later(run))


def _later(name: str) -> Callable[[argparse.Namespace, Printer], int]:
    def run(given: argparse.Namespace, printer: Printer) -> int:
        # What only these verbs need is imported here: every start reads this file.
        from sgclaw.commands import mcp_run

        verb: Callable[[argparse.Namespace, Printer], int] = getattr(mcp_run, name)
        return verb(given, printer)

    return run
