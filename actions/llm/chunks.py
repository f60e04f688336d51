"""What a model call tells while it goes on: typed chunks, before the one whole reply (R3, R4).

Chunks are for people and for the journal. Nothing acts on them: only the whole `ModelTurn` does.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

from states.messages import Usage

# Who or what a failed try was about, as the chart knows it.
TryKind = Literal["network", "overload", "rate", "stream"]


class Said(NamedTuple):
    """A piece of the reply's text."""

    text: str


class Thought(NamedTuple):
    """A piece of the model's reasoning."""

    text: str


class CallNamed(NamedTuple):
    """The reply begins a call of the tool *name*."""

    name: str


class TryFailed(NamedTuple):
    """Try *number* (from 1) failed in a way that is worth another, after *wait_s* seconds.

    What was told of it before counts no longer: *discarded* says that there was something. After
    the *last* one there is no other; *cost_microusd* is what its tokens may have cost.
    """

    number: int
    kind: TryKind
    code: str
    text: str
    wait_s: float
    duration_ms: int
    usage: Usage = Usage()
    discarded: bool = False
    cost_microusd: int | None = None
    last: bool = False


Chunk = Said | Thought | CallNamed | TryFailed
Hear = Callable[[Chunk], None]


def nobody(chunk: Chunk) -> None:
    """Hear nothing."""
    del chunk
