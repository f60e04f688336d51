"""The fence around what others wrote: page text, tool results, recalled memory (R2, invariant 8).

The one rule: whatever stands between an opening and a closing mark with the same random word is
data, and nothing in it can look like a mark, a turn of the conversation or a tool call.
"""

import re
import unicodedata
from typing import Literal

Kind = Literal["page", "memory"]

_WORD = re.compile(r"[0-9a-z]{4,64}")
# Full-width and mathematical forms pass for the ASCII ones in a model's eye.
_OPENERS, _CLOSERS = "<＜﹤≪⋘", ">＞﹥≫⋙"
_MARKS = re.compile(rf"[{_OPENERS}]{{3,}}|[{_CLOSERS}]{{3,}}|⋘|⋙")
# What chat templates and tool protocols put around turns and calls. Seen in: ChatML, Llama 2-4,
# Qwen, DeepSeek (full-width bars), Gemma, Mistral, GLM, Phi, Hermes, Claude's older forms.
_TAGS = (
    "tool_calls?|tool_response|tool_results?|tool_outputs?|tool_use|tools|function_calls?"
    "|function_results?|functions?|invoke|parameter|arg_key|arg_value|system|assistant|user|human"
    "|think|thinking|reasoning|s|bos|eos|pad|unk|sop|eop|start_of_turn|end_of_turn|im_start|im_end"
    "|instructions?|antml:[a-z_]{1,40}"
)
_TOKEN = re.compile(
    r"[<＜][|｜][^<>＜＞‹›\n]{0,80}[|｜][>＞]"
    rf"|[<＜]/?(?:{_TAGS})(?:[\s=][^<>＜＞‹›\n]{{0,200}})?/?[>＞]"
    r"|<</?SYS>>"
    r"|\[/?(?:INST|SYS|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|TOOL_CONTENT|ARGS"
    r"|THINK|gMASK)\]",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"^([ \t]*(?:#{1,6}[ \t]*)?(?:Human|Assistant|System|Instruction|Response))[:：]",
    re.IGNORECASE | re.MULTILINE,
)
_BRACKETS = str.maketrans("<＜[>＞]", "‹‹‹›››")
# Categories of what is not seen, and what is not seen although its category says otherwise.
_UNSEEN = frozenset({"Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_UNSEEN_RANGES = (
    (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2800, 0x2800),
    (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xE0000, 0xE0FFF),
)  # fmt: skip
_HIDDEN_WORD = "•"


def opening(mark: str, kind: Kind = "page") -> str:
    """Return the line that opens a fence."""
    return f"<<<{kind} {mark}"


def closing(mark: str, kind: Kind = "page") -> str:
    """Return the line that closes a fence."""
    return f"{kind} {mark}>>>"


def fenced(text: str, chars_max: int, mark: str, kind: Kind = "page") -> str:
    """Return *text* as untrusted content: bounded, stripped, between two lines that name *mark*.

    Raises:
        ValueError: *mark* is no word that a fence can be known by.
    """
    if not _WORD.fullmatch(mark):
        raise ValueError("the mark of a fence has 4 to 64 characters out of 0-9 and a-z")
    plain = _without_word(harmless(_cut(text, chars_max)), mark)
    return f"{opening(mark, kind)}\n{plain}\n{closing(mark, kind)}"


def fenced_memory(text: str, chars_max: int, mark: str) -> str:
    """Return recalled *text* in a fence of its own kind: it came from pages and skills once."""
    return fenced(text, chars_max, mark, "memory")


def harmless(text: str) -> str:
    """Return *text* without unseen characters, and with nothing that a fence or a turn has.

    Replaced, character for character, not removed: what is left after a removal could join to a
    new mark. Doing it again changes nothing.
    """
    seen = text.translate({ord(char): _seen(char) for char in set(text)})
    seen = _MARKS.sub(_arrows, seen)
    seen = _TOKEN.sub(lambda found: found[0].translate(_BRACKETS), seen)
    return _TURN.sub(r"\1›", seen)


def one_line(text: str, chars_max: int) -> str:
    """Return *text*, of a skill or a tool, as one harmless line of *chars_max* at most."""
    # Joined before it is stripped: two lines may make one mark. What is stripped leaves blanks.
    joined = " ".join(_cut(text, 4 * chars_max).split())
    plain = " ".join(harmless(joined).split())
    return plain if len(plain) <= chars_max else plain[: chars_max - 1] + "…"


def _cut(text: str, chars_max: int) -> str:
    return text if len(text) <= chars_max else text[:chars_max] + "…"


def _without_word(text: str, mark: str) -> str:
    return re.sub(re.escape(mark), _HIDDEN_WORD * len(mark), text, flags=re.IGNORECASE)


def _arrows(run: re.Match[str]) -> str:
    return ("‹" if run[0][0] in _OPENERS else "›") * len(run[0])


def _seen(char: str) -> str:
    """Return *char*, a blank for a control character, nothing for one that is not seen."""
    category = unicodedata.category(char)
    if category == "Cc":
        return char if char in "\n\t" else " "
    point = ord(char)
    hidden = category in _UNSEEN or any(low <= point <= high for low, high in _UNSEEN_RANGES)
    return "" if hidden else char
