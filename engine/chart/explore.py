"""Walk every product state of a chart: (leaf, control, live senders), breadth first.

The walk runs the real core, guards and reducers. It is quick for three reasons, each of which
keeps it exact:

* Steps are shared. Guards and reducers are pure, so a step that read the fields K of the control
  does the same wherever K has the same values (`engine.chart.watch` notes the reads). For each
  leaf, set of live senders and stimulus the steps stand in a tree that branches on the fields in
  the order of their reads; only a path not yet in the tree is fed to the core.
* Generations count for equality only, so every set of live senders is fed with the same ones.
* Monitors see events and effects only, and those are the same for every state that shares a
  step. Each monitor walks the finished graph by itself: (state, monitor state), breadth first.

Nodes are found in order of distance, so the first way to a node, row or overlap is a shortest.
"""

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, NamedTuple, cast

from engine.chart.core import Core, _Run
from engine.chart.declaration import Row
from engine.chart.errors import ChartFaultError, ChartRuntimeError, Problem, problem
from engine.chart.graph import Edge, Exploration, Node, Overlap, Place, Taken, Violation
from engine.chart.monitor import Monitor, watch_over
from engine.chart.probe import Probe, Stimulus, event_in, stimuli_of
from engine.chart.step import Snapshot, Step
from engine.chart.watch import is_watchable, reads_of, watched, writes_of
from states.events import Event

__all__ = ["Edge", "Exploration", "Monitor", "Node", "Overlap", "Place", "Taken", "Violation",
           "explore"]  # fmt: skip

NODES_MAX = 50_000
_FAULTS = {ChartFaultError: "check_fault", ChartRuntimeError: "check_never_settles"}
_NOBODY: frozenset[str] = frozenset()
_WHOLE = -1


def explore(probe: Probe, monitors: Sequence[Monitor] = (), limit: int = NODES_MAX) -> Exploration:
    """Walk every product state of the chart of *probe*, and *monitors* over it.

    *violations* holds what the walk itself meets: a guard or reducer that raises, eventless rows
    without end, a control outside of its domains, more than *limit* states, and what a monitor
    finds broken; each kind once, with a shortest way.
    """
    walk = _Walk(probe, limit)
    walk.run()
    found = walk.exploration()
    watched_over = [each for monitor in monitors for each in watch_over(found, monitor)]
    return found._replace(violations=(*found.violations, *watched_over))


class _Watcher(Core):
    """The core, noting which rows it takes and which other rows it might have taken."""

    noted: list[tuple[str, str, tuple[int, ...]]]

    def of_taken(self, course: "_Course", step: Step) -> Taken:
        """Return *step* with the rows noted since `noted` was last emptied."""
        rows, overlaps = [], []
        for leaf, event_type, enabled in self.noted:
            declared = [each.row for each in self.table.rows[leaf][event_type]]
            winner = declared[enabled[0]]
            rows.append(winner)
            others = [declared[at] for at in enabled[1:]]
            overlaps += [Overlap(leaf, winner, row) for row in others if row.guard is not None]
        return Taken(course.snapshot.state, course.stimulus, course.event, step.result,
                     step.effects, step.path, tuple(rows), tuple(overlaps))  # fmt: skip

    def line(self) -> int:
        """Return the line of the last row noted."""
        if not self.noted:
            return 1
        leaf, event_type, enabled = self.noted[-1]
        return self.table.rows[leaf][event_type][enabled[0]].row.line

    def _take(self, run: _Run, event_type: str) -> bool:
        rows = self._rows[run.state].get(event_type, ())
        enabled = tuple(
            at
            for at, (judge, _, _) in enumerate(rows)
            if judge is None or judge(run.context, run.event, []).allowed
        )
        if not enabled:
            return False
        self.noted.append((run.state, event_type, enabled))
        # As the core does it, without asking the winner's guard again.
        _, target, ops = rows[enabled[0]]
        for op in ops:
            op(run)
        if target is not None:
            run.state = target
            run.path.append(target)
        return True


class _Outcome(NamedTuple):
    """What a stimulus does from every node that shares the fields read.

    *writes* are the fields of the control that change; *known* the nodes after it, by control.
    None as *known*: the walk does not go on from here.
    """

    taken: Taken
    writes: tuple[tuple[int, Any], ...]
    known: dict[Any, int] | None
    live: frozenset[str] = frozenset()
    state: str = ""
    final: bool = False


class _Branch(NamedTuple):
    """The field of the control that was read next, and what lies behind each of its values."""

    field: int
    by_value: "dict[Any, _Branch | _Outcome]"


class _Course:
    """One stimulus in one leaf with one set of live senders: its tree of outcomes."""

    __slots__ = ("event", "snapshot", "stimulus", "tree")

    def __init__(self, stimulus: Stimulus, snapshot: Snapshot, event: Event) -> None:
        self.stimulus, self.snapshot, self.event = stimulus, snapshot, event
        self.tree: _Branch | _Outcome | None = None


class _Group:
    """The courses from one leaf with one set of live senders.

    After the first node, *always* holds the edges that are the same from every node of the
    group, and courses that never change anything are left out.
    """

    def __init__(self, courses: list[_Course]) -> None:
        self.courses, self.size = courses, len(courses)
        self.always: list[tuple[int, Taken]] = []
        self.is_settled = False

    def settle(self, key: tuple[str, frozenset[str]]) -> None:
        """Set apart what no control decides: its tree has no branch."""
        self.is_settled = True
        left = []
        for course in self.courses:
            found = course.tree
            if not isinstance(found, _Outcome) or (found.known is not None and found.writes):
                left.append(course)
            elif found.known is not None and found.final:
                self.always.append((found.known[None], found.taken))
            elif found.known is not None and (
                found.taken.result == "handled" or (found.state, found.live) != key
            ):
                left.append(course)
        self.courses = left


class _Walk:
    """The one mutable thing: the graph as far as it is walked."""

    def __init__(self, probe: Probe, limit: int) -> None:
        core = probe.core
        self.probe, self.limit = probe, limit
        self.core = _Watcher(core.chart, core.table, core.bindings, core.rows_max)
        self.stimuli = stimuli_of(probe)
        self.nodes: list[Node] = []
        self.known: dict[tuple[str, frozenset[str]], dict[Any, int]] = {}
        self.parents: list[Place | None] = []
        self.out: list[list[tuple[int, Taken]]] = []
        self.groups: dict[tuple[str, frozenset[str]], _Group] = {}
        self.taken_rows: dict[Row, Place] = {}
        self.overlaps: dict[Overlap, Place] = {}
        self.passed: dict[str, Place] = {}
        self.dropped: dict[tuple[str, str], Place] = {}
        self.faults: dict[Hashable, tuple[Problem, Place]] = {}
        self.domains = {
            name: frozenset((value, type(value)) for value in domain)
            for name, domain in probe.domains.items()
        }
        self.events = self.feeds = 0

    def run(self) -> None:
        core, probe = self.core, self.probe
        for context in probe.initials:
            first = core.initial(context)
            self._number(Node(first.state, probe.control(context), frozenset()), None)
        for number, node in enumerate(self.nodes):
            self.out.append([])
            if core.chart.states[node.state].final:
                continue
            if len(self.nodes) > self.limit:
                last = self.parents[-1] or Place(0, self.stimuli[0])
                self._blame("check_too_many_states", last, limit=self.limit)
                break
            self._leave(number, node)
        self.out += [[] for _ in self.nodes[len(self.out) :]]

    def _leave(self, number: int, node: Node) -> None:
        """Walk every edge that leaves *node*; the innermost loop of the checker."""
        key = (node.state, node.live)
        group = self.groups.get(key)
        if group is None:
            group = self.groups[key] = _Group(list(self._courses(node)))
        out, control = self.out[number], cast("Any", node.control)
        self.events += group.size
        out += group.always
        for course in group.courses:
            found = course.tree
            while isinstance(found, _Branch):
                value = control if found.field == _WHOLE else control[found.field]
                found = found.by_value.get(value)
            outcome = self._fed(number, node, course) if found is None else found
            known = outcome.known
            if known is None:
                continue
            after = None if outcome.final else _written(control, outcome.writes)
            target = known.get(after)
            if target is None:
                place = Place(number, course.stimulus)
                target = self._number(Node(outcome.state, after, outcome.live), place)
            if target != number or outcome.taken.result == "handled":
                out.append((target, outcome.taken))
        if not group.is_settled:
            group.settle(key)

    def _number(self, node: Node, place: Place | None) -> int:
        group = self.known.setdefault((node.state, node.live), {})
        number = group.get(node.control)
        if number is None:
            number = group[node.control] = len(self.nodes)
            self.nodes.append(node)
            self.parents.append(place)
        return number

    def _courses(self, node: Node) -> Iterator[_Course]:
        live = tuple((each, at) for at, each in enumerate(sorted(node.live), 1))
        snapshot = Snapshot(node.state, None, live, len(live))
        for stimulus in self.stimuli:
            event = event_in(self.core, snapshot, stimulus)
            if event is not None:
                yield _Course(stimulus, snapshot, event)

    def _fed(self, number: int, node: Node, course: _Course) -> _Outcome:
        """Feed *course* from *node* and write the outcome into its tree."""
        core, control = self.core, node.control
        begun: Any = watched(control) if is_watchable(control) else control
        core.noted = []
        self.feeds += 1
        place = Place(number, course.stimulus)
        snapshot = course.snapshot._replace(context=self.probe.build(begun))
        try:
            step = core.feed(snapshot, course.event)
        except (ChartFaultError, ChartRuntimeError) as error:
            self._blame(_FAULTS[type(error)], place, **error.facts)
            nothing = Taken(course.snapshot.state, course.stimulus, course.event)
            outcome = _Outcome(nothing, (), None)
        else:
            outcome = self._outcome(place, course, begun, step)
        reads = reads_of(begun) if begun is not control else (_WHOLE,)
        if not _plant(course, reads, control, outcome):
            facts = {"state": course.snapshot.state, "event": course.stimulus.type}
            self._blame("check_impure", place, **facts)
        return outcome

    def _outcome(self, place: Place, course: _Course, begun: Any, step: Step) -> _Outcome:
        taken = self.core.of_taken(course, step)
        for row in taken.rows:
            self.taken_rows.setdefault(row, place)
        for overlap in taken.overlaps:
            self.overlaps.setdefault(overlap, place)
        for leaf in taken.path:
            self.passed.setdefault(leaf, place)
        if step.result == "ignored" and place.stimulus.type in self.core.senders:
            self.dropped.setdefault((taken.before, place.stimulus.type), place)
        after = step.snapshot
        live = frozenset(each for each, _ in after.live)
        if self.core.is_final(after):
            for sender in sorted(live):
                self._blame("check_final_keeps_sender", place, id=sender, state=after.state)
            known = self.known.setdefault((after.state, _NOBODY), {})
            return _Outcome(taken, (), known, _NOBODY, after.state, final=True)
        control: Any = self.probe.control(after.context)
        known = self.known.setdefault((after.state, live), {})
        if not is_watchable(begun):
            return _Outcome(taken, ((_WHOLE, control),), known, live, after.state)
        writes = writes_of(control, begun)
        inside = self._are_inside(place, type(begun)._fields, writes)
        return _Outcome(taken, writes, known if inside else None, live, after.state)

    def _are_inside(
        self, place: Place, fields: Sequence[str], writes: tuple[tuple[int, Any], ...]
    ) -> bool:
        """Blame the first of *writes* that lies outside of its declared domain."""
        for at, value in writes:
            name = fields[at]
            # True == 1: a flag is no counter.
            if name in self.domains and (value, type(value)) not in self.domains[name]:
                self._blame("check_out_of_domain", place, name=name, value=value)
                return False
        return True

    def _blame(self, code: str, place: Place, **facts: object) -> None:
        """Keep what is wrong once for each row and kind, with the first way to it."""
        line = self.core.line()
        found = problem(self.core.chart.source, line, code, **facts)
        self.faults.setdefault((code, line), (found, place))

    def exploration(self) -> Exploration:
        """Return what was walked."""
        found = Exploration(
            self.probe, tuple(self.nodes), tuple(self.parents), tuple(self.out),
            self.taken_rows, self.overlaps, self.passed, self.dropped, (), self.events, self.feeds,
        )  # fmt: skip
        faults = tuple(found.violation(what, place) for what, place in self.faults.values())
        return found._replace(violations=faults, cut=bool(faults))


def _written(control: Any, writes: tuple[tuple[int, Any], ...]) -> Any:
    if not writes:
        return control
    if writes[0][0] == _WHOLE:
        return writes[0][1]
    values = list(control)
    for at, value in writes:
        values[at] = value
    return tuple.__new__(type(control), values)


def _plant(course: _Course, reads: Sequence[int], control: Any, outcome: _Outcome) -> bool:
    """Put *outcome* where the values of *reads* in *control* lead in the tree of *course*.

    False: the tree has other reads there, which a pure step cannot have.
    """
    if not reads:
        pure = course.tree is None
        course.tree = outcome if pure else course.tree
        return pure
    if course.tree is None:
        course.tree = _Branch(reads[0], {})
    at: Any = course.tree
    for number, field in enumerate(reads):
        value = control if field == _WHOLE else control[field]
        if type(at) is not _Branch or at.field != field:
            return False
        if number + 1 == len(reads):
            at.by_value[value] = outcome
        else:
            at = at.by_value.setdefault(value, _Branch(reads[number + 1], {}))
    return True
