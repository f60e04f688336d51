"""Skills as data (S1, S2): the header, the signed entry, the registry, the outcome."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

SkillName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)]


class _Closed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SkillHeader(_Closed):
    """The JSDoc header of a skill file."""

    skill: SkillName
    version: Annotated[str, StringConstraints(pattern=r"^\d{1,5}\.\d{1,5}\.\d{1,5}$")]
    description: Annotated[str, StringConstraints(min_length=1, max_length=1024)]
    domains: Annotated[tuple[str, ...], Field(min_length=1, max_length=50)]
    author: str = ""
    params: dict[str, Any]


class SkillEntry(_Closed):
    """One signed line of registry.json."""

    name: SkillName
    file: Annotated[
        str, StringConstraints(pattern=r"^(builtin|custom)/[a-z0-9]+(-[a-z0-9]+)*\.js$")
    ]
    version: str
    size: Annotated[int, Field(ge=1)]
    hash: Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]
    key_id: str
    signature: Annotated[str, StringConstraints(pattern=r"^ed25519:[A-Za-z0-9+/]{86}==$")]
    enabled: bool = True


class Registry(_Closed):
    """registry.json: which skills there are, and whose signature stands under each."""

    version: Literal["1.1"]
    serial: Annotated[int, Field(ge=1)]
    updated_at: str
    expires_at: str | None = None
    skills: Annotated[tuple[SkillEntry, ...], Field(max_length=500)]


class Skill(_Closed):
    """A verified skill: the header and exactly the bytes that were hashed."""

    header: SkillHeader
    entry: SkillEntry
    source: str


class SkillResult(_Closed):
    """What `execute` returned."""

    success: bool
    data: Any = None
    error: str | None = None
