"""Tell what came of scenarios: for a person like a diff, for a program as a document."""

import difflib
from collections.abc import Iterator, Sequence
from typing import Any

from engine.chart.scenario.run import Mismatch, Outcome, Part, RanStep
from states.catalogue import Lang, words

_PARTS: dict[Part, str] = {
    "fault": "scenario_part_fault",
    "result": "scenario_part_result",
    "state": "scenario_part_state",
    "effects": "scenario_part_effects",
    "context": "scenario_part_context",
}


def failure_lines(outcome: Outcome, lang: Lang = "en") -> Iterator[str]:
    """Yield how *outcome* differs: the trace up to the step, then wanted and got."""
    scenario = outcome.scenario
    yield f"FAIL {scenario.source}:{scenario.line}: {scenario.name}"
    for number, ran in enumerate(outcome.ran, start=1):
        yield f"  {number:>3}  {_told(ran)}"
    last = outcome.ran[-1]
    facts = {"number": len(outcome.ran), "event": last.step.send}
    said = words("scenario_step_differs", lang, **facts)
    yield f"  {scenario.source}:{last.step.line}: {said}"
    for mismatch in last.mismatches:
        yield f"      {words(_PARTS[mismatch.part], lang)}"
        yield from (f"    {line}" for line in _difference(mismatch))


def summary(outcomes: Sequence[Outcome], lang: Lang = "en") -> str:
    """Return the last line of a report."""
    passed = sum(outcome.passed for outcome in outcomes)
    return words(
        "scenario_summary",
        lang,
        scenarios=len(outcomes),
        files=len({outcome.scenario.source for outcome in outcomes}),
        steps=sum(len(outcome.ran) for outcome in outcomes),
        passed=passed,
        failed=len(outcomes) - passed,
    )


def document(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return *outcomes* as plain data."""
    passed = sum(outcome.passed for outcome in outcomes)
    return {
        "scenarios": len(outcomes),
        "passed": passed,
        "failed": len(outcomes) - passed,
        "failures": [_failure(outcome) for outcome in outcomes if not outcome.passed],
    }


def _failure(outcome: Outcome) -> dict[str, Any]:
    last = outcome.ran[-1]
    return {
        "file": outcome.scenario.source,
        "line": last.step.line,
        "name": outcome.scenario.name,
        "step": len(outcome.ran),
        "event": last.step.send,
        "trace": [_told(ran) for ran in outcome.ran],
        "differs": [
            {"part": each.part, "wanted": list(each.wanted), "got": list(each.got)}
            for each in last.mismatches
        ],
    }


def _told(ran: RanStep) -> str:
    fields = ", ".join(f"{name}: {_plain(value)}" for name, value in ran.step.fields.items())
    given = f" {{{fields}}}" if fields else ""
    late = " late" if ran.step.late else ""
    result = "" if ran.result == "handled" else f" ({ran.result})"
    return f"{ran.step.send}{given}{late} -> {ran.state}{result}"


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _difference(mismatch: Mismatch) -> Iterator[str]:
    lines = difflib.ndiff(mismatch.wanted, mismatch.got)
    yield from (line for line in lines if not line.startswith("?"))
