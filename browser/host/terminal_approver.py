"""The person at the terminal: the card is printed there and one line is read as the answer.

The terminal is watched by the event loop, not read in a thread, so a question that is withdrawn
leaves nothing that would hold up the exit. What was typed before the question is thrown away: an
answer must be to this question.
"""

import asyncio
import contextlib
import os
import stat
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from browser.host.approver import ApprovalCard, Decision
from browser.host.card_text import card_pages
from browser.host.picture_files import CardPictures
from states.catalogue import Lang, words

_YES = frozenset({"y", "yes", "是", "同意"})
# A terminal gives a line of at most 4,096 bytes.
_ANSWER_BYTES_MAX = 8_192


class TerminalApprover:
    """Asks on the terminal with descriptors *reads* and *writes*, in *language*.

    The pictures of a card go into *folder* as files that only this account can read; by default
    into a folder of its own that is removed at the end.
    """

    def __init__(
        self, reads: int, writes: int, language: Lang = "en", folder: Path | None = None
    ) -> None:
        self._reads = reads
        self._writes = writes
        self._language: Lang = language
        self._one_at_a_time = asyncio.Lock()
        self._pictures = CardPictures(folder)

    async def ask(self, card: ApprovalCard) -> Decision:
        """Return the person's decision; anything but a clear yes is no, silence is expired."""
        async with self._one_at_a_time:
            try:
                async with asyncio.timeout(card.seconds):
                    answer = await self._answer_to(card)
            except TimeoutError:
                self._print("\n" + words("approval_no_answer", self._language) + "\n")
                return Decision("expired")
            except asyncio.CancelledError:
                self._print("\n" + words("approval_withdrawn", self._language) + "\n")
                raise
        if card.purpose == "question":
            text = _chosen(answer, card.options)
            return Decision("approved" if text else "rejected", "terminal", text=text)
        approved = answer.strip().casefold() in _YES
        return Decision("approved" if approved else "rejected", "terminal")

    async def _answer_to(self, card: ApprovalCard) -> str:
        """Show *card* page by page; whatever is typed before the last page ends it with no."""
        *before, last = card_pages(card, self._language, self._pictures.written(card))
        for page in before:
            _forget_typed_ahead(self._reads)
            self._print(page)
            if (await _next_line(self._reads)).strip():
                return ""
        _forget_typed_ahead(self._reads)
        self._print(last)
        return await _next_line(self._reads)

    def _print(self, text: str) -> None:
        rest = text.encode("utf-8", "replace")
        with contextlib.suppress(OSError):  # a terminal that is gone cannot be told
            while rest:
                rest = rest[os.write(self._writes, rest) :]


def open_terminal(language: Lang = "en", folder: Path | None = None) -> TerminalApprover | None:
    """Return an approver on the person's terminal, or None when there is none.

    *folder* is where the pictures of its cards go.
    """
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
            return TerminalApprover(terminal, terminal, language, folder)
    return TerminalApprover(0, 2, language, folder) if os.isatty(0) and os.isatty(2) else None


def _chosen(answer: str, options: Sequence[str]) -> str:
    """Return the option whose number *answer* is, else *answer* itself."""
    typed = answer.strip()
    numbered = {str(number): option for number, option in enumerate(options, start=1)}
    return numbered.get(typed, typed)


def _forget_typed_ahead(fd: int) -> None:
    if sys.platform != "win32" and os.isatty(fd):
        import termios

        with contextlib.suppress(termios.error):
            termios.tcflush(fd, termios.TCIFLUSH)


async def _next_line(fd: int) -> str:
    """Return the next line of *fd*; the end of the input is an empty answer."""
    typed = bytearray()
    while b"\n" not in typed and len(typed) < _ANSWER_BYTES_MAX:
        chunk = await _next_chunk(fd)
        if not chunk:
            break
        typed += chunk
    return bytes(typed).split(b"\n", 1)[0].decode("utf-8", "replace")


async def _next_chunk(fd: int) -> bytes:
    loop = asyncio.get_running_loop()
    if sys.platform == "win32":
        return await _chunk_of_thread(fd, loop)
    if stat.S_ISREG(os.fstat(fd).st_mode):  # never blocks, and cannot be watched
        return _read(fd)
    readable: asyncio.Future[None] = loop.create_future()
    loop.add_reader(fd, lambda: None if readable.done() else readable.set_result(None))
    try:
        await readable
    finally:
        loop.remove_reader(fd)
    return _read(fd)


async def _chunk_of_thread(fd: int, loop: asyncio.AbstractEventLoop) -> bytes:
    """Read in a daemon thread, which does not hold up the exit (Windows consoles)."""
    answer: asyncio.Future[bytes] = loop.create_future()

    def settle(chunk: bytes) -> None:
        if not answer.done():
            answer.set_result(chunk)

    def read() -> None:
        chunk = _read(fd)
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, chunk)

    threading.Thread(target=read, daemon=True).start()
    return await answer


def _read(fd: int) -> bytes:
    try:
        return os.read(fd, _ANSWER_BYTES_MAX)
    except OSError:
        return b""
