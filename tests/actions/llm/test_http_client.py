"""The client under both families: what goes out by a list, and how much may come back."""

import datetime
import ssl
from pathlib import Path

import httpx2
import pytest

from actions.llm.errors import OperatorMustActError, StreamBrokenError
from actions.llm.http_client import is_stream, make_http_client
from actions.llm.status_errors import Words, network_error
from states.settings import ModelLimits
from tests.support.byte_server import (
    HANG,
    Script,
    answer,
    byte_server,
    chunk,
    head,
    stream,
)

LIMITS = ModelLimits()
PINNED = {"authorization": "Bearer canary"}


async def got(limits: ModelLimits, *scripts: Script) -> bytes:
    async with (
        byte_server(*scripts) as server,
        make_http_client(limits, PINNED) as client,
        client.stream("POST", server.url, content=b"x") as response,
    ):
        return b"".join([part async for part in response.aiter_bytes()])


async def test_only_listed_headers_go_out_and_the_key_is_ours() -> None:
    async with byte_server(answer(200)) as server, make_http_client(LIMITS, PINNED) as client:
        await client.post(
            server.url,
            content=b"{}",
            headers={
                "authorization": "Bearer of-the-environment",
                "x-canary": "1",
                "cookie": "a=b",
                "x-stainless-os": "Linux",
                "user-agent": "SDK/1",
                "anthropic-version": "2026-10-21",
                "content-type": "application/json",
            },
        )
    sent = server.requests[0].headers
    assert sent["authorization"] == "Bearer canary"
    assert sent["anthropic-version"] == "2026-10-21"
    assert sent["user-agent"] == "sgclaw"
    assert not {"x-canary", "cookie", "x-stainless-os"} & set(sent)


@pytest.mark.parametrize("size", [0, 1, 2])
async def test_a_byte_order_mark_is_left_out(size: int) -> None:
    assert await got(LIMITS, stream(b"\xef\xbb\xbfdata: x", size=size)) == b"data: x"


@pytest.mark.parametrize("body", [b"", b"\xef", b"\xef\xbb", b"\xef\xbbx", b"x\xef\xbb\xbf", b"ab"])
async def test_anything_else_comes_as_it_is(body: bytes) -> None:
    assert await got(LIMITS, stream(body, size=1)) == body


async def test_an_answer_above_its_bound_is_broken_and_one_below_is_whole() -> None:
    limits = ModelLimits(stream_bytes_max=1_000)
    assert len(await got(limits, stream(b"x" * 1_000, size=100))) == 1_000
    with pytest.raises(StreamBrokenError) as caught:
        await got(limits, [head(), *[chunk(b"x" * 100)] * 11, HANG])
    assert caught.value.code == "model_too_long"


@pytest.mark.parametrize(("status", "kind"), [(500, "text/event-stream"), (200, "text/html")])
async def test_an_error_above_its_bound_is_cut(status: int, kind: str) -> None:
    limits = ModelLimits(error_bytes_max=250)
    endless = [head(status, kind), *[chunk(b"x" * 100)] * 5, HANG]
    assert len(await got(limits, endless)) == 250


@pytest.mark.parametrize(
    ("status", "kind", "streams"),
    [(200, "text/event-stream; charset=utf-8", True), (200, "text/plain", True), (200, "", True),
     (200, "text/html", False), (200, "Application/JSON", False), (204, "text/event-stream", False),
     (200, "application/problem+json", False), (500, "text/event-stream", False)],
)  # fmt: skip
def test_a_stream_is_a_success_that_does_not_say_otherwise(
    status: int, kind: str, streams: bool
) -> None:
    response = httpx2.Response(status, headers={"content-type": kind})
    assert is_stream(response) is streams


async def test_a_certificate_of_nobody_is_the_operators_to_mend(tmp_path: Path) -> None:
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    served.load_cert_chain(self_signed(tmp_path))
    async with byte_server(stream(b"x"), tls=served) as server:
        async with make_http_client(LIMITS, PINNED) as client:
            with pytest.raises(httpx2.ConnectError) as caught:
                await client.post(f"https://localhost:{server.port}/", content=b"secret")
        assert server.requests == []
    error = network_error(caught.value, "localhost", 10, Words(300))
    assert isinstance(error, OperatorMustActError)
    assert (error.code, error.facts["host"]) == ("model_certificate", "localhost")


def self_signed(folder: Path) -> Path:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name)
    builder = builder.public_key(key.public_key()).serial_number(1)
    builder = builder.not_valid_before(datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC))
    builder = builder.not_valid_after(datetime.datetime(2099, 1, 1, tzinfo=datetime.UTC))
    certificate = builder.sign(key, hashes.SHA256())
    file = folder / "server.pem"
    file.write_bytes(
        certificate.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return file
