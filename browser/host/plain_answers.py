"""Answers of the host that need no task to be made, not yet sealed: refusals, what is unknown."""

from browser.host.errors import BrowserLostError, CommandError, wire_error
from browser.host.outcome import DIALOG_RESPONSE
from engine.pipe.envelope import UNSEALED
from states.catalogue import Lang
from states.errors import SgclawError
from states.wire import (
    Command,
    ConfirmationRequired,
    ConfirmRequest,
    ConfirmResponse,
    DialogResponse,
    Mac,
    Response,
    WireError,
)

Request = Command | ConfirmRequest | DialogResponse
Answer = Response | ConfirmationRequired | ConfirmResponse
NO_MAC = Mac(hmac=UNSEALED)


def refusal_of(kind: str, seq: int, error: SgclawError, lang: Lang = "en") -> Answer:
    """Return the answer that refuses request *seq* of *kind* with *error*, not yet sealed."""
    if kind == "confirm_request":
        return unresolved(seq, wire_error(error, lang))
    return Response(seq=seq, success=False, error=wire_error(error, lang), security=NO_MAC)


def unknown_outcome(request: Command | DialogResponse, failed: WireError, lang: Lang) -> Response:
    """Return the answer to *request* that may have acted before it *failed*, not yet sealed."""
    action = request.action if isinstance(request, Command) else DIALOG_RESPONSE
    error = CommandError("unknown_outcome", action=action, why=failed.code)
    return Response(seq=request.seq, success=False, error=wire_error(error, lang), security=NO_MAC)


def tells_loss(answer: Answer | None) -> bool:
    """Tell whether *answer* says that the browser ended."""
    if not isinstance(answer, Response | ConfirmResponse) or answer.error is None:
        return False
    return answer.error.code == BrowserLostError("").code


def unresolved(seq: int, error: WireError) -> ConfirmResponse:
    """Return that the person could not be asked, because of *error*."""
    return ConfirmResponse(seq=seq, digest="", decision="rejected", error=error, security=NO_MAC)
