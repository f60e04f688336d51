"""W3C SCXML: the one standard among the exports.

What the standard has no word for stands in our own namespace: the kind of an action, the row's
number, who alone may send an event, the descriptions in both languages. `datamodel="null"` knows
no condition but `In()`, so `cond` holds the guard's text for readers and for processors that bind
the names; `log` marks the place of an action.
"""

from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

from engine.chart.core import senders_of
from engine.chart.declaration import (
    ALWAYS,
    Action,
    Chart,
    Delay,
    Description,
    Row,
    Service,
    State,
)
from engine.chart.export.labels import printable
from states.catalogue import Lang, words

SCXML = "http://www.w3.org/2005/07/scxml"
OURS = "urn:sgclaw:statechart:1"

_Attributes = dict[str, str | None]


def scxml(chart: Chart, lang: Lang = "en") -> str:
    """Return *chart* as SCXML; *lang* is that of the opening comment, descriptions are in both."""
    return _Writer(chart).document(lang)


class _Writer:
    def __init__(self, chart: Chart) -> None:
        self._chart = chart
        self._senders = senders_of(chart)
        self._lines: list[str] = []

    def document(self, lang: Lang) -> str:
        chart = self._chart
        self._lines = ['<?xml version="1.0" encoding="UTF-8"?>']
        comment = words("chart_scxml_comment", lang, id=chart.id, version=chart.version)
        # A comment may hold no double hyphen.
        self._lines.append(f"<!-- {comment.replace('--', '- -')} -->")
        root: _Attributes = {
            "xmlns": SCXML,
            "xmlns:sgclaw": OURS,
            "version": "1.0",
            "datamodel": "null",
            "name": chart.id,
            "initial": chart.initial,
            "sgclaw:chart-version": str(chart.version),
            "sgclaw:sha256": chart.sha256,
        }
        self._open("scxml", root, 0)
        self._describe(chart.description, 1)
        for state in chart.states.values():
            if not state.parent:
                self._state(state, 1)
        self._close("scxml", 0)
        return "\n".join(self._lines) + "\n"

    def _state(self, state: State, depth: int) -> None:
        tag = "final" if state.final else "state"
        self._open(tag, {"id": state.path, "initial": state.initial}, depth)
        self._describe(state.description, depth + 1)
        for spawn in state.spawns:
            self._spawn(spawn, depth + 1)
        self._block("onentry", state.entry, depth + 1)
        for delay in state.delays:
            # Each in a block of its own: a delay nobody binds fails its block, and only that.
            self._open("onentry", {}, depth + 1)
            self._empty("send", _sending(delay), depth + 2)
            self._close("onentry", depth + 1)
        self._block("onexit", state.exit, depth + 1)
        if state.delays:
            self._open("onexit", {}, depth + 1)
            for delay in state.delays:
                self._empty("cancel", {"sendid": delay.event}, depth + 2)
            self._close("onexit", depth + 1)
        for invoke in state.invokes:
            self._invoke(invoke, depth + 1)
        for row in state.rows:
            self._row(row, depth + 1)
        for child in state.children:
            self._state(self._chart.states[child], depth + 1)
        self._close(tag, depth)

    def _row(self, row: Row, depth: int) -> None:
        # In SCXML a row to a state below leaves its own state unless it is internal.
        stays = row.target is not None and row.target.startswith(f"{row.source}.")
        senders = self._senders.get(row.event)
        attributes: _Attributes = {
            "event": None if row.event == ALWAYS else row.event,
            "cond": row.guard.text() if row.guard else None,
            "target": row.target,
            "type": "internal" if stays else None,
            "sgclaw:row": str(row.number),
            "sgclaw:only-from": " ".join(sorted(senders.ids)) if senders else None,
            "sgclaw:description-en": row.description.en,
            "sgclaw:description-zh-CN": row.description.zh,
        }
        if not row.actions:
            self._empty("transition", attributes, depth)
            return
        self._open("transition", attributes, depth)
        self._acts(row.actions, depth + 1)
        self._close("transition", depth)

    def _block(self, tag: str, actions: tuple[Action, ...], depth: int) -> None:
        if actions:
            self._open(tag, {}, depth)
            self._acts(actions, depth + 1)
            self._close(tag, depth)

    def _acts(self, actions: Iterable[Action], depth: int) -> None:
        for action in actions:
            attributes: _Attributes = {"label": action.text(), "sgclaw:kind": action.kind}
            self._empty("log", attributes, depth)

    def _invoke(self, service: Service, depth: int) -> None:
        # `src` would be the address of a document; a service is bound by its name.
        kind = f"{OURS}:service:{service.src}"
        attributes: _Attributes = {
            "type": kind,
            "id": service.id,
            "sgclaw:emits": " ".join(service.emits) or None,
            **_told(service.description),
        }
        self._empty("invoke", attributes, depth)

    def _spawn(self, service: Service, depth: int) -> None:
        attributes: _Attributes = {
            "id": service.id,
            "type": f"{OURS}:service:{service.src}",
            "emits": " ".join(service.emits),
        }
        self._empty("sgclaw:spawn", {**attributes, **_told(service.description)}, depth)

    def _describe(self, description: Description, depth: int) -> None:
        for lang, text in (("en", description.en), ("zh-CN", description.zh)):
            if text:
                tag = "sgclaw:description"
                line = f'<{tag} xml:lang="{lang}">{escape(printable(text))}</{tag}>'
                self._lines.append("  " * depth + line)

    def _open(self, tag: str, attributes: _Attributes, depth: int) -> None:
        self._lines.append("  " * depth + f"<{tag}{_written(attributes)}>")

    def _empty(self, tag: str, attributes: _Attributes, depth: int) -> None:
        self._lines.append("  " * depth + f"<{tag}{_written(attributes)}/>")

    def _close(self, tag: str, depth: int) -> None:
        self._lines.append("  " * depth + f"</{tag}>")


def _sending(delay: Delay) -> _Attributes:
    named = delay.seconds is None
    return {
        "id": delay.event,
        "event": delay.event,
        "delay": None if named else f"{delay.key}s",
        "delayexpr": delay.key if named else None,
    }


def _told(description: Description) -> _Attributes:
    return {
        "sgclaw:description-en": description.en,
        "sgclaw:description-zh-CN": description.zh,
    }


def _written(attributes: _Attributes) -> str:
    filled = {name: value for name, value in attributes.items() if value}
    return "".join(f" {name}={quoteattr(printable(value))}" for name, value in filled.items())
