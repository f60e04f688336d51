"""What one turn of the child says: read strictly, typed, bounded."""

import json
import re
import unicodedata
from typing import Any, NamedTuple

from engine.pipe.errors import ProtocolViolationError
from engine.pipe.strict_json import parse_object
from skills.errors import SkillError, SkillFailedError, SkillProtocolError, SkillResultError
from states.settings import SkillLimits
from states.skill import SkillResult

# A turn wraps what the skill says: {"m": [{"args": …}]}.
_WRAPPING_DEPTH = 3
_MESSAGE_CHARS_MAX = 300
_LEVELS = frozenset({"debug", "info", "warning", "error"})
_PLACE = re.compile(r"[a-z0-9-]{1,64}\.js:[0-9]{1,6}(?::[0-9]{1,6})?")


class Called(NamedTuple):
    """The skill called browserAction."""

    id: int
    args: list[Any]


class TimerSet(NamedTuple):
    """The skill set a timer."""

    id: int
    ms: float


class TimerCleared(NamedTuple):
    """The skill took a timer back."""

    id: int


class SkillLog(NamedTuple):
    """One line that the skill wrote to its console."""

    level: str
    text: str


class Returned(NamedTuple):
    """`execute` came to its end with *value*."""

    value: Any


class Threw(NamedTuple):
    """`execute` threw."""

    message: str
    stack: str


Message = Called | TimerSet | TimerCleared | SkillLog | Returned | Threw


def read_turn(line: bytes, skill: str, limits: SkillLimits) -> list[Message]:
    """Return what the child said in *line*.

    Raises:
        SkillProtocolError: the line is not strict JSON of the agreed form.
    """
    try:
        document = parse_object(line.decode("utf-8"), limits.json_depth_max + _WRAPPING_DEPTH)
    except UnicodeDecodeError as error:
        why = SkillError("skill_message_invalid", where="UTF-8")
        raise SkillProtocolError("skill_protocol", skill=skill, why=why) from error
    except ProtocolViolationError as error:
        raise SkillProtocolError("skill_protocol", skill=skill, why=error) from error
    said = document.get("m")
    messages = [_message(one) for one in said] if isinstance(said, list) else [None]
    if None in messages or len(document) != 1:
        why = SkillError("skill_message_invalid", where=ascii(line[:80].decode("utf-8", "replace")))
        raise SkillProtocolError("skill_protocol", skill=skill, why=why)
    return [message for message in messages if message is not None]


def _message(one: Any) -> Message | None:
    """Return the message that *one* is, or None."""
    match one:
        case {"t": "call", "id": int(id_), "args": list(args), **rest} if not rest:
            return Called(id_, args)
        case {"t": "timer", "id": int(id_), "ms": int() | float() as ms, **rest} if not rest:
            return TimerSet(id_, ms)
        case {"t": "clear", "id": int(id_), **rest} if not rest:
            return TimerCleared(id_)
        case {"t": "log", "level": str(level), "text": str(text), **rest} if not rest:
            return SkillLog(level, text) if level in _LEVELS else None
        case {"t": "ret", "value": value, **rest} if not rest:
            return Returned(value)
        case {"t": "err", "message": str(message), "stack": str(stack), **rest} if not rest:
            return Threw(message, stack)
    return None


def check_result(value: Any, skill: str, limits: SkillLimits) -> SkillResult:
    """Return *value* as the result of *skill*.

    Raises:
        SkillResultError: it is not `{success, data?, error?}`, or it is too large.
    """
    if not isinstance(value, dict):
        raise SkillResultError("skill_result_not_object", skill=skill)
    if not isinstance(value.get("success"), bool):
        raise SkillResultError("skill_result_success", skill=skill)
    for key in value:
        if key not in {"success", "data", "error"}:
            raise SkillResultError("skill_result_key", skill=skill, param=ascii(key[:40]))
    error = value.get("error")
    if error is not None and not isinstance(error, str):
        raise SkillResultError("skill_result_error", skill=skill)
    if len(json.dumps(value, ensure_ascii=False).encode("utf-8")) > limits.result_bytes_max:
        bytes_max = limits.result_bytes_max
        raise SkillResultError("skill_result_too_large", skill=skill, bytes_max=bytes_max)
    return SkillResult(success=value["success"], data=value.get("data"), error=error)


def failure_of(threw: Threw, skill: str) -> SkillFailedError:
    """Return the error for what *skill* threw: the first line, bounded, without controls."""
    place = _PLACE.search(threw.stack) or _PLACE.search(threw.message)
    first = next((line for line in threw.message.splitlines() if line.strip()), "?")
    shown = "".join(char for char in first if unicodedata.category(char)[0] != "C").strip()
    where = f" ({place[0]})" if place else ""
    return SkillFailedError(
        "skill_failed", skill=skill, message=shown[:_MESSAGE_CHARS_MAX] or "?", where=where
    )
