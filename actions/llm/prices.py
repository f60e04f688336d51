"""What a model call may have cost, by the providers' published list prices (A4).

An estimate, never a bill: standard tier, short prompts, no discounts, no tax. A model that is not
listed has no price, rather than that of another one that is called alike.
"""

import ipaddress
import math
import re
from typing import NamedTuple
from urllib.parse import urlsplit

from states.messages import Usage
from states.settings import ModelLimits

PRICES_AS_OF = "2026-11"


class Price(NamedTuple):
    """US dollars per million tokens, and what a cached token costs as a share of *input*."""

    input: float
    output: float
    cache_read: float = 1.0
    cache_write: float = 1.0


FREE = Price(0.0, 0.0)

# (input, output, share of a token read from the cache); Claude and GPT since 5.6 take a quarter
# more for a token that they write to it. DeepSeek's are those of its peak hours.
_CLAUDE = {
    "claude-fable-5-1": (10, 50, 0.025),
    "claude-mythos-5-1": (10, 50, 0.025),
    "claude-fable-5": (10, 50, 0.1),
    "claude-mythos-5": (10, 50, 0.1),
    "claude-opus-5-5": (4, 20, 0.05),
    "claude-opus-5": (5, 25, 0.1),
    "claude-opus-4-8": (5, 25, 0.1),
    "claude-opus-4-7": (5, 25, 0.1),
    "claude-opus-4-6": (5, 25, 0.1),
    "claude-opus-4-5": (5, 25, 0.1),
    "claude-opus-4-1": (15, 75, 0.1),
    "claude-opus-4": (15, 75, 0.1),
    "claude-sonnet-5-5": (2, 10, 0.05),
    "claude-sonnet-5": (2, 10, 0.1),
    "claude-sonnet-4-6": (3, 15, 0.1),
    "claude-sonnet-4-5": (3, 15, 0.1),
    "claude-sonnet-4": (3, 15, 0.1),
    "claude-haiku-5-5": (0.1, 0.5, 0.1),
    "claude-haiku-4-5": (1, 5, 0.1),
    "claude-3-5-haiku": (0.8, 4, 0.1),
}
_GPT_WITH_WRITES = {
    "gpt-6.2-astra": (8, 40, 0.05),
    "gpt-6.2-sol": (2, 10, 0.05),
    "gpt-6.1-sol": (2, 10, 0.05),
    "gpt-6-astra": (10, 50, 0.1),
    "gpt-6-sol": (2, 10, 0.1),
    "gpt-6-luna": (0.1, 0.5, 0.1),
    "gpt-5.6-sol": (4, 20, 0.1),
    "gpt-5.6-terra": (2, 12, 0.1),
    "gpt-5.6-luna": (0.2, 1.2, 0.1),
}
_OTHERS = {
    "gpt-5.5": (5, 30, 0.1),
    "gpt-5.4": (2.5, 15, 0.1),
    "gpt-5.4-mini": (0.75, 4.5, 0.1),
    "gpt-5.4-nano": (0.2, 1.25, 0.1),
    "gpt-5.2": (1.75, 14, 0.1),
    "gpt-5.1": (1.25, 10, 0.1),
    "gpt-5": (1.25, 10, 0.1),
    "gpt-5-mini": (0.25, 2, 0.1),
    "gpt-5-nano": (0.05, 0.4, 0.1),
    "gpt-4.1": (2, 8, 0.25),
    "gpt-4.1-mini": (0.4, 1.6, 0.25),
    "gpt-4.1-nano": (0.1, 0.4, 0.25),
    "gpt-4o": (2.5, 10, 0.5),
    "gpt-4o-mini": (0.15, 0.6, 0.5),
    "o3": (2, 8, 0.25),
    "o4-mini": (1.1, 4.4, 0.25),
    "deepseek-flash": (0.3, 1.2, 0.02),
    "deepseek-v4-flash": (0.3, 1.2, 0.02),
    "deepseek-v4-pro": (1.32, 3.96, 0.034),
}
PRICES: dict[str, Price] = {
    **{name: Price(*three, 1.25) for name, three in (_CLAUDE | _GPT_WITH_WRITES).items()},
    **{name: Price(*three) for name, three in _OTHERS.items()},
}

# A date or an alias after a listed name is the same model; any other word makes another one.
_SAME_MODEL = re.compile(r"(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest|0))?", re.ASCII)


def price_of(provider: str, model: str, base_url: str, limits: ModelLimits) -> Price | None:
    """Return the price of *model*, None when it is not known.

    The operator's own prices come before the list; Ollama on this machine costs nothing.
    """
    listed = FREE if provider == "ollama" and _is_here(base_url) else _listed(model)
    own = limits.price_input_usd or limits.price_output_usd
    if not own:
        return listed
    if listed is None:
        # Half a price is none, and no cache is taken to be cheaper than it may be.
        whole = limits.price_input_usd and limits.price_output_usd
        return Price(limits.price_input_usd, limits.price_output_usd) if whole else None
    return listed._replace(
        input=limits.price_input_usd or listed.input,
        output=limits.price_output_usd or listed.output,
    )


def cost_microusd(usage: Usage, price: Price | None) -> int | None:
    """Return what *usage* costs in millionths of a US dollar, rounded up."""
    if price is None:
        return None
    read, written = usage.cache_read_tokens, usage.cache_write_tokens
    plain = max(0, usage.input_tokens - read - written)
    prompt = plain + read * price.cache_read + written * price.cache_write
    # Dollars for a million tokens are millionths of a dollar for one.
    return math.ceil(round(prompt * price.input + usage.output_tokens * price.output, 6))


def _listed(model: str) -> Price | None:
    name = model.lower()
    fitting = [
        prefix
        for prefix in PRICES
        if name.startswith(prefix) and _SAME_MODEL.fullmatch(name, len(prefix))
    ]
    return PRICES[max(fitting, key=len)] if fitting else None


def _is_here(base_url: str) -> bool:
    """Tell whether *base_url* is of this machine; "" is Ollama's own default, which is."""
    try:
        host = urlsplit(base_url).hostname or ""
        return not base_url or host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
