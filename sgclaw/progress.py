"""What a person sees while a task runs: state, step, action, time; then what came of it."""

from collections.abc import Callable, Sequence
from pathlib import Path

from browser.host.downloads import Download
from browser.host.plain_text import one_line, plain_lines
from browser.host.task_record import UNKNOWN
from sgclaw.model_progress import ModelProgress, summary_of
from sgclaw.printer import Printer
from states.catalogue import Lang, words
from states.secrets import strike
from states.wire import LogEntry, StateChanged, TaskCompleted

# Log entries that a person wants to see as they come; the rest is in the log.
_SHOWN = frozenset({"planned", "skill_started", "skill_finished"})
# States that last, or that a person must see; the others pass within a millisecond.
_STATES = frozenset(
    {
        "planning",
        "executing.thinking",
        "executing.waiting",
        "confirm",
        "completed",
        "failed",
        "aborted",
    }
)
_ANSWER_OF_SKILL = "done.invoke.observe"
# How much foreign text one line, or one answer, puts on the person's screen.
_LINE_CHARS_MAX = 600
_TEXT_CHARS_MAX = 20_000


class Progress:
    """Prints one line per state, with the seconds since the start."""

    def __init__(self, printer: Printer, lang: Lang, now: Callable[[], float]) -> None:
        self._printer = printer
        self._lang = lang
        self._now = now
        self._started = now()
        self._model = ModelProgress(lang, self._line)

    def starts(self, instruction: str, trace_id: str, model: str = "") -> None:
        """Say what is about to be done, and which *model* answers."""
        self._say("run_starts", instruction=instruction)
        self._say("run_trace", trace=trace_id)
        if model:
            self._say("run_model", model=model)

    def note(self, key: str) -> None:
        """Print one line of progress that is not a state."""
        self._line(words(f"progress_{key}", self._lang))

    def event(self, message: LogEntry | StateChanged) -> None:
        """Print what the agent reports."""
        if isinstance(message, StateChanged):
            self._state(message)
        elif self._model.takes(message):
            return
        elif message.event == "step_completed" and message.data.get("success") is False:
            self._line(f"{'':20}       x {message.data.get('action')}: {message.data.get('error')}")
        elif message.event == "resumed":
            told = str(message.data.get("text")).splitlines()
            self._line(f"· {words('progress_resumed', self._lang)} {' '.join(told)}")
        elif message.event in _SHOWN:
            facts = " ".join(str(v) for v in message.data.values() if not isinstance(v, bool))
            self._line(f"· {words(f'progress_{message.event}', self._lang)} {facts}".rstrip())

    def _state(self, message: StateChanged) -> None:
        resumed = message.state == "executing.waiting" and message.event == _ANSWER_OF_SKILL
        if (message.state not in _STATES or resumed) and not message.reason:
            return
        step = words("progress_step", self._lang, step=f"{message.step + 1:>2}")
        acts = message.state in ("executing.waiting", "confirm", "observing", "executing.deciding")
        # A skill is no step of its own: its calls are.
        counted = acts and message.action != "run_skill"
        parts = [f"{message.state:<20}", step if counted else "", message.action if acts else ""]
        if message.reason:
            parts.append(f"- {message.reason}")
        self._line("  ".join(parts).rstrip())

    def ends(
        self,
        completed: TaskCompleted,
        folder: Path,
        downloads: Sequence[Download],
        *,
        goes_on: bool = False,
    ) -> None:
        """Print the summary; *goes_on* says that the task can be resumed."""
        seconds = f"{completed.duration_s:.1f}"
        self._printer.line()
        self._say(f"run_ended_{completed.state}", seconds=seconds, steps=completed.steps)
        if completed.reason_text:
            self._say("run_reason", reason=completed.reason_text)
        if completed.answer:
            self._say("run_answer", answer=completed.answer)
        for sent in completed.commands:
            if sent.error == UNKNOWN:
                what = sent.params.get("selector") or sent.params.get("url") or ""
                self._say("run_unknown", action=sent.action, what=what)
        used = summary_of(completed.model, completed.usage, self._lang)
        if used:
            self._say("run_model", model=used)
        if goes_on:
            self._say("run_can_go_on", trace=completed.trace_id)
        for download in downloads:
            self._say("run_download", path=download.path, size=download.size)
        self._say("run_folder", folder=folder)

    def _say(self, key: str, **facts: object) -> None:
        # Answer, reason and file names are foreign: they may break a line, but move no cursor; and
        # what stands on a screen, or in the log of whoever called this, is no place for a secret.
        plain = {name: strike(str(fact)) for name, fact in facts.items()}
        safe = {name: plain_lines(fact, _TEXT_CHARS_MAX) for name, fact in plain.items()}
        self._printer.line(words(key, self._lang, **safe))

    def _line(self, text: str) -> None:
        safe = one_line(strike(text), _LINE_CHARS_MAX)
        self._printer.line(f"{self._now() - self._started:7.2f} s  {safe}")
