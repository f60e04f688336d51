"""An end is an end: in a final state no event does anything any more."""

from collections.abc import Iterator

from engine.chart.errors import problem
from engine.chart.graph import Exploration, Violation
from engine.chart.probe import stimuli_of
from engine.chart.step import Snapshot
from states.events import Event

# A completion that comes late carries the generation of a service that has ended.
_ENDED = 1


def ends_absorb(found: Exploration) -> Iterator[Violation]:
    """Report an event that changes or starts something in a final state."""
    probe = found.probe
    core = probe.core
    for number, node in enumerate(found.nodes):
        state = core.chart.states[node.state]
        if not state.final:
            continue
        end = Snapshot(node.state, probe.initials[0], (), _ENDED)
        for stimulus in stimuli_of(probe):
            generation = _ENDED if stimulus.type in core.senders else None
            step = core.feed(end, Event(stimulus.type, stimulus.payload, generation))
            if step.result == "handled" or step.snapshot != end or step.effects:
                facts = {"state": node.state, "event": stimulus.type}
                told = problem(core.chart.source, state.line, "check_end_goes_on", **facts)
                yield Violation(told, found.start(number), (*found.trace(number), stimulus))
                break
