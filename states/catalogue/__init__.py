"""The one catalogue of sentences that people read, in English and Chinese.

Each module of this package holds the entries of one area as `WORDS`: key -> (en, zh-CN).
Sentences are filled by name with `{fact}`; a fact is never itself used as a format string.
"""

import re
from typing import Literal

from states.catalogue import (
    audit,
    audit_export,
    audit_story,
    browser,
    chart,
    check,
    cli,
    edit,
    erp,
    ledger,
    mcp,
    memory,
    model,
    output_fault,
    page_text,
    picture,
    pipe,
    policy,
    provider,
    question,
    scenario,
    skill,
    task,
    upkeep,
)

Lang = Literal["en", "zh-CN"]

_FACT = re.compile(r"\{([a-z_]+)\}")


def _merge() -> dict[str, tuple[str, str]]:
    merged: dict[str, tuple[str, str]] = {}
    for area in (
        audit,
        audit_export,
        audit_story,
        browser,
        chart,
        check,
        cli,
        edit,
        erp,
        ledger,
        mcp,
        memory,
        model,
        output_fault,
        page_text,
        picture,
        pipe,
        policy,
        provider,
        question,
        scenario,
        skill,
        task,
        upkeep,
    ):
        for key, pair in area.WORDS.items():
            if key in merged:
                raise ValueError(f"catalogue key {key} stands twice")
            merged[key] = pair
    return merged


CATALOGUE = _merge()


def words(key: str, lang: Lang = "en", /, **facts: object) -> str:
    """Return the sentence *key* in *lang* with each `{name}` replaced by that fact.

    An unknown key comes back as itself, a missing fact as "?": a message must never be the
    thing that fails.
    """
    pair = CATALOGUE.get(key)
    if pair is None:
        return key + "".join(f" {name}={value}" for name, value in facts.items())
    template = pair[1] if lang == "zh-CN" else pair[0]
    return _FACT.sub(lambda found: str(facts.get(found[1], "?")), template)


def language_of(text: str) -> Lang:
    """Return zh-CN when *text* holds a CJK ideograph, else en."""
    return "zh-CN" if any("\u4e00" <= char <= "\u9fff" for char in text) else "en"
