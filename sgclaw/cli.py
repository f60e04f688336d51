"""The command line (design section 4): parse, run, and end with an honest exit code."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NoReturn

from sgclaw import __version__
from sgclaw.errors import EXIT_ABORTED, EXIT_FAILED, EXIT_REFUSED, EXIT_USAGE, CliError
from sgclaw.printer import Printer, cli_language
from states.catalogue import words
from states.errors import SgclawError
from states.secrets import strike

Command = Callable[[argparse.Namespace, Printer], int]

EXAMPLES = """examples:
  sgclaw run --demo "导出本月合规报表"
  sgclaw run "export this month's report" --url https://erp.example.com/ --policy policy.yaml
  sgclaw chart show task
  sgclaw audit show sgclaw-20261129-0123456789abcdef

exit codes: 0 ok, 1 the task failed, 2 usage, 3 aborted, 4 nothing was started because policy,
skill or ledger verification failed"""


class _Parser(argparse.ArgumentParser):
    """Prints usage errors in the person's language and ends with 2; knows whole options only."""

    # What is being parsed: argparse does not tell its error handler.
    given: ClassVar[tuple[str, ...]] = ()

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "allow_abbrev": False})

    def error(self, message: str) -> NoReturn:
        text = words("usage", cli_language(), why=message, command=self.prog)
        if "--json" in _Parser.given:
            error = {"code": "usage", "message": text}
            Printer(as_json=True).document({"error": error, "exit_code": EXIT_USAGE})
        self.exit(EXIT_USAGE, text + "\n")


def build_parser() -> argparse.ArgumentParser:
    """Return the whole command line."""
    from sgclaw.commands import agent, audit, chart, doctor, mcp, run, skills

    parser = _Parser(
        prog="sgclaw",
        description="A browser agent whose task lifecycle is a declared statechart.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"sgclaw {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in (run, agent, chart, skills, mcp, audit, doctor):
        module.add(commands)
    return parser


def main(arguments: Sequence[str]) -> int:
    """Run one command; return its exit code."""
    _Parser.given = tuple(arguments)
    try:
        given = build_parser().parse_args(arguments)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else EXIT_FAILED
    printer = Printer(as_json=bool(getattr(given, "json", False)))
    command: Command = given.run
    try:
        return command(given, printer)
    except KeyboardInterrupt:
        return EXIT_ABORTED
    except SgclawError as error:
        return _report(error, printer)
    except Exception as error:
        if os.environ.get("SGCLAW_DEBUG"):
            raise
        # The process edge: an unforeseen error is one sentence, not a traceback.
        text = strike(str(error))
        printer.error(
            words("internal_error", cli_language(), error=type(error).__name__, text=text)
        )
        return EXIT_FAILED


def _exit_code(error: SgclawError) -> int:
    """Return how the command ends; a ledger that does not verify is a refusal."""
    if isinstance(error, CliError):
        return error.exit_code
    unverified = error.code.startswith(("ledger_", "overlay_", "replay_"))
    return EXIT_REFUSED if unverified else EXIT_FAILED


def _report(error: SgclawError, printer: Printer) -> int:
    code = _exit_code(error)
    text = strike(error.text(cli_language()))
    if printer.as_json:
        printer.document({"error": {"code": error.code, "message": text}, "exit_code": code})
    printer.error(f"sgclaw: {text}")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
