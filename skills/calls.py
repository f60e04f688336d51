"""From `browserAction(...)` to a command and back: the positional forms of the 14 actions.

Only the shape is decided here, with an error that tells the skill's author what to write. Whether
the command may be sent is the policy's to say, as for a model's own call.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from skills.errors import SkillCallError
from states.policy import ACTIONS, NEVER_ACTIONS
from states.skill import Skill

_SHOWN_CHARS = 40


class _Kind(NamedTuple):
    words: str
    fits: Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TEXT = _Kind("a string", lambda value: isinstance(value, str))
_NAME = _Kind("a string that is not empty", lambda value: isinstance(value, str) and value != "")
_COUNT = _Kind(
    "a whole number above 0",
    lambda value: isinstance(value, int) and not isinstance(value, bool) and value > 0,
)
_NUMBER = _Kind("a number", _is_number)
_YES_NO = _Kind("true or false", lambda value: isinstance(value, bool))
_TEXT_OR_NULL = _Kind("a string or null", lambda value: value is None or isinstance(value, str))
_STATE = _Kind(
    "visible, attached or hidden", lambda value: value in ("visible", "attached", "hidden")
)
_KEYS = _Kind(
    "a list of keys, such as ['ArrowDown', 'Enter']",
    lambda value: isinstance(value, list) and all(isinstance(key, str) for key in value),
)
_AREA = _Kind("local or session", lambda value: value in ("local", "session"))


class _Form(NamedTuple):
    """What one action takes: all keys, those that must be there, those that may be positional."""

    keys: Mapping[str, _Kind]
    required: tuple[str, ...] = ()
    positional: tuple[str, ...] = ()

    def words(self, action: str) -> str:
        """Return the call as its author would write it."""
        marked = [key if key in self.required else f"{key}?" for key in self.positional]
        return f"browserAction({', '.join([repr(action), *marked])})"


_FORMS: dict[str, _Form] = {
    "navigate": _Form({"url": _NAME, "timeout_ms": _COUNT}, ("url",), ("url",)),
    "click": _Form(
        {"selector": _NAME, "timeout_ms": _COUNT, "to": _NAME},
        ("selector",),
        ("selector", "timeout_ms"),
    ),
    "type": _Form(
        {"selector": _NAME, "text": _TEXT, "clear": _YES_NO, "keys": _KEYS},
        ("selector", "text"),
        ("selector", "text"),
    ),
    "select": _Form(
        {"selector": _NAME, "value": _TEXT}, ("selector", "value"), ("selector", "value")
    ),
    "waitForSelector": _Form(
        {"selector": _NAME, "timeout_ms": _COUNT, "state": _STATE},
        ("selector",),
        ("selector", "timeout_ms"),
    ),
    "getText": _Form({"selector": _NAME, "max_chars": _COUNT}, (), ("selector",)),
    "getHtml": _Form({"selector": _NAME, "max_chars": _COUNT}, (), ("selector",)),
    "scrollTo": _Form({"selector": _NAME, "x": _NUMBER, "y": _NUMBER}, (), ("selector",)),
    "getAomSnapshot": _Form(
        {"selector": _NAME, "filter": _TEXT, "cursor": _TEXT}, (), ("selector",)
    ),
    "pageScreenshot": _Form({"full_page": _YES_NO, "som_overlay": _YES_NO}, (), ("full_page",)),
    "storageGet": _Form({"area": _AREA, "key": _NAME}, ("key",), ("key",)),
    "storageSet": _Form(
        {"area": _AREA, "key": _NAME, "value": _TEXT_OR_NULL}, ("key", "value"), ("key", "value")
    ),
    "zombieSpawn": _Form({"url": _NAME}, ("url",), ("url",)),
    "zombieKill": _Form({"zombie_id": _NAME}, ("zombie_id",), ("zombie_id",)),
}
# What browserAction resolves to, where that is one field of `data` and not all of it.
_RESOLVES = {"getText": "text", "getHtml": "html", "getAomSnapshot": "nodes", "storageGet": "value"}


def to_call(args: list[Any]) -> tuple[str, dict[str, Any]]:
    """Return action and params of one `browserAction(...args)`.

    Both `('click', '#go', 5000)` and `('click', {selector: '#go'})` are understood.

    Raises:
        SkillCallError: no command can be made of it; the text is for the skill.
    """
    if not args or not isinstance(args[0], str):
        raise SkillCallError("skill_call_empty")
    action, rest = args[0], args[1:]
    if action in NEVER_ACTIONS:
        raise SkillCallError("skill_call_never", action=action)
    form = _FORMS.get(action)
    if form is None:
        shown = ascii(action[:_SHOWN_CHARS])
        raise SkillCallError("skill_call_action", action=shown, known=", ".join(ACTIONS))
    if len(rest) == 1 and isinstance(rest[0], dict):
        params = dict(rest[0])
    else:
        params = _by_position(action, form, rest)
    _check(action, form, params)
    return action, params


def resolve_value(action: str, answer: Mapping[str, Any]) -> Any:
    """Return what `browserAction` resolves to when *action* was answered with the data *answer*."""
    field = _RESOLVES.get(action)
    return answer.get(field) if field else dict(answer)


def domains_of(skill: Skill, policy_hosts: Iterable[str]) -> tuple[str, ...]:
    """Return the hosts that *skill* may act on: its @domains that the policy lists as well."""
    allowed = {host.lower() for host in policy_hosts}
    return tuple(host for host in skill.header.domains if host in allowed)


def _by_position(action: str, form: _Form, values: list[Any]) -> dict[str, Any]:
    if len(values) > len(form.positional):
        raise SkillCallError("skill_call_arguments", action=action, expected=form.words(action))
    # `undefined` arrives as null; it means "left out" wherever null is not itself a value.
    return {
        key: value
        for key, value in zip(form.positional, values, strict=False)
        if value is not None or form.keys[key] is _TEXT_OR_NULL
    }


def _check(action: str, form: _Form, params: dict[str, Any]) -> None:
    expected = form.words(action)
    for key in params:
        if key not in form.keys:
            shown = ascii(key[:_SHOWN_CHARS])
            raise SkillCallError("skill_call_key", action=action, param=shown, expected=expected)
    for key in form.required:
        if key not in params:
            raise SkillCallError("skill_call_missing", action=action, param=key, expected=expected)
    for key, value in params.items():
        if not form.keys[key].fits(value):
            raise SkillCallError(
                "skill_call_type", action=action, param=key, expected=form.keys[key].words
            )
