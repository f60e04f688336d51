"""A TCP and UDP port that remembers whatever reaches it: the other server's side of a leak."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_ACCEPT_S = 0.1
_READ_S = 0.5


class RawListener:
    """The listening *port*, and what *arrived*: ("tcp" or "udp", first bytes)."""

    def __init__(self) -> None:
        self.arrived: list[tuple[str, bytes]] = []
        self._over = threading.Event()
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.port: int = self._tcp.getsockname()[1]
        self._udp.bind(("127.0.0.1", self.port))
        self._threads = [
            threading.Thread(target=self._accept, daemon=True),
            threading.Thread(target=self._receive, daemon=True),
        ]
        for listening, thread in zip((self._tcp, self._udp), self._threads, strict=True):
            listening.settimeout(_ACCEPT_S)
            thread.start()

    def close(self) -> None:
        """Stop listening."""
        self._over.set()
        for thread in self._threads:
            thread.join()
        self._tcp.close()
        self._udp.close()

    def _accept(self) -> None:
        while not self._over.is_set():
            try:
                caller, _ = self._tcp.accept()
            except TimeoutError:
                continue
            with caller:
                caller.settimeout(_READ_S)
                try:
                    said = caller.recv(100)
                except OSError:
                    said = b""
                self.arrived.append(("tcp", said))

    def _receive(self) -> None:
        while not self._over.is_set():
            try:
                said = self._udp.recv(2_000)
            except TimeoutError:
                continue
            self.arrived.append(("udp", said[:100]))


@contextmanager
def listening() -> Iterator[RawListener]:
    """Listen on a free port meanwhile."""
    listener = RawListener()
    try:
        yield listener
    finally:
        listener.close()
