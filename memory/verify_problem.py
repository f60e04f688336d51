"""What a check of the ledger finds wrong, with the place where it is."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from states.catalogue import Lang, words

_NOTHING: Mapping[str, Any] = {}


class Problem(NamedTuple):
    """One thing that is wrong; *code* is a sentence of the catalogue.

    *position* is in the chain of *stream*, *seq* in *trace_id*; 0 or "" where nothing tells it.
    """

    code: str
    install_id: str
    stream: str
    position: int = 0
    trace_id: str = ""
    seq: int = 0
    facts: Mapping[str, Any] = _NOTHING

    def text(self, lang: Lang) -> str:
        """Return it as one sentence."""
        place = {"stream": self.stream, "position": self.position,
                 "trace": self.trace_id or "?", "seq": self.seq or "?"}  # fmt: skip
        return words(self.code, lang, **place, **self.facts)
