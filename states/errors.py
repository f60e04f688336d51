"""The root of every error a person may see.

SgclawError
├── engine.chart.errors.ChartError      the chart's author must act
├── engine.pipe.errors.PipeError        the other end of the pipe must act
├── skills.errors.SkillError            the skill's author or the administrator must act
├── browser.host.errors.HostError       the operator must act
├── actions.errors.ActionError          a command failed; the model may try another way
└── sgclaw.errors.UsageError            the person at the keyboard must act
"""

from states.catalogue import Lang, words


class SgclawError(Exception):
    """An error with one catalogue entry that names what happened, why, and what to do.

    *code* is the entry's key; *facts* fill its sentence and stay readable as attributes.
    """

    def __init__(self, code: str, /, **facts: object) -> None:
        self.code = code
        self.facts: dict[str, object] = facts
        super().__init__(self.text("en"))

    def text(self, lang: Lang = "en") -> str:
        """Return the sentence in *lang*."""
        return words(self.code, lang, **self.facts)
