"""The page as the agent sees it (O1): the AOM tree and what identifies its document."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class AomNode(BaseModel):
    """One node of the snapshot.

    *bounds* is [x, y, w, h] in CSS pixels of the viewport; *ref* is `@n`, valid for the
    snapshot that issued it; *selector* stands on what can be acted upon.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
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
    children: tuple["AomNode", ...] = ()


class PageState(BaseModel):
    """Which document a snapshot belongs to, and how much of it is there."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    url: str = ""
    origin: str = ""
    title: str = ""
    document_id: str = ""
    generation: int = 0
    total: int = 0
    truncated: bool = False
