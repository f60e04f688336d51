"""The digest of a task's context, for the journal and for replay (L8).

Secrets are struck before, since the ledger holds none: a context folded from struck events has
the same digest as the one that ran. What did not change since the last digest is not read again.
"""

import hashlib
import json
from typing import Any

from pydantic import BaseModel

from states.secrets import strike_all
from states.task import Context


class ContextDigest:
    """Returns digests of one task's contexts, one after another."""

    def __init__(self) -> None:
        # The value is kept beside its digest, so that its identity cannot become another's. It
        # grows with the task's history, which the context holds anyway.
        self._known: dict[int, tuple[object, str]] = {}

    def __call__(self, context: Context) -> str:
        """Return the SHA-256 of *context*, in hex."""
        parts = {name: self._part(value) for name, value in context.record._asdict().items()}
        return _digest({"control": context.control._asdict(), "record": parts})

    def _part(self, value: object) -> str:
        found = self._known.get(id(value))
        if found is not None and found[0] is value:
            return found[1]
        if isinstance(value, tuple):
            digest = _digest([self._part(item) for item in value])
        else:
            plain = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
            digest = _digest(strike_all(plain, by_key=False))
        self._known[id(value)] = (value, digest)
        return digest


def _digest(document: Any) -> str:
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
