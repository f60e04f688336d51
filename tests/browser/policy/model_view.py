"""What the model reads of a page: the product's own words around a look at it."""

from typing import NamedTuple

from actions.perception.aom import render
from actions.perception.observation import observation_text
from browser.host.outcome import Outcome
from engine.pipe.framing import encode_line
from prompts.fence import closing, opening
from states.catalogue import Lang
from states.task import Request, StepResult
from states.wire import Mac, Response
from tests.support.host_lab import TabLab

CHARS_MAX = 20_000
# Worse than life: the pages under test know the random word of the fence they will stand in.
MARK = "3f9a1c2b"
FENCE_OPEN, FENCE_CLOSE = opening(MARK), closing(MARK)


class Seen(NamedTuple):
    """An observation's *text*, what stands *outside* its fences, the lines *inside* them."""

    text: str
    outside: str
    inside: tuple[str, ...]


def seen_of(outcome: Outcome, action: str, lang: Lang = "en") -> Seen:
    """Return what the model is told of *outcome*, once it is sure that it can be sent at all."""
    response = Response(
        seq=1,
        success=outcome.success,
        data=outcome.data,
        error=outcome.error,
        page=outcome.page,
        aom_snapshot=outcome.snapshot,
        security=Mac(hmac="0" * 64),
    )
    assert len(encode_line(response)) < 8_000_000
    result = StepResult(
        success=outcome.success,
        data=outcome.data,
        error=outcome.error.code if outcome.error else "",
        message=outcome.error.message if outcome.error else "",
        page_text=render(outcome.snapshot, outcome.page, chars_max=CHARS_MAX // 2, lang=lang),
    )
    text = observation_text(Request(action=action), result, lang, CHARS_MAX, MARK, 1)
    outside, inside, rest = "", "", text
    while FENCE_OPEN in rest:
        before, _, rest = rest.partition(FENCE_OPEN)
        within, _, rest = rest.partition(FENCE_CLOSE)
        outside, inside = outside + before, inside + within
    return Seen(text, outside + rest, tuple(inside.splitlines()))


async def look(tab: TabLab, lang: Lang = "en") -> Seen:
    """Return what the model is told after a look at the page of *tab*."""
    outcome = await tab.do("getAomSnapshot")
    assert outcome.error is None
    return seen_of(outcome, "getAomSnapshot", lang)
