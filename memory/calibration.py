"""How far the estimate of tokens is off for each model, learned from what providers report (R7).

One small file for the account. Two agents that learn at once may each overwrite what the other
learned: the last one counts, and both go on learning.
"""

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

FILE_NAME = "model_factors.json"
FACTOR_MIN = 0.7
FACTOR_MAX = 2.5
MODELS_MAX = 64
MODEL_CHARS_MAX = 200

_NEW_SHARE = 0.2
# On use a little is added, so that half of all prompts are not taken for smaller than they are.
_BIAS = 1.1
_DRIFT_MAX = 0.3
_BYTES_MAX = 65_536
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)

Log = Callable[..., None]
_Factor = Annotated[float, Field(ge=FACTOR_MIN, le=FACTOR_MAX, allow_inf_nan=False)]
_Model = Annotated[str, Field(max_length=MODEL_CHARS_MAX)]


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    version: Literal[1] = 1
    # The model learned of last stands last.
    factors: Annotated[dict[_Model, _Factor], Field(max_length=MODELS_MAX)] = {}


class Calibration:
    """The learned factors; *path* is their file, None keeps them in memory only."""

    def __init__(self, path: Path | None, log: Log) -> None:
        self._path = path
        self._log = log
        self._factors = dict(_read(path, log).factors) if path else {}

    def factor(self, model: str) -> float:
        """Return what an estimate is multiplied by for *model*: on the high side."""
        return _BIAS * self._factors.get(model[:MODEL_CHARS_MAX], 1.0)

    def learn(self, model: str, estimated: float, reported: int) -> None:
        """Take in that a prompt of *estimated* tokens, no factor applied, was *reported* ones.

        Nothing is learned from a provider that reports nothing.
        """
        if estimated <= 0 or reported <= 0:
            return
        model = model[:MODEL_CHARS_MAX]
        ratio = reported / estimated
        before = self._factors.pop(model, 1.0)
        if abs(ratio / before - 1) > _DRIFT_MAX:
            self._log("model_estimate_off", model=model, estimated=round(estimated * before),
                      reported=reported)  # fmt: skip
        # Clamped before it is mixed in: one absurd report must not weigh for many calls.
        mixed = (1 - _NEW_SHARE) * before + _NEW_SHARE * _clamped(ratio)
        self._factors[model] = _clamped(mixed)
        while len(self._factors) > MODELS_MAX:
            del self._factors[next(iter(self._factors))]
        self._save()

    def _save(self) -> None:
        if self._path is None:
            return
        try:
            _write(self._path, _File(factors=self._factors).model_dump_json())
        except OSError as error:
            # What was learned is a convenience; a full disk must not end the task.
            self._log("model_factors_unwritable", why=error.strerror or str(error))


def _clamped(factor: float) -> float:
    return min(max(factor, FACTOR_MIN), FACTOR_MAX)


def _read(path: Path, log: Log) -> _File:
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | _NO_FOLLOW), "rb") as file:
            text = file.read(_BYTES_MAX)
        return _File.model_validate(json.loads(text))
    except FileNotFoundError:
        return _File()
    except (OSError, ValueError, ValidationError, RecursionError) as error:
        log("model_factors_unreadable", why=type(error).__name__)
        return _File()


def _write(path: Path, text: str) -> None:
    """Replace the file at *path*, whole or not at all, for this account alone."""
    # mkstemp makes files of mode 0600 under a name that nobody else has.
    descriptor, part = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode() + b"\n")
        Path(part).replace(path)
    except OSError:
        Path(part).unlink(missing_ok=True)
        raise
