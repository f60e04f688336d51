"""Turn a reply or a skill's call into a judged request: shape, parameters, policy (R5, P4).

Only pure rules are called here; what comes out is the payload that the chart's guards read.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from actions.judge_own import judge_finish, judge_manual, judge_question, judge_tool
from actions.judged import (
    Judged,
    Rejected,
    Remembered,
    digest_of_call,
    invalid,
    with_refusal,
)
from actions.perception.targets import Found, find
from actions.ports import Ports
from guards.policy import domain_of, effect_of
from skills.calls import domains_of, to_call
from skills.errors import SkillError
from skills.params import check_params
from states.actions import PARAMS
from states.canonical import sha256_of
from states.fold import rejected_mark
from states.messages import ToolCall
from states.policy import ACTIONS, NEVER_ACTIONS, READ_ACTIONS, Effect, Target
from states.secrets import REDACTED
from states.skill import Skill
from states.task import Record, Request
from states.verdict import ALLOWED, Verdict, refused

TOOLS = ("browser_action", "run_skill", "use_skill", "answer_dialog", "ask_person", "finish")


class _BrowserCall(BaseModel):
    model_config = ConfigDict(extra="forbid")
    action: str
    params: dict[str, Any] = {}
    expected_domain: str | None = None


class _SkillCall(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    params: dict[str, Any] = {}


class _DialogCall(BaseModel):
    model_config = ConfigDict(extra="forbid")
    accept: bool
    text: str = ""


def judge_call(call: ToolCall, ports: Ports, remembered: Remembered) -> Judged:
    """Judge one tool call of the model, in the light of what was refused or lost before."""
    judged = _unless_unknown(_judge_call(call, ports, remembered), remembered.unknown)
    return _unless_rejected(judged, ports, remembered.rejected)


def calls_ahead(record: Record, ports: Ports) -> tuple[Request, ...]:
    """Return what the model asked for after the call that is asked about: what acts, in order.

    It ends before the first call that will not go out as it is. What only reads stays out.
    """
    ahead: list[Request] = []
    for call in record.calls_left:
        judged = judge_call(call, ports, Remembered(record.rejected, record.unknown))
        goes_out = judged.effect is not Effect.DENY and judged.reply == "call"
        if not goes_out or judged.request.tool != "browser_action":
            break
        if judged.request.action not in READ_ACTIONS:
            ahead.append(judged.request)
    return tuple(ahead)


def known_tools(ports: Ports) -> tuple[str, ...]:
    """Return the names of the tools that a model may call."""
    return (*TOOLS, *ports.mcp_tools)


def _judge_call(call: ToolCall, ports: Ports, remembered: Remembered) -> Judged:
    if call.name not in known_tools(ports):
        known = ", ".join(known_tools(ports))
        return invalid(refused("tool_unknown", tool=call.name[:80], known=known), call.id)
    try:
        if call.name in ports.mcp_tools:
            return judge_tool(call, ports)
        return _JUDGES[call.name](call, ports, remembered)
    except ValidationError as error:
        verdict = refused("tool_input", tool=call.name, why=_why(error))
        return invalid(verdict, call.id)


def judge_ask(skill: Skill, args: list[Any], ports: Ports, unknown: Collection[str] = ()) -> Judged:
    """Judge one browserAction of *skill*: the same rules, and its own @domains on top (S5).

    A rejection ends the skill, so nothing a skill asks was rejected before in its own run; the
    host remembers digests across runs.
    """
    try:
        action, asked = to_call(args)
        checked = _checked_params(action, asked)
    except SkillError as error:
        return _denied_ask(_unreadable(args), refused(error.code, **error.facts))
    except ValidationError as error:
        return _denied_ask(
            _unreadable(args), refused("tool_input", tool="browserAction", why=_why(error))
        )
    params = checked.given
    domain = _expected_domain(action, params, None, ports)
    request = _request("skill", action, checked, domain)
    allowed = domains_of(skill, ports.policy.host_names())
    if domain and domain.partition(":")[0] not in allowed:
        named = {"skill": skill.header.skill, "domain": domain}
        return _denied_ask(
            request, refused("skill_domain_left", domains=", ".join(allowed), **named)
        )
    effect, verdict = _effect(domain, action, params, ports)
    return _unless_unknown(Judged("call", effect, with_refusal(request, verdict), verdict), unknown)


def _unless_unknown(judged: Judged, unknown: Collection[str]) -> Judged:
    """A command that may have acted before a kill goes out again on a person's word only (L8)."""
    if judged.effect is not Effect.ACT or judged.request.call_digest not in unknown:
        return judged
    verdict = refused("sent_before")
    request = with_refusal(judged.request, verdict)
    return judged._replace(effect=Effect.CONFIRM, request=request, verdict=verdict)


def _unless_rejected(judged: Judged, ports: Ports, rejected: Rejected) -> Judged:
    """The person is never asked twice about the same command on the same page."""
    mark = rejected_mark(judged.request.call_digest, ports.view.page.document_id)
    if mark not in rejected:
        return judged
    verdict = refused("rejected_before")
    return judged._replace(
        effect=Effect.DENY, request=with_refusal(judged.request, verdict), verdict=verdict
    )


def _judge_browser_call(call: ToolCall, ports: Ports) -> Judged:
    wanted = _BrowserCall.model_validate(call.input)
    action = wanted.action
    if action in NEVER_ACTIONS:
        verdict = refused("action_never", action=action)
        digest = digest_of_call(wanted.model_dump())
        request = Request(tool="browser_action", action=action, call_id=call.id, call_digest=digest)
        return Judged("call", Effect.DENY, with_refusal(request, verdict), verdict)
    if action not in ACTIONS:
        return invalid(refused("action_unknown", action=action[:80]), call.id)
    checked = _checked_params(action, wanted.params)
    params = checked.given
    if _holds_struck(params):
        return invalid(refused("call_struck", action=action), call.id)
    domain = _expected_domain(action, params, wanted.expected_domain, ports)
    request = _request("model", action, checked, domain).model_copy(update={"call_id": call.id})
    effect, verdict = _effect(domain, action, params, ports)
    return Judged("call", effect, with_refusal(request, verdict), verdict)


def _effect(
    domain: str, action: str, params: Mapping[str, Any], ports: Ports
) -> tuple[Effect, Verdict]:
    if not domain and action != "navigate":
        return Effect.DENY, refused("page_not_open")
    return effect_of(ports.policy, domain, action, params, target_of(params, ports))


def _judge_skill_call(call: ToolCall, ports: Ports) -> Judged:
    wanted = _SkillCall.model_validate(call.input)
    request = Request(
        tool="run_skill",
        call_id=call.id,
        params={"name": wanted.name, "params": wanted.params},
        call_digest=sha256_of({"skill": wanted.name, "params": wanted.params}),
    )
    try:
        skill = ports.library.get(wanted.name)
        params = check_params(skill.header, wanted.params)
    except SkillError as error:
        return invalid(refused(error.code, **error.facts), call.id)
    request = request.model_copy(update={"params": {"name": wanted.name, "params": params}})
    if not domains_of(skill, ports.policy.host_names()):
        named = {"skill": wanted.name, "domains": ", ".join(skill.header.domains)}
        verdict = refused("skill_domains", **named)
        return Judged("skill", Effect.DENY, with_refusal(request, verdict), verdict)
    return Judged("skill", Effect.ACT, request, ALLOWED)


def _judge_dialog_call(call: ToolCall, ports: Ports) -> Judged:
    wanted = _DialogCall.model_validate(call.input)
    # A native dialog is answered by a person's decision only, whatever the policy lists.
    verdict = refused("risk_dialog", name=ports.view.dialog)
    request = Request(
        tool="answer_dialog",
        call_id=call.id,
        action="dialog_response",
        params=wanted.model_dump(),
        expected_domain=domain_of(ports.view.page.url),
        call_digest=sha256_of({"dialog": wanted.model_dump()}),
    )
    return Judged("dialog", Effect.CONFIRM, with_refusal(request, verdict), verdict)


def target_of(params: Mapping[str, Any], ports: Ports) -> Target | None:
    """Return what the last look at the page says of the selector in *params*, None if nothing."""
    found = _found(params, ports)
    return Target(role=found.role, name=found.name) if found and found.role else None


def _found(params: Mapping[str, Any], ports: Ports) -> Found | None:
    selector = params.get("selector")
    if not isinstance(selector, str):
        return None
    return find(selector, ports.view.nodes, ports.view.marks)


class _Checked(NamedTuple):
    """Parameters as given, and what is meant by them: defaults filled in, without the waiting."""

    given: dict[str, Any]
    meant: dict[str, Any]


def _checked_params(action: str, params: dict[str, Any]) -> _Checked:
    model = PARAMS.get(action)
    if model is None:
        return _Checked(params, params)
    checked = model.model_validate(params)
    # How long to wait is not what is done: it makes no other call of it.
    meant = {name: value for name, value in checked.completed().items() if name != "timeout_ms"}
    return _Checked(checked.model_dump(mode="json", exclude_unset=True), meant)


def _expected_domain(
    action: str, params: Mapping[str, Any], named: str | None, ports: Ports
) -> str:
    if named:
        return named
    if action in ("navigate", "zombieSpawn"):
        # Back and forward are addresses of the page's own history.
        return domain_of(str(params.get("url", ""))) or domain_of(ports.view.page.url)
    found = _found(params, ports)
    return (found.host if found else "") or domain_of(ports.view.page.url)


def _request(source: str, action: str, params: _Checked, domain: str) -> Request:
    digest = sha256_of({"action": action, "params": params.meant, "domain": domain})
    return Request.model_validate(
        {
            "source": source,
            "tool": "browser_action",
            "action": action,
            "params": params.given,
            "expected_domain": domain,
            "call_digest": digest,
        }
    )


def _holds_struck(params: Mapping[str, Any]) -> bool:
    """Tell whether a secret was struck out of *params*: a ledger after a kill has it no more."""
    return any(REDACTED in value for value in params.values() if isinstance(value, str))


def _unreadable(args: list[Any]) -> Request:
    return Request(source="skill", tool="browser_action", call_digest=digest_of_call(args))


def _denied_ask(request: Request, verdict: Verdict) -> Judged:
    return Judged("call", Effect.DENY, with_refusal(request, verdict), verdict)


def _why(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(str(part) for part in item['loc']) or 'input'}: {item['msg']}"
        for item in error.errors(include_url=False)[:3]
    )


_JUDGES: Mapping[str, Callable[[ToolCall, Ports, Remembered], Judged]] = {
    "browser_action": lambda call, ports, _: _judge_browser_call(call, ports),
    "run_skill": lambda call, ports, _: _judge_skill_call(call, ports),
    "answer_dialog": lambda call, ports, _: _judge_dialog_call(call, ports),
    "use_skill": lambda call, ports, _: judge_manual(call, ports),
    "ask_person": lambda call, *_: judge_question(call),
    "finish": lambda call, _, remembered: judge_finish(call, remembered),
}
