"""Every sentence is said by something, in both languages, with the same facts."""

import re

import pytest

from browser.host.refusals import refusal_of
from states.catalogue import CATALOGUE, words
from tests.support.product_text import product_text

# Keys that the product puts together from a prefix and a word of its own.
FAMILIES = ("run_ended_", "progress_", "approval_ask_", "chart_unknown_", "demo_", "replay_part_",
            "resumed_", "lost_", "mcp_is_")  # fmt: skip
FIX = "_fix"
FACT = re.compile(r"\{([a-z_]+)\}")
SOURCES = product_text("states/catalogue")
PAGE_CODE = re.compile(r"""(?:new Refusal|refuse)\(\s*["']([a-z_]+)["']""")


def is_quoted(word: str) -> bool:
    return re.search(rf"""["'`]{re.escape(word)}["'`]""", SOURCES) is not None


def is_said(key: str) -> bool:
    """Tell whether product code names *key*, or puts it together."""
    if is_quoted(key):
        return True
    if key.endswith(FIX) and is_said(key.removesuffix(FIX)):
        return True
    return any(
        key.startswith(prefix) and f"{prefix}{{" in SOURCES and is_quoted(key.removeprefix(prefix))
        for prefix in FAMILIES
    )


@pytest.mark.parametrize("key", CATALOGUE)
def test_every_sentence_is_said_by_something(key: str) -> None:
    assert is_said(key)


@pytest.mark.parametrize(
    "key", ["key_that_nobody_says", "demo_never_said", "progress_never_said", "never_said_fix"]
)
def test_a_sentence_that_nobody_says_would_be_found(key: str) -> None:
    assert not is_said(key)


@pytest.mark.parametrize("prefix", FAMILIES)
def test_a_family_that_is_listed_here_exists(prefix: str) -> None:
    assert any(key.startswith(prefix) and not is_quoted(key) for key in CATALOGUE)


@pytest.mark.parametrize("key", CATALOGUE)
def test_a_sentence_says_the_same_facts_in_both_languages(key: str) -> None:
    english, chinese = CATALOGUE[key]
    assert english.strip()
    assert chinese.strip()
    assert set(FACT.findall(english)) == set(FACT.findall(chinese))


def test_every_refusal_of_the_page_has_a_sentence_of_its_own() -> None:
    codes = set(PAGE_CODE.findall(SOURCES)) - {"page_failed"}
    assert len(codes) > 3
    unknown = {code for code in codes if refusal_of({"code": code}, {}).code == "page_failed"}
    assert unknown == set()
    assert refusal_of({"code": "never_said"}, {}).code == "page_failed"


def test_a_fact_is_never_a_template_itself() -> None:
    assert words("check_unreachable", "en", state="{fix} {state}") == (
        "Nothing ever stands in {fix} {state}."
    )
    assert words("check_unreachable", "en") == "Nothing ever stands in ?."
    assert words("no_such_key", "en", a=1) == "no_such_key a=1"
