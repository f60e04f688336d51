"""Prices: of exactly the model that is named, of the operator before the list, or none (A4)."""

import pytest

from actions.llm.prices import FREE, PRICES, Price, cost_microusd, price_of
from states.messages import Usage
from states.settings import ModelLimits

LIMITS = ModelLimits()


@pytest.mark.parametrize(
    ("model", "listed"),
    [
        ("claude-sonnet-4-5", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("Claude-Opus-5-5", "claude-opus-5-5"),
        ("claude-opus-4-20250514", "claude-opus-4"),
        ("claude-3-5-haiku-latest", "claude-3-5-haiku"),
        ("gpt-5-mini-2025-08-07", "gpt-5-mini"),
        ("gpt-4o", "gpt-4o"),
    ],
)
def test_a_date_or_an_alias_after_a_name_is_the_same_model(model: str, listed: str) -> None:
    assert price_of("claude", model, "", LIMITS) == PRICES[listed]


@pytest.mark.parametrize(
    "model",
    ["claude-opus-9", "claude-opus-4-9", "claude-opus-4-", "gpt-5-pro", "gpt-5.9", "gpt-4o-audio",
     "o3-pro", "my-gpt-5", "openai/gpt-5", "qwen3:8b", "", "gpt-5-２０２５０８０７"],
)  # fmt: skip
def test_a_model_that_only_sounds_alike_has_no_price(model: str) -> None:
    assert price_of("openai", model, "", LIMITS) is None
    assert cost_microusd(Usage(input_tokens=9), None) is None


def test_every_listed_price_is_one() -> None:
    for name, price in PRICES.items():
        assert name == name.lower()
        assert 0 < price.input < price.output < 100
        assert 0 < price.cache_read < 1 <= price.cache_write


@pytest.mark.parametrize("url", ["", "http://127.0.0.1:11434/v1", "http://localhost:1/v1",
                                 "http://[::1]:11434/v1", "http://127.9.9.9/v1"])  # fmt: skip
def test_ollama_on_this_machine_is_free(url: str) -> None:
    assert price_of("ollama", "qwen3:8b", url, LIMITS) == FREE
    assert price_of("openai", "qwen3:8b", url, LIMITS) is None


@pytest.mark.parametrize("url", ["https://ollama.com/v1", "http://10.0.0.5:11434/v1",
                                 "http://127.0.0.1.x.example/v1", "http://[::1", "x"])  # fmt: skip
def test_ollama_elsewhere_is_not(url: str) -> None:
    assert price_of("ollama", "qwen3:8b", url, LIMITS) is None


def test_the_operators_prices_come_before_the_list() -> None:
    own = ModelLimits(price_input_usd=1, price_output_usd=2)
    assert price_of("openai", "unknown", "", own) == Price(1, 2)
    assert price_of("claude", "claude-opus-5", "", own) == Price(1, 2, 0.1, 1.25)
    assert price_of("ollama", "qwen3:8b", "", own) == Price(1, 2)


def test_half_a_price_takes_the_other_half_from_the_list_or_is_none() -> None:
    half = ModelLimits(price_output_usd=2)
    assert price_of("claude", "claude-opus-5", "", half) == Price(5, 2, 0.1, 1.25)
    assert price_of("openai", "unknown", "", half) is None
    assert price_of("openai", "unknown", "", ModelLimits(price_input_usd=2)) is None


def test_the_whole_prompt_is_counted_once_its_cached_parts_at_their_share() -> None:
    usage = Usage(
        input_tokens=10_000, output_tokens=500, cache_read_tokens=6_000, cache_write_tokens=1_000,
        thinking_tokens=400,
    )  # fmt: skip
    # (3,000 + 6,000 / 10 + 1,000 * 1.25) at $3 and 500 at $15 per million.
    assert cost_microusd(usage, PRICES["claude-sonnet-4-5"]) == 3 * 4_850 + 15 * 500


def test_a_fraction_of_a_millionth_is_rounded_up_and_nothing_stays_nothing() -> None:
    assert cost_microusd(Usage(input_tokens=1), Price(0.1, 0.5)) == 1
    assert cost_microusd(Usage(input_tokens=10), Price(0.1, 0.5)) == 1
    assert cost_microusd(Usage(), PRICES["gpt-5"]) == 0
    assert cost_microusd(Usage(input_tokens=10**9), FREE) == 0


def test_a_cache_report_that_is_more_than_the_prompt_costs_no_less_than_nothing() -> None:
    assert cost_microusd(Usage(input_tokens=1, cache_read_tokens=100), Price(1, 2)) == 100
