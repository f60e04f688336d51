"""How a row, a service and a timer read in every export."""

import re

from engine.chart.declaration import ALWAYS, Chart, Delay, Row, Service, State

_NO_XML = re.compile("[^\\t\\n\\r\\u0020-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def printable(text: str) -> str:
    """Return *text* without the characters that no XML document, and so no picture, may hold."""
    return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def event_of(row: Row, chart: Chart) -> str:
    """Return the event, numbered when it has alternatives: the first enabled one wins."""
    name = "always" if row.event == ALWAYS else row.event
    many = len(chart.states[row.source].alternatives(row.event)) > 1
    return f"{name} #{row.number}" if many else name


def label_of(row: Row, chart: Chart) -> str:
    """Return `event #2 [guard] / actions`."""
    guard = f" [{row.guard.text()}]" if row.guard else ""
    actions = f" / {actions_of(row)}" if row.actions else ""
    return f"{event_of(row, chart)}{guard}{actions}"


def actions_of(row: Row) -> str:
    """Return the actions of *row* in order."""
    return ", ".join(action.text() for action in row.actions)


def service_text(service: Service) -> str:
    """Return `id (src)`, without the source when it has the same name."""
    name = service.id if service.id == service.src else f"{service.id} ({service.src})"
    return f"{name}, emits {', '.join(service.emits)}" if service.emits else name


def delay_text(delay: Delay) -> str:
    """Return the delay's name or its seconds."""
    return delay.key if delay.seconds is None else f"{delay.key} s"


def work_of(state: State) -> list[str]:
    """Return one line each for entry, exit, services and timers."""
    lines = []
    if state.entry:
        lines.append("entry / " + ", ".join(action.text() for action in state.entry))
    if state.exit:
        lines.append("exit / " + ", ".join(action.text() for action in state.exit))
    lines += [f"invoke {service_text(service)}" for service in state.invokes]
    lines += [f"spawn {service_text(service)}" for service in state.spawns]
    lines += [f"after {delay_text(delay)}" for delay in state.delays]
    return lines
