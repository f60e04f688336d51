"""`sgclaw audit show TRACE`: the whole story of one run, agent and browser side joined (A2)."""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from memory.ledger import read_rows
from sgclaw.errors import EXIT_OK, UsageError
from sgclaw.paths import data_dir, host_log_dir, ledger_path
from sgclaw.printer import Printer, cli_language
from sgclaw.trace import is_trace
from states.verdict import verdict_from

EXAMPLES = """examples:
  sgclaw audit show sgclaw-20261129-0123456789abcdef
  sgclaw audit show sgclaw-20261129-0123456789abcdef --json
  sgclaw audit show out/last/ledger.jsonl"""

_HOST_LINE = re.compile(r"\[(\d{4}-\d\d-\d\d) ([\d:.]+)\] \[sgclaw\] \[trace:[^\]]*\] ?(.*)")


class Told(NamedTuple):
    """One line of the story; *at* is ISO 8601 in UTC."""

    at: str
    side: str
    text: str
    row: dict[str, Any]


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `audit` and what stands under it."""
    parser = commands.add_parser(
        "audit",
        help="read the ledger: show one run",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    show = verbs.add_parser(
        "show",
        help="tell one run in order, agent and browser side joined",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    show.add_argument("trace", metavar="TRACE", help="a trace id, or a ledger file")
    show.add_argument("--json", action="store_true", help="print one JSON document")
    show.set_defaults(run=_show)


def _show(given: argparse.Namespace, printer: Printer) -> int:
    ledger, host_log = _files(given.trace)
    told = sorted([*_agent_side(ledger), *_host_side(host_log)], key=lambda line: line.at)
    if printer.as_json:
        printer.document([{"at": t.at, "side": t.side, "text": t.text, "row": t.row} for t in told])
        return EXIT_OK
    for line in told:
        printer.line(f"{line.at}  {line.side:<5}  {line.text}")
    return EXIT_OK


def _files(trace: str) -> tuple[Path, Path | None]:
    named = Path(trace)
    if named.suffix == ".jsonl" and named.is_file():
        return named, None
    if not is_trace(trace):
        raise UsageError("trace_malformed", trace=trace)
    ledger = ledger_path(data_dir(), trace)
    if not ledger.is_file():
        raise UsageError("trace_unknown", trace=trace, folder=ledger.parent)
    return ledger, host_log_dir(data_dir()) / f"{trace}.log"


def _agent_side(path: Path) -> Iterator[Told]:
    lang = cli_language()
    for row in read_rows(path):
        event = row.get("event", {})
        state = str(row.get("state", "")).removeprefix("active.")
        parts = [f"{event.get('type')} -> {state}"]
        if row.get("result") != "handled":
            parts.append(f"({row.get('result')})")
        parts += _facts_of(event.get("payload", {}))
        for document in row.get("verdicts", ()):
            verdict = verdict_from(document)
            if not verdict and _tells(document["guard"]):
                parts.append(f"[{document['guard']}: {verdict.text(lang)}]")
        yield Told(str(row.get("at", "")), "agent", " ".join(parts), row)


def _facts_of(payload: dict[str, Any]) -> list[str]:
    record = payload.get("record", {})
    facts: list[str] = []
    request = record.get("request") if isinstance(record, dict) else None
    if isinstance(request, dict) and (request.get("action") or request.get("tool")):
        facts.append(f"{request.get('action') or request.get('tool')} {request.get('params')}")
    for key in ("effect", "outcome", "decision", "reply", "browser", "lost"):
        if key in payload:
            facts.append(f"{key}={payload[key]}")
    if isinstance(record, dict) and record.get("approved_by"):
        facts.append(f"approved_by={record['approved_by']}")
    return facts


def _tells(guard: str) -> bool:
    """Tell whether a refusal of *guard* is a decision, not a plain fork in the road."""
    from sgclaw.wiring import GUARDS

    module = GUARDS[guard].__module__ if guard in GUARDS else ""
    return bool(module) and module != "guards.flow"


def _host_side(path: Path | None) -> Iterator[Told]:
    if path is None or not path.is_file():
        return
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        found = _HOST_LINE.match(line)
        if found:
            day, clock, text = found.groups()
            if text.startswith("AGENT_LOG "):
                continue  # the agent's own rows tell the same, with the reasons
            yield Told(f"{day}T{clock}+00:00", "host", text, {"line": line})
