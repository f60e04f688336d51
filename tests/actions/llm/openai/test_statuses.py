"""Each status of a server ends with whoever must act, and its words are shown short and clean."""

import pytest

from actions.llm.errors import (
    ContextTooLongError,
    ModelCallError,
    NetworkFailedError,
    OperatorMustActError,
    ProviderBusyError,
    RateLimitedError,
    RetryableError,
    UserMustActError,
)
from tests.actions.llm.openai.lab import KEY, PROMPT, attempt, family_at
from tests.support.byte_server import answer, openai_chunk, openai_frames, refusal, stream

OK = stream(openai_frames(openai_chunk({"content": "ok"}), openai_chunk(finish="stop")))

STATUSES: dict[int, type[ModelCallError]] = {
    **dict.fromkeys((301, 302, 303, 304, 307, 308), OperatorMustActError),
    **dict.fromkeys((400, 404, 405, 409, 410, 415, 418, 422, 431, 451), OperatorMustActError),
    **dict.fromkeys((401, 402, 403), UserMustActError),
    408: NetworkFailedError,
    413: ContextTooLongError,
    429: RateLimitedError,
    **dict.fromkeys((500, 501, 502, 503, 504, 520, 529), ProviderBusyError),
}


@pytest.mark.parametrize("status", STATUSES)
async def test_each_status_is_tried_once_and_has_its_error(status: int) -> None:
    body = {"error": {"message": "the server's words"}}
    # The SDK would try again for some; this header would make it do so for all.
    script = refusal(status, body, x_should_retry="true", location="http://127.0.0.1:9/v1")
    async with family_at(script) as (family, server):
        with pytest.raises(ModelCallError, match=str(status)) as caught:
            await family.attempt(PROMPT, lambda chunk: None)
        assert len(server.requests) == 1
    assert type(caught.value) is STATUSES[status]


CODES: dict[str, tuple[int, object, type[ModelCallError], str]] = {
    "quota": (429, {"error": {"code": "insufficient_quota", "message": "x"}}, UserMustActError,
              "model_quota_spent"),
    "quota by type": (429, {"error": {"type": "insufficient_quota"}}, UserMustActError,
                      "model_quota_spent"),
    "quota in words": (429, {"error": {"message": "You exceeded your current quota"}},
                       UserMustActError, "model_quota_spent"),
    "credit": (400, {"error": {"type": "invalid_request_error",
                               "message": "Your credit balance is too low"}}, UserMustActError,
               "model_quota_spent"),
    "length": (400, {"error": {"code": "context_length_exceeded", "message": "x"}},
               ContextTooLongError, "model_prompt_too_long"),
    "length in words": (400, {"error": {"message": "prompt is too long: 9 tokens > 8"}},
                        ContextTooLongError, "model_prompt_too_long"),
    "length of llama.cpp": (
        400, {"error": {"code": 400, "message": "exceeds the available context size (512)"}},
        ContextTooLongError, "model_prompt_too_long"),
    "vllm": (400, {"object": "error", "message": "This model's maximum context length is 8 tokens",
                   "type": "BadRequestError", "code": 400}, ContextTooLongError,
             "model_prompt_too_long"),
    "model": (404, {"error": "model 'x' not found"}, OperatorMustActError, "model_not_found"),
    "detail": (422, {"detail": [{"msg": "extra_forbidden"}]}, OperatorMustActError,
               "model_bad_request"),
    "a page": (502, b"<html>bad gateway</html>", ProviderBusyError, "model_busy"),
    "nothing": (500, b"", ProviderBusyError, "model_busy"),
    "broken JSON": (500, b'{"error": {', ProviderBusyError, "model_busy"),
    "a list": (400, [1, 2], OperatorMustActError, "model_bad_request"),
    "null": (400, None, OperatorMustActError, "model_bad_request"),
    # A server cannot make a key error out of an overload by its words.
    "words under another status": (500, {"error": {"message": "insufficient_quota"}},
                                   ProviderBusyError, "model_busy"),
}  # fmt: skip


@pytest.mark.parametrize("case", CODES)
async def test_codes_and_words_tell_more_where_a_status_is_not_enough(case: str) -> None:
    status, body, kind, code = CODES[case]
    with pytest.raises(ModelCallError) as caught:
        await attempt(answer(status, body))
    assert (type(caught.value), caught.value.code) == (kind, code)


WAITS: dict[str, tuple[dict[str, str], float | None]] = {
    "seconds": ({"retry_after": "7"}, 7.0),
    "a fraction": ({"retry_after": "0.5"}, 0.5),
    "milliseconds": ({"retry_after_ms": "1500", "retry_after": "9"}, 1.5),
    "a date": ({"retry_after": "Mon, 30 Nov 2026 10:00:30 GMT",
                "date": "Mon, 30 Nov 2026 10:00:00 GMT"}, 30.0),
    "a date that passed": ({"retry_after": "Mon, 30 Nov 2026 10:00:00 GMT",
                            "date": "Mon, 30 Nov 2026 10:00:30 GMT"}, 0.0),
    "a date without a clock": ({"retry_after": "Mon, 30 Nov 2026 10:00:30 GMT"}, None),
    "nonsense": ({"retry_after": "soon"}, None),
    "negative": ({"retry_after": "-5"}, None),
    "too many digits": ({"retry_after": "9" * 400}, None),
    "infinite": ({"retry_after": "inf"}, None),
    "nothing": ({}, None),
}  # fmt: skip


@pytest.mark.parametrize("case", WAITS)
@pytest.mark.parametrize("status", [429, 503])
async def test_the_wait_that_a_server_asks_for_is_kept(case: str, status: int) -> None:
    headers, wait = WAITS[case]
    with pytest.raises(RetryableError) as caught:
        await attempt(refusal(status, {}, **headers))
    assert caught.value.retry_after_s == wait


SECRET = "sk-" + "a1" * 20


@pytest.mark.parametrize("status", [400, 401, 500])
async def test_a_key_that_a_server_says_back_is_not_shown(status: int) -> None:
    said = f"bad key {KEY} in 'Authorization: Bearer {KEY}', also {SECRET}"
    with pytest.raises(ModelCallError, match="bad key") as caught:
        await attempt(refusal(status, {"error": {"message": said, "code": KEY}}))
    shown = f"{caught.value!r} {caught.value} {caught.value.facts} {caught.value.text('zh-CN')}"
    assert KEY not in shown
    assert SECRET not in shown
    # Nor does a request with its headers hang on the error.
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


async def test_a_servers_words_are_one_short_plain_line() -> None:
    said = "first\n\x1b[31mred\u202e\u200b\x00 end" + " x" * 5_000
    with pytest.raises(ProviderBusyError) as caught:
        await attempt(refusal(500, {"error": {"message": said}}))
    shown = str(caught.value.facts["said"])
    assert shown.startswith("first [31mred end x x")
    assert len(shown) <= 301


async def test_a_refusal_leaves_the_family_usable() -> None:
    async with family_at(refusal(503, {}), OK) as (family, _):
        with pytest.raises(ProviderBusyError):
            await family.attempt(PROMPT, lambda chunk: None)
        assert (await family.attempt(PROMPT, lambda chunk: None)).text == "ok"
