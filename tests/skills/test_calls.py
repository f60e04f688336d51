"""Property: each documented form of browserAction becomes exactly its command."""

from typing import Any

import pytest

from skills.calls import _FORMS, domains_of, resolve_value, to_call
from skills.errors import SkillCallError
from skills.registry import load_library
from states.policy import ACTIONS, NEVER_ACTIONS

FORMS = [
    (["navigate", "https://a/"], ("navigate", {"url": "https://a/"})),
    (["click", "#a"], ("click", {"selector": "#a"})),
    (["click", "#a", 5000], ("click", {"selector": "#a", "timeout_ms": 5000})),
    (["click", "#a", None], ("click", {"selector": "#a"})),
    (["click", {"selector": "#a"}], ("click", {"selector": "#a"})),
    (["type", "#a", ""], ("type", {"selector": "#a", "text": ""})),
    (
        ["type", {"selector": "#a", "text": "x", "clear": False}],
        ("type", {"selector": "#a", "text": "x", "clear": False}),
    ),
    (
        ["type", {"selector": "#a", "text": "", "clear": False, "keys": ["Enter"]}],
        ("type", {"selector": "#a", "text": "", "clear": False, "keys": ["Enter"]}),
    ),
    (["click", {"selector": "#a", "to": "#b"}], ("click", {"selector": "#a", "to": "#b"})),
    (["select", "#a", "财务部"], ("select", {"selector": "#a", "value": "财务部"})),
    (
        ["waitForSelector", "#a", 5000],
        ("waitForSelector", {"selector": "#a", "timeout_ms": 5000}),
    ),
    (
        ["waitForSelector", {"selector": "#a", "state": "hidden"}],
        ("waitForSelector", {"selector": "#a", "state": "hidden"}),
    ),
    (["getText"], ("getText", {})),
    (["getText", "#a"], ("getText", {"selector": "#a"})),
    (["getHtml", "#a"], ("getHtml", {"selector": "#a"})),
    (["scrollTo", {"x": 0, "y": 9.5}], ("scrollTo", {"x": 0, "y": 9.5})),
    (["scrollTo", "#a"], ("scrollTo", {"selector": "#a"})),
    (["getAomSnapshot"], ("getAomSnapshot", {})),
    (["pageScreenshot", True], ("pageScreenshot", {"full_page": True})),
    (["pageScreenshot"], ("pageScreenshot", {})),
    (["storageGet", "k"], ("storageGet", {"key": "k"})),
    (["storageSet", "k", None], ("storageSet", {"key": "k", "value": None})),
    (["zombieSpawn", "https://a/"], ("zombieSpawn", {"url": "https://a/"})),
    (["zombieKill", "z1"], ("zombieKill", {"zombie_id": "z1"})),
]


@pytest.mark.parametrize(("args", "call"), FORMS)
def test_a_documented_form_becomes_its_command(args: list[Any], call: Any) -> None:
    assert to_call(args) == call


def test_every_action_has_a_form() -> None:
    assert set(_FORMS) == set(ACTIONS)
    assert {call[0] for _, call in FORMS} == set(ACTIONS)


REFUSED = [
    ([], "skill_call_empty"),
    ([5], "skill_call_empty"),
    (["fly", "#a"], "skill_call_action"),
    (["__class__"], "skill_call_action"),
    *(([never, "1"], "skill_call_never") for never in NEVER_ACTIONS),
    (["click"], "skill_call_missing"),
    (["click", None], "skill_call_missing"),
    (["type", "#a"], "skill_call_missing"),
    (["click", ""], "skill_call_type"),
    (["click", 5], "skill_call_type"),
    (["click", "#a", "5000"], "skill_call_type"),
    (["click", "#a", True], "skill_call_type"),
    (["click", "#a", 0], "skill_call_type"),
    (["click", "#a", 1, 2], "skill_call_arguments"),
    (["click", {"selector": "#a", "force": True}], "skill_call_key"),
    (["click", {"selector": "#a", "__proto__": 1}], "skill_call_key"),
    (["type", "#a", 5], "skill_call_type"),
    (["waitForSelector", {"selector": "#a", "state": "gone"}], "skill_call_type"),
    (["storageGet", {"key": "k", "area": ["local"]}], "skill_call_type"),
]


@pytest.mark.parametrize(("args", "code"), REFUSED)
def test_any_other_form_is_refused_with_what_to_write(args: list[Any], code: str) -> None:
    with pytest.raises(SkillCallError) as caught:
        to_call(args)
    assert caught.value.code == code
    assert caught.value.text("zh-CN") != caught.value.text("en")


def test_a_missing_argument_shows_the_call() -> None:
    with pytest.raises(SkillCallError, match=r"browserAction\('type', selector, text\)"):
        to_call(["type", "#a"])


@pytest.mark.parametrize(
    ("action", "answer", "value"),
    [
        ("getText", {"text": "合计"}, "合计"),
        ("getHtml", {"html": "<p>"}, "<p>"),
        ("getAomSnapshot", {"nodes": [{"role": "button"}], "total": 1}, [{"role": "button"}]),
        ("storageGet", {"value": None}, None),
        ("click", {"clicked": True}, {"clicked": True}),
        ("click", {"dialog": {"type": "alert"}}, {"dialog": {"type": "alert"}}),
    ],
)
def test_an_answer_resolves_to_what_the_table_says(
    action: str, answer: dict[str, Any], value: Any
) -> None:
    assert resolve_value(action, answer) == value


def test_a_skill_acts_only_where_its_header_and_the_policy_agree() -> None:
    skill = load_library().get("erp-monthly-report")
    assert domains_of(skill, ["oa.example.com", "ERP.example.com"]) == ("erp.example.com",)
    assert domains_of(skill, ["evil-erp.example.com", "example.com"]) == ()
