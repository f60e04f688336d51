"""The person at the terminal: the card is printed there and one line is read as the answer.

The terminal is watched by the event loop, not read in a thread, so a question that is withdrawn
leaves nothing that would hold up the exit. What was typed before the question is thrown away: an
answer must be to this question.
"""

import asyncio
import contextlib
import json
import os
import stat
import sys
import threading

from browser.host.approver import ApprovalCard, Decision
from browser.host.plain_text import one_line
from states.catalogue import Lang, words

_YES = frozenset({"y", "yes", "是", "同意"})
_ANSWER_BYTES_MAX = 1024
_SHOWN_CHARS = 2_000


class TerminalApprover:
    """Asks on the terminal with descriptors *reads* and *writes*, in *language*."""

    def __init__(self, reads: int, writes: int, language: Lang = "en") -> None:
        self._reads = reads
        self._writes = writes
        self._language: Lang = language
        self._one_at_a_time = asyncio.Lock()

    async def ask(self, card: ApprovalCard) -> Decision:
        """Return the person's decision; anything but a clear yes is no, silence is expired."""
        async with self._one_at_a_time:
            _forget_typed_ahead(self._reads)
            self._print(card_text(card, self._language))
            try:
                async with asyncio.timeout(card.seconds):
                    answer = await _next_line(self._reads)
            except TimeoutError:
                self._print("\n" + words("approval_no_answer", self._language) + "\n")
                return Decision("expired")
            except asyncio.CancelledError:
                self._print("\n" + words("approval_withdrawn", self._language) + "\n")
                raise
        approved = answer.strip().casefold() in _YES
        return Decision("approved" if approved else "rejected", "terminal")

    def _print(self, text: str) -> None:
        rest = text.encode("utf-8", "replace")
        with contextlib.suppress(OSError):  # a terminal that is gone cannot be told
            while rest:
                rest = rest[os.write(self._writes, rest) :]


def open_terminal(language: Lang = "en") -> TerminalApprover | None:
    """Return an approver on the person's terminal, or None when there is none."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
            return TerminalApprover(terminal, terminal, language)
    return TerminalApprover(0, 2, language) if os.isatty(0) and os.isatty(2) else None


def card_text(card: ApprovalCard, language: Lang) -> str:
    """Return *card* as the lines a person reads; foreign text cannot move the cursor."""
    if card.purpose == "step":
        rows = [("approval_action", card.action), ("approval_host", card.host)]
    else:
        call = f"{card.action} {json.dumps(card.params, ensure_ascii=False)}"
        on = " ".join(part for part in (card.target.role, f"“{card.target.name}”") if part)
        at = f"{card.host} ({card.target.frame})" if card.target.frame else card.host
        rows = [("approval_action", call), ("approval_target", on), ("approval_host", at)]
    rows.append(("approval_reason", card.reason))
    asked = words(f"approval_ask_{card.purpose}", language)
    shown = [
        f"  {words(label, language)}: {one_line(value, _SHOWN_CHARS)}"
        for label, value in rows
        if value
    ]
    prompt = words("approval_prompt", language, seconds=round(card.seconds))
    return "\n".join(["", asked, *shown, prompt])


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
