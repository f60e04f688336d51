"""The page as the agent sees it (O1): the AOM tree and what identifies its document."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

# Where words come from that nobody sees on the page: only an attribute, or text made invisible.
WordSource = Literal["attribute", "hidden"]


# What came later stands in a document only when it says something: ledgers keep their digests.
_LATER = {
    "source": None, "frame": None, "host": None, "row": None,
    "missed": 0, "completeness": 1.0, "visual": False,
}  # fmt: skip


class _Compact(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_serializer(mode="wrap")
    def _without_later(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        whole: dict[str, Any] = serialize(self)
        for name, unused in _LATER.items():
            if name in whole and whole[name] == unused:
                del whole[name]
        return whole

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        for name, value in super().__repr_args__():
            if name not in _LATER or _LATER[name] != value:
                yield name, value


class AomNode(_Compact):
    """One node of the snapshot.

    *bounds* is [x, y, w, h] in CSS pixels of the viewport; *ref* is `@n` (`@f2.n` in the frame
    named f2), valid for the snapshot that issued it; *selector* stands on what can be acted upon.
    *source* is None when the name is what a person sees. *frame* and *host* stand on an iframe
    whose document is of another origin, *row* on a row: its place among all rows of its table.
    """

    role: str
    name: str = ""
    bounds: Annotated[tuple[int, ...], Field(min_length=4, max_length=4)] = (0, 0, 0, 0)
    value: str | None = None
    selector: str | None = None
    ref: str | None = None
    focused: bool | None = None
    disabled: bool | None = None
    checked: bool | None = None
    row_count: int | None = None
    source: WordSource | None = None
    frame: str | None = None
    host: str | None = None
    row: Annotated[int, Field(ge=1)] | None = None
    children: tuple["AomNode", ...] = ()


class PageState(_Compact):
    """Which document a snapshot belongs to, and how much of it is there.

    *missed* counts what can be pressed and is no node, *completeness* is the share that is one
    (O4); *visual* tells of a page whose layout words do not carry (canvas, map, drawing).
    """

    url: str = ""
    origin: str = ""
    title: str = ""
    document_id: str = ""
    generation: int = 0
    total: int = 0
    truncated: bool = False
    missed: int = 0
    completeness: float = 1.0
    visual: bool = False
