"""Say how the task ended (P2)."""

from collections.abc import Sequence
from typing import Literal, cast

from states.catalogue import Lang, words
from states.task import Context
from states.wire import CommandReport, TaskCompleted


def completed_message(
    context: Context, trace_id: str, path: Sequence[str], duration_s: float, lang: Lang
) -> TaskCompleted:
    """Return the last message of the task that *context* and *path* tell."""
    record = context.record
    state = cast(Literal["completed", "failed", "aborted"], path[-1])
    reason = "" if state == "completed" else record.reason
    return TaskCompleted(
        trace_id=trace_id,
        state=state,
        reason=reason,
        reason_text=words(reason, lang, **dict(record.reason_facts)).strip() if reason else "",
        answer=record.answer,
        steps=record.steps,
        commands=tuple(CommandReport(**sent.model_dump()) for sent in record.commands),
        path=tuple(path),
        usage=record.usage,
        duration_s=round(duration_s, 3),
    )
