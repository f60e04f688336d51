"""What stands on the card of one state: its name, what it does, and its rows as numbered lines."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.chart.declaration import Chart, Delay, Row, State
from engine.chart.export.labels import actions_of, delay_text, event_of, label_of, work_of
from engine.chart.export.overlay import RowRun, Walk, key_of
from engine.chart.export.svg_style import GATE_Y, NOTE, PAD, PALETTE, PROSE, ROW, TITLE, WORK, Size
from engine.chart.export.text_width import TIE, Line, Run, clean, line_width, wrap
from states.catalogue import Lang, words

REASONS_MAX = 4
REASON_CHARS_MAX = 160
LEDGER_ROWS_MAX = 10
_NUMBER_ROOM = 24.0
_PORT_ROOM = 16.0


class Text(NamedTuple):
    """One line of text; *x* and the baseline *y* are relative to the card."""

    x: float
    y: float
    size: float
    line: Line


class Port(NamedTuple):
    """Where a row's edge begins: after its text towards the right, at its number to the left."""

    target: str
    tip: str
    right_y: float
    text_end: float
    left_y: float
    taken: int


class Card(NamedTuple):
    """A state's card; *stripes* are (y, height) of taken rows, *seen* is None without a run."""

    path: str
    width: float
    height: float
    head: float
    texts: tuple[Text, ...]
    ports: tuple[Port, ...]
    stripes: tuple[tuple[float, float], ...]
    start: bool
    final: bool
    seen: bool | None


class Scene(NamedTuple):
    """What every card is drawn from: *names* as shown, *hues* the colour number of each target."""

    chart: Chart
    lang: Lang
    walk: Walk | None
    names: Mapping[str, str]
    hues: Mapping[str, int]

    def title_of(self, path: str) -> str:
        """Return `name - description`."""
        description = self.chart.states[path].description.text(self.lang)
        return f"{self.names[path]} - {description}" if description else self.names[path]


def scene_of(chart: Chart, lang: Lang, walk: Walk | None = None) -> Scene:
    """Return the scene of *chart*: a state is shown by its last name where only one has it."""
    last = {path: path.rpartition(".")[2] for path in chart.states}
    counts = Counter(last.values())
    names = {path: name if counts[name] == 1 else path for path, name in last.items()}
    targets = {row.target for row in chart.rows()}
    targets |= {state.initial for state in chart.states.values()}
    order = [path for path in chart.states if path in targets]
    hues = {path: number % len(PALETTE) for number, path in enumerate(order)}
    return Scene(chart, lang, walk, names, hues)


def card_of(scene: Scene, state: State, width: float) -> Card:
    """Return the card of *state*, *width* wide and as high as it needs."""
    writer = _Writer(scene, state, width)
    writer.title()
    writer.work()
    writer.rows()
    return writer.card()


class _Writer:
    """Writes the lines of a card from top to bottom."""

    def __init__(self, scene: Scene, state: State, width: float) -> None:
        self._scene = scene
        self._state = state
        self._width = width
        self._y = GATE_Y - TITLE.line / 2
        self._head = 0.0
        self._texts: list[Text] = []
        self._ports: list[Port] = []
        self._stripes: list[tuple[float, float]] = []
        walk = scene.walk
        self._ran = walk.states.get(state.path) if walk is not None else None
        self._start = state.path == scene.chart.initial

    def card(self) -> Card:
        """Return what was written."""
        return Card(
            self._state.path,
            self._width,
            self._y + PAD * 0.5,
            self._head,
            tuple(self._texts),
            tuple(self._ports),
            tuple(self._stripes),
            self._start,
            self._state.final,
            None if self._scene.walk is None else self._ran is not None,
        )

    def title(self) -> None:
        """Write name, mark, description, and how often a run was here."""
        scene, state = self._scene, self._state
        runs = [Run(scene.names[state.path], "name", bold=True)]
        marks = ["picture_start"] if self._start else []
        marks += ["picture_final"] if state.final else []
        for mark in marks:
            runs.append(Run(f"  {words(mark, scene.lang)}", "soft", mono=False))
        self._write(runs, TITLE, PAD + (16 if marks else 0))
        description = clean(state.description.text(scene.lang))
        if description:
            self._write([Run(description, "soft", mono=False)], PROSE)
        self._y += 3
        self._head = self._y
        self._y += 4
        if self._ran is not None:
            facts = {
                "count": self._ran.visits,
                "first": f"{self._ran.first_seconds:.2f}",
                "seconds": f"{self._ran.seconds:.2f}",
            }
            said = words("picture_state_ran", scene.lang, **facts)
            self._write([Run(said, "ran", mono=False)], NOTE)

    def work(self) -> None:
        """Write entry, exit, services and timers, each service with its description."""
        state, lang = self._state, self._scene.lang
        told = {service.id: clean(service.description.text(lang)) for service in state.services}
        services = [None] * (bool(state.entry) + bool(state.exit)) + list(state.services)
        for number, line in enumerate(work_of(state)):
            word, _, rest = clean(line).partition(" ")
            runs = [Run(word + " ", "number"), Run(rest, "action")]
            service = services[number] if number < len(services) else None
            if service is not None and told[service.id]:
                runs.append(Run(f"  {told[service.id]}", "soft", mono=False))
            self._write(runs, WORK, pale=self._is_pale())

    def rows(self) -> None:
        """Write the way to the initial state, and each row with its number."""
        state = self._state
        if (self._texts and (state.initial or state.rows)) and self._y > self._head + 5:
            self._y += 3
        if state.initial is not None:
            self._initial(state.initial)
        for number, row in enumerate(state.rows, start=1):
            self._row(number, row)

    def _initial(self, target: str) -> None:
        scene = self._scene
        runs = [Run(words("picture_start", scene.lang), "soft", mono=False)]
        runs += self._target_runs(target)
        taken = 0 if scene.walk is None else scene.walk.initials.get(self._state.path, 0)
        tip = f"{self._state.path} → {target}"
        self._line(0, runs, (target, tip, taken), pale=scene.walk is not None and not taken)
        if taken:
            said = words("picture_initial_taken", scene.lang, count=taken)
            self._note([Run(said, "ran", mono=False)])

    def _row(self, number: int, row: Row) -> None:
        scene, walk = self._scene, self._scene.walk
        ran = RowRun() if walk is None else walk.rows.get(key_of(row), RowRun())
        top = self._y
        runs = [Run(_event_text(row, scene.chart), "event")]
        if row.guard is not None:
            runs.append(Run(f" [{row.guard.text()}]", "guard"))
        if row.actions:
            runs.append(Run(f" / {actions_of(row)}", "action"))
        port = None
        if row.target is not None:
            runs += self._target_runs(row.target)
            port = (row.target, self._tip(row), len(ran.taken))
        self._line(number, runs, port, pale=walk is not None and not ran.taken)
        description = clean(row.description.text(scene.lang))
        if description:
            self._note([Run(description, "soft", mono=False)])
        if ran.taken:
            self._taken(ran)
            self._stripes.append((top, self._y - top))
        self._refusals(ran)

    def _taken(self, ran: RowRun) -> None:
        facts = {
            "count": len(ran.taken),
            "first": f"{ran.first_seconds:.2f}",
            "numbers": _listed(ran.taken),
        }
        said = words("picture_row_taken", self._scene.lang, **facts)
        self._note([Run(said, "ran", mono=False)])

    def _refusals(self, ran: RowRun) -> None:
        lang = self._scene.lang
        for guard, verdict, count in ran.refusals[:REASONS_MAX]:
            reason = clean(verdict.text(lang), REASON_CHARS_MAX)
            key = "picture_refused_why" if reason else "picture_refused"
            said = words(key, lang, guard=guard, count=count, reason=reason)
            self._note([Run(said, "refused", mono=False)])
        more = len(ran.refusals) - REASONS_MAX
        if more > 0:
            said = words("picture_more", lang, count=more)
            self._note([Run(said, "refused", mono=False)])

    def _tip(self, row: Row) -> str:
        chart = self._scene.chart
        target = row.target or row.source
        label = f"{label_of(row, chart)} → {target}"
        return words("picture_row", self._scene.lang, source=row.source, label=label)

    def _target_runs(self, target: str) -> list[Run]:
        hue = f"t{self._scene.hues[target]}"
        return [Run(f" →{TIE}", hue), Run(self._scene.names[target], hue, bold=True)]

    def _is_pale(self) -> bool:
        return self._scene.walk is not None and self._ran is None

    # -- lines

    def _line(
        self,
        number: int,
        runs: Sequence[Run],
        port: tuple[str, str, int] | None,
        *,
        pale: bool = False,
    ) -> None:
        """Write one numbered line; *port* is target, tip and how often taken."""
        first = self._y + ROW.line / 2
        if number:
            taken = bool(port and port[2])
            mark = Run(str(number), "ran" if taken else "number", bold=taken)
            self._put([mark], ROW, PAD, pale=pale)
        indent = PAD + _NUMBER_ROOM
        end = self._write(runs, ROW, indent, pale=pale, room=_PORT_ROOM)
        if port is not None:
            target, tip, taken_count = port
            last = self._y - ROW.line / 2
            self._ports.append(Port(target, tip, last, end + 5, first, taken_count))

    def _note(self, runs: Sequence[Run]) -> None:
        self._write(runs, NOTE, PAD + _NUMBER_ROOM)

    def _write(
        self,
        runs: Sequence[Run],
        size: Size,
        indent: float = PAD,
        *,
        pale: bool = False,
        room: float = 0.0,
    ) -> float:
        """Write *runs* wrapped; return where the last line ends."""
        end = indent
        for line in wrap(runs, size.font, self._width - indent - PAD - room):
            self._put(line, size, indent, pale=pale or self._is_pale())
            end = indent + line_width(line, size.font)
            self._y += size.line
        return end

    def _put(self, line: Sequence[Run], size: Size, x: float, *, pale: bool) -> None:
        baseline = self._y + size.line / 2 + size.font * 0.36
        styled = [run._replace(style=f"{run.style} pale") if pale else run for run in line]
        self._texts.append(Text(x, baseline, size.font, tuple(styled)))


def _event_text(row: Row, chart: Chart) -> str:
    """Return the event and its number; a timer's event without the path that the card names."""
    delays: tuple[Delay, ...] = chart.states[row.source].delays
    label = event_of(row, chart)
    for delay in delays:
        if delay.event == row.event:
            return f"after {delay_text(delay)}{label.removeprefix(row.event)}"
    return label


def _listed(numbers: Sequence[int]) -> str:
    if len(numbers) <= LEDGER_ROWS_MAX:
        return ", ".join(map(str, numbers))
    first = ", ".join(map(str, numbers[:6]))
    return f"{first}, … {', '.join(map(str, numbers[-2:]))}"
