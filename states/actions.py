"""The parameters of the 14 browser actions (P3), one closed model each.

Both ends of the pipe validate with these: the agent before it sends, the host before it acts.
A command is known by its *completed* parameters, defaults filled in.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from states.settings import BrowserLimits

_LIMITS = BrowserLimits()
_LATER = frozenset({"to", "keys"})


def _without_comment(selector: str) -> str:
    # The person reads the selector on the approval card: it must hold no other words.
    if "/*" in selector:
        raise ValueError("a selector may not hold a comment; leave /* out")
    return selector


Selector = Annotated[
    str,
    StringConstraints(min_length=1, max_length=2_000),
    AfterValidator(_without_comment),
    Field(json_schema_extra={"not": {"pattern": r"/\*"}}),
]
Url = Annotated[str, StringConstraints(min_length=1, max_length=8_192)]
StorageKey = Annotated[str, StringConstraints(min_length=1, max_length=1_024)]
TimeoutMs = Annotated[int, Field(ge=0, le=_LIMITS.action_timeout_ms_max)]
# Named as in KeyboardEvent.key; one modifier at most.
Key = Annotated[
    str,
    StringConstraints(
        pattern=r"^(Shift\+|Control\+|Alt\+)?(Enter|Tab|Escape|Backspace|Delete|Space|Home|End|PageUp|PageDown"
        r"|ArrowUp|ArrowDown|ArrowLeft|ArrowRight|[a-z])$"
    ),
]
_Place = Annotated[int, Field(ge=0, le=10_000_000)]


class Params(BaseModel):
    """What every action's parameters have in common: they are closed and strict."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    def completed(self) -> dict[str, Any]:
        """Return all parameters, defaults filled in; an addition that is not used is left out."""
        given: dict[str, Any] = self.model_dump(mode="json")
        return {name: value for name, value in given.items() if not _unused(name, value)}


def _unused(name: str, value: object) -> bool:
    # What came to an action later must not change the digest of a call that does without it.
    return name in _LATER and not value


class Navigate(Params):
    """Open *url* in the task's tab."""

    url: Url
    timeout_ms: TimeoutMs = 30_000


class Click(Params):
    """Click the middle of one element with the mouse; with *to*, drag it onto that element."""

    selector: Selector
    timeout_ms: TimeoutMs = 10_000
    to: Selector | None = None


class Type(Params):
    """Type *text* into one field, over what it holds when *clear*, then press *keys*.

    With keys alone (`text` empty, `clear` false) the element only gets the keys. To a field for
    files *text* names the files that were handed over, one a line.
    """

    selector: Selector
    text: Annotated[str, StringConstraints(max_length=_LIMITS.text_chars_max)]
    clear: bool = True
    keys: Annotated[tuple[Key, ...], Field(max_length=20, strict=False)] = ()


class Select(Params):
    """Choose the option whose value or visible label is *value*.

    An option of a group may be called `group / label`. In a <select> of many exactly the options
    on the lines of *value* are chosen.
    """

    selector: Selector
    value: Annotated[str, StringConstraints(max_length=2_000)]


class WaitForSelector(Params):
    """Wait until one element is in *state*."""

    selector: Selector
    timeout_ms: TimeoutMs = 10_000
    state: Literal["visible", "attached", "hidden"] = "visible"


class GetText(Params):
    """Read the visible text of one element."""

    selector: Selector = "body"
    max_chars: Annotated[int, Field(ge=1, le=_LIMITS.text_chars_max)] = _LIMITS.text_chars_max


class GetHtml(Params):
    """Read the HTML of one element."""

    selector: Selector = "body"
    max_chars: Annotated[int, Field(ge=1, le=_LIMITS.html_chars_max)] = _LIMITS.html_chars_max


class ScrollTo(Params):
    """Scroll one element into view, or the page to *x*, *y*."""

    selector: Selector | None = None
    x: _Place | None = None
    y: _Place | None = None

    @model_validator(mode="after")
    def _one_goal(self) -> Self:
        by_place = self.x is not None or self.y is not None
        if (self.selector is not None) == by_place:
            raise ValueError("give either selector, or x and y")
        return self


class GetAomSnapshot(Params):
    """List the page's nodes: of one element, filtered, or the next part after *cursor*."""

    selector: Selector | None = None
    filter: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None
    cursor: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None


class PageScreenshot(Params):
    """Take a picture of what is in view, with numbered controls if wanted, or of the whole page."""

    full_page: bool = False
    som_overlay: bool = False


class StorageSet(Params):
    """Set a key of the page's storage; null clears it."""

    key: StorageKey
    value: Annotated[str, StringConstraints(max_length=100_000)] | None
    area: Literal["local", "session"] = "local"


class StorageGet(Params):
    """Read a key of the page's storage."""

    key: StorageKey
    area: Literal["local", "session"] = "local"


class ZombieSpawn(Params):
    """Open *url* in a hidden background page."""

    url: Url


class ZombieKill(Params):
    """Close a hidden background page."""

    zombie_id: Annotated[str, StringConstraints(min_length=1, max_length=100)]


PARAMS: Mapping[str, type[Params]] = MappingProxyType(
    {
        "click": Click,
        "type": Type,
        "navigate": Navigate,
        "getText": GetText,
        "getHtml": GetHtml,
        "waitForSelector": WaitForSelector,
        "pageScreenshot": PageScreenshot,
        "select": Select,
        "scrollTo": ScrollTo,
        "getAomSnapshot": GetAomSnapshot,
        "storageSet": StorageSet,
        "storageGet": StorageGet,
        "zombieSpawn": ZombieSpawn,
        "zombieKill": ZombieKill,
    }
)
