"""One PUT of one object (A3): bounded in time as a whole, no redirect followed, no proxy unasked.

The rule: whatever the other end does, `put` returns a status or raises an OSError in time.
"""

import base64
import contextlib
import http.client
import socket
import ssl
import threading
from typing import IO, NamedTuple

from sgclaw.upload_target import Target

_CHUNK_BYTES = 65_536
# A large object may take longer: this much is expected to pass in a second.
_BYTES_PER_SECOND_MIN = 65_536
_LATE = "timed out"


class PutAnswer(NamedTuple):
    """What the server said: its *status*, and when to come back, "" when it did not say."""

    status: int
    retry_after: str


class Body(NamedTuple):
    """The bytes from *start* to *end* of the open *file*, and their SHA-256 in hex."""

    file: IO[bytes]
    start: int
    end: int
    sha256: str
    content_type: str


def put(target: Target, name: str, body: Body, seconds: float) -> PutAnswer:
    """Send *body* as *name* to *target*; *seconds* bound each wait and, by size, the whole.

    Raises:
        OSError: no answer came (refused, broken off, too slow, no HTTP).
    """
    connection = _connection(target, seconds)
    bound = seconds + (body.end - body.start) / _BYTES_PER_SECOND_MIN
    is_late = threading.Event()

    def stop() -> None:
        is_late.set()
        _cut_off(connection)

    alarm = threading.Timer(bound, stop)
    alarm.daemon = True
    alarm.start()
    try:
        answer = _exchange(connection, target, name, body)
    except (OSError, http.client.HTTPException) as error:
        if is_late.is_set() or isinstance(error, TimeoutError):
            raise TimeoutError(_LATE) from None
        raise error if isinstance(error, OSError) else OSError(type(error).__name__) from error
    finally:
        alarm.cancel()
        connection.close()
    if is_late.is_set():  # cut off in the middle of its headers, it looks whole
        raise TimeoutError(_LATE)
    return answer


def _exchange(
    connection: http.client.HTTPConnection, target: Target, name: str, body: Body
) -> PutAnswer:
    connection.putrequest("PUT", target.path_of(name), skip_accept_encoding=True)
    for header, value in _headers(target, body).items():
        connection.putheader(header, value)
    broken: OSError | None = None
    try:
        connection.endheaders()
        _send(connection, body)
    except (BrokenPipeError, ConnectionResetError) as error:
        broken = error  # a server may answer, and leave, before it read everything
    try:
        answer = connection.getresponse()
    except (OSError, http.client.HTTPException):
        if broken is not None:
            raise broken from None
        raise
    return PutAnswer(answer.status, (answer.getheader("Retry-After") or "")[:100])


def _headers(target: Target, body: Body) -> dict[str, str]:
    headers = {
        "Content-Length": str(body.end - body.start),
        "Content-Type": body.content_type,
        "Content-SHA256": body.sha256,
        "User-Agent": "sgclaw",
    }
    if target.token:
        headers["Authorization"] = f"Bearer {target.token}"
    return headers


def _send(connection: http.client.HTTPConnection, body: Body) -> None:
    body.file.seek(body.start)
    left = body.end - body.start
    while left:
        chunk = body.file.read(min(left, _CHUNK_BYTES))
        if not chunk:
            raise OSError("the file got shorter")
        connection.send(chunk)
        left -= len(chunk)


def _connection(target: Target, seconds: float) -> http.client.HTTPConnection:
    if target.scheme == "http":
        return http.client.HTTPConnection(target.host, target.port, timeout=seconds)
    # The system's certificates, or those that SSL_CERT_FILE names.
    context = ssl.create_default_context()
    if target.proxy is None:
        return http.client.HTTPSConnection(
            target.host, target.port, timeout=seconds, context=context
        )
    proxy = target.proxy
    connection = http.client.HTTPSConnection(
        proxy.host, proxy.port, timeout=seconds, context=context
    )
    login = base64.b64encode(proxy.credentials.encode()).decode()
    headers = {"Proxy-Authorization": f"Basic {login}"} if proxy.credentials else {}
    connection.set_tunnel(target.host, target.port, headers)
    return connection


def _cut_off(connection: http.client.HTTPConnection) -> None:
    sock: socket.socket | None = connection.sock
    if sock is not None:
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)
