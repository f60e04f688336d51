"""Broken output of models, repaired without another call: how much of it, how wrongly, how fast.

The corpus is `tests/guards/broken_outputs.jsonl`: budgets are 20 % missed of what is clear, and
no wrong repair. The times are those of one case, and of a text as long as any may be.
"""

import statistics
from time import perf_counter

from guards.output_repair import repair_arguments
from states.settings import TaskLimits
from tests.guards.broken import cases, repaired, same

ROUNDS = 20


def measure() -> dict[str, float]:
    """Return the shares of the corpus and the times."""
    corpus = cases()
    found = [repaired(case) for case in corpus]
    clear = [got for case, got in zip(corpus, found, strict=True) if case.want is not None]
    wrong = sum(
        got is not None and not same(got, case.want)
        for case, got in zip(corpus, found, strict=True)
    )
    times = []
    for _ in range(ROUNDS):
        began = perf_counter()
        for case in corpus:
            repaired(case)
        times.append((perf_counter() - began) / len(corpus) * 1e6)
    return {
        "repair_cases": len(corpus),
        "repair_missed_pct": 100 * sum(got is None for got in clear) / len(clear),
        "repair_wrong": wrong,
        "repair_us": statistics.median(times),
        "repair_longest_ms": _longest_ms(),
    }


def _longest_ms() -> float:
    chars = TaskLimits().model_text_chars_max - 20
    began = perf_counter()
    assert repair_arguments("{'a': [" + "1, " * (chars // 3) + "]}") is not None
    return (perf_counter() - began) * 1e3


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name} {value:.2f}")
