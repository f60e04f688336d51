"""The card of a question as lines that a person reads on a terminal.

The rule: what is foreign (a page's names, a model's words, a tool's arguments) can neither move
the cursor nor write a line that looks like one of ours.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from browser.host.approver import ApprovalCard, CardItem
from browser.host.plain_text import one_line, plain_lines
from browser.host.tool_question import split_name
from states.catalogue import Lang, words

PAGE_LINES = 30
_SHOWN_CHARS = 2_000
_WIDTH_CHARS = 96
_QUOTE = "  | "
_GOES_ON = "  … "


def card_pages(
    card: ApprovalCard, language: Lang, pictures: Sequence[Path | None] = ()
) -> list[str]:
    """Return *card* as the texts to show one after the other; the last one asks.

    Only the arguments of a tool need more than one: an answer to a part of them is no answer.
    """
    if card.purpose != "tool":
        return [card_text(card, language, pictures)]
    asked = [words("approval_ask_tool", language), *_tool_rows(card, language)]
    lines = [*asked, *_argument_lines(card)]
    parts = [lines[at : at + PAGE_LINES] for at in range(0, len(lines), PAGE_LINES)]
    pages = []
    for number, part in enumerate(parts, start=1):
        is_last = number == len(parts)
        more = words("approval_more", language, page=number, pages=len(parts))
        pages.append("\n".join(["", *part, _prompt(card, language) if is_last else more]))
    return pages


def card_text(card: ApprovalCard, language: Lang, pictures: Sequence[Path | None] = ()) -> str:
    """Return *card*, if it is not about a tool, as one text.

    *pictures* are the files with the pictures of its calls, in their order.
    """
    if card.purpose == "question":
        shown = _question_lines(card, language)
        asked = words("approval_ask_question", language)
        return "\n".join(["", asked, *shown, _prompt(card, language)])
    asked = words(f"approval_ask_{card.purpose}", language)
    files = [*pictures, *[None] * (1 + len(card.also))][: 1 + len(card.also)]
    if card.purpose == "step":
        shown = _rows(
            [("approval_action", card.action), ("approval_host", card.host),
             ("approval_reason", card.reason)], language
        )  # fmt: skip
    else:
        shown = _rows(_call_rows(card, language, files[0]), language)
    if card.also:
        asked = words("approval_ask_list", language, number=1 + len(card.also))
        others = zip(card.also, files[1:], strict=True)
        lists = [shown, *(_rows(_call_rows(item, language, at), language) for item, at in others)]
        shown = [
            line for number, rows in enumerate(lists, start=1) for line in (f"  {number}.", *rows)
        ]
    return "\n".join(["", asked, *shown, _prompt(card, language)])


def _prompt(card: ApprovalCard, language: Lang) -> str:
    key = "approval_prompt_answer" if card.purpose == "question" else "approval_prompt"
    return words(key, language, seconds=round(card.seconds))


def _question_lines(card: ApprovalCard, language: Lang) -> list[str]:
    lines = [_QUOTE + line for line in plain_lines(card.question, _SHOWN_CHARS).split("\n")]
    if card.options:
        lines.append("  " + words("approval_options", language))
        lines += [
            f"{_QUOTE}{number}. {one_line(option, _SHOWN_CHARS)}"
            for number, option in enumerate(card.options, start=1)
        ]
    return lines


def _tool_rows(card: ApprovalCard, language: Lang) -> list[str]:
    server, tool = split_name(card.action)
    rows = [
        ("approval_server", server),
        ("approval_tool", card.tool or tool),
        ("approval_reason", card.reason),
        ("approval_digest", card.digest),
    ]
    return [*_rows(rows, language), f"  {words('approval_arguments', language)}:"]


def _argument_lines(card: ApprovalCard) -> list[str]:
    """Return the arguments, whole, as JSON; what a terminal would obey or hide is escaped."""
    lines = []
    for written in json.dumps(card.params, ensure_ascii=False, indent=2).split("\n"):
        safe = one_line(written, len(written))
        lines.append(_QUOTE + safe[:_WIDTH_CHARS])
        lines += [
            _GOES_ON + safe[at : at + _WIDTH_CHARS]
            for at in range(_WIDTH_CHARS, len(safe), _WIDTH_CHARS)
        ]
    return lines


def _call_rows(
    call: ApprovalCard | CardItem, language: Lang, picture: Path | None
) -> list[tuple[str, str]]:
    """Return everything that an approval of *call* is bound to."""
    target = call.target
    missing = words("approval_no_picture", language) if "selector" in call.params else ""
    on = " ".join(part for part in (target.role, f"“{target.name}”") if part)
    return [
        ("approval_action", f"{call.action} {json.dumps(call.params, ensure_ascii=False)}"),
        ("approval_target", on),
        ("approval_host", f"{call.host} ({target.frame})" if target.frame else call.host),
        ("approval_reason", call.reason),
        ("approval_picture", str(picture) if picture is not None else missing),
    ]


def _rows(rows: list[tuple[str, str]], language: Lang) -> list[str]:
    return [
        f"  {words(label, language)}: {one_line(value, _SHOWN_CHARS)}"
        for label, value in rows
        if value
    ]
