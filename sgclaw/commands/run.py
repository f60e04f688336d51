"""`sgclaw run`: one task, from a sentence to a folder with its result (design section 4)."""

import argparse
import asyncio
from pathlib import Path

from sgclaw.printer import Printer

_DIGITS_MAX = 9
EXAMPLES = """examples:
  sgclaw run --demo "导出本月合规报表"
  sgclaw run --demo "export last month's compliance report as csv" --json
  sgclaw run "check the invoices" --url https://erp.example.com/ --policy policy.yaml
  ANTHROPIC_API_KEY=... sgclaw run "which invoices are overdue?" --url https://erp.example.com/
  sgclaw run "..." --provider ollama --model qwen3:8b
  sgclaw run "..." --base-url https://models.example.com/v1 --model our-model
  sgclaw run --demo --provider scripted:replies.jsonl --approve answers.jsonl "作废发票"
  sgclaw run --resume sgclaw-20261129-0123456789abcdef

which model answers: --provider; else with --base-url that server; else Claude or OpenAI, whose key
(ANTHROPIC_API_KEY, OPENAI_API_KEY) is set; else, and with --demo, the built-in matcher. A key in
the keyring (service sgclaw, entry claude, openai or ollama) comes before the environment's.

exit codes: 0 completed, 1 failed, 2 usage, 3 aborted (Ctrl-C), 4 nothing was started because
policy, skill or ledger verification failed"""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "run",
        help="carry out one task in a real browser",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "instruction", metavar="INSTRUCTION", nargs="?", help="what is to be done, in words"
    )
    parser.add_argument("--demo", action="store_true", help="work on the built-in demo company")
    parser.add_argument("--url", metavar="U", help="the page to start on")
    parser.add_argument("--headed", action="store_true", help="show the browser window")
    add_model_options(parser)
    parser.add_argument("--policy", type=Path, metavar="FILE", help="the policy file")
    parser.add_argument(
        "--files", type=Path, metavar="DIR",
        help="folder whose files the task may upload, each with a confirmation",
    )  # fmt: skip
    parser.add_argument(
        "--approve",
        default="ask",
        metavar="ask|deny|FILE",
        help="who answers questions: ask on the terminal (default), deny, or a JSON Lines file",
    )
    parser.add_argument("--step", action="store_true", help="ask before going on after each step")
    parser.add_argument("--max-steps", type=_positive_int, metavar="N", help="step budget")
    parser.add_argument("--max-seconds", type=_positive, metavar="S", help="time budget in seconds")
    parser.add_argument(
        "--resume", metavar="TRACE", help="go on with a task that was killed, from its ledger"
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="folder for the results (default out/<trace id>)"
    )
    parser.add_argument("--json", action="store_true", help="print result.json on stdout")
    parser.set_defaults(run=_run)


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options that choose who answers."""
    parser.add_argument(
        "--provider", metavar="P", help="claude, openai, ollama, offline or scripted:FILE"
    )
    parser.add_argument(
        "--base-url", metavar="U",
        help="address of a model server; alone, of one that speaks OpenAI's API",
    )  # fmt: skip
    parser.add_argument("--model", metavar="M", help="name of the model")


def _run(given: argparse.Namespace, printer: Printer) -> int:
    # Host and browser are imported for a run only: other commands start without them.
    from sgclaw.host_run import run_plan
    from sgclaw.run_plan import left_out_skills, plan_of

    plan = plan_of(given)
    for why in left_out_skills(plan):
        printer.error(why)
    return asyncio.run(run_plan(plan, printer))


def _positive_int(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not 0 < len(text) < _DIGITS_MAX or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1 on")
    return int(text)


def _positive(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 < number < 10**_DIGITS_MAX:  # NaN and infinity fail here too
        raise argparse.ArgumentTypeError(f"{text} is not a positive number of seconds")
    return number
