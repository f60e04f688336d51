"""`python -m tests.sim`: run episodes for a while; one that breaks an invariant tells its story.

Exit code 0: all held; 1: one was broken. A seed gives one story, whatever ran before it.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from typing import Any, NamedTuple

from tests.sim.episode import MakeWorld, Stage, run_seed, stage
from tests.sim.evidence import Evidence
from tests.sim.invariants import Breach, breaches_of
from tests.sim.world import World

COMMAND = "python -m tests.sim --seed"
STORIES_MAX = 1
SEEDS = 2**31


class Found(NamedTuple):
    """A broken episode: its seed, the breaches, the plan's faults, the story."""

    seed: int
    breaches: tuple[Breach, ...]
    faults: tuple[str, ...]
    story: str

    def told(self) -> str:
        """Return all of it in words, and the command that does it again."""
        broken = "\n".join(f"  {breach}" for breach in self.breaches)
        faults = ", ".join(self.faults) or "none"
        return (
            f"seed {self.seed} breaks:\n{broken}\nfaults: {faults}\n\n{self.story}\n"
            f"again: {COMMAND} {self.seed}\n"
        )


class Report(NamedTuple):
    """What a run of many episodes came to."""

    first: int
    episodes: int
    seconds: float
    ends: Counter[str]
    faults: Counter[str]
    found: tuple[Found, ...]

    @property
    def per_minute(self) -> float:
        """Return episodes a minute."""
        return 60 * self.episodes / self.seconds if self.seconds else 0.0

    def document(self) -> dict[str, Any]:
        """Return the report as JSON holds it."""
        return {
            "first_seed": self.first,
            "episodes": self.episodes,
            "seconds": round(self.seconds, 2),
            "episodes_per_minute": round(self.per_minute),
            "ends": dict(self.ends.most_common()),
            "faults": dict(self.faults.most_common()),
            "broken": [
                {
                    "seed": found.seed,
                    "command": f"{COMMAND} {found.seed}",
                    "breaches": [
                        {"invariant": each.invariant.number, "name": each.invariant.name,
                         "what": each.what}
                        for each in found.breaches
                    ],
                }
                for found in self.found
            ],
        }  # fmt: skip


def simulate(first: int, episodes: int | None, seconds: float, make: MakeWorld = World) -> Report:
    """Run episodes from seed *first* on, until *episodes* are done or *seconds* are over."""
    ends: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    found: list[Found] = []
    began = time.perf_counter()
    done = 0
    with stage() as on:
        while done != episodes and (episodes or time.perf_counter() - began < seconds):
            evidence, broken = _episode(first + done, on, make)
            done += 1
            end = evidence.end
            ends[f"{end.state} {end.reason}".strip() if end else "no end"] += 1
            faults.update(kind for _, kind in (*evidence.faults, *evidence.stops))
            if broken is not None:
                found.append(broken)
    return Report(first, done, time.perf_counter() - began, ends, faults, tuple(found))


def _episode(seed: int, on: Stage, make: MakeWorld = World) -> tuple[Evidence, Found | None]:
    evidence = run_seed(seed, on, make)
    breaches = tuple(breaches_of(evidence))
    if not breaches:
        return evidence, None
    faults = tuple(evidence.plan.faults())
    return evidence, Found(seed, breaches, faults, evidence.written["story"])


def main(arguments: list[str]) -> int:
    """Run what *arguments* ask for."""
    parser = argparse.ArgumentParser(prog="python -m tests.sim", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long (60)")
    parser.add_argument("--episodes", type=int, help="how many, instead of how long")
    parser.add_argument("--seed", type=int, help="one episode: this one, with its story")
    parser.add_argument("--first", type=int, help="the first seed (drawn by chance)")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    asked = parser.parse_args(arguments)
    if asked.seed is not None:
        return _one(asked.seed, asked.json)
    # Other seeds each time: what they find is told by its seed.
    first = random.SystemRandom().randrange(SEEDS) if asked.first is None else asked.first
    report = simulate(first, asked.episodes, asked.seconds)
    _say(json.dumps(report.document(), indent=2) if asked.json else _told(report))
    return 1 if report.found else 0


def _one(seed: int, as_json: bool) -> int:
    with stage() as on:
        evidence, broken = _episode(seed, on)
    if as_json:
        breaches = [str(breach) for breach in broken.breaches] if broken else []
        story = evidence.written["story"].splitlines()
        _say(json.dumps({"seed": seed, "breaches": breaches, "story": story}, indent=2))
    elif broken is not None:
        _say(broken.told())
    else:
        faults = ", ".join(evidence.plan.faults()) or "none"
        _say(f"{evidence.written['story']}\nfaults: {faults}\nseed {seed}: every invariant holds")
    return 1 if broken else 0


def _told(report: Report) -> str:
    lines = [found.told() for found in report.found[:STORIES_MAX]]
    lines += [
        f"seed {found.seed}: {found.breaches[0]}  ({COMMAND} {found.seed})"
        for found in report.found[STORIES_MAX:]
    ]
    faults = ", ".join(f"{name} {n}" for name, n in report.faults.most_common())
    ends = ", ".join(f"{name} {n}" for name, n in report.ends.most_common())
    lines += [
        f"{report.episodes} episodes from seed {report.first} in {report.seconds:.1f} s"
        f" ({report.per_minute:.0f} a minute), {len(report.found)} broken",
        f"faults: {faults}",
        f"ends: {ends}",
    ]
    return "\n".join(lines)


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - what the command is for


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
