"""The judges of what was done: approvals, effects, intents, abort, policy, questions."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from tests.sim.calls import number_of
from tests.sim.evidence import Card, Done, Evidence, Place, Row
from tests.sim.site import MAY_REACH
from tests.sim.world import SETTINGS

FINALS = frozenset({"completed", "failed", "aborted"})
_DISK_FAILS = frozenset({"full", "torn", "sync_failed"})
_WELL_ENDED = frozenset({"approved", "rejected", "expired", "cancelled"})


def approved_once(evidence: Evidence) -> Iterator[str]:
    """1: no write without an approval of exactly it, in time, in its turn, not used before."""
    used: dict[tuple[int, int], int] = {}
    for done in evidence.done:
        if done.needs_person:
            found = _approval_of(done, evidence, used)
            if found is None:
                yield f"{_said(done)} has no approval of its digest in time and unused"
            else:
                card, place = found
                yield from _between(card, done, evidence, _before(card, place, used))
                used[(card.when.n, place)] = done.when.n
    yield from _after_a_no(evidence)


def _approval_of(
    done: Done, evidence: Evidence, used: Mapping[tuple[int, int], int]
) -> tuple[Card, int] | None:
    """Return the card that allowed *done*, and where *done* stands on it."""
    for card in reversed(evidence.cards):
        said = card.ended_when
        if said is None or card.ended != "approved" or card.purpose != "call":
            continue
        age_s = done.when.at_s - said.at_s
        if said.n >= done.when.n or age_s >= SETTINGS.task.approval_seconds:
            continue
        for place, listed in enumerate(card.listed):
            if listed == (done.digest, done.bound) and (card.when.n, place) not in used:
                return card, place
    return None


def _before(card: Card, place: int, used: Mapping[tuple[int, int], int]) -> set[int]:
    """Return when what stands before *place* on *card* was done."""
    return {used[(card.when.n, each)] for each in range(place) if (card.when.n, each) in used}


def _between(card: Card, done: Done, evidence: Evidence, listed: set[int]) -> Iterator[str]:
    said = card.ended_when or card.when
    for other in evidence.done:
        if said.n < other.when.n < done.when.n and other.when.n not in listed:
            yield f"{_said(done)} uses an approval from before {_said(other)}"


def _after_a_no(evidence: Evidence) -> Iterator[str]:
    for card in evidence.cards:
        if card.ended != "rejected" or card.purpose != "call" or card.ended_when is None:
            continue
        refused = {digest for digest, _ in card.listed}
        for done in evidence.done:
            if done.digest in refused and done.when.n > card.ended_when.n:
                yield f"{_said(done)} was rejected before"
        for again in evidence.cards:
            asked = refused.intersection(digest for digest, _ in again.listed)
            if asked and again.when.n > card.ended_when.n:
                yield f"the person is asked again about what was rejected (line {again.when.n})"


def at_most_once(evidence: Evidence) -> Iterator[str]:
    """2: at most one effect for each call."""
    counted = Counter(done.number for done in evidence.done if done.number)
    for number, times in counted.items():
        if times > 1:
            yield f"call {number} had {times} effects"


def intent_first(evidence: Evidence) -> Iterator[str]:
    """3: the intent is in the ledger before the effect, the outcome after it."""
    for done in evidence.done:
        start = _intent_of(done, evidence.rows)
        if start is None:
            yield f"{_said(done)} has no durable intent in the ledger before it"
        elif not _has_outcome(start, evidence):
            yield f"{_said(done)} has no outcome in the ledger after it"
        before = [row for when, row in evidence.host_rows if when.n < done.when.n]
        if not before or before[-1]["kind"] != "intent":
            yield f"{_said(done)} has no intent in the host's journal before it"


def report_is_true(evidence: Evidence) -> Iterator[str]:
    """3, at the end: the person is told of every effect, and of none that was not."""
    if not evidence.ends or evidence.stuck:
        return
    end = evidence.ends[-1]
    told = {(c.action, number_of(c.params)): c for c in end.told.commands}
    done = {(d.action, d.number): d for d in evidence.done if d.when.n < end.when.n}
    for key, each in done.items():
        if key not in told:
            yield f"{_said(each)} is not in the report"
    for key, report in told.items():
        if report.success and key[1] and key not in done:
            yield f"the report says that {report.action} (call {key[1]}) was done"


def _intent_of(done: Done, rows: list[Row]) -> Row | None:
    """Return the row that began *done*: not always the last one, a late command came later."""
    found: Row | None = None
    asked: Mapping[str, Any] = {}
    for row in rows:
        if row.when.n > done.when.n:
            break
        asked = row.row["event"]["payload"].get("record", {}).get("request", asked)
        wanted = (asked.get("action"), number_of(asked.get("params", {})))
        if row.durable and _started(row) is not None and wanted == (done.action, done.number):
            found = row
    return found


def _started(row: Row) -> int | None:
    """Return the generation of the command that *row* starts."""
    return next((e[3] for e in row.row["effects"] if e[0] == "start" and e[1] == "act"), None)


def _has_outcome(start: Row, evidence: Evidence) -> bool:
    generation = _started(start)
    for row in evidence.rows:
        if row.when.n <= start.when.n:
            continue
        event = row.row["event"]
        ended = event["type"] in ("done.invoke.act", "error.invoke.act")
        if ended and event["generation"] == generation:
            return True
        if ["cancel", "act", generation] in row.row["effects"]:
            return True
    if any(kind in _DISK_FAILS for when, kind in evidence.faults if when.n > start.when.n):
        return True
    # A ledger without an end can be gone on with: then the command is told as unknown.
    return evidence.rows[-1].row["state"] not in FINALS


def abort_is_final(evidence: Evidence) -> Iterator[str]:
    """6: after an abort nothing is begun, and the task ends soon."""
    abort = _aborted(evidence)
    if abort is not None:
        for reached in evidence.reached:
            if reached.when.n > abort.n:
                yield f"{reached.action} reached the browser after the abort"
        yield from _ended_soon(abort, evidence)
    for row in evidence.rows:
        if row.row["event"]["type"] == "abort" and row.row["result"] == "handled":
            for asked in evidence.asked:
                if asked.when.n > row.when.n and asked.life == row.life:
                    yield f"the agent asked for {asked.kind} after it aborted"


def _aborted(evidence: Evidence) -> Place | None:
    """Return when the host took the abort."""
    return next((note.when for note in evidence.notes if note.event == "ABORT"), None)


def _ended_soon(abort: Place, evidence: Evidence) -> Iterator[str]:
    end = evidence.ends[-1] if evidence.ends else None
    bound_s = 5 * SETTINGS.pipe.exit_seconds + evidence.plan.jumped_s
    if end is None or end.when.n < abort.n:
        if evidence.stopped("host_killed") is None and not evidence.stuck and end is None:
            yield "the aborted task never ended"
    elif end.when.at_s - abort.at_s > bound_s:
        yield f"the aborted task ended only {end.when.at_s - abort.at_s:g} s later"
    elif end.told.state != "aborted" and not _was_over(abort, evidence):
        yield f"the aborted task ended as {end.told.state} ({end.told.reason})"


def _was_over(abort: Place, evidence: Evidence) -> bool:
    """Tell whether the run had its end already when the abort came."""
    told = (row.when.n < abort.n and row.row["state"] in FINALS for row in evidence.rows)
    cut = (w.n < abort.n and kind != "skill" for w, kind in evidence.stops)
    harmed = (when.n < abort.n for when, _ in evidence.faults)
    return any(told) or any(cut) or any(harmed)


def policy_holds(evidence: Evidence) -> Iterator[str]:
    """8: what the policy denies never reaches the browser."""
    for reached in evidence.reached:
        if reached.action not in MAY_REACH.get(reached.domain, frozenset()):
            what = f"{reached.action} on {reached.domain}"
            yield f"{what} reached the browser (line {reached.when.n})"


def questions_end(evidence: Evidence) -> Iterator[str]:
    """10: every question ends, and silence is never a no."""
    for card in evidence.cards:
        if card.ended not in _WELL_ENDED and not evidence.stuck:
            yield f"the question at line {card.when.n} never ended"
    said = {kind: [c for c in evidence.cards if c.ended == kind] for kind in _WELL_ENDED}
    before = sum(1 for note in evidence.notes if note.event == "CONFIRM: REJECTED BEFORE")
    heard: Counter[str] = Counter()
    for row in evidence.rows:
        event = row.row["event"]
        if event["type"] == "done.invoke.ask" and row.row["result"] == "handled":
            decision = str(event["payload"]["decision"])
            heard[decision] += 1
            digest = event["payload"]["record"]["digest"]
            known = {d for card in said.get(decision, ()) for d, _ in card.listed}
            if decision == "approved" and digest and digest not in known:
                yield f"the agent heard yes to {digest[:8]}, which nobody said"
    if heard["rejected"] > len(said["rejected"]) + before:
        yield f"{heard['rejected']} times no was heard, {len(said['rejected'])} times it was said"


def _said(done: Done) -> str:
    return f"{done.action} (call {done.number}, line {done.when.n})"
