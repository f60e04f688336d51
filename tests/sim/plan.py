"""The plan of one episode: everything that chance decides, drawn from the seed before it starts.

What stands here is data. The same seed gives the same plan, and the plan the same story.
"""

import random
from typing import Any, Literal, NamedTuple

from tests.sim.calls import Numbers, random_reply, random_skill

PipeKind = Literal[
    "late", "lost", "twice", "swapped", "eof", "half_line", "torn_line", "bad_hmac", "garbage"
]
StoreKind = Literal["busy", "full", "torn", "sync_failed", "kill_before", "kill_after"]
BrowserKind = Literal["none", "failed", "raises", "gone", "gone_after", "asks"]
StopKind = Literal["abort", "kill_agent", "kill_host", "browser_lost"]
PersonKind = Literal["approve", "reject", "expire", "silent"]

PIPE_KINDS: tuple[PipeKind, ...] = PipeKind.__args__  # type: ignore[attr-defined]
STORE_KINDS: tuple[StoreKind, ...] = StoreKind.__args__  # type: ignore[attr-defined]
BROWSER_KINDS: tuple[BrowserKind, ...] = BrowserKind.__args__  # type: ignore[attr-defined]
STOP_KINDS: tuple[StopKind, ...] = StopKind.__args__  # type: ignore[attr-defined]

CALM_EVERY = 5
REPLIES_MAX = 12
TURNS_OF_A_TASK = 240


class Reply(NamedTuple):
    """What the model does when it is called: *seconds* later a turn, or an error."""

    seconds: float
    turn: dict[str, Any] | None = None
    status: int = 0
    raises: bool = False


class Answer(NamedTuple):
    """What the person does with a question, *seconds* later."""

    kind: PersonKind
    seconds: float


class BrowserFault(NamedTuple):
    """How the browser takes a command: slow before and after, and what goes wrong."""

    kind: BrowserKind
    before_s: float
    after_s: float


class PipeFault(NamedTuple):
    """What happens to message *nth* of *direction*."""

    direction: Literal["down", "up"]
    nth: int
    kind: PipeKind
    seconds: float


class StoreFault(NamedTuple):
    """What happens to row *nth* of the ledger."""

    nth: int
    kind: StoreKind
    seconds: float


class Stop(NamedTuple):
    """Who is stopped at turn *turn* of the loop."""

    kind: StopKind
    turn: int


class Jump(NamedTuple):
    """The clock jumps by *seconds* at turn *turn*."""

    turn: int
    seconds: float


class Plan(NamedTuple):
    """One episode."""

    seed: int
    calm: bool
    replies: tuple[Reply, ...]
    answers: tuple[Answer, ...]
    skills: tuple[tuple[dict[str, Any], ...], ...]
    browser: tuple[BrowserFault, ...] = ()
    pipe: tuple[PipeFault, ...] = ()
    store: tuple[StoreFault, ...] = ()
    stops: tuple[Stop, ...] = ()
    jumps: tuple[Jump, ...] = ()
    step_mode: bool = False
    resumes: bool = True

    @property
    def jumped_s(self) -> float:
        """How far the clock may jump in all: what every bound of time is widened by."""
        busy = sum(fault.seconds for fault in self.store if fault.kind == "busy")
        return busy + sum(jump.seconds for jump in self.jumps)

    def faults(self) -> list[str]:
        """Return the faults in words."""
        told = [f"pipe {f.kind} ({f.direction} {f.nth})" for f in self.pipe]
        told += [f"store {f.kind} (row {f.nth})" for f in self.store]
        told += [
            f"browser {f.kind} (command {n})"
            for n, f in enumerate(self.browser)
            if f.kind != "none"
        ]
        told += [f"{s.kind} at turn {s.turn}" for s in self.stops]
        return told + [f"clock jumps {j.seconds:g} s at turn {j.turn}" for j in self.jumps]


def plan_of(seed: int) -> Plan:
    """Return the plan of *seed*; every fifth episode is calm (no faults at all)."""
    rng = random.Random(seed)  # noqa: S311 - chance that repeats is the point
    calm = seed % CALM_EVERY == 0
    numbers = Numbers()
    plan = Plan(
        seed=seed,
        calm=calm,
        replies=tuple(_reply(rng, numbers, calm) for _ in range(rng.randint(2, REPLIES_MAX))),
        answers=tuple(_answer(rng, calm) for _ in range(12)),
        skills=tuple(random_skill(rng, numbers, calm) for _ in range(4)),
        step_mode=rng.random() < 0.08,
        resumes=rng.random() < 0.8,
    )
    return plan if calm else _with_faults(plan, rng)


def _reply(rng: random.Random, numbers: Numbers, calm: bool) -> Reply:
    seconds = round(rng.random() * 2, 3)
    drawn = rng.random()
    if calm or drawn < 0.88:
        return Reply(seconds, random_reply(rng, numbers, calm))
    if drawn < 0.92:
        return Reply(rng.choice([11.0, 40.0, 400.0]), random_reply(rng, numbers, calm))
    if drawn < 0.96:
        return Reply(seconds, status=rng.choice([429, 500, 503, 529]))
    return Reply(seconds, raises=True)


def _answer(rng: random.Random, calm: bool) -> Answer:
    seconds = round(rng.random() * 8, 3)
    if calm or rng.random() < 0.75:
        return Answer("approve" if rng.random() < 0.8 else "reject", seconds)
    kind: PersonKind = rng.choice(("approve", "reject", "expire", "silent"))
    return Answer(kind, rng.choice([seconds, 19.999, 20.0, 20.001, 20.5, 21.0, 30.0]))


def _with_faults(plan: Plan, rng: random.Random) -> Plan:
    """Return *plan* with one to three kinds of trouble."""
    kinds = rng.sample(("pipe", "store", "browser", "stop", "jump"), rng.randint(1, 3))
    if "pipe" in kinds:
        pipe = tuple(_pipe_fault(rng) for _ in range(rng.randint(1, 3)))
        plan = plan._replace(pipe=pipe)
    if "store" in kinds:
        fault = StoreFault(rng.randint(1, 30), rng.choice(STORE_KINDS), round(rng.random() * 30, 3))
        plan = plan._replace(store=(fault,))
    if "browser" in kinds:
        plan = plan._replace(browser=tuple(_browser_fault(rng) for _ in range(12)))
    if "stop" in kinds:
        stop = Stop(rng.choice(STOP_KINDS), rng.randint(1, TURNS_OF_A_TASK))
        plan = plan._replace(stops=(stop,))
    if "jump" in kinds:
        jump = Jump(rng.randint(1, TURNS_OF_A_TASK), rng.choice([1.0, 15.0, 21.0, 100.0, 4000.0]))
        plan = plan._replace(jumps=(jump,))
    return plan


def _pipe_fault(rng: random.Random) -> PipeFault:
    direction: Literal["down", "up"] = rng.choice(("down", "up"))
    return PipeFault(
        direction, rng.randint(0, 12), rng.choice(PIPE_KINDS), round(rng.random() * 25, 3)
    )


def _browser_fault(rng: random.Random) -> BrowserFault:
    kind: BrowserKind = rng.choice(BROWSER_KINDS) if rng.random() < 0.3 else "none"
    slow = rng.random() < 0.15
    before = rng.choice([0.0, 0.2, 9.0, 2000.0]) if slow else round(rng.random() * 0.2, 3)
    after = rng.choice([0.0, 0.5, 14.0, 2000.0]) if slow else 0.0
    return BrowserFault(kind, before, after)
