"""Text when it is there and more than 80 % complete, else the picture; both for visual layouts."""

import pytest

from guards.perception import look_of, text_suffices
from states.page import PageState

URL = "https://erp.example.com/"


@pytest.mark.parametrize(
    ("look", "reason", "page"),
    [
        ("aom", "", {"total": 40}),
        ("aom", "", {"total": 40, "missed": 1, "completeness": 0.81}),
        ("som", "look_incomplete", {"total": 40, "missed": 10, "completeness": 0.8}),
        ("som", "look_incomplete", {"total": 1, "missed": 3, "completeness": 0.0}),
        ("som", "look_empty", {"total": 0}),
        ("som", "look_empty", {"total": 0, "visual": True}),
        ("both", "look_visual", {"total": 40, "visual": True}),
        ("both", "look_visual", {"total": 40, "visual": True, "completeness": 0.1}),
    ],
)
def test_the_look_follows_the_page(look: str, reason: str, page: dict[str, float]) -> None:
    state = PageState.model_validate({"url": URL, **page})
    assert look_of(state) == look
    assert text_suffices(state).reason == reason


def test_a_page_that_was_never_opened_needs_no_picture() -> None:
    assert look_of(PageState(url="about:blank")) == "aom"
    assert look_of(PageState()) == "aom"


def test_the_reason_says_how_much_is_missing_in_both_languages() -> None:
    verdict = text_suffices(PageState(url=URL, total=9, missed=7, completeness=0.3))
    for lang in ("en", "zh-CN"):
        assert "7" in verdict.text(lang)
        assert "30%" in verdict.text(lang)
