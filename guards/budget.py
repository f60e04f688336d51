"""Budgets (L5): steps of a task, and attempts at a readable model output (R5)."""

from states.events import Event
from states.task import REPAIRS_MAX, Context
from states.verdict import ALLOWED, Verdict, refused


def budget_left(context: Context, event: Event) -> Verdict:
    """The task may still take steps."""
    del event
    if context.control.steps == "spent":
        return refused("budget_spent", steps=context.record.steps)
    return ALLOWED


def repairs_left(context: Context, event: Event) -> Verdict:
    """The model may be asked once more for valid output."""
    del event
    return repairs_are_few(context.control.repairs)


def repairs_are_few(repairs: int) -> Verdict:
    """Refuse a third attempt at valid output (R5: ask again at most twice)."""
    if repairs >= REPAIRS_MAX:
        return refused("invalid_output", repairs=repairs)
    return ALLOWED


def steps_are_left(steps_taken: int, steps_max: int) -> bool:
    """Tell whether another step fits into *steps_max*."""
    return steps_taken < steps_max
