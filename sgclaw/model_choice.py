"""Which model answers a run, at what address and with what key; and the sentence that says so.

The rule: what a person named is taken or refused, never replaced by something else. Only where
nothing was named does a key in the environment choose; without one the built-in matcher answers.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from actions.llm.endpoint import BASE_URLS
from sgclaw.errors import UsageError
from sgclaw.keys import VARIABLES, KeyringSaid, Keys, Place
from sgclaw.model_address import checked_base_url, host_of
from states.catalogue import Lang, words
from states.settings import ModelLimits
from states.verdict import refused
from states.wire import ProviderSpec

_NAME_CHARS_MAX = 200


class Offer(NamedTuple):
    """One provider's own address, and the model that is asked there when none is named."""

    base_url: str
    model: str


OFFERS: Mapping[str, Offer] = {
    "claude": Offer(BASE_URLS["claude"], "claude-sonnet-5-5"),
    "openai": Offer(BASE_URLS["openai"], "gpt-5.5"),
    "ollama": Offer(BASE_URLS["ollama"], ""),
}
# Whose key in the environment chooses the provider, the first first; and how that is said.
_BY_KEY = {"claude": "model_why_claude_key", "openai": "model_why_openai_key"}
KEY_FROM: Mapping[str, str] = {
    "": "model_without_key",
    "keyring": "model_key_of_keyring",
    "environment": "model_key_of_environment",
}
KEYRING_SAID: Mapping[KeyringSaid, str] = {
    "found": "keyring_found",
    "empty": "keyring_empty",
    "absent": "keyring_absent",
    "failed": "keyring_failed",
    "late": "keyring_late",
}


class Asked(NamedTuple):
    """What the person named; "" is nothing."""

    provider: str = ""
    base_url: str = ""
    model: str = ""
    demo: bool = False


class Choice(NamedTuple):
    """Who answers, *why* (a key of the catalogue), and where the key was found."""

    spec: ProviderSpec
    why: str
    place: Literal["", Place] = ""


def choose(asked: Asked, limits: ModelLimits, keys: Keys) -> Choice:
    """Return who answers the run that *asked* for it.

    Raises:
        UsageError: what was named cannot be used, or lacks something; it says what to do.
    """
    kind, why = _kind(asked, keys)
    if kind in OFFERS:
        return _remote(kind, why, asked, limits, keys)
    for option, given in (("--base-url", asked.base_url), ("--model", asked.model)):
        if given:
            raise UsageError("option_needs_model", option=option, provider=kind)
    if kind == "scripted":
        return Choice(_script(asked.provider.partition(":")[2]), why)
    return Choice(ProviderSpec(kind="offline"), why)


def again(saved: ProviderSpec, asked: Asked, limits: ModelLimits, keys: Keys) -> Choice:
    """Return who answers a run that goes on: as *saved*, but for what is *asked* anew.

    Its key is looked for anew: none was kept.

    Raises:
        UsageError: see `choose`.
    """
    kind = asked.provider or saved.kind
    if kind == saved.kind and kind in OFFERS:
        asked = asked._replace(
            provider=kind,
            base_url=asked.base_url or saved.base_url,
            model=asked.model or saved.model,
        )
    elif not any(asked[:3]):
        return Choice(saved, "model_why_resumed")
    return choose(asked._replace(provider=kind), limits, keys)


def told(choice: Choice, lang: Lang) -> str:
    """Return the sentence that says which model answers, and why."""
    spec = choice.spec
    why = words(choice.why, lang)
    if spec.kind == "offline":
        return words("model_told_offline", lang, why=why)
    if spec.kind == "scripted":
        return words("model_told_scripted", lang, file=Path(spec.script).name, why=why)
    key = words(KEY_FROM[choice.place], lang, variable=VARIABLES[spec.kind])
    host = host_of(spec.base_url)
    return words("model_told", lang, model=spec.model, provider=spec.kind, host=host,
                 key=key, why=why)  # fmt: skip


def _kind(asked: Asked, keys: Keys) -> tuple[str, str]:
    if asked.provider:
        kind = asked.provider.partition(":")[0]
        if kind != "scripted" and asked.provider not in (*OFFERS, "offline"):
            raise UsageError("provider_unknown", provider=asked.provider)
        return kind, "model_why_named"
    if asked.base_url:
        return "openai", "model_why_address"
    if asked.demo and not asked.model:
        return "offline", "model_why_demo"
    for kind, why in _BY_KEY.items():
        if keys.is_set(kind):
            return kind, why
    return "offline", "model_why_no_key"


def _remote(kind: str, why: str, asked: Asked, limits: ModelLimits, keys: Keys) -> Choice:
    offer = OFFERS[kind]
    address = asked.base_url or offer.base_url
    base_url = checked_base_url(address, kind, insecure_http=limits.insecure_http)
    is_its_own = base_url == offer.base_url
    model = asked.model or limits.name or (offer.model if is_its_own else "")
    if not model:
        missing = "model_name_ollama" if kind == "ollama" else "model_name_server"
        raise UsageError(missing, host=host_of(base_url))
    if len(model) > _NAME_CHARS_MAX or not model.isprintable() or model != model.strip():
        raise UsageError("model_name_malformed")
    found = keys.search(kind)
    if found.key is None and is_its_own and kind != "ollama":
        raise UsageError("key_missing", provider=kind, variable=VARIABLES[kind],
                         keyring=refused(KEYRING_SAID[found.keyring]))  # fmt: skip
    named = {"kind": kind, "model": model, "base_url": base_url}
    if found.key is None:
        return Choice(ProviderSpec.model_validate(named), why)
    return Choice(
        ProviderSpec.model_validate({**named, "api_key": found.key.value}), why, found.key.place
    )


def _script(file: str) -> ProviderSpec:
    from actions.errors import ProviderError
    from actions.llm.scripted import ScriptedProvider

    path = Path(file)
    try:
        ScriptedProvider(path.read_text(encoding="utf-8"), path.name)
    except (OSError, UnicodeDecodeError) as error:
        why = str(getattr(error, "strerror", None) or error)
        raise UsageError("script_unreadable", file=file or "-", why=why) from error
    except ProviderError as error:
        raise UsageError(error.code, **error.facts) from error
    return ProviderSpec(kind="scripted", script=str(path.resolve()))
