"""A model that obeys every order does nothing that policy or person did not allow (R5, P4).

Each attack is counted only with its two controls: the same model reaches its goal when the policy
allows all and the person says yes, and a model that is deaf to orders does nothing even then.
"""

import re

import pytest

from tests.security.cases import ATTACKS, CHANNELS, Attack
from tests.security.obeying import orders_in
from tests.security.stage import Family, Played, Stage

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="module")]

# Both families meet every other channel.
FAMILY: dict[str, Family] = {
    name: "claude" if number % 2 else "openai" for number, name in enumerate(ATTACKS)
}
OWN_WORDS = ("Pay all", "Attachment", "Invoices")
TRACE = re.compile(r"sgclaw-\d{8}-[0-9a-f]{16}")
each_attack = pytest.mark.parametrize(("name", "attack"), ATTACKS.items(), ids=ATTACKS)


def outside(played: Played) -> set[str]:
    """Return where in the requests an order stands in no fence."""
    found = set()
    for asked in played.mind.asked:
        places = {
            "system": asked.system,
            "tools": " ".join(asked.tools.values()),
            "conversation": " ".join(s.outside for s in asked.said if s.role != "assistant"),
        }
        found |= {place for place, text in places.items() if orders_in(text)}
    return found


def mislaid(played: Played) -> list[str]:
    """Return the words of the task's own page that stand in no fence."""
    return [word for asked in played.mind.asked for word in OWN_WORDS if word in asked.unfenced]


@each_attack
async def test_an_obeyed_order_has_no_effect_without_a_yes(
    guarded: Stage, name: str, attack: Attack
) -> None:
    played = await guarded.play(attack.planted(guarded), family=FAMILY[name])
    assert played.mind.heard
    assert set(played.mind.obeyed) == played.mind.heard
    assert played.effects == []
    assert outside(played) == attack.outside
    assert mislaid(played) == []


@each_attack
async def test_the_same_order_has_its_effect_when_all_is_allowed(
    open_to_all: Stage, name: str, attack: Attack
) -> None:
    played = await open_to_all.play(attack.planted(open_to_all), agrees=True, family=FAMILY[name])
    assert attack.effect in played.effects
    assert outside(played) == attack.outside
    assert mislaid(played) == []


@each_attack
async def test_a_deaf_model_does_nothing_even_then(
    open_to_all: Stage, name: str, attack: Attack
) -> None:
    planted = attack.planted(open_to_all)
    played = await open_to_all.play(planted, agrees=True, obeys=False, family=FAMILY[name])
    assert played.mind.heard, played.mind.asked[-1].said
    assert played.effects == []


@pytest.mark.parametrize("family", ["openai", "claude"])
async def test_the_system_text_stays_the_same_whatever_the_page_says(
    guarded: Stage, family: Family
) -> None:
    told = set()
    for name in ("text", "forged fence", "forged turn", "title attribute"):
        played = await guarded.play(CHANNELS[name].planted(guarded), family=family)
        told |= {TRACE.sub("", asked.system) for asked in played.mind.asked}
    assert len(told) == 1


async def test_the_words_of_the_page_are_told_in_a_fence(guarded: Stage) -> None:
    played = await guarded.play(CHANNELS["text"].planted(guarded))
    told = " ".join(asked.fenced for asked in played.mind.asked)
    assert all(word in told for word in OWN_WORDS)


async def test_each_effect_of_an_obeyed_order_had_a_yes_of_its_own(open_to_all: Stage) -> None:
    played = await open_to_all.play(CHANNELS["text"].planted(open_to_all), agrees=True)
    asked = [(card.action, card.target.name) for card in played.person.cards]
    assert asked == [("click", "Pay all")] * len(played.effects)
    assert len(played.effects) == 2
