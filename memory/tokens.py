"""How many tokens a text may come to, by the class of its characters (R7, M6).

An estimate on the high side: on prose, JSON, amounts and addresses in Chinese and English it does
not fall below cl100k. It is additive, so that a total is the sum of its parts. What a model's own
tokeniser makes of it is learned beside this (`memory.calibration`).
"""

import json
import re
from collections.abc import Iterable
from typing import Any

from states.messages import Message

_CJK = 1.25
_LETTER = 0.33
_DIGIT = 0.75
_PUNCTUATION = 0.7
_SPACE = 0.15
_LINE = 1.0
_OTHER = 1.5
_PICTOGRAPH = 3.0

# What a picture of the product's largest size costs with either family, about.
PICTURE_TOKENS = 2_000
# Role, names of fields and brackets around a message, a call or a tool.
_MESSAGE = 6
_CALL = 12
_TOOL = 12

_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_DIGITS = b"0123456789"
_SPACES = b" \t\n\r"
_PRINTED = bytes(range(0x21, 0x7F))
# Emoji and rare ideographs, beyond the basic plane.
_ASTRAL = re.compile("[\U00010000-\U0010ffff]+")
# Radicals to Yi, Hangul, compatibility forms and full-width ones.
_WIDE = re.compile("[\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]+")


def estimate(text: str) -> float:
    """Return about how many tokens *text* is."""
    plain = text.encode("ascii", "ignore")
    # Deleting bytes by a table is the fastest count there is: no step for each character.
    no_letters = plain.translate(None, _LETTERS)
    no_digits = no_letters.translate(None, _DIGITS)
    no_spaces = no_digits.translate(None, _SPACES)
    control = len(no_spaces.translate(None, _PRINTED))
    lines = plain.count(b"\n")
    foreign = len(text) - len(plain)
    wide = sum(map(len, _WIDE.findall(text))) if foreign else 0
    astral = sum(map(len, _ASTRAL.findall(text))) if foreign > wide else 0
    return (
        _CJK * wide
        + _LETTER * (len(plain) - len(no_letters))
        + _DIGIT * (len(no_letters) - len(no_digits))
        + _SPACE * (len(no_digits) - len(no_spaces) - lines)
        + _LINE * lines
        + _PUNCTUATION * (len(no_spaces) - control)
        + _PICTOGRAPH * astral
        + _OTHER * (control + foreign - wide - astral)
    )


def estimate_message(message: Message) -> float:
    """Return the estimate of *message*: its text and calls, or its blocks if they are more."""
    said = estimate(message.text)
    for call in message.tool_calls:
        written = call.raw if call.input is None else _json(call.input)
        said += _CALL + estimate(call.name) + estimate(call.id) + estimate(written)
    # Blocks say the same again, in the provider's own form: one of the two is sent.
    blocks = estimate(_json(message.blocks)) if message.blocks else 0.0
    return _MESSAGE + estimate(message.call_id) + max(said, blocks)


def estimate_messages(messages: Iterable[Message]) -> float:
    """Return the estimate of a conversation."""
    return sum(map(estimate_message, messages))


def estimate_tools(tools: Iterable[tuple[str, str, dict[str, Any]]]) -> float:
    """Return the estimate of *tools*: name, description and schema of each."""
    return sum(
        _TOOL + estimate(name) + estimate(description) + estimate(_json(schema))
        for name, description, schema in tools
    )


def _json(document: object) -> str:
    return json.dumps(document, ensure_ascii=False, default=str)
