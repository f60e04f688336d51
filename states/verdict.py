"""The answer of every guard: allowed or not, and why."""

from collections.abc import Mapping
from typing import NamedTuple

from states.catalogue import Lang, words


class Verdict(NamedTuple):
    """A guard's answer.

    *reason* is a key of the catalogue (`states.catalogue`), *facts* the values its
    sentence names. A Verdict is true when it allows.
    """

    allowed: bool
    reason: str = ""
    facts: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return self.allowed

    def text(self, lang: Lang = "en") -> str:
        """Return the reason in plain words of *lang*, or "" when there is none."""
        return words(self.reason, lang, **dict(self.facts)) if self.reason else ""


ALLOWED = Verdict(allowed=True)


def refused(reason: str, /, **facts: object) -> Verdict:
    """Return a refusal whose sentence is the catalogue's *reason* filled with *facts*."""
    return Verdict(False, reason, tuple((k, str(v)) for k, v in facts.items()))  # noqa: FBT003


def verdict_from(document: Mapping[str, object]) -> Verdict:
    """Return the verdict that a ledger row or an event payload holds as *document*."""
    facts = document.get("facts")
    pairs = tuple((str(k), str(v)) for k, v in facts.items()) if isinstance(facts, Mapping) else ()
    return Verdict(bool(document.get("allowed")), str(document.get("reason", "")), pairs)
