"""The host's check of each message of the agent, in the order of the specification.

Size, UTF-8 and JSON are the framing's. Then, and in this order: the closed schema, the action's
parameters, the HMAC, the seq, and the policy (the action on the expected domain). What the
element itself decides (its origin, its risk) is checked by the executor when it is resolved.
The first check that fails names the refusal; the seq advances whenever the HMAC is valid, so
that one refused command does not end the session.
"""

import contextlib
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from browser.host.errors import PolicyRefusedError
from browser.host.outcome import DIALOG_RESPONSE
from browser.host.tool_question import NAME
from engine.pipe.envelope import Envelope
from engine.pipe.errors import EnvelopeError, ProtocolViolationError
from engine.pipe.parse import parse_agent_message, reason_of
from guards.policy import domain_allowed, effect_of
from states.actions import PARAMS
from states.policy import NEVER_ACTIONS, Effect, Policy
from states.verdict import ALLOWED, Verdict, refused
from states.wire import AgentMessage, Command, ConfirmRequest, DialogResponse


class DialogAnswer(BaseModel):
    """The parameters of a dialog_response, when a person is asked about it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    accept: bool
    text: str = ""


class Channel:
    """Checks what one agent sends in one session."""

    def __init__(self, envelope: Envelope, policy: Policy) -> None:
        self._envelope = envelope
        self._policy = policy

    def check(self, document: dict[str, Any]) -> AgentMessage:
        """Return *document* as the message it is, once everything about it is right.

        Raises:
            ProtocolViolationError: it does not fit the protocol.
            EnvelopeError: it is not this agent's next message.
            PolicyRefusedError: it is, but the policy does not allow it.
        """
        try:
            message = parse_agent_message(document)
            if isinstance(message, Command | ConfirmRequest):
                _check_params(message)
        except ProtocolViolationError:
            with contextlib.suppress(EnvelopeError):
                self._envelope.verify(document)
            raise
        if isinstance(message, Command | ConfirmRequest | DialogResponse):
            self._envelope.verify(document)
            verdict = self._verdict(message)
            if not verdict:
                raise PolicyRefusedError(verdict)
        return message

    def _verdict(self, message: Command | ConfirmRequest | DialogResponse) -> Verdict:
        domain = message.security.expected_domain
        if isinstance(message, ConfirmRequest) and message.purpose != "call":
            return ALLOWED  # it touches no page
        if isinstance(message, DialogResponse) or message.action == DIALOG_RESPONSE:
            return domain_allowed(self._policy, domain)
        if message.action in NEVER_ACTIONS:  # whatever the policy says
            return refused("action_never", action=message.action)
        effect, verdict = effect_of(self._policy, domain, message.action, message.params)
        if effect is Effect.DENY:
            return verdict
        return domain_allowed(self._policy, domain)


def completed_params(action: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return *params* of *action* with the defaults filled in.

    Raises:
        ValidationError: they do not fit the action.
        KeyError: there is no such action.
    """
    model = DialogAnswer if action == DIALOG_RESPONSE else PARAMS[action]
    return model.model_validate(dict(params)).model_dump(mode="json")


def _check_params(message: Command | ConfirmRequest) -> None:
    action = message.action
    if isinstance(message, ConfirmRequest):
        _check_purpose(message)
        if message.purpose != "call":
            return
    if action in NEVER_ACTIONS:  # refused by name, after the proof
        return
    dialog = action == DIALOG_RESPONSE and isinstance(message, ConfirmRequest)
    if action not in PARAMS and not dialog:
        raise ProtocolViolationError("action_unknown", message.seq, action=action[:60])
    try:
        completed_params(action, message.params)
    except ValidationError as error:
        why = reason_of(error)
        raise ProtocolViolationError("action_params", message.seq, action=action, why=why) from None


def _check_purpose(message: ConfirmRequest) -> None:
    """Refuse a question that holds what belongs to one of another kind."""
    purpose = message.purpose
    has_page = bool(message.action or message.params or message.digest)
    fits = {
        "call": not message.question,
        "step": not message.question,
        "question": bool(message.question.strip()) and not has_page,
        "tool": NAME.fullmatch(message.action) is not None and not message.question,
    }[purpose]
    if not fits or (message.options and purpose != "question"):
        raise ProtocolViolationError("question_unfit", message.seq, purpose=purpose)
    if message.also and purpose in ("question", "tool"):
        raise ProtocolViolationError("question_unfit", message.seq, purpose=purpose)
