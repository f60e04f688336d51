"""The model checker: product states a second over the task chart, and `chart check` as a whole.

The seconds are those of a new process that checks every shipped chart, imports and lint
included. They are not all the walk's: a state is counted once, however many events it meets.
"""

import statistics
import subprocess
import sys
from time import perf_counter

from engine.chart.check import check
from sgclaw.proof.charts import claims_of, probe_of

ROUNDS = 5


def _states_per_second() -> float:
    probe, claims = probe_of("task"), claims_of("task")
    began = perf_counter()
    report = check(probe, claims)
    assert not report.violations
    return len(report.exploration.nodes) / (perf_counter() - began)


def _command_seconds() -> float:
    began = perf_counter()
    command = [sys.executable, "-m", "sgclaw", "chart", "check", "--json"]
    subprocess.run(command, check=True, capture_output=True)
    return perf_counter() - began


def measure() -> dict[str, float]:
    """Return the medians: states a second of the checker, seconds of the command."""
    pairs = [(_states_per_second(), _command_seconds()) for _ in range(ROUNDS)]
    states, seconds = (statistics.median(column) for column in zip(*pairs, strict=True))
    return {"checker_states_per_s": states, "chart_check_s": seconds}


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name} {value:.2f}")
