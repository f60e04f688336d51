"""Every bound can be set from the environment; a value that does not fit names its variable."""

import pytest

from sgclaw.errors import UsageError
from sgclaw.settings import load_settings
from states.settings import Settings


def test_an_environment_that_says_nothing_leaves_the_defaults() -> None:
    assert load_settings({"PATH": "/bin", "SGCLAW_LANG": "en"}) == Settings()


def test_a_variable_overrides_its_own_bound_and_no_other() -> None:
    settings = load_settings({"SGCLAW_TASK_STEPS_MAX": "7", "SGCLAW_BROWSER_CDP_SECONDS": "2.5"})
    assert (settings.task.steps_max, settings.browser.cdp_seconds) == (7, 2.5)
    same = settings.model_copy(update={"task": Settings().task, "browser": Settings().browser})
    assert same == Settings()
    assert settings.task.task_seconds == Settings().task.task_seconds


@pytest.mark.parametrize("group", Settings.model_fields)
def test_every_bound_of_every_group_has_its_variable(group: str) -> None:
    for name, usual in getattr(Settings(), group).model_dump().items():
        given = usual if isinstance(usual, str | bool) else usual + 1
        settings = load_settings({f"SGCLAW_{group}_{name}".upper(): str(given)})
        assert getattr(getattr(settings, group), name) == given


@pytest.mark.parametrize("value", ["0", "-1", "many", "", "nan", "1e999", "2.5"])
def test_a_value_that_does_not_fit_names_its_variable(value: str) -> None:
    with pytest.raises(UsageError, match="SGCLAW_TASK_STEPS_MAX") as caught:
        load_settings({"SGCLAW_TASK_STEPS_MAX": value})
    assert caught.value.exit_code == 2
    assert "环境变量 SGCLAW_TASK_STEPS_MAX" in caught.value.text("zh-CN")


@pytest.mark.parametrize("value", ["0", "nan", "inf", "-1"])
def test_no_time_is_without_end(value: str) -> None:
    with pytest.raises(UsageError, match="SGCLAW_TASK_TASK_SECONDS"):
        load_settings({"SGCLAW_TASK_TASK_SECONDS": value})
