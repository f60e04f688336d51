"""A bound that nothing reads would be a promise that nobody keeps."""

import re

import pytest
from pydantic import BaseModel, ValidationError

from states.settings import Settings
from tests.support.product_text import product_text

FIELDS = [
    (group, name)
    for group in Settings.model_fields
    for name in type(getattr(Settings(), group)).model_fields
]
NUMBERS = [
    (g, n) for g, n in FIELDS if not isinstance(getattr(getattr(Settings(), g), n), str | bool)
]
UNITS = ("_max", "_min", "_seconds", "_ms", "_px", "_days", "_tokens", "_usd")

# Bounds of which none at all is a choice.
NONE_ALLOWED = frozenset({"restarts_max", "retries_max"})
# Zero leaves the days to the retention profile.
PROFILE_DECIDES = frozenset({"operation_days", "pipe_days", "model_days"})
# Zero takes the price of the built-in list.
LIST_DECIDES = frozenset({"price_input_usd", "price_output_usd"})
ZERO_ALLOWED = NONE_ALLOWED | PROFILE_DECIDES | LIST_DECIDES
# Below these nothing works at all.
LEAST = {
    "context_tokens": 8_000,
    "output_tokens_max": 256,
    "rounds_max": 2,
    "thinking_tokens": 1_024,
}


@pytest.mark.parametrize(("group", "name"), FIELDS, ids=[n for _, n in FIELDS])
def test_every_bound_is_read_by_the_product(group: str, name: str) -> None:
    del group
    assert re.search(rf"\.{name}\b", product_text("states/settings.py"))


def test_a_bound_that_nobody_reads_would_be_found() -> None:
    assert not re.search(r"\.bound_that_nobody_reads\b", product_text("states/settings.py"))


@pytest.mark.parametrize(("group", "name"), NUMBERS, ids=[n for _, n in NUMBERS])
def test_every_bound_names_its_unit_and_is_above_nothing(group: str, name: str) -> None:
    model: BaseModel = getattr(Settings(), group)
    assert name.endswith(UNITS)
    assert getattr(model, name) > 0 or name in PROFILE_DECIDES | LIST_DECIDES
    least = LEAST.get(name, 1)
    for wrong in (-1,) if name in ZERO_ALLOWED else (least - 1, -1):
        with pytest.raises(ValidationError):
            type(model).model_validate({name: wrong})
    assert getattr(type(model).model_validate({name: least}), name) == least


def test_settings_are_closed_and_frozen() -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate({"task": {"step_max": 1}})
    with pytest.raises(ValidationError):
        Settings().task.steps_max = 1  # type: ignore[misc]
