"""What a person names is taken or refused; only where nothing is named does a key choose."""

from collections.abc import Mapping
from typing import Any, get_args

import pytest
from anthropic.types.model_param import ModelParam
from openai.types.shared.chat_model import ChatModel

from sgclaw.errors import UsageError
from sgclaw.keys import Keys
from sgclaw.model_address import checked_base_url
from sgclaw.model_choice import OFFERS, Asked, Choice, again, choose, told
from states.settings import ModelLimits
from states.wire import ProviderSpec

CLAUDE = {"ANTHROPIC_API_KEY": "sk-ant-canary-0123456789"}
OPENAI = {"OPENAI_API_KEY": "sk-oai-canary-0123456789"}
SERVER = "https://models.example.com/v1"
LIMITS = ModelLimits()


def nothing(service: str, entry: str) -> str | None:
    del service, entry
    return None


def chosen(environment: Mapping[str, str], limits: ModelLimits = LIMITS, **asked: Any) -> Choice:
    return choose(Asked(**asked), limits, Keys(environment, nothing))


def refusal(environment: Mapping[str, str], limits: ModelLimits = LIMITS, **asked: Any) -> str:
    with pytest.raises(UsageError) as caught:
        chosen(environment, limits, **asked)
    assert caught.value.exit_code == 2
    assert caught.value.text("zh-CN") != caught.value.text("en")
    for secret in (*CLAUDE.values(), *OPENAI.values()):
        assert secret not in caught.value.text()
    return caught.value.code


@pytest.mark.parametrize(
    ("environment", "asked", "kind", "why"),
    [
        ({}, {}, "offline", "model_why_no_key"),
        (CLAUDE, {}, "claude", "model_why_claude_key"),
        (OPENAI, {}, "openai", "model_why_openai_key"),
        (CLAUDE | OPENAI, {}, "claude", "model_why_claude_key"),
        ({"OLLAMA_API_KEY": "x"}, {}, "offline", "model_why_no_key"),
        ({"ANTHROPIC_API_KEY": ""}, {}, "offline", "model_why_no_key"),
        (CLAUDE, {"demo": True}, "offline", "model_why_demo"),
        (CLAUDE, {"demo": True, "provider": "claude"}, "claude", "model_why_named"),
        (CLAUDE, {"demo": True, "model": "m"}, "claude", "model_why_claude_key"),
        (CLAUDE | OPENAI, {"provider": "openai"}, "openai", "model_why_named"),
        (CLAUDE, {"provider": "offline"}, "offline", "model_why_named"),
        (CLAUDE, {"base_url": SERVER, "model": "m"}, "openai", "model_why_address"),
        ({}, {"provider": "ollama", "model": "qwen3:8b"}, "ollama", "model_why_named"),
    ],
)
def test_who_answers_and_why(
    environment: Mapping[str, str], asked: dict[str, Any], kind: str, why: str
) -> None:
    choice = chosen(environment, **asked)
    assert (choice.spec.kind, choice.why) == (kind, why)
    assert choice.spec.api_key in (environment.get("ANTHROPIC_API_KEY", ""),
                                   environment.get("OPENAI_API_KEY", ""))  # fmt: skip


@pytest.mark.parametrize("kind", ["claude", "openai"])
def test_a_provider_has_its_own_address_a_default_model_and_needs_a_key(kind: str) -> None:
    environment = CLAUDE | OPENAI
    spec = chosen(environment, provider=kind).spec
    assert (spec.base_url, spec.model) == OFFERS[kind]
    assert spec.api_key in environment.values()
    assert refusal({}, provider=kind) == "key_missing"


def test_the_default_models_are_names_that_the_sdks_know_and_do_not_retire() -> None:
    from anthropic.resources.messages import DEPRECATED_MODELS

    claude = {name for part in get_args(ModelParam) for name in get_args(part)}
    assert OFFERS["claude"].model in claude
    assert OFFERS["claude"].model not in DEPRECATED_MODELS
    assert OFFERS["openai"].model in get_args(ChatModel)


def test_another_server_needs_a_model_and_no_key() -> None:
    assert refusal(OPENAI, base_url=SERVER) == "model_name_server"
    assert refusal(CLAUDE, base_url=SERVER, provider="claude") == "model_name_server"
    spec = chosen({}, base_url=SERVER, model="ours").spec
    assert (spec.kind, spec.model, spec.base_url, spec.api_key) == ("openai", "ours", SERVER, "")


def test_the_model_is_named_by_the_option_then_by_the_setting() -> None:
    named = ModelLimits(name="of-the-setting")
    assert chosen(CLAUDE, named, provider="claude").spec.model == "of-the-setting"
    assert chosen(CLAUDE, named, provider="claude", model="own").spec.model == "own"
    assert chosen({}, named, base_url=SERVER).spec.model == "of-the-setting"
    assert chosen({}, named).spec == ProviderSpec()


def test_ollama_needs_a_model_and_is_told_by_host_and_port() -> None:
    assert refusal({}, provider="ollama") == "model_name_ollama"
    with pytest.raises(UsageError, match="ollama list"):
        chosen({}, provider="ollama")
    for address in ("http://127.0.0.1:11434", "http://localhost:11434/", "http://[::1]:1"):
        spec = chosen({}, provider="ollama", model="m", base_url=address).spec
        assert spec.base_url == address.rstrip("/") + "/v1"


@pytest.mark.parametrize(
    "provider", ["gpt", "claude:opus", "offline:", "offline:x", "ollama:", "CLAUDE", "scripted2"]
)
def test_a_provider_that_is_none_is_refused_by_name(provider: str) -> None:
    assert refusal(CLAUDE, provider=provider) == "provider_unknown"


@pytest.mark.parametrize("option", ["base_url", "model"])
@pytest.mark.parametrize("provider", ["offline", "scripted:x.jsonl"])
def test_what_names_a_model_is_refused_where_none_answers(provider: str, option: str) -> None:
    named: dict[str, Any] = {option: "x"}
    assert refusal(CLAUDE, provider=provider, **named) == "option_needs_model"
    assert refusal({}, model="m") == "option_needs_model"


@pytest.mark.parametrize("model", ["x" * 201, " m", "m\n", "\x1b[2J", "a\u202eb"])
def test_a_name_that_is_none_is_refused(model: str) -> None:
    assert refusal(CLAUDE, provider="claude", model=model) == "model_name_malformed"


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("", "base_url_unreadable"),
        ("models.example.com/v1", "base_url_unreadable"),
        ("https://", "base_url_unreadable"),
        ("https://a b/", "base_url_unreadable"),
        ("https://a\n.example/", "base_url_unreadable"),
        (" https://a.example/", "base_url_unreadable"),
        ("https:\\\\a.example", "base_url_unreadable"),
        ("https://a.example/" + "x" * 2_000, "base_url_unreadable"),
        ("file:///etc/passwd", "base_url_scheme"),
        ("ftp://a.example/", "base_url_scheme"),
        ("javascript:alert(1)", "base_url_scheme"),
        ("https://me@a.example/", "base_url_userinfo"),
        ("https://me:hunter2@a.example/", "base_url_userinfo"),
        ("https://:hunter2@a.example/", "base_url_userinfo"),
        ("https://a.example/v1?key=hunter2", "base_url_parts"),
        ("https://a.example/v1?", "base_url_parts"),
        ("https://a.example/v1#", "base_url_parts"),
        ("http://a.example/v1", "base_url_insecure"),
        ("http://10.0.0.1/", "base_url_insecure"),
        ("http://0.0.0.0/", "base_url_insecure"),
        ("http://127.0.0.1.evil.test/", "base_url_insecure"),
        ("http://localhost.evil.test/", "base_url_insecure"),
        ("http://[::ffff:10.0.0.1]/", "base_url_insecure"),
    ],
)
def test_an_address_that_no_key_may_go_to_is_refused(address: str, code: str) -> None:
    with pytest.raises(UsageError) as caught:
        checked_base_url(address, "openai", insecure_http=False)
    assert caught.value.code == code
    assert "hunter2" not in caught.value.text() + repr(caught.value.facts)


@pytest.mark.parametrize(
    ("address", "used"),
    [
        ("https://models.example.com/v1/", "https://models.example.com/v1"),
        ("HTTPS://Models.Example.com:443", "https://models.example.com"),
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("http://2130706433/", "http://127.0.0.1"),
        ("http://localhost:1", "http://localhost:1"),
        ("http://[::1]:1/x", "http://[::1]:1/x"),
    ],
)
def test_https_anywhere_and_http_on_this_machine_are_taken(address: str, used: str) -> None:
    assert checked_base_url(address, "openai", insecure_http=False) == used


def test_plain_http_to_another_machine_needs_the_setting() -> None:
    open_to_all = ModelLimits(insecure_http=True)
    asked: dict[str, Any] = {"base_url": "http://10.0.0.1/v1", "model": "m"}
    assert refusal({}, **asked) == "base_url_insecure"
    assert chosen({}, open_to_all, **asked).spec.base_url == "http://10.0.0.1/v1"


def test_the_sentence_says_model_address_key_and_why_and_never_the_key() -> None:
    for lang in ("en", "zh-CN"):
        said = told(chosen(CLAUDE, provider="claude"), lang)
        for part in ("claude-sonnet", "api.anthropic.com", "ANTHROPIC_API_KEY", "--provider"):
            assert part in said
        assert CLAUDE["ANTHROPIC_API_KEY"] not in said
    assert "without a key" in told(chosen({}, base_url=SERVER, model="m"), "en")
    assert "built-in matcher" in told(chosen({}), "en")


# --- going on

SAVED = ProviderSpec(kind="claude", model="m1", base_url="https://api.anthropic.com")


def gone_on(environment: Mapping[str, str], saved: ProviderSpec, **asked: Any) -> ProviderSpec:
    return again(saved, Asked(**asked), LIMITS, Keys(environment, nothing)).spec


def test_who_goes_on_asks_the_same_model_with_a_key_of_today() -> None:
    spec = gone_on(CLAUDE | OPENAI, SAVED)
    assert (spec.kind, spec.model, spec.base_url) == ("claude", "m1", SAVED.base_url)
    assert spec.api_key == CLAUDE["ANTHROPIC_API_KEY"]
    with pytest.raises(UsageError) as caught:
        gone_on(OPENAI, SAVED)
    assert caught.value.code == "key_missing"


def test_who_goes_on_may_name_another_model_or_provider() -> None:
    assert gone_on(CLAUDE, SAVED, model="m2").model == "m2"
    other = gone_on(OPENAI, SAVED, provider="openai")
    assert (other.kind, other.model, other.base_url) == ("openai", *reversed(OFFERS["openai"]))
    for kind in ("offline", "scripted"):
        saved = ProviderSpec.model_validate({"kind": kind, "script": "s.jsonl"})
        assert gone_on(CLAUDE, saved) == saved
        with pytest.raises(UsageError):
            gone_on(CLAUDE, saved, model="m2")


def test_an_address_that_was_saved_is_checked_again() -> None:
    with pytest.raises(UsageError) as caught:
        gone_on(CLAUDE, SAVED.model_copy(update={"base_url": "http://evil.test/"}))
    assert caught.value.code == "base_url_insecure"
