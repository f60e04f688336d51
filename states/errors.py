"""The root of every error a person may see.

SgclawError
├── engine.chart.errors.ChartError      the chart's author must act
├── engine.pipe.errors.PipeError        the other end of the pipe must act
├── skills.errors.SkillError            the skill's author or the administrator must act
├── browser.host.errors.HostError       the operator must act
├── actions.errors.ActionError          a command failed; the model may try another way
└── sgclaw.errors.UsageError            the person at the keyboard must act
"""

from typing import Protocol, runtime_checkable

from states.catalogue import Lang, words


@runtime_checkable
class _Said(Protocol):
    """A fact with words of its own: another error, a verdict."""

    def text(self, lang: Lang = "en") -> str:
        """Return its sentence in *lang*."""
        ...


class SgclawError(Exception):
    """An error with one catalogue entry that names what happened, why, and what to do.

    *code* is the entry's key; *facts* fill its sentence and stay readable as attributes.
    """

    def __init__(self, code: str, /, **facts: object) -> None:
        self.code = code
        self.facts: dict[str, object] = facts
        super().__init__(self.text("en"))

    def text(self, lang: Lang = "en") -> str:
        """Return the sentence in *lang*; a fact that can say itself is said in it too."""
        said = {
            name: fact.text(lang) if isinstance(fact, _Said) else fact
            for name, fact in self.facts.items()
        }
        return words(self.code, lang, **said)
