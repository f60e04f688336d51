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
UNITS = ("_max", "_seconds", "_ms", "_px", "_days")

# Bounds of which none at all is a choice.
NONE_ALLOWED = frozenset({"restarts_max"})
# Zero leaves the days to the retention profile.
PROFILE_DECIDES = frozenset({"operation_days", "pipe_days", "model_days"})


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
    assert getattr(model, name) > 0 or name in PROFILE_DECIDES
    for wrong in (-1,) if name in NONE_ALLOWED | PROFILE_DECIDES else (0, -1):
        with pytest.raises(ValidationError):
            type(model).model_validate({name: wrong})
    assert getattr(type(model).model_validate({name: 1}), name) == 1


def test_settings_are_closed_and_frozen() -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate({"task": {"step_max": 1}})
    with pytest.raises(ValidationError):
        Settings().task.steps_max = 1  # type: ignore[misc]
