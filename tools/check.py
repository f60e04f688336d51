"""`make check`: format, lint, types, import layers, all tests; one line each."""

import subprocess
import sys
import time
from pathlib import Path

BIN = Path(sys.executable).parent
# A file stays whole and in its place: the slow ones stand in the middle, not at the end.
TWO_AT_A_TIME = ("-n", "2", "--dist", "loadfile", "--no-loadscope-reorder")
STEPS = (
    ("format", ["ruff", "format", "--check", "-q", "."]),
    ("lint", ["ruff", "check", "-q", "."]),
    ("types", ["mypy"]),
    ("imports", ["lint-imports", "--no-cache"]),
    ("tests", ["pytest", "-q", *TWO_AT_A_TIME, "--durations=10"]),
)


def main() -> int:
    """Run every step; return 1 when one failed."""
    failed = []
    for name, command in STEPS:
        started = time.perf_counter()
        live = name == "tests"
        done = subprocess.run(
            [str(BIN / command[0]), *command[1:]],
            check=False,
            text=True,
            stdout=None if live else subprocess.PIPE,
            stderr=None if live else subprocess.STDOUT,
        )
        took = time.perf_counter() - started
        print(f"{'ok ' if done.returncode == 0 else 'BAD'}  {name:<8} {took:6.1f} s", flush=True)
        if done.returncode:
            failed.append(name)
            if done.stdout:
                print(done.stdout, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
