"""The MAC policy as data (P4): which hosts, which actions, which of them need a person."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StringConstraints,
    field_validator,
)
from pydantic_core import PydanticCustomError

Action = Literal[
    "click", "type", "navigate", "getText", "getHtml", "waitForSelector", "pageScreenshot",
    "select", "scrollTo", "getAomSnapshot", "storageSet", "storageGet", "zombieSpawn", "zombieKill",
]  # fmt: skip
AllowedAction = Action | Literal["*"]
Host = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$")]
RiskWord = Annotated[str, StringConstraints(min_length=1, max_length=40)]


def _selector(text: str) -> str:
    """Refuse what cannot be a CSS selector; the page refuses the rest when it reads it."""
    if not text.strip() or not text.isprintable() or "<" in text or ">>>" in text:
        shown = text.encode("unicode_escape").decode("ascii")
        raise ValueError(f"{shown!r} is no CSS selector; write one such as #salary")
    return text


MaskSelector = Annotated[
    str, StringConstraints(min_length=1, max_length=300), AfterValidator(_selector)
]

ACTIONS: tuple[str, ...] = Action.__args__  # type: ignore[attr-defined]
READ_ACTIONS = frozenset(
    {
        "getText", "getHtml", "waitForSelector", "pageScreenshot", "scrollTo", "getAomSnapshot",
        "storageGet",
    }
)  # fmt: skip
# What may be done again without harm: opening an address again writes nothing.
REPEATABLE = READ_ACTIONS | {"navigate"}
NEVER_ACTIONS = frozenset({"eval", "executeJsInPage"})


class Effect(StrEnum):
    """The effect class of one call: what the verdict function answers."""

    READ = "read"
    ACT = "act"
    CONFIRM = "confirm"
    DENY = "deny"


class HostRule(BaseModel):
    """What may be done on one exact host.

    *mask* are CSS selectors of what nobody but the person reads there; *upload* lets files that
    the person handed to the task be put into its pages, each with a confirmation.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    host: Host
    scheme: Literal["https", "http"] = "https"
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    allow: tuple[AllowedAction, ...] = ()
    confirm: tuple[AllowedAction, ...] = ()
    resources: tuple[Host, ...] = ()
    mask: Annotated[tuple[MaskSelector, ...], Field(max_length=50)] = ()
    upload: StrictBool = False

    def effective_port(self) -> int:
        """Return the port, or the scheme's own when none is written."""
        return self.port or (443 if self.scheme == "https" else 80)


class Policy(BaseModel):
    """The whole policy file; what is not listed is denied."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    version: Literal[1]
    hosts: Annotated[tuple[HostRule, ...], Field(max_length=200)]
    risk_words: Annotated[tuple[RiskWord, ...], Field(max_length=200)] = ()

    @field_validator("hosts")
    @classmethod
    def _one_rule_each(cls, hosts: tuple[HostRule, ...]) -> tuple[HostRule, ...]:
        # Two rules for one place would leave it to their order which of them counts.
        seen: set[str] = set()
        for rule in hosts:
            place = f"{rule.scheme}://{rule.host}:{rule.effective_port()}"
            if place in seen:
                raise PydanticCustomError(
                    "place_twice",
                    "{place} has two entries; write one with all that is meant",
                    {"place": place},
                )
            seen.add(place)
        return hosts

    def host_names(self) -> tuple[str, ...]:
        """Return the hosts that allow at least one action, in the file's order."""
        return tuple(rule.host for rule in self.hosts if rule.allow or rule.confirm)


class Target(BaseModel):
    """The element a command meets, as the host resolved it.

    *serial* is the element's number in its document, never given twice; *form_state* a hash of
    what its form holds. *said* is every word on and around the element, for the rule only: it
    stays in the host.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    role: str = ""
    name: str = ""
    frame: str = ""
    tag: str = ""
    input_type: str = ""
    submits: bool = False
    in_password_form: bool = False
    href: str = ""
    serial: int = 0
    form_state: str = ""
    said: Annotated[str, Field(exclude=True)] = ""
