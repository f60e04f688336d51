"""How far the estimate of tokens lies beside a real tokeniser, by the kind of text.

In percent of the real count, above it or (negative) below. Too high costs some room in the window;
too low lets a prompt pass that does not fit, so what is below has a budget: nothing.
"""

import json

from benchmarks.model_tokeniser import tokens_of
from memory.tokens import estimate
from prompts.tools import own_tools
from states.catalogue import CATALOGUE

_ROWS = 200


def measure() -> dict[str, float]:
    """Return the error of each kind in percent, and how far the lowest is below."""
    texts = _texts()
    real = dict(zip(texts, tokens_of(list(texts.values())), strict=True))
    errors = {kind: 100 * (estimate(text) / real[kind] - 1) for kind, text in texts.items()}
    return {
        **{f"estimate_{kind}_pct": error for kind, error in errors.items()},
        "estimate_low_pct": max(0.0, *(-error for error in errors.values())),
    }


def _texts() -> dict[str, str]:
    """Return what prompts really hold: sentences of the product, its schemas, an ERP's figures."""
    english, chinese = zip(*CATALOGUE.values(), strict=True)
    return {
        "chinese": "\n".join(chinese),
        "english": "\n".join(english),
        "json": json.dumps([tool._asdict() for tool in own_tools("en")], ensure_ascii=False),
        "amounts": "".join(map(_row, range(_ROWS))),
    }


def _row(number: int) -> str:
    day = number % 28 + 1
    total = 1_234.56 + number * 9_871.33
    return f"2026-03-{day:02} INV-2026{number:05} CNY {total:,.2f} {total * 0.13:.2f} 13.00%\n"


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:<30} {value:8.2f}")
