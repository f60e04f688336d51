"""How many episodes of the simulation a minute, on one core: the real task code in virtual time.

Counted in processor time, since the machine has other work: an episode waits for nothing.
"""

from time import process_time

from tests.sim.episode import run_seed, stage
from tests.sim.invariants import breaches_of

WARM = 20
EPISODES = 300


def measure() -> dict[str, float]:
    """Return episodes a minute of processor time, judged and with faults, and turns of the loop."""
    with stage() as on:
        for seed in range(WARM):
            run_seed(seed, on)
        turns = 0
        began = process_time()
        for seed in range(WARM, WARM + EPISODES):
            evidence = run_seed(seed, on)
            turns += evidence.turns
            for _ in breaches_of(evidence):
                pass
        spent = process_time() - began
    return {"sim_episodes_per_min": 60 * EPISODES / spent, "sim_turns": turns / EPISODES}


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name} {value:.1f}")
