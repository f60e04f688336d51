"""Short-term memory: the conversation of one task, made to fit the model's window (R7, M1).

In order, as far as needed: old rounds become one line each; fewer rounds stay whole; the page text
of old results is left out; and then it fails, loudly. The instruction is never touched, and a call
and its results are kept or dropped together.

Folding goes in batches. A provider's cache finds a prompt again by its beginning, and a line more
beside the instruction changes everything after it. So between *max* and 2·*max* − 1 rounds stay
whole, and *max* of them are folded at once; when they do not fit, *min* at a time. Nothing is
remembered between calls: the same conversation in the same room always comes out the same.
"""

from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from memory.errors import MemoryBudgetError
from memory.folding import Round, left_out, line_of, rounds_of
from memory.tokens import estimate, estimate_messages
from states.catalogue import Lang, words
from states.messages import Message

# A conversation shorter than this is not what fills a window; in estimated tokens.
SQUEEZED_MIN = 2_000


class Rounds(NamedTuple):
    """How many rounds stay whole: *max*, down to *min* when they pass *share* of the room."""

    max: int
    min: int
    share: float = 0.8


class Room(NamedTuple):
    """The tokens that the conversation may take.

    *factor* makes estimates into tokens of the model. *squeeze* halves the room as often as the
    model said that its window was full: it is smaller than it was taken for.
    """

    tokens: float
    factor: float = 1.0
    squeeze: int = 0


class Fitted(NamedTuple):
    """The conversation as it is sent: *folded_rounds* are lines, *tokens* is what it comes to."""

    messages: tuple[Message, ...]
    folded_rounds: int
    tokens: float


def fit(conversation: tuple[Message, ...], room: Room, bounds: Rounds, lang: Lang) -> Fitted:
    """Return *conversation* as it fits *room*.

    Raises:
        MemoryBudgetError: it does not, with everything shortened that may be.
    """
    estimated_max = room.tokens / room.factor
    fitted = _fit(conversation, estimated_max, bounds, lang)
    if room.squeeze:
        # Half of what was sent, not of what was thought to be there: else nothing may change.
        half = min(estimated_max, fitted.tokens) / 2.0**room.squeeze
        estimated_max = min(estimated_max, max(half, SQUEEZED_MIN))
        fitted = _fit(conversation, estimated_max, bounds, lang)
    if fitted.tokens > estimated_max:
        needed, left = round(fitted.tokens * room.factor), round(estimated_max * room.factor)
        raise MemoryBudgetError("memory_budget", needed=needed, room=max(0, left))
    return fitted._replace(tokens=fitted.tokens * room.factor)


def _fit(
    conversation: tuple[Message, ...], estimated_max: float, bounds: Rounds, lang: Lang
) -> Fitted:
    """Return *conversation* as short as it must be, or can be, in estimated tokens."""
    head, rounds = rounds_of(conversation)
    lines = [line_of(one, lang) for one in rounds]
    folded = _rounds_to_fold(head, rounds, lines, estimated_max * bounds.share, bounds, lang)
    messages = [*_with_lines(head, lines[:folded], lang)]
    messages += [message for one in rounds[folded:] for message in one.messages]
    _leave_out(messages, estimated_max, lang)
    return Fitted(tuple(messages), folded, estimate_messages(messages))


def _rounds_to_fold(
    head: tuple[Message, ...],
    rounds: tuple[Round, ...],
    lines: list[str],
    estimated_max: float,
    bounds: Rounds,
    lang: Lang,
) -> int:
    """Return how many of the oldest rounds become lines."""
    whole = [0.0, *accumulate(estimate_messages(one.messages) for one in rounds)]
    short = [0.0, *accumulate(estimate(f"\n{line}") for line in lines)]
    fixed = estimate_messages(head)
    heading = estimate(_heading(lang))
    *choices, fewest = _choices(len(rounds), bounds)
    for folded in choices:
        spent = fixed + whole[-1] - whole[folded] + short[folded] + (heading if folded else 0)
        if spent <= estimated_max:
            return folded
    return fewest


def _choices(rounds: int, bounds: Rounds) -> Iterator[int]:
    """Yield how many of *rounds* may be folded, the fewest first; never empty."""
    first = max(0, bounds.max * (rounds // bounds.max - 1))
    last = max(first, rounds - bounds.min)
    # Multiples stay the same while the task goes on; the last *max* are whole whenever they fit.
    batches = range(-(-first // bounds.min) * bounds.min, last, bounds.min)
    yield from sorted({first, *batches, last} | ({rounds - bounds.max} & set(range(first, last))))


def _with_lines(head: tuple[Message, ...], lines: list[str], lang: Lang) -> tuple[Message, ...]:
    """Return *head* with *lines* after the instruction, which stays as it is."""
    if not lines:
        return head
    folded = "\n".join([_heading(lang), *lines])
    first, *rest = head or (Message(role="user"),)
    return (first.model_copy(update={"text": first.text + folded}), *rest)


def _heading(lang: Lang) -> str:
    return f"\n\n{words('folded_heading', lang)}"


def _leave_out(messages: list[Message], estimated_max: float, lang: Lang) -> None:
    """Shorten the results among *messages*, the oldest first, until they fit."""
    spent = estimate_messages(messages)
    for place, message in enumerate(messages):
        if spent <= estimated_max:
            return
        if message.role == "tool":
            messages[place] = left_out(message, lang)
            spent += estimate_messages([messages[place]]) - estimate_messages([message])
