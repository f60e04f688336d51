"""Walks of the real task chart: any events that its live services may send, as ledger rows."""

import json
import random
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel

from engine.chart.core import Core
from engine.chart.errors import ChartError
from engine.chart.probe import Stimulus, event_in, stimuli_of
from engine.chart.records import document_of
from engine.chart.scenario.model import Scenario
from engine.chart.scenario.run import event_of
from engine.chart.shell import JournalEntry
from engine.chart.step import Snapshot, Step
from sgclaw.charts import bindings_of, task_chart, task_table
from sgclaw.proof.scenarios import read_file
from sgclaw.proof.task import task_probe
from states.events import Event
from states.secrets import strike_all
from states.task import Context

TRACE = "sgclaw-20261129-0123456789abcdef"
SECRETS = ("sk-canary0123456789ab", "ghp_canary0123456789abcdef", "canary-name:canary-word")
TYPED = "canary-typed-text"
TEXTS = (
    "发票 FP0001 已作废",
    "second line\nand \x1b[31mred\x07 \u202etxt",
    f"key {SECRETS[0]} and {SECRETS[1]}",
    f"https://{SECRETS[2]}@erp.example.com/x?token=canary-in-query",
    "",
)
PARAMS: tuple[dict[str, Any], ...] = (
    {"selector": "#void\x1b[2J"},
    {"url": TEXTS[3]},
    {"selector": "#name", "text": TYPED},
    {"key": "k", "value": TYPED},
    {},
)
ACTIONS = ("click", "type", "navigate", "getText", "storageSet")
CODES = ("", "no_response", "not_found", "unknown_outcome")
SCENARIOS = Path(__file__).parents[1] / "scenarios"
LATE = 3
MANY = 250
ENDERS = frozenset({"abort", "fault", "submit_task", "resumed"})


class Walked(NamedTuple):
    """A walk: its rows as the ledger holds them, and the live snapshot after each of them."""

    rows: list[dict[str, Any]]
    snapshots: list[Snapshot]


@cache
def core() -> Core:
    return Core(task_chart(), task_table(), bindings_of("task"))


@cache
def stimuli() -> tuple[Stimulus, ...]:
    return stimuli_of(task_probe(core()))


def walk(picks: Sequence[int]) -> Walked:
    """Return the walk that *picks* lead; each is one event, and one in 16 may be an end.

    One in 16 is what comes too late: its sender lives no more.
    """
    snapshot, walked = core().initial(Context()), Walked([], [])
    picks = [1, *picks] if not picks else [16 * picks[0] + 1, *picks]
    for number, pick in enumerate(picks):
        late = number > 0 and pick % 16 == LATE
        live = _live(snapshot, may_end=pick % 16 == 0) if number else _first()
        live = [each for each in stimuli() if each.type in core().senders] if late else live
        if core().is_final(snapshot) or not live:
            break
        kinds = sorted({each.type for each in live})
        pick, kind = divmod(pick // 16, len(kinds))
        fitting = [each for each in live if each.type == kinds[kind]]
        if pick % 4:
            fitting = [each for each in fitting if _goes_on(each)] or fitting
        pick, place = divmod(pick, len(fitting))
        event = event_in(core(), snapshot, fitting[place])
        if late:
            event = Event(fitting[place].type, fitting[place].payload, 10_000)
        assert event is not None
        event = event._replace(payload=_varied(event.type, event.payload, pick))
        snapshot = _taken(walked, snapshot, event)
    return walked


@cache
def many() -> tuple[Walked, ...]:
    """Return walks that are the same every time: by the chart's scenarios, and at random.

    The scenarios are those that meet every row of the chart in every leaf, and show every mutant.
    """
    draw = random.Random(5)  # noqa: S311 - no secret
    paths = sorted((SCENARIOS / "generated").glob("task_*.yaml"))
    told = [each for path in paths for each in read_file(path).scenarios]
    told = [each for each in told if each.context == Context()]
    planned = [scripted(each, variant) for each in told for variant in range(2)]
    drawn = [walk([draw.getrandbits(40) for _ in range(60)]) for _ in range(MANY)]
    return (*planned, *drawn)


def scripted(scenario: Scenario, variant: int) -> Walked:
    """Return the walk that *scenario* tells, with other words and calls for each *variant*."""
    snapshot, walked = core().initial(scenario.context), Walked([], [])
    for number, wanted in enumerate(scenario.steps):
        event = event_of(wanted, snapshot, {}, task_probe(core()))
        pick = 7 * variant + 3 * number
        event = event._replace(payload=_varied(event.type, event.payload, pick))
        snapshot = _taken(walked, snapshot, event)
    return walked


def _taken(walked: Walked, snapshot: Snapshot, event: Event) -> Snapshot:
    """Add what *event* does to *walked* and return where it leads."""
    try:
        step = core().feed(snapshot, event)
        result: Any = step.result
    except ChartError:
        step, result = Step(snapshot), "faulted"
    walked.rows.append(_row(len(walked.rows) + 1, event, step, result))
    walked.snapshots.append(step.snapshot)
    return step.snapshot


def _first() -> list[Stimulus]:
    return [each for each in stimuli() if each.type == "submit_task"]


def _live(snapshot: Snapshot, *, may_end: bool) -> list[Stimulus]:
    live = [group for group in by_kind().values() if event_in(core(), snapshot, group[0])]
    found = [each for group in live for each in group]
    going_on = [each for each in found if not _ends(each.type, snapshot.state)]
    return found if may_end or not going_on else going_on


@cache
def by_kind() -> dict[str, list[Stimulus]]:
    return {kind: list(group) for kind, group in groupby(stimuli(), key=lambda each: each.type)}


def _ends(kind: str, state: str) -> bool:
    """Tell whether an event of *kind* is likely to end the walk in *state*."""
    rare = kind in ENDERS or kind.startswith("after.")
    if kind in ("skill_asked", "done.invoke.skill", "error.invoke.skill"):
        return state != "active.executing.waiting"  # a skill speaks in its turn only
    return rare or (kind.startswith("error.") and kind != "error.invoke.act")


def _goes_on(stimulus: Stimulus) -> bool:
    """Tell whether the walk is likely to go on after it; three in four are drawn of these."""
    fields = stimulus.fields
    counts = (fields.get("repeats", 0), fields.get("same_failures", 0))
    if fields.get("steps") == "spent" or fields.get("decision") == "expired":
        return False
    return fields.get("reply") != "text" and all(int(count or 0) < 2 for count in counts)


def _row(number: int, event: Any, step: Step, result: Any) -> dict[str, Any]:
    chart = core().chart
    entry = JournalEntry(event, result, step.snapshot.state, step.path, step.verdicts,
                         step.effects, chart.id, chart.sha256, step.snapshot.context)  # fmt: skip
    row = {
        "v": 1,
        "seq": number,
        "at": f"2026-11-29T10:00:{number % 60:02}.000+00:00",
        "trace_id": TRACE,
        "kind": "event",
        **strike_all(document_of(entry), by_key=False),
        "context_sha256": "",
    }
    return dict(json.loads(json.dumps(row)))


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    return {k: _plain(v) for k, v in value.items()} if isinstance(value, dict) else value


def _varied(kind: str, payload: Any, pick: int) -> dict[str, Any]:
    """Return the sample *payload* with words, calls and errors of its own."""
    given: dict[str, Any] = {name: _plain(value) for name, value in payload.items()}
    record = given.get("record")
    text = TEXTS[pick % len(TEXTS)]
    if kind.startswith("error."):
        given |= {"error": CODES[1 + pick % 3], "text": text}
    if record is None:
        return given
    for name in ("instruction", "note", "observation", "reason", "message"):
        if name in record or name == "note":
            record[name] = text
    if kind == "done.invoke.ask":
        record |= {"message": text, "error": "gone"}
    if kind.startswith("done.invoke.") and "result" in record:
        record["result"] |= {"message": text, "data": {"text": text}}
        if not record["result"]["success"]:
            record["result"]["error"] = CODES[pick % 4]
    if "request" in record:
        _call(kind, given, record, pick)
    return given


def _call(kind: str, given: dict[str, Any], record: dict[str, Any], pick: int) -> None:
    text = TEXTS[pick % len(TEXTS)]
    record["request"] |= {
        "action": ACTIONS[pick % len(ACTIONS)],
        "params": PARAMS[pick // 5 % len(PARAMS)],
        "call_digest": f"call-{pick % 3}",
        "call_id": f"id-{pick % 2}",
    }
    if given.get("effect") == "deny":
        record["request"]["refusal"] = {"reason": "refused", "facts": {}}
        record["refusal_text"] = text
    if kind == "skill_asked":
        return
    calls = [] if given["reply"] == "text" else [{"id": f"id-{pick % 2}", "name": "browser_action"}]
    record["turn"] |= {"text": text, "tool_calls": calls}
    if given["reply"] == "skill":
        record["request"] |= {"tool": "run_skill", "action": "", "params": {"name": "erp-report"}}
