"""What a model and a skill may want, drawn by chance; each call carries a number of its own.

The number is the effect id: it travels in a place that changes nothing about what is done
(`timeout_ms`), or in the text that is written, and the site counts what it did for each.
"""

import random
import re
from collections.abc import Mapping
from typing import Any

TIMEOUT_MS_FLOOR = 1_000
# Below every default, so that a call that names no time carries no number.
NUMBERS_MAX = 5_000
SKILL = "erp-monthly-report"


class Numbers:
    """Counts the calls of one episode."""

    def __init__(self) -> None:
        self._last = 0

    def next(self) -> int:
        """Return the next number, from 1."""
        self._last += 1
        return self._last


_LENGTH = re.compile(r"<(\d+) chars>")


def number_of(params: Mapping[str, Any]) -> int:
    """Return the number that a call's *params* carry, 0 when they carry none."""
    number = params.get("timeout_ms", 0) - TIMEOUT_MS_FLOOR
    if 0 < number < NUMBERS_MAX:
        return int(number)
    text = params.get("value", params.get("text"))
    if not isinstance(text, str):
        return 0
    # A journal tells the length of what was typed, so the length is the number.
    told = _LENGTH.fullmatch(text)
    return int(told[1]) if told else len(text) if set(text) == {"v"} else 0


def _click(selector: str, number: int) -> dict[str, Any]:
    return {
        "action": "click",
        "params": {"selector": selector, "timeout_ms": TIMEOUT_MS_FLOOR + number},
    }


def _harmless(rng: random.Random, number: int) -> dict[str, Any]:
    return rng.choice(
        [
            {"action": "getText", "params": {}},
            {"action": "getAomSnapshot", "params": {}},
            _click("#query", number),
            _click("#next", number),
            {"action": "type", "params": {"selector": "#note", "text": "v" * number}},
            {"action": "navigate", "params": {"url": "https://erp.example.com/form"}},
        ]
    )


def _writing(rng: random.Random, number: int) -> dict[str, Any]:
    return rng.choice(
        [
            _click("#pay", number),
            _click("#pay", number),
            _click("#void", number),
            _click("#save", number),
            _click("#menu", number),
            {"action": "storageSet", "params": {"key": "k", "value": "v" * number}},
        ]
    )


def _bad(rng: random.Random, number: int) -> dict[str, Any]:
    return rng.choice(
        [
            _click("#ghost", number),
            _click("#secret", number),
            {"action": "type", "params": {"selector": "#secret", "text": "v" * number}},
            {"action": "getHtml", "params": {}},
            {"action": "zombieSpawn", "params": {"url": "https://erp.example.com/z"}},
            {"action": "navigate", "params": {"url": "https://evil.example.net/"}},
            {"action": "navigate", "params": {"url": "https://shop.example.com/"}},
            {"action": "getText", "params": {}, "expected_domain": "shop.example.com"},
            {"action": "eval", "params": {"code": "1"}},
            {"action": "fly", "params": {}},
            {"action": "click", "params": {"selector": ""}},
        ]
    )


def random_call(rng: random.Random, numbers: Numbers, calm: bool) -> dict[str, Any]:
    """Return one tool call of a model."""
    number = numbers.next()
    name, drawn = "browser_action", rng.random()
    if drawn < 0.40:
        wanted = _harmless(rng, number)
    elif drawn < 0.75:
        wanted = _writing(rng, number)
    elif drawn < 0.83 and not calm:
        wanted = _bad(rng, number)
    elif drawn < 0.90:
        name = "answer_dialog"
        wanted = {"accept": rng.random() < 0.7, "text": "v" * number}
    else:
        name, wanted = "run_skill", {"name": SKILL, "params": {"month": "2026-03"}}
        if not calm and rng.random() < 0.2:
            wanted = rng.choice(
                [{"name": "no-such-skill"}, {"name": SKILL, "params": {"month": 3}}]
            )
    return {"id": f"c{number}", "name": name, "input": wanted}


def random_reply(rng: random.Random, numbers: Numbers, calm: bool) -> dict[str, Any]:
    """Return one whole reply of a model, as the fields of a ModelTurn."""
    drawn = rng.random()
    if drawn < 0.08:
        return {"text": rng.choice(["The page says hi.", "Exported and saved.", "已经导出了。"])}
    if not calm and drawn < 0.14:
        return _broken(rng, numbers)
    count = 1 if rng.random() < 0.7 else rng.randint(2, 4)
    calls = [random_call(rng, numbers, calm) for _ in range(count)]
    return {"text": rng.choice(["", "next"]), "tool_calls": calls}


def _broken(rng: random.Random, numbers: Numbers) -> dict[str, Any]:
    same = random_call(rng, numbers, calm=True)
    return rng.choice(
        [
            {"broken": '{"tool_calls": [{"id'},
            {"text": ""},
            {"text": "x" * 20_000},
            {"tool_calls": [random_call(rng, numbers, calm=True) for _ in range(12)]},
            {"tool_calls": [same, same]},
            {"tool_calls": [{"id": "u1", "name": "rm_rf", "input": {}}]},
            {"tool_calls": [{"id": "u2", "name": "browser_action", "input": "click"}]},
            {"text": "half \ud83d"},
        ]
    )


def random_skill(rng: random.Random, numbers: Numbers, calm: bool) -> tuple[dict[str, Any], ...]:
    """Return the moves of one skill run: `ask`, `sleep`, `crash`, `throw`; then it returns."""
    moves: list[dict[str, Any]] = []
    for _ in range(rng.randint(0, 3)):
        number, drawn = numbers.next(), rng.random()
        wanted = _harmless(rng, number) if drawn < 0.6 else _writing(rng, number)
        if not calm and drawn > 0.9:
            wanted = _bad(rng, number)
        moves.append({"ask": [wanted["action"], wanted["params"]]})
    if not calm and rng.random() < 0.2:
        moves.append(rng.choice([{"sleep": 200.0}, {"crash": True}, {"throw": "no table"}]))
    return tuple(moves)
