"""How the page is told to the model (O4): as text, as a marked picture, or as both.

The rule of the seed: the text when it names more than four fifths of what can be pressed, else the
picture; both where the layout says what words do not.
"""

from typing import Literal

from states.page import PageState
from states.verdict import ALLOWED, Verdict, refused

Look = Literal["aom", "som", "both"]

COMPLETENESS_MIN = 0.8
_BLANK = frozenset({"", "about:blank"})


def look_of(page: PageState) -> Look:
    """Return how *page* is told: text ("aom"), marked picture ("som") or both."""
    verdict = text_suffices(page)
    if verdict.allowed:
        return "aom"
    return "both" if verdict.reason == "look_visual" else "som"


def text_suffices(page: PageState) -> Verdict:
    """Refuse when the text of *page* leaves out what a person sees there."""
    if page.total == 0:
        return ALLOWED if page.url in _BLANK else refused("look_empty")
    if page.visual:
        return refused("look_visual")
    if page.completeness <= COMPLETENESS_MIN:
        return refused("look_incomplete", missed=page.missed, share=f"{page.completeness:.0%}")
    return ALLOWED
