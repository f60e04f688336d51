"""A process that writes a ledger: `PLACE TRACE ROWS`; says each number once it is acknowledged.

`PLACE open` opens the place named by each line of the input instead, and says what came of it.
"""

import argparse
import os
import resource
import signal
import sys
import time
from pathlib import Path

from memory.database import open_store
from memory.errors import LedgerError
from memory.event_ledger import DatabaseLedger
from tests.support.store_lab import OWNER, a_row


def main() -> None:
    """Do what the arguments say."""
    parser = argparse.ArgumentParser()
    parser.add_argument("place")
    parser.add_argument("trace")
    parser.add_argument("rows", type=int, nargs="?", default=0)
    parser.add_argument("--lock", type=Path)
    parser.add_argument("--durable-every", type=int, default=1)
    parser.add_argument("--bytes-more", type=int, default=0)
    parser.add_argument("--pause-ms", type=int, default=0)
    parser.add_argument("--wait", action="store_true")
    parser.add_argument("--in-transaction", action="store_true")
    options = parser.parse_args()
    if options.trace == "open":
        for line in sys.stdin:
            say(opened(place_of(line.strip())))
        return
    try:
        write(options)
    except LedgerError as error:
        say(error.code)


def place_of(word: str) -> Path | str:
    """Return *word* as `open_store` takes it."""
    return word if "://" in word else Path(word)


def opened(place: Path | str) -> str:
    """Open *place* and close it; return "open", or the code of the refusal."""
    try:
        open_store(place).close()
    except LedgerError as error:
        return error.code
    return "open"


def write(options: argparse.Namespace) -> None:
    """Append the rows, and say each number; go on after a refusal, which is said too."""
    place = place_of(options.place)
    store = open_store(place)
    ledger = DatabaseLedger(store, OWNER, options.trace, options.lock)
    if options.wait:
        say("ready")
        sys.stdin.readline()
    if options.bytes_more:
        limit_files(Path(f"{options.place}-wal"), options.bytes_more)
    if options.in_transaction:
        with store.writing(durable=True):
            store.run(
                "INSERT INTO event VALUES ('i', 'operation', 1, ?, 1, '', '', '', '', '', '', '',"
                " '', '', '', '', '', '', '', '')",
                (options.trace,),
            )
            say("1")
            sys.stdin.readline()
    for number in range(options.rows):
        try:
            ledger.append(a_row(number), durable=number % options.durable_every == 0)
        except LedgerError as error:
            say(error.code)
        else:
            say(str(ledger.seq))
        time.sleep(options.pause_ms / 1000)
    ledger.close()


def limit_files(grown: Path, more: int) -> None:
    """Let no file become larger than *grown* is now and *more* bytes: as a full disk does."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    size = grown.stat().st_size + more
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def say(word: str) -> None:
    """Write *word* as a line, past every buffer of this process."""
    os.write(1, f"{word}\n".encode())


if __name__ == "__main__":
    main()
