"""Typing is harmless; files, and keys that press or remove, are judged by what they set off."""

import pytest

from guards.policy import effect_of, upload_allowed
from states.policy import Effect, Policy, Target

ORIGIN = "https://erp.example.com"


def policy(**rule: object) -> Policy:
    given = {"host": "erp.example.com", "allow": ["*"], **rule}
    return Policy.model_validate({"version": 1, "hosts": [given]})


BUTTON = Target(role="button", name="Next", tag="button")
FIELD = Target(role="textbox", name="Search", tag="input", input_type="search")
RICH = Target(role="textbox", name="Note", tag="div")
CELL = Target(role="gridcell", name="1", tag="div")
FILE = Target(role="button", name="Invoice", tag="input", input_type="file")


def judged(target: Target, *keys: str, **changes: object) -> tuple[Effect, str]:
    met = target.model_copy(update=changes)
    effect, verdict = effect_of(policy(), ORIGIN, "type", {"text": "", "keys": list(keys)}, met)
    return effect, verdict.reason


@pytest.mark.parametrize(
    ("target", "keys"),
    [
        (FIELD, ()), (FIELD, ("Enter",)), (FIELD, ("Space",)), (FIELD, ("a", "Shift+b")),
        (FIELD, ("Control+a", "Delete")), (FIELD, ("Control+ArrowLeft", "Control+Backspace")),
        (RICH, ("Enter", "x")), (BUTTON, ("Enter",)), (BUTTON, ("Space",)),
        (CELL, ("ArrowDown", "Tab", "Shift+Tab", "Escape", "PageDown", "Home")),
    ],
)  # fmt: skip
def test_plain_keys_ask_nobody(target: Target, keys: tuple[str, ...]) -> None:
    assert judged(target, *keys)[0] is Effect.ACT


@pytest.mark.parametrize(
    ("target", "keys", "changes", "reason"),
    [
        (FIELD, ("Enter",), {"submits": True}, "risk_submit"),
        (FIELD, ("Shift+Enter",), {"submits": True}, "risk_submit"),
        (FIELD, ("Enter",), {"in_password_form": True}, "risk_login"),
        (FIELD, ("Enter",), {"said": "发送"}, "risk_word"),
        (BUTTON, ("Enter",), {"name": "删除"}, "risk_word"),
        (BUTTON, ("Tab", "Space"), {"said": "Delete row"}, "risk_word"),
        (BUTTON, ("Enter",), {"href": "https://erp.example.com/logout"}, "risk_word"),
        (CELL, ("Delete",), {"said": "delete"}, "risk_word"),
        (CELL, ("d",), {}, "risk_keys"),
        (FIELD, ("Control+Enter",), {}, "risk_keys"),
        (FIELD, ("Alt+s",), {}, "risk_keys"),
        (BUTTON, ("Control+s",), {}, "risk_keys"),
    ],
)
def test_keys_that_set_something_off_ask_a_person(
    target: Target, keys: tuple[str, ...], changes: dict[str, object], reason: str
) -> None:
    assert judged(target, *keys, **changes) == (Effect.CONFIRM, reason)
    assert judged(target, "ArrowDown", **{**changes, "said": ""})[0] is Effect.ACT


def test_files_are_given_only_where_the_rule_says_so_and_with_a_yes() -> None:
    given = (ORIGIN, "type", {"text": "a.csv"}, FILE)
    effect, verdict = effect_of(policy(), *given)
    assert (effect, verdict.reason) == (Effect.DENY, "upload_not_allowed")
    effect, verdict = effect_of(policy(upload=True), *given)
    assert (effect, verdict.reason) == (Effect.CONFIRM, "risk_upload")
    only_upload = policy(upload=True, allow=["click"])
    assert effect_of(only_upload, *given)[0] is Effect.DENY


def test_one_origin_that_takes_files_opens_no_other() -> None:
    open_here = policy(upload=True)
    assert upload_allowed(open_here, ORIGIN)
    assert not upload_allowed(open_here, "https://other.example.com")
    assert not upload_allowed(open_here, "http://erp.example.com")
    assert not upload_allowed(policy(), ORIGIN)


def test_a_file_chooser_is_never_opened() -> None:
    effect, verdict = effect_of(policy(upload=True), ORIGIN, "click", {}, FILE)
    assert (effect, verdict.reason) == (Effect.DENY, "click_opens_chooser")
    asked = policy(upload=True, confirm=["click"])
    assert effect_of(asked, ORIGIN, "click", {}, FILE)[0] is Effect.DENY
    assert effect_of(policy(upload=True), ORIGIN, "click", {}, BUTTON)[0] is Effect.ACT
