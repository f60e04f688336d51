"""What a chart is fed: one event, its payload, and the generation of the service that sent it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

NOTHING: Mapping[str, Any] = MappingProxyType({})


class Event(NamedTuple):
    """One event.

    *payload* holds the finite fields that guards and reducers read (each declared in the
    chart's `events:`) and, under `record`, whatever else travels with it. *generation* is set
    on what a service or a timer sends: the core drops it as stale unless that one is live.
    """

    type: str
    payload: Mapping[str, Any] = NOTHING
    generation: int | None = None
