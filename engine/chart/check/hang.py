"""Nothing hangs: completions are taken, a wait has something that ends it, an end is in reach."""

from collections.abc import Iterator

from engine.chart.declaration import ABORT, FAULT, State
from engine.chart.errors import problem
from engine.chart.graph import Exploration, Node, Violation


def completions_are_taken(found: Exploration) -> Iterator[Violation]:
    """Report an event of a live service or timer that no row takes."""
    chart = found.probe.core.chart
    for (leaf, event), place in found.dropped.items():
        line = chart.states[leaf].line
        told = problem(chart.source, line, "check_dropped", event=event, state=leaf)
        yield found.violation(told, place)


def waits_end(found: Exploration) -> Iterator[Violation]:
    """Report a state that is waited in while nothing runs that would end the wait.

    A live service does, and a timer of the state itself. A timer of a state around it bounds the
    whole and only counts where the state waits for somebody outside, who sends no completion.
    """
    core = found.probe.core
    resting = core.initial(None).state
    reported: set[str] = set()
    for number, node in enumerate(found.nodes):
        state = core.chart.states[node.state]
        if state.final or node.state == resting or node.state in reported:
            continue
        if not _is_ended(found, node, state):
            reported.add(node.state)
            told = problem(core.chart.source, state.line, "check_waits", state=node.state)
            yield Violation(told, found.start(number), found.trace(number))


def _is_ended(found: Exploration, node: Node, state: State) -> bool:
    timers = {delay.event for delay in state.delays}
    if any(not each.startswith("after.") or each in timers for each in node.live):
        return True
    senders = found.probe.core.senders
    outside = any(row.event not in senders and row.event not in (ABORT, FAULT)
                  for row in state.rows)  # fmt: skip
    return outside and bool(node.live)


def end_is_reachable(found: Exploration) -> Iterator[Violation]:
    """Report a state from which no end is in reach unless the task is aborted or breaks."""
    chart = found.probe.core.chart
    before: list[set[int]] = [set() for _ in found.nodes]
    for source, leaving in enumerate(found.out):
        for target, taken in leaving:
            if taken.event.type not in (ABORT, FAULT):
                before[target].add(source)
    safe = {n for n, node in enumerate(found.nodes) if chart.states[node.state].final}
    line = list(safe)
    for number in line:
        fresh = before[number] - safe
        safe |= fresh
        line += fresh
    reported: set[str] = set()
    for number, node in enumerate(found.nodes):
        if number not in safe and node.state not in reported:
            reported.add(node.state)
            told = problem(
                chart.source, chart.states[node.state].line, "check_no_end", state=node.state
            )
            yield Violation(told, found.start(number), found.trace(number))
