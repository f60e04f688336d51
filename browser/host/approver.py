"""Who answers when a person must agree: a terminal, a prepared file, or nobody.

Only an exact yes approves. No answer in time is `expired`, never a yes and never a no.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Protocol, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from browser.host.agent_errors import ApprovalFileError
from engine.pipe.errors import ProtocolViolationError
from engine.pipe.parse import reason_of
from engine.pipe.strict_json import parse_object
from states.catalogue import Lang, words
from states.policy import Target
from states.wire import ANSWER_CHARS_MAX

FILE_BYTES_MAX = 1_048_576
_EXAMPLE = '{"decision":"approve"}'
_JSON_DEPTH_MAX = 4


class CardItem(BaseModel):
    """One more command that the same answer is about, and all that its approval is bound to."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    action: str
    params: dict[str, Any] = {}
    target: Target = Target()
    host: str = ""
    reason: str = ""
    digest: str = ""
    picture: Annotated[bytes | None, Field(exclude=True, repr=False)] = None


class ApprovalCard(BaseModel):
    """What the person is asked: everything the approval will be bound to.

    *also* are the commands that the answer is about besides the first, in their order. *picture* is
    a PNG of the element and what is around it, None when none could be had. A card about a tool
    has the tool's full name as *action*, its name at its server as *tool*, and its arguments as
    *params*; one with a question of the model has *question* and *options*.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    purpose: Literal["call", "step", "question", "tool"] = "call"
    trace_id: str = ""
    action: str = ""
    params: dict[str, Any] = {}
    target: Target = Target()
    host: str = ""
    reason: str = ""
    digest: str = ""
    picture: Annotated[bytes | None, Field(exclude=True, repr=False)] = None
    also: tuple[CardItem, ...] = ()
    tool: str = ""
    question: str = ""
    options: tuple[str, ...] = ()
    seconds: Annotated[float, Field(gt=0)] = 300


class Decision(NamedTuple):
    """The answer, who gave it, and a word on why when it is not a person's.

    *text* is what the person answered to a question.
    """

    decision: Literal["approved", "rejected", "expired"]
    by: str = ""
    note: str = ""
    text: str = ""


class Approver(Protocol):
    """Someone who answers; a cancelled question is withdrawn and leaves nothing behind."""

    async def ask(self, card: ApprovalCard) -> Decision:
        """Return the decision on *card* within its seconds."""


class DenyApprover:
    """Nobody: every question is answered with no."""

    def __init__(self, language: Lang = "en") -> None:
        self._language: Lang = language

    async def ask(self, card: ApprovalCard) -> Decision:
        """Return rejected."""
        del card
        return Decision("rejected", "nobody", words("approval_nobody", self._language))


class _FileLine(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    decision: Literal["approve", "reject", "timeout"]
    text: Annotated[str, Field(max_length=ANSWER_CHARS_MAX)] = ""

    @model_validator(mode="after")
    def _only_a_yes_has_a_text(self) -> Self:
        if self.text and self.decision != "approve":
            raise ValueError("text goes with approve only")
        return self


_DECISIONS: Mapping[str, Literal["approved", "rejected", "expired"]] = {
    "approve": "approved",
    "reject": "rejected",
    "timeout": "expired",
}


class FileApprover:
    """Prepared answers, one JSON object a line, given in order; after the last, no.

    A line with a text answers a question and nothing else, one without answers no question: lines
    that got out of step with the questions approve nothing.

    Raises:
        ApprovalFileError: at construction, with the number of the line that is wrong.
    """

    def __init__(self, path: Path, language: Lang = "en") -> None:
        self._path = path
        self._language: Lang = language
        self._lines = _decisions_of(path)
        self._next = 0

    @property
    def unused(self) -> int:
        """How many answers nobody asked for."""
        return len(self._lines) - self._next

    async def ask(self, card: ApprovalCard) -> Decision:
        """Return the next line's decision."""
        if self._next >= len(self._lines):
            note = words("approval_file_spent", self._language, path=self._path)
            return Decision("rejected", "file", note)
        line = self._lines[self._next]
        self._next += 1
        if line.decision == "approve" and bool(line.text) != (card.purpose == "question"):
            return Decision("rejected", "file", words("approval_file_step", self._language))
        return Decision(_DECISIONS[line.decision], "file", text=line.text)


def _decisions_of(path: Path) -> list[_FileLine]:
    try:
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        why = error.strerror or str(error)
        raise ApprovalFileError("approval_file_unreadable", str(path), why=why) from error
    if len(content) > FILE_BYTES_MAX:
        why = f"> {FILE_BYTES_MAX} bytes"
        raise ApprovalFileError("approval_file_unreadable", str(path), why=why)
    numbered = enumerate(content.split(b"\n"), start=1)
    return [_decision_of(path, number, line) for number, line in numbered if line.strip()]


def _decision_of(path: Path, number: int, line: bytes) -> _FileLine:
    try:
        document = parse_object(line.decode("utf-8"), _JSON_DEPTH_MAX)
        return _FileLine.model_validate_json(json.dumps(document), strict=True)
    except UnicodeDecodeError:
        why = "not UTF-8"
    except ProtocolViolationError as error:
        why = error.text("en")
    except ValidationError as error:
        why = reason_of(error)
    raise ApprovalFileError("approval_file_line", str(path), number, why=why, example=_EXAMPLE)
