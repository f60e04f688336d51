"""The digest of a task's context, for the journal and for replay (L8).

Secrets are struck before, since the ledger holds none: a context folded from struck events has
the same digest as the one that ran. What did not change since the last digest is not read again,
and of a history that grew only what is new.
"""

import hashlib
import json
from operator import is_
from typing import Any

from pydantic import BaseModel

from states.secrets import strike_all
from states.task import Context


class ContextDigest:
    """Returns digests of one task's contexts, one after another; the last one is remembered."""

    def __init__(self) -> None:
        self._known: dict[str, _Tuple | _Value] = {}

    def __call__(self, context: Context) -> str:
        """Return the SHA-256 of *context*, in hex."""
        fields = context.record._asdict()
        parts = {name: self._part(name, value) for name, value in fields.items()}
        return _digest({"control": context.control._asdict(), "record": parts})

    def _part(self, name: str, value: object) -> str:
        known = self._known.get(name)
        if isinstance(value, tuple):
            if not isinstance(known, _Tuple) or not known.takes(value):
                known = self._known[name] = _Tuple(value)
            return known.digest()
        # The value is kept beside its digest, so that its identity cannot become another's.
        if not isinstance(known, _Value) or known.value is not value:
            known = self._known[name] = _Value(value)
        return known.digest


class _Value:
    """A value and its digest."""

    def __init__(self, value: object) -> None:
        self.value = value
        self.digest = _of(value)


class _Tuple:
    """A tuple and the running digest of it: the SHA-256 of the JSON list of its items' digests."""

    def __init__(self, value: tuple[object, ...]) -> None:
        self._value: tuple[object, ...] = ()
        self._running = hashlib.sha256(b"[")
        self.takes(value)

    def takes(self, value: tuple[object, ...]) -> bool:
        """Go on to *value* if it begins with the very items of the last one; tell whether."""
        before = self._value
        if len(value) < len(before) or not all(map(is_, before, value)):
            return False
        for number in range(len(before), len(value)):
            comma = "," if number else ""
            self._running.update(f'{comma}"{_of(value[number])}"'.encode())
        self._value = value
        return True

    def digest(self) -> str:
        """Return the digest of the whole tuple."""
        whole = self._running.copy()
        whole.update(b"]")
        return whole.hexdigest()


def _of(value: object) -> str:
    if isinstance(value, tuple):
        return _digest([_of(item) for item in value])
    plain = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    return _digest(strike_all(plain, by_key=False))


def _digest(document: Any) -> str:
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
