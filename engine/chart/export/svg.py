"""A chart as a picture for auditors, in pure Python and the same bytes on every machine.

Every state is a card that lists its rows in the order they are tried; an edge runs from a row's
line to the card of its target. Edges carry no text, so nothing can lie on a label. With a run, the
same picture shows its path, times and refusals, and the rest is pale.
"""

from collections.abc import Iterable, Mapping, Sequence

from engine.chart.declaration import Chart
from engine.chart.export.labels import label_of
from engine.chart.export.overlay import RunOverlay, Walk, overlay_of, walk
from engine.chart.export.svg_card import REASON_CHARS_MAX, Scene, Text, scene_of
from engine.chart.export.svg_draw import (
    card,
    edge,
    frame,
    group,
    head,
    in_order,
    mark,
    tag,
    text_at,
    texts,
    title,
)
from engine.chart.export.svg_layout import Sheet, place
from engine.chart.export.svg_route import Routes, gutter_width, lanes_of, route
from engine.chart.export.svg_style import HEAD, MARGIN, PALETTE, PROSE, Size, style_sheet
from engine.chart.export.text_width import Run, clean, wrap
from states.catalogue import Lang, words

_LABEL_ROOM = 190.0
_MARK_ROOM = 26.0


def svg(chart: Chart, lang: Lang = "en", run: RunOverlay | None = None) -> str:
    """Return *chart* as SVG with its words in *lang*, and *run* drawn on it.

    Raises:
        OverlayError: *run* is of another chart or version, or does not fit it.
    """
    scene = scene_of(chart, lang, None if run is None else walk(chart, run))
    flat = place(scene, 0.0, 0.0)
    lanes = lanes_of(flat)
    gutter = gutter_width(lanes)
    top, above = _above(scene, flat.width + gutter)
    sheet = place(scene, top, gutter)
    routes = route(scene, sheet, lanes)
    bottom, below = _legend(scene, sheet)
    body = [
        title(_name(scene)),
        f"<style>{style_sheet()}</style>",
        tag("rect", class_="paper", width=sheet.width, height=bottom),
        above,
        *_drawing(scene, sheet, routes),
        below,
    ]
    whole = tag(
        "svg",
        "\n" + "\n".join(body) + "\n",
        xmlns="http://www.w3.org/2000/svg",
        width=sheet.width,
        height=bottom,
        viewBox=f"0 0 {sheet.width:.1f} {bottom:.1f}",
        role="img",
        xml_lang=lang,
    )
    return whole.replace("xml-lang", "xml:lang", 1) + "\n"


def lifecycle_svg(chart: Chart, rows: Iterable[Mapping[str, object]], lang: Lang = "en") -> str:
    """Return *chart* with the run that the ledger *rows* tell.

    Raises:
        OverlayError: the rows are no run of *chart*.
    """
    return svg(chart, lang, overlay_of(rows))


def _drawing(scene: Scene, sheet: Sheet, routes: Routes) -> list[str]:
    parts = [frame(scene, box) for box in sheet.frames]
    parts += [card(scene, placed) for placed in sheet.placed]
    parts += [edge(scene, way) for way in in_order(routes.edges)]
    parts += [head(scene, arrow) for arrow in routes.heads]
    return parts + [texts(scene, placed) for placed in sheet.placed]


def _name(scene: Scene) -> str:
    key = "picture_title" if scene.walk is None else "picture_run_title"
    return words(key, scene.lang, chart=scene.chart.id, version=scene.chart.version)


class _Prose:
    """Lines of text from *top* downwards over the whole width."""

    def __init__(self, top: float, width: float) -> None:
        self.y = top
        self.parts: list[str] = []
        self._width = width

    def write(self, runs: Sequence[Run], size: Size, x: float = MARGIN) -> None:
        """Write *runs* wrapped at the right margin."""
        for line in wrap(runs, size.font, self._width - MARGIN - x):
            self.parts.append(text_at(Text(x, self.y + size.line * 0.74, size.font, line)))
            self.y += size.line

    def pair(self, label: str, runs: Sequence[Run]) -> None:
        """Write a label, and *runs* beside it."""
        before = self.y
        self.write([Run(label, "soft", mono=False)], PROSE)
        self.y = before
        self.write(runs, PROSE, MARGIN + _LABEL_ROOM)

    def group(self, name: str, top: float) -> str:
        """Return all of it as one group."""
        return group(name, (0.0, top, self._width, self.y - top), "".join(self.parts))


def _above(scene: Scene, width: float) -> tuple[float, str]:
    """Return where the head ends, and the head: names, digest, and the run's facts."""
    prose = _Prose(MARGIN * 0.7, width)
    prose.write([Run(_name(scene), "name", mono=False, bold=True)], HEAD)
    description = clean(scene.chart.description.text(scene.lang))
    if description:
        prose.write([Run(description, "soft", mono=False)], PROSE)
    prose.y += 6
    prose.pair(words("picture_digest", scene.lang), [Run(scene.chart.sha256, "action")])
    if scene.walk is not None:
        _facts(scene, scene.walk, prose)
    return prose.y + 18, prose.group("", 0.0)


def _facts(scene: Scene, run: Walk, prose: _Prose) -> None:
    lang = scene.lang
    started = run.started.strftime("%Y-%m-%d %H:%M:%S UTC")
    lasted = words("picture_seconds", lang, seconds=f"{run.seconds:.2f}")
    prose.pair(words("picture_trace", lang), [Run(clean(run.trace_id, 80), "action")])
    prose.pair(words("picture_started", lang), [Run(started, mono=False)])
    prose.pair(words("picture_lasted", lang), [Run(lasted, mono=False)])
    counts = words("picture_counts", lang, **run.results)
    prose.pair(words("picture_events", lang), [Run(counts, mono=False)])
    end = scene.chart.states[run.last_state]
    state = scene.names[end.path]
    outcome = (
        scene.title_of(end.path) if end.final else words("picture_not_ended", lang, state=state)
    )
    style = "ran" if end.final else "refused"
    prose.pair(words("picture_outcome", lang), [Run(clean(outcome), style, mono=False, bold=True)])
    if run.last_row is None:
        return
    source = scene.names[run.last_row.source]
    target = run.last_row.target
    way = f" → {scene.names[target]}" if target is not None else ""
    label = f"{label_of(run.last_row, scene.chart)}{way}"
    last = [Run(words("picture_row", lang, source=source, label=label), "action")]
    prose.pair(words("picture_last_row", lang), last)
    for guard, verdict in run.last_verdicts:
        if not verdict.allowed:
            reason = clean(verdict.text(lang), REASON_CHARS_MAX)
            said = words("picture_refused_why", lang, guard=guard, count=1, reason=reason)
            prose.pair("", [Run(said, "refused", mono=False)])


def _legend(scene: Scene, sheet: Sheet) -> tuple[float, str]:
    """Return where the paper ends, and how to read the picture."""
    lang, top = scene.lang, sheet.bottom + 26
    prose = _Prose(top, sheet.width)
    heading = words("picture_legend", lang)
    prose.write([Run(heading, "name", mono=False, bold=True)], Size(13, 22))
    marks = ""
    for key, final in (("picture_legend_start", False), ("picture_legend_final", True)):
        marks += mark(MARGIN + 8, prose.y + 8.5, final=final)
        prose.write([Run(words(key, lang), mono=False)], PROSE, MARGIN + _MARK_ROOM)
    keys = [
        "picture_legend_row",
        "picture_legend_parent",
        "picture_legend_internal",
        "picture_legend_work",
        # With more targets than colours, two of them share one.
        "picture_legend_lane" if len(scene.hues) <= len(PALETTE) else "picture_legend_arrow",
    ]
    if scene.walk is not None:
        keys += ["picture_legend_run", "picture_legend_refused"]
    for key in keys:
        prose.write([Run(words(key, lang), mono=False)], PROSE, MARGIN + _MARK_ROOM)
    return prose.y + MARGIN * 0.7, marks + prose.group("", top)
