"""A visitor of the demo company: the standard library's own HTTPS client, certificate checked."""

import asyncio
import json
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from http.client import HTTPResponse, HTTPSConnection
from urllib.parse import urlencode

from browser.demo import HOST
from browser.demo.certificate import DemoCertificate

TODAY = date(2026, 11, 29)
PATIENCE_SECONDS = 30


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> dict[str, object]:
        """Return the body as a JSON object."""
        document = json.loads(self.body)
        assert isinstance(document, dict)
        return document


class Visitor:
    """One keep-alive connection, checked against *certificate* under the company's name."""

    def __init__(self, certificate: DemoCertificate, port: int) -> None:
        self._trust = ssl.create_default_context(cafile=certificate.cert_path)
        self._port = port
        self._connection = HTTPSConnection(HOST, context=self._trust)

    async def get(self, path: str, **query: str) -> Answer:
        """Return the answer to GET *path*."""
        target = f"{path}?{urlencode(query)}" if query else path
        return await asyncio.to_thread(self._asked, "GET", target, None, {})

    async def post(self, path: str, **change: object) -> Answer:
        """Return the answer to a POST of *change* as JSON."""
        body = json.dumps(change).encode()
        return await self.send(path, body, "application/json")

    async def send(self, path: str, body: bytes, content_type: str) -> Answer:
        """Return the answer to a POST of *body* as it is."""
        headers = {"Content-Type": content_type}
        return await asyncio.to_thread(self._asked, "POST", path, body, headers)

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def _asked(
        self, method: str, target: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Answer:
        if self._connection.sock is None:
            plain = socket.create_connection(("127.0.0.1", self._port), PATIENCE_SECONDS)
            self._connection.sock = self._trust.wrap_socket(plain, server_hostname=HOST)
        self._connection.request(method, target, body, dict(headers))
        response: HTTPResponse = self._connection.getresponse()
        return Answer(response.status, dict(response.getheaders()), response.read())


async def raw(certificate: DemoCertificate, port: int, sent: bytes) -> bytes:
    """Return everything the server says to the bytes *sent* before it closes."""
    trust = ssl.create_default_context(cafile=certificate.cert_path)
    reader, writer = await asyncio.open_connection(
        "127.0.0.1", port, ssl=trust, server_hostname=HOST
    )
    try:
        writer.write(sent)
        return await asyncio.wait_for(reader.read(), PATIENCE_SECONDS)
    finally:
        writer.transport.abort()
        await asyncio.sleep(0)
