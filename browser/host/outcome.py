"""What the executor is asked and what it answers."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from states.page import AomNode, PageState
from states.policy import Effect, Target
from states.wire import WireError

DIALOG_RESPONSE = "dialog_response"


class ResolvedCall(NamedTuple):
    """One command whose element is known: what an approval is about.

    *params* are the completed ones, *origin* is that of the document the element was found in
    (of a navigation: where it goes), *document_id* names that document. *reason* is the
    policy's sentence when the effect is confirm.
    """

    action: str
    params: dict[str, Any]
    origin: str
    document_id: str
    target: Target | None
    effect: Effect
    reason: str = ""


class Approval(NamedTuple):
    """The host's last word before a command acts."""

    kind: Literal["allow", "deny", "needs_confirmation"]
    code: str = "refused"
    reason: str = ""


ALLOW = Approval("allow")
NEEDS_CONFIRMATION = Approval("needs_confirmation")


def deny(code: str, reason: str) -> Approval:
    """Refuse, with a catalogue key and its sentence."""
    return Approval("deny", code, reason)


Approve = Callable[[ResolvedCall], Approval]


class Dialog(NamedTuple):
    """A native dialog that the page shows now."""

    type: str
    message: str
    default_text: str = ""


class Outcome(NamedTuple):
    """The answer to one command, with the page as it is afterwards.

    *confirmation* is set when nothing was done because a person must agree first.
    """

    success: bool
    data: dict[str, Any]
    error: WireError | None
    page: PageState
    snapshot: tuple[AomNode, ...] = ()
    confirmation: ResolvedCall | None = None
