"""The thirteen invariants: each is a small object that reads the evidence of one episode."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from tests.sim import judge_effects as effects
from tests.sim import judge_task as task
from tests.sim.evidence import Evidence

Check = Callable[[Evidence], Iterable[str]]


class Invariant(NamedTuple):
    """One rule; *check* yields a sentence for each breach of it."""

    number: int
    name: str
    check: Check


class Breach(NamedTuple):
    """One breach of one invariant."""

    invariant: Invariant
    what: str

    def __str__(self) -> str:
        return f"invariant {self.invariant.number} ({self.invariant.name}): {self.what}"


INVARIANTS = (
    Invariant(1, "a write has an approval of exactly it", effects.approved_once),
    Invariant(2, "at most one effect a call", effects.at_most_once),
    Invariant(3, "intent before effect, outcome after", effects.intent_first),
    Invariant(3, "the report tells every effect", effects.report_is_true),
    Invariant(4, "replay gives the same", task.replay_agrees),
    Invariant(5, "final states absorb", task.final_is_final),
    Invariant(6, "abort ends it", effects.abort_is_final),
    Invariant(7, "budgets hold", task.budgets_hold),
    Invariant(8, "the policy's no never reaches the browser", effects.policy_holds),
    Invariant(9, "seq rises, an answer counts once", task.seq_rises),
    Invariant(10, "every question ends, silence is no no", effects.questions_end),
    Invariant(11, "the state moves along rows", task.rows_lead),
    Invariant(12, "secrets stay out", task.secrets_stay),
    Invariant(13, "it ends", task.it_ends),
)


def breaches_of(evidence: Evidence) -> Iterator[Breach]:
    """Yield every breach that *evidence* shows."""
    for invariant in INVARIANTS:
        for what in invariant.check(evidence):
            yield Breach(invariant, what)
