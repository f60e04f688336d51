"""Say how the task ended (P2)."""

from collections.abc import Sequence
from typing import Literal, cast

from states.catalogue import Lang, words
from states.task import Context, SentCommand
from states.wire import CommandReport, TaskCompleted


def completed_message(
    context: Context,
    trace_id: str,
    path: Sequence[str],
    duration_s: float,
    chars_max: int,
    lang: Lang,
) -> TaskCompleted:
    """Return the last message of the task that *context* and *path* tell, in *lang*.

    Each text among the commands' parameters is cut to *chars_max*: the ledger has them whole.
    """
    record = context.record
    state = cast(Literal["completed", "failed", "aborted"], path[-1])
    reason = "" if state == "completed" else record.reason
    return TaskCompleted(
        trace_id=trace_id,
        state=state,
        reason=reason,
        reason_text=words(reason, lang, **dict(record.reason_facts)).strip() if reason else "",
        # A claim that nothing backs is not repeated as if it were an answer.
        answer=record.answer if state == "completed" or _harmless(context) else "",
        citations=record.citations if state == "completed" else (),
        steps=record.steps,
        commands=tuple(_reported(sent, chars_max) for sent in record.commands),
        path=tuple(path),
        usage=record.usage,
        model=record.model.model_copy(update={"failed_tries": record.failed_tries}),
        duration_s=round(duration_s, 3),
    )


def _harmless(context: Context) -> bool:
    """Tell whether the last text of a task that did not complete claims nothing untrue."""
    return not context.control.claims and context.control.evidence != "bad"


def _reported(sent: SentCommand, chars_max: int) -> CommandReport:
    params = {
        name: value[:chars_max] + "…"
        if isinstance(value, str) and len(value) > chars_max
        else value
        for name, value in sent.params.items()
    }
    return CommandReport(**{**sent.model_dump(), "params": params})
