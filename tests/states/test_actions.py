"""The parameters of the 14 actions: complete, closed, strict, bounded."""

import pytest
from pydantic import ValidationError

from states.actions import PARAMS
from states.policy import ACTIONS

MINIMAL: dict[str, dict[str, object]] = {
    "click": {"selector": "#go"},
    "type": {"selector": "#name", "text": "x"},
    "navigate": {"url": "https://erp.example.com/"},
    "getText": {},
    "getHtml": {},
    "waitForSelector": {"selector": "#go"},
    "pageScreenshot": {},
    "select": {"selector": "#month", "value": "3"},
    "scrollTo": {"x": 0, "y": 10},
    "getAomSnapshot": {},
    "storageSet": {"key": "k", "value": None},
    "storageGet": {"key": "k"},
    "zombieSpawn": {"url": "https://erp.example.com/"},
    "zombieKill": {"zombie_id": "z1"},
}


def test_every_action_has_its_parameters() -> None:
    assert set(PARAMS) == set(ACTIONS)


@pytest.mark.parametrize("action", ACTIONS)
def test_the_least_is_enough_and_more_is_refused(action: str) -> None:
    PARAMS[action].model_validate(MINIMAL[action])
    with pytest.raises(ValidationError):
        PARAMS[action].model_validate({**MINIMAL[action], "force": True})


@pytest.mark.parametrize("action", ACTIONS)
def test_completed_parameters_complete_to_themselves(action: str) -> None:
    completed = PARAMS[action].model_validate(MINIMAL[action]).model_dump(mode="json")
    assert PARAMS[action].model_validate(completed).model_dump(mode="json") == completed


@pytest.mark.parametrize(
    ("action", "params"),
    [
        ("click", {"selector": ""}),
        ("click", {"selector": "#v/* only a preview */"}),
        ("getText", {"selector": "#v /*"}),
        ("scrollTo", {"selector": "/**/#end"}),
        ("click", {"selector": "#go", "timeout_ms": "500"}),
        ("click", {"selector": "#go", "timeout_ms": 60_001}),
        ("click", {"selector": "#go", "timeout_ms": -1}),
        ("type", {"selector": "#name", "text": "x" * 20_001}),
        ("type", {"selector": "#name", "text": "x", "clear": "yes"}),
        ("waitForSelector", {"selector": "#go", "state": "detached"}),
        ("getText", {"max_chars": 0}),
        ("scrollTo", {}),
        ("scrollTo", {"selector": "#end", "y": 5}),
        ("storageSet", {"key": "k"}),
        ("storageGet", {"key": "k", "area": "cookies"}),
    ],
)
def test_what_is_out_of_bounds_is_refused(action: str, params: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        PARAMS[action].model_validate(params)


def test_a_selector_may_hold_a_slash_and_a_star() -> None:
    selector = 'main > *, a[href="/x/y"], b[title*="a */"]'
    click = PARAMS["click"].model_validate({"selector": selector})
    assert click.model_dump()["selector"] == selector


def test_defaults_are_those_of_the_design() -> None:
    assert PARAMS["navigate"].model_validate({"url": "u"}).model_dump()["timeout_ms"] == 30_000
    assert PARAMS["click"].model_validate({"selector": "s"}).model_dump()["timeout_ms"] == 10_000
    assert PARAMS["getText"].model_validate({}).model_dump()["selector"] == "body"
    wait = PARAMS["waitForSelector"].model_validate({"selector": "s"}).model_dump()
    assert (wait["timeout_ms"], wait["state"]) == (10_000, "visible")
