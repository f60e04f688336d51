"""Find every guard by itself: each function in guards/*.py that decides, and how to disable it.

A new guard needs no entry anywhere. One whose answer has a form that is not known here is an
error, so that none is left out in silence.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from tools.mutation.gates import Mutant
from tools.mutation.rewrite import Change, Function, GateGoneError

_ALLOWED = "from states.verdict import ALLOWED"
# Any sentence of the catalogue without facts: what counts is that it is a refusal.
_REFUSED = "from states.verdict import refused"
_NO = 'refused("rejected_before")'
_EFFECT = "from states.policy import Effect"
# The answer's form: what lets everything pass, and what refuses everything.
_VARIANTS: dict[str, dict[str, str]] = {
    "Verdict": {
        "allows all": f"{_ALLOWED}\nreturn ALLOWED",
        "refuses all": f"{_REFUSED}\nreturn {_NO}",
    },
    "bool": {"always true": "return True", "always false": "return False"},
    "int": {"counts nothing": "return 0"},
    "tuple[Effect, Verdict]": {
        "allows all": f"{_ALLOWED}\n{_EFFECT}\nreturn Effect.ACT, ALLOWED",
        "refuses all": f"{_REFUSED}\n{_EFFECT}\nreturn Effect.DENY, {_NO}",
    },
    "tuple[HostRule | None, Verdict]": {
        "allows all": f"{_ALLOWED}\nreturn policy.hosts[0] if policy.hosts else None, ALLOWED",
        "refuses all": f"{_REFUSED}\nreturn None, {_NO}",
    },
    "tuple[tuple[HostRule, ...], Verdict]": {
        "allows all": f"{_ALLOWED}\nreturn policy.hosts, ALLOWED",
        "refuses all": f"{_REFUSED}\nreturn (), {_NO}",
    },
}
_DECIDING = ("Verdict", "Effect", "bool")
# Each guard must be missed by a test of its own; those of the chart come on top.
_TESTS = "tests/guards"


def guard_mutants(root: Path) -> Iterator[Mutant]:
    """Yield each guard below *root* in each variant.

    Raises:
        GateGoneError: a deciding function answers in a form that is not known.
    """
    for path in sorted((root / "guards").glob("*.py")):
        for function in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(function, Function) and function.returns is not None:
                yield from _mutants_of(root, path, function, ast.unparse(function.returns))


def _mutants_of(root: Path, path: Path, function: Function, answers: str) -> Iterator[Mutant]:
    variants = _VARIANTS.get(answers, {})
    if not variants and any(word in answers for word in _DECIDING):
        raise GateGoneError(
            f"{path.name}: {function.name} decides as {answers}: say how to disable it"
        )
    file = str(path.relative_to(root))
    for variant, becomes in variants.items():
        yield Mutant(
            name=f"{file}:{function.name}",
            variant=variant,
            file=file,
            change=Change(function.name, becomes),
            stages=(*_naming(root, function.name), (_TESTS,)),
        )


def _naming(root: Path, name: str) -> tuple[tuple[str, ...], ...]:
    """Return the stage of those tests that speak of *name*, if any: most mutants die there."""
    files = sorted((root / _TESTS).glob("test_*.py"))
    named = [p for p in files if name in p.read_text(encoding="utf-8")]
    return (tuple(str(p.relative_to(root)) for p in named),) if named else ()
