"""What must hold of every killed run, and what of it does not hold in one."""

from collections.abc import Iterator, Sequence
from typing import Any

from memory.ledger import read_rows
from sgclaw.past_run import PastRun, past_run
from states.events import Event
from tests.e2e.kill.cases import Ending

_EXITS = {"completed": 0, "failed": 1, "aborted": 3}
ALREADY_ENDED = 2


def faults(ending: Ending) -> list[str]:
    """Return what is wrong with *ending*, in sentences; nothing when all is well."""
    try:
        past = past_run(ending.ledger.rows())
    except Exception as error:  # noqa: BLE001 - a table of faults is to be printed whatever it is
        return [f"the ledger cannot be replayed: {error!r}"]
    of_task = [*_of_the_write(ending, past), *_of_the_person(past)]
    return [*_as_a_process(ending), *_as_a_ledger(past), *of_task]


def _as_a_process(ending: Ending) -> Iterator[str]:
    point, codes = ending.point, ending.codes
    blows = 0 if point.where == "never" else 1 + point.twice
    if ending.blows != blows:
        yield f"{ending.blows} blows were dealt, not {blows}"
    if ending.left_over:
        yield f"processes were left: {ending.left_over}"
    if "Traceback" in ending.text + ending.log:
        yield "a traceback was printed"
    if point.where != "never" and (point.victim == "host") != (codes[0] == -9):
        yield f"exit codes are {codes}"
    if ending.result is None:
        # The task was over when its host was killed: there is nothing to go on with.
        if codes[-1] != ALREADY_ENDED or "had ended" not in ending.text:
            yield f"exit codes are {codes}, and there is no result"
        return
    state = ending.result["state"]
    if codes[-1] != _EXITS.get(state):
        yield f"it ended {state} with exit codes {codes}"
    wanted = "failed" if _is_caught(ending) else "completed"
    if state != wanted:
        yield f"it ended {state} ({ending.result['reason']}), not {wanted}"


def _is_caught(ending: Ending) -> bool:
    """A model that boasts of what nobody knows is not believed."""
    return ending.point.model == "boastful" and "unknown" in _agents_word(
        past_run(ending.ledger.rows())
    )


def _as_a_ledger(past: PastRun) -> Iterator[str]:
    if past.replayed.difference is not None:
        yield f"its ledger replays differently: {past.replayed.difference}"
    if not past.is_over:
        yield f"its ledger ends in {past.replayed.snapshot.state}"


def _of_the_person(past: PastRun) -> Iterator[str]:
    """A write that is called again after the last kill needs a person again."""
    events = [record.event for record in past.records]
    resumed = [number for number, event in enumerate(events) if event.type == "resumed"]
    since = events[resumed[-1] :] if resumed else []
    calls = [number for number, event in enumerate(since) if _calls_the_write(event)]
    if calls and "done.invoke.ask" not in {event.type for event in since[calls[0] :]}:
        yield "the write was called again, and no person was asked again"


def _calls_the_write(event: Event) -> bool:
    request = event.payload.get("record", {}).get("request", {})
    return bool(request.get("params", {}).get("selector") == "#go")


def _of_the_write(ending: Ending, past: PastRun) -> Iterator[str]:
    told, agents = hosts_word(ending), _agents_word(past)
    if ending.writes > 1:
        yield f"the site saw the write {ending.writes} times"
    if told.count("done") != ending.writes and not (ending.writes and "unknown" in told):
        yield f"the site saw {ending.writes}, the host tells {told}"
    if told.count("done") > ending.writes:
        yield f"the host tells {told} of what the site never saw"
    if agents.count("done") > told.count("done"):
        yield f"the agent tells {agents}, the host {told}"
    if "unknown" in told and ending.result is not None and "Not known whether" not in ending.text:
        yield "the summary does not tell the unknown"
    if "unknown" in told and not {"unknown"} & set(agents):
        yield f"the host tells {told}, the agent {agents}"
    if "done" in told and not agents:
        yield f"the agent knows nothing of what was done: {agents}"
    if "unknown" in agents and "is not known" not in ending.text:
        yield "the person was not told of the lost command"


def hosts_word(ending: Ending) -> list[str]:
    """Return what the summary says of the write, or the host's journal when there is none."""
    if ending.result is not None:
        return _said_of(ending.result["commands"])
    rows = read_rows(ending.journal)
    return _said_of([row["command"] for row in rows if row["kind"] == "outcome"])


def _agents_word(past: PastRun) -> list[str]:
    commands = past.replayed.snapshot.context.record.commands
    return _said_of([sent.model_dump(mode="json") for sent in commands])


def _said_of(commands: Sequence[dict[str, Any]]) -> list[str]:
    """Return one word for each order to send: done, unknown, or why not."""
    sent = [c for c in commands if c["params"].get("selector") == "#go"]
    return [_word(command) for command in sent]


def _word(command: dict[str, Any]) -> str:
    if command["success"]:
        return "done"
    return "unknown" if command["error"] == "unknown_outcome" else str(command["error"])


def table(endings: Sequence[Ending]) -> str:
    """Return the points with what came of each, for the eyes of whoever has to mend it."""
    lines = ["point, exit codes, state, the site saw, the host tells, what is wrong"]
    for ending in endings:
        state = ending.result["state"] if ending.result else "-"
        found = faults(ending)
        told = "+".join(hosts_word(ending)) if ending.ledger.exists() else "?"
        words = (ending.point.name, ending.codes, state, ending.writes, told, found or "")
        lines.append("  ".join(f"{word!s:<12}" for word in words))
    return "\n".join(lines)
