"""Disable each guard and gate of the program in turn and show that a test fails without it.

    python tools/mutate_guards.py [--only NAME] [--quick] [--json FILE] [--list]

Exit code 1: one survived. 2: the list names what is not there, or the tests fail as things are.
"""

import argparse
import ast
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
# The folder of this script would be found before the modules of the same names.
from tools.mutation.bench import Bench, Result
from tools.mutation.gates import LIST, Mutant, listed_mutants
from tools.mutation.guards import guard_mutants
from tools.mutation.rewrite import GateGoneError, rewritten

SURVIVED, WRONG = 1, 2
_ROOT = Path(__file__).parent.parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the mutants; return the exit code."""
    wanted = _parser().parse_args(arguments)
    try:
        every = [*guard_mutants(wanted.root), *listed_mutants(wanted.gates)]
        _check_places(wanted.root, every)
    except GateGoneError as error:
        print(f"the list of gates is wrong: {error}", file=sys.stderr)
        return WRONG
    chosen = [
        m for m in every if any(part in f"{m.name} {m.variant}" for part in wanted.only or [""])
    ]
    if wanted.quick:
        chosen = [m for m in chosen if not m.chromium]
    if not chosen:
        print("no guard or gate has such a name", file=sys.stderr)
        return WRONG
    if wanted.list:
        for mutant in chosen:
            print(f"{mutant.name}  {mutant.variant}")
        return 0
    return _run(chosen, wanted)


def _is_wanted(mutant: Mutant, wanted: argparse.Namespace) -> bool:
    parts = wanted.only or [""]
    named = any(part in f"{mutant.name} {mutant.variant}" for part in parts)
    return named and not (wanted.quick and mutant.chromium)


def _parser() -> argparse.ArgumentParser:
    form = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    add = parser.add_argument
    add("--only", metavar="NAME", action="append", help="those with NAME in their name")
    add("--quick", action="store_true", help="without those that need a browser")
    add("--json", metavar="FILE", type=Path, help="write the results to FILE as JSON")
    add("--list", action="store_true", help="only list them")
    add("--deselect", metavar="TEST", action="append", default=[], help="leave a test out")
    add("--root", type=Path, default=_ROOT, help="the program to test")
    add("--gates", type=Path, default=LIST, help="the list of gates")
    return parser


def _check_places(root: Path, mutants: Sequence[Mutant]) -> None:
    """Find every place before anything is run.

    Raises:
        GateGoneError: one of them is gone, or a test file of theirs is.
    """
    for mutant in mutants:
        path = root / mutant.file
        if not path.is_file():
            raise GateGoneError(f"{mutant.file} is no file")
        source = path.read_text(encoding="utf-8")
        try:
            changed = rewritten(source, mutant.change)
        except (GateGoneError, SyntaxError) as error:
            raise GateGoneError(f"{mutant.name} ({mutant.variant}): {error}") from error
        if changed == ast.unparse(ast.parse(source)):
            raise GateGoneError(f"{mutant.name} ({mutant.variant}): changes nothing")
        for test in (test for stage in mutant.stages for test in stage):
            if not (root / test.partition("::")[0]).exists():
                raise GateGoneError(f"{mutant.name} ({mutant.variant}): no tests at {test}")


def _run(mutants: Sequence[Mutant], wanted: argparse.Namespace) -> int:
    started = time.monotonic()
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="sgclaw-mutants-") as folder:
        bench = Bench(wanted.root, Path(folder), wanted.deselect)
        try:
            failing = bench.failure_without_change(mutants, quick=wanted.quick)
            if failing:
                print(f"the tests fail as things are: {failing}", file=sys.stderr)
                return WRONG
            print(f"the tests pass as things are ({time.monotonic() - started:.0f} s)", flush=True)
            for number, mutant in enumerate(mutants, start=1):
                results.append(bench.tried(mutant, quick=wanted.quick))
                print(f"{number:>3}/{len(mutants)} {_line(results[-1])}", flush=True)
        finally:
            bench.close()
    if wanted.json is not None:
        rows = [_row(result) for result in results]
        wanted.json.write_text(json.dumps(rows, indent=1, ensure_ascii=False), encoding="utf-8")
    return _summed_up(results, time.monotonic() - started)


def _summed_up(results: Sequence[Result], seconds: float) -> int:
    wrong = [result for result in results if not result.is_well]
    for result in wrong:
        print(_line(result))
    equal = sum(1 for result in results if result.is_well and result.mutant.equal)
    killed = len(results) - len(wrong) - equal
    print(f"{killed} of {len(results)} killed, {equal} equal, in {seconds:.0f} s")
    return SURVIVED if wrong else 0


def _line(result: Result) -> str:
    mutant = result.mutant
    return f"{mutant.name:<58} {mutant.variant:<34} {result.seconds:5.1f} s  {result.end}"


def _row(result: Result) -> dict[str, object]:
    mutant = result.mutant
    return {
        "name": mutant.name, "variant": mutant.variant, "killed_by": result.killed_by,
        "broken": result.broken, "survived": result.survived, "also": mutant.also,
        "equal": mutant.equal,
        "seconds": round(result.seconds, 2),
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
