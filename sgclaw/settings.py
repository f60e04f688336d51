"""Read the settings: defaults, overridden by `SGCLAW_<GROUP>_<FIELD>` in the environment."""

from collections.abc import Mapping

from pydantic import ValidationError

from sgclaw.errors import UsageError
from states.settings import Settings, variable_names


def load_settings(environment: Mapping[str, str]) -> Settings:
    """Return the settings, with what *environment* overrides.

    Raises:
        UsageError: a value does not fit its field; it names the variable.
    """
    groups: dict[str, dict[str, str]] = {}
    for variable, (group, name) in variable_names().items():
        if (value := environment.get(variable)) is not None:
            groups.setdefault(group, {})[name] = value
    try:
        return Settings.model_validate(groups)
    except ValidationError as error:
        first = error.errors()[0]
        variable = "SGCLAW_" + "_".join(str(part) for part in first["loc"]).upper()
        raise UsageError("setting_invalid", variable=variable, why=first["msg"]) from error
