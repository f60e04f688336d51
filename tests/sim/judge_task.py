"""The judges of the task itself: replay, final states, budgets, seq, rows, secrets, liveness."""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise

from engine.chart.declaration import ALWAYS
from sgclaw.charts import task_chart, task_table
from states.task import FAILURES_MAX, REPAIRS_MAX, SAME_FAILURES_MAX
from tests.sim.evidence import Evidence, Row
from tests.sim.world import SETTINGS

_ASKING = frozenset({"command", "confirm_request", "dialog_response"})
_MODEL = {"done.invoke.plan", "done.invoke.think"}
_BY_HOST = frozenset({"agent_lost", "agent_silent", "agent_not_ready", "agent_broke_protocol",
                      "agent_over_time", "browser_lost", "host_fault"})  # fmt: skip


def replay_agrees(evidence: Evidence) -> Iterator[str]:
    """4: the ledger replays to the same path, effects and context."""
    if evidence.replay:
        yield evidence.replay


def final_is_final(evidence: Evidence) -> Iterator[str]:
    """5: nothing leads out of a final state, and nothing is done after the end."""
    final: Row | None = None
    for row in evidence.rows:
        if final is not None and (row.row["result"] == "handled" or row.row["path"]):
            yield f"{row.row['event']['type']} was handled in {final.row['state']}"
        if final is None and row.row["state"] in _finals():
            final = row
    over = evidence.ends[-1].when if evidence.ends else None
    if final is not None:
        for asked in evidence.asked:
            if asked.when.n > final.when.n:
                yield f"the agent asked for {asked.kind} after its end"
    for done in evidence.done:
        if over is not None and done.when.n > over.n:
            yield f"{done.action} was done after the task's end"


@cache
def _finals() -> frozenset[str]:
    return frozenset(path for path, state in task_chart().states.items() if state.final)


def budgets_hold(evidence: Evidence) -> Iterator[str]:
    """7: breaker, steps, repairs and times are never passed."""
    steps = failures = repairs = 0
    failed: dict[str, int] = {}
    digest = ""
    for row in evidence.rows:
        event, payload = row.row["event"]["type"], row.row["event"]["payload"]
        if row.row["result"] != "handled":
            continue
        digest = payload.get("record", {}).get("request", {}).get("call_digest", digest)
        if event in _MODEL:
            repairs = repairs + 1 if payload["reply"] == "invalid" else 0
        elif event == "done.invoke.observe":
            steps += 1
            is_bad = payload["outcome"] == "failed"
            failures = failures + 1 if is_bad else 0
            failed[digest] = failed.get(digest, 0) + is_bad
        elif event == "done.invoke.ask" and payload["decision"] == "rejected":
            steps += 1
        if any(e[0] == "start" and e[1] in ("act", "skill") for e in row.row["effects"]):
            yield from _spent(steps, failures, failed.get(digest, 0))
        if repairs > REPAIRS_MAX + 1:
            yield f"the model was asked for valid output {repairs} times"
    yield from _times(evidence)


def _spent(steps: int, failures: int, same: int) -> Iterator[str]:
    if steps >= SETTINGS.task.steps_max:
        yield f"a command was begun after {steps} steps"
    if failures >= FAILURES_MAX:
        yield f"a command was begun after {failures} failures in a row"
    if same >= SAME_FAILURES_MAX:
        yield f"a command was begun after {same} failures of it"


def _times(evidence: Evidence) -> Iterator[str]:
    jumped_s = evidence.plan.jumped_s
    started: dict[int, float] = {}
    for row in evidence.rows:
        for effect in row.row["effects"]:
            if effect[0] == "start" and effect[1] in ("plan", "think"):
                started[effect[3]] = row.when.at_s
        generation = row.row["event"]["generation"]
        if row.row["event"]["type"] in _MODEL and row.row["result"] == "handled":
            took_s = row.when.at_s - started.get(generation, row.when.at_s)
            if took_s > SETTINGS.task.model_seconds + jumped_s + 0.001:
                yield f"a model call took {took_s:g} s"
    if evidence.rows:
        took_s = evidence.rows[-1].when.at_s - evidence.rows[0].when.at_s
        lives = max(row.life for row in evidence.rows)
        # Between two lives there is the time until a death is noticed.
        bound_s = SETTINGS.task.task_seconds + lives * 60 + jumped_s
        if took_s > bound_s:
            yield f"the task took {took_s:g} s"


def seq_rises(evidence: Evidence) -> Iterator[str]:
    """9: seq rises by one, and an answer is matched once."""
    asked: dict[int, int] = {}
    for sent in evidence.sent:
        if sent.direction == "up" and sent.document["type"] in _ASKING:
            last, seq = asked.get(sent.life, 0), sent.document["seq"]
            if seq != last + 1:
                yield f"life {sent.life} sent seq {seq} after {last}"
            asked[sent.life] = seq
    matched: dict[int, int] = {}
    for row in evidence.rows:
        event = row.row["event"]
        if event["type"] == "done.invoke.act" and row.row["result"] == "handled":
            seq = event["payload"]["record"].get("result", {}).get("seq")
            if seq is not None and seq <= matched.get(row.life, 0):
                yield f"the answer to seq {seq} was matched twice"
            matched[row.life] = seq or matched.get(row.life, 0)
    yield from _accepted(evidence)


def _accepted(evidence: Evidence) -> Iterator[str]:
    last = 0
    for note in evidence.notes:
        if note.event == "TASK_START":
            last = 0
        elif note.event in ("PIPE_CMD", "PIPE_CONFIRM_REQUEST", "PIPE_DIALOG_RESPONSE"):
            seq = int(str(note.facts["seq"]))
            if seq <= last:
                yield f"the host took seq {seq} after {last}"
            last = seq


def rows_lead(evidence: Evidence) -> Iterator[str]:
    """11: the state moves only along rows of the chart."""
    state = task_chart().leaf_of(task_chart().initial)
    for row in evidence.rows:
        event, path = row.row["event"]["type"], row.row["path"]
        if row.row["result"] != "handled" and (path or row.row["state"] != state):
            yield f"{event} was {row.row['result']} and moved from {state}"
        if path and path[0] not in _targets(state, event):
            yield f"no row leads from {state} by {event} to {path[0]}"
        for before, after in pairwise(path):
            if after not in _targets(before, ALWAYS):
                yield f"no eventless row leads from {before} to {after}"
        if path and path[-1] != row.row["state"]:
            yield f"{event} led to {path[-1]}, and the state is {row.row['state']}"
        state = row.row["state"]


@cache
def _targets(leaf: str, event: str) -> frozenset[str]:
    rows = task_table().rows.get(leaf, {}).get(event, ())
    return frozenset(row.leaf for row in rows)


def secrets_stay(evidence: Evidence) -> Iterator[str]:
    """12: no secret is in ledger, logs or result."""
    places: Mapping[str, str] = evidence.written
    for secret, text in evidence.canaries.items():
        for place, written in places.items():
            if text in written:
                yield f"the {secret} stands in the {place}"


def it_ends(evidence: Evidence) -> Iterator[str]:
    """13: every episode ends; a calm one by the agent's own word, within its time."""
    if evidence.stuck:
        yield evidence.stuck
        return
    for error in evidence.unheard:
        yield f"a task died and nobody heard: {error}"
    if evidence.leaked:
        yield f"the agent did not end: {', '.join(evidence.leaked)}"
    end = evidence.ends[-1] if evidence.ends else None
    if end is None:
        if evidence.stopped("host_killed") is None:
            yield "the host told no end"
        return
    if evidence.plan.calm:
        if end.told.reason in _BY_HOST:
            yield f"nothing was wrong, and the task ended with {end.told.reason}"
        if end.when.at_s > SETTINGS.task.task_seconds + SETTINGS.pipe.exit_seconds:
            yield f"nothing was wrong, and the task took {end.when.at_s:g} s"
