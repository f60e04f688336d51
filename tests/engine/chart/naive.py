"""The plainest walk there is, to compare the checker's with: every event fed to every state."""

from collections import deque

from engine.chart.explore import Exploration, Node
from engine.chart.probe import Probe, event_in, state_of, stimuli_of

Step = tuple[Node, tuple[str, ...]]
Key = tuple[Node, str, tuple[tuple[str, object], ...]]


def naive_steps(probe: Probe) -> tuple[dict[Node, int], dict[Key, Step]]:
    """Return each product state with its distance, and every step that changes something.

    A step is (state, event, payload) -> (state after, leaves entered).
    """
    core, stimuli = probe.core, stimuli_of(probe)
    begun = [core.initial(context) for context in probe.initials]
    far = {Node(*state_of(probe, at)): 0 for at in begun}
    steps: dict[Key, Step] = {}
    line = deque(begun)
    while line:
        at = line.popleft()
        if core.is_final(at):
            continue
        here = Node(*state_of(probe, at))
        for stimulus in stimuli:
            event = event_in(core, at, stimulus)
            if event is None:
                continue
            step = core.feed(at, event)
            there = Node(*state_of(probe, step.snapshot))
            if step.result == "handled" or there != here:
                key = (here, stimulus.type, tuple(stimulus.fields.items()))
                steps[key] = (there, step.path)
            if there not in far:
                far[there] = far[here] + 1
                context = probe.project(step.snapshot.context)
                line.append(step.snapshot._replace(context=context))
    return far, steps


def steps_of(found: Exploration) -> dict[Key, Step]:
    """Return the steps of *found* in the same form."""
    nodes = found.nodes
    return {
        (nodes[source], taken.event.type, tuple(taken.stimulus.fields.items())): (
            nodes[target],
            taken.path,
        )
        for source, target, taken in found.edges
    }
