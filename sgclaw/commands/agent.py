"""`sgclaw agent`: the process that a host spawns; `sgclaw.__main__` runs it, this is its help."""

import argparse

from sgclaw.errors import EXIT_USAGE
from sgclaw.printer import Printer, cli_language
from states.catalogue import words


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command (for `--help`)."""
    parser = commands.add_parser(
        "agent",
        help="the agent process that a host spawns (JSON Lines on stdin and stdout)",
        description="Speaks the pipe protocol (docs/protocol) on stdin and stdout; logs on stderr. "
        "A browser or a host starts it; there is nothing to type here.",
        epilog="example: sgclaw run spawns it for you; docs/protocol/README.md shows a session",
    )
    parser.set_defaults(run=_run)


def _run(given: argparse.Namespace, printer: Printer) -> int:
    del given
    printer.error(words("agent_takes_no_arguments", cli_language(), given=""))
    return EXIT_USAGE
