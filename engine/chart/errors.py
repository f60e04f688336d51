"""What can be wrong with a chart.

ChartError                 the chart's author must act: every problem, each with line and fix
├── ChartRuntimeError      a step cannot end: `always` rows follow each other without end
├── ChartFaultError        a guard or reducer raised; the shell turns it into the event `fault`
├── ReplayError            a ledger is not of this chart, or cannot be read as one
└── ShellError             the program that runs the chart broke a rule of the shell
"""

from typing import NamedTuple

from states.catalogue import Lang, words
from states.errors import SgclawError


class Problem(NamedTuple):
    """One fault of a chart: where it stands, what it is and what to write instead.

    *code* is a key of the catalogue; the sentence that fixes it has the key `<code>_fix`.
    """

    file: str
    line: int
    code: str
    facts: tuple[tuple[str, str], ...] = ()

    @property
    def what(self) -> str:
        """Say in English what is wrong."""
        return words(self.code, "en", **dict(self.facts))

    @property
    def fix(self) -> str:
        """Say in English what to write instead."""
        return words(f"{self.code}_fix", "en", **dict(self.facts))

    def text(self, lang: Lang = "en") -> str:
        """Return `file:line: what. fix` in *lang*."""
        facts = dict(self.facts)
        what, fix = words(self.code, lang, **facts), words(f"{self.code}_fix", lang, **facts)
        return f"{self.file}:{self.line}: {what} {fix}"


def problem(file: str, line: int, code: str, **facts: object) -> Problem:
    """Return the problem *code* with its *facts* as text."""
    return Problem(file, line, code, tuple((name, str(value)) for name, value in facts.items()))


class ChartError(SgclawError):
    """A chart that cannot run; *problems* holds all of them, in the order of their lines."""

    def __init__(
        self, problems: tuple[Problem, ...], code: str = "chart_broken", **facts: object
    ) -> None:
        self.problems = problems
        super().__init__(code, **facts)

    def text(self, lang: Lang = "en") -> str:
        """Return the sentence and below it each problem on a line of its own."""
        lines = [words(self.code, lang, **self.facts, count=len(self.problems))]
        return "\n".join([*lines, *(each.text(lang) for each in self.problems)])


class ChartRuntimeError(ChartError):
    """A macrostep took more rows than its bound; the snapshot before the event still stands."""

    def __init__(self, chart: str, state: str, event: str, rows_max: int) -> None:
        super().__init__(
            (), "chart_never_settles", chart=chart, state=state, event=event, rows_max=rows_max
        )


class ChartFaultError(ChartError):
    """A guard or reducer raised, or a guard answered with something else than a Verdict."""

    def __init__(self, kind: str, name: str, cause: str) -> None:
        super().__init__((), "chart_fault", kind=kind, name=name, cause=cause)
        self.name = name


class ShellError(ChartError):
    """The shell was used against its rules, or its inbox is full."""

    def __init__(self, code: str, **facts: object) -> None:
        super().__init__((), code, **facts)


class ReplayError(ChartError):
    """A ledger cannot be replayed here: its rows are broken, or of another chart version."""

    def __init__(self, code: str, **facts: object) -> None:
        super().__init__((), code, **facts)
