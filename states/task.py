"""The context of one browser task: what guards read, and what only history needs.

`Control` is finite: every field has a declared domain in `CONTROL_DOMAINS`, so a checker can
walk all of them. `Record` is opaque to guards. Both change only through the reducers of
`states.fold`.
"""

from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from states.catalogue import Lang
from states.messages import Message, ModelReport, ToolCall, Usage
from states.page import PageState
from states.policy import Effect

REPAIRS_MAX = 2
FAILURES_MAX = 5
SAME_FAILURES_MAX = 4
REPEATS_MAX = 4
# After one of these nobody knows whether the command acted.
UNKNOWN_OUTCOME = "unknown_outcome"
UNKNOWN_ERRORS = frozenset(
    {
        UNKNOWN_OUTCOME, "no_response", "command_over_time", "host_fault",
        "tool_outcome_unknown",
    }
)  # fmt: skip
# Tools whose calls do not go to the browser.
NOT_THE_BROWSERS = frozenset({"mcp", "use_skill"})

# What the model's reply is: words, or the kind of the call that counts now, or how it went wrong.
REPLIES = (
    "none", "text", "call", "skill", "dialog", "tool", "question",
    "cut", "declined", "paused", "overflow", "invalid",
)  # fmt: skip
Reply = Literal[
    "none", "text", "call", "skill", "dialog", "tool", "question",
    "cut", "declined", "paused", "overflow", "invalid",
]  # fmt: skip
Asking = Literal["call", "step", "question"]


class Control(NamedTuple):
    """All that guards read; what is used up goes back to its default, so that it stays small."""

    reply: Reply = "none"
    source: Literal["model", "skill"] = "model"
    effect: str = Effect.READ.value
    asking: Asking = "call"
    skill: Literal["idle", "running"] = "idle"
    repairs: int = 0
    failures: int = 0
    same_failures: int = 0
    repeats: int = 0
    steps: Literal["left", "spent"] = "left"
    evidence: Literal["none", "good", "bad"] = "none"
    claims: bool = False
    told: bool = False
    step_mode: bool = False


CONTROL_DOMAINS: dict[str, tuple[object, ...]] = {
    "reply": REPLIES,
    "source": ("model", "skill"),
    "effect": tuple(effect.value for effect in Effect),
    "asking": ("call", "step", "question"),
    "skill": ("idle", "running"),
    "repairs": tuple(range(REPAIRS_MAX + 1)),
    "failures": tuple(range(FAILURES_MAX + 1)),
    "same_failures": tuple(range(SAME_FAILURES_MAX + 1)),
    "repeats": tuple(range(REPEATS_MAX + 1)),
    "steps": ("left", "spent"),
    "evidence": ("none", "good", "bad"),
    "claims": (False, True),
    "told": (False, True),
    "step_mode": (False, True),
}


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Refusal(_Frozen):
    """A verdict that did not allow, in a form that a ledger row can hold."""

    reason: str
    facts: dict[str, str] = {}


class Request(_Frozen):
    """One call that the model or a skill wants made."""

    source: Literal["model", "skill"] = "model"
    tool: str = ""
    call_id: str = ""
    action: str = ""
    params: dict[str, Any] = {}
    expected_domain: str = ""
    call_digest: str = ""
    refusal: Refusal | None = None
    host_digest: str = ""
    approved_by: str | None = None


class StepResult(_Frozen):
    """What came of the last request, before the critic looked at it."""

    seq: int = 0
    success: bool
    data: dict[str, Any] = {}
    error: str = ""
    message: str = ""
    page_text: str = ""
    fingerprint: str = ""
    duration_ms: int = 0


class StepOutcome(_Frozen):
    """One finished step, as the critic remembers it."""

    source: Literal["model", "skill"]
    action: str
    call_digest: str
    fingerprint: str
    success: bool
    reads: bool = False
    number: int = 0


class SentCommand(_Frozen):
    """One command that went to the browser."""

    seq: int
    action: str
    params: dict[str, Any] = {}
    success: bool
    approved_by: str | None = None
    error: str = ""


class Record(NamedTuple):
    """History that no guard reads."""

    instruction: str = ""
    language: Lang = "en"
    page: PageState = PageState()
    page_text: str = ""
    conversation: tuple[Message, ...] = ()
    calls_left: tuple[ToolCall, ...] = ()
    request: Request = Request()
    skill_request: Request = Request()
    result: StepResult | None = None
    history: tuple[StepOutcome, ...] = ()
    commands: tuple[SentCommand, ...] = ()
    rejected: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    told_later: str = ""
    in_flight: bool = False
    skill_began: int = 0
    plan: str = ""
    answer: str = ""
    reason: str = ""
    reason_facts: tuple[tuple[str, str], ...] = ()
    citations: tuple[int, ...] = ()
    usage: Usage = Usage()
    model: ModelReport = ModelReport()
    model_calls: int = 0
    failed_tries: int = 0
    squeeze: int = 0
    steps: int = 0


class Context(NamedTuple):
    """What a chart carries from state to state."""

    control: Control = Control()
    record: Record = Record()
