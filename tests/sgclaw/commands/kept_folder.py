"""A data folder with tasks, signed heads and files of other days."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

from memory.chain import Owner
from memory.database import Store
from memory.event_ledger import DatabaseLedger
from memory.heads import read_heads
from memory.reader import read_trace
from memory.segments import segments_of
from memory.verify import verify
from sgclaw.clock import utc_now
from sgclaw.install import heads_path, install_id, public_key, signing_key
from sgclaw.ledgers import DATABASE_URL, store_of
from sgclaw.paths import host_log_dir, private_folder
from states.ledger_head import head_line
from tests.sgclaw.commands.conftest import Cli
from tests.support.segment_lab import rows_of_task, signed, trace_of


class Kept:
    """The data folder of *cli*, with tasks and files of other days in it."""

    def __init__(self, cli: Cli, url: str = "") -> None:
        self.data = Path(cli.env["SGCLAW_DATA_DIR"])
        self.url = url
        if url:
            cli.env[DATABASE_URL] = url
        self.install = ""
        self._count = 0

    @contextlib.contextmanager
    def store(self) -> Iterator[Store]:
        with closing(store_of(self.data, self.url, create=True)) as opened:
            yield opened

    def task(self, days: float, *, ended: bool = True, noise: str = "") -> str:
        """Write a task that ended *days* ago, and its signed heads; return its trace."""
        self._count += 1
        trace, at = trace_of(self._count), utc_now() - timedelta(days=days)
        private_folder(self.data)
        key = signing_key(self.data)
        self.install = install_id(self.data)
        with self.store() as store:
            ledger = DatabaseLedger(store, Owner(self.install, "", "li"), trace)
            rows = rows_of_task(trace, at, ended=ended)
            ledger.append_all([row | {"noise": noise} for row in rows], durable=True)
            lines = [head_line(signed(head, at, trace, key)) for head in ledger.heads()]
        private_folder(heads_path(self.data).parent)
        with heads_path(self.data).open("ab") as file:
            file.write(b"".join(line + b"\n" for line in lines))
        return trace

    def file(self, path: Path, days: float) -> Path:
        """Write a file that was last written *days* ago."""
        private_folder(path.parent)
        path.write_text("x" * 10, encoding="utf-8")
        at = (utc_now() - timedelta(days=days)).timestamp()
        os.utime(path, (at, at))
        return path

    def host(self, trace: str, days: float) -> list[Path]:
        """Write the host's files of *trace*."""
        folder = host_log_dir(self.data)
        return [self.file(folder / f"{trace}{end}", days) for end in (".log", ".jsonl")]

    def seqs(self, trace: str) -> list[int]:
        with self.store() as store:
            sql = "SELECT seq FROM event WHERE trace_id = ? ORDER BY seq"
            return [int(seq) for (seq,) in store.all(sql, (trace,))]

    def states(self) -> list[str]:
        with self.store() as store:
            return sorted(segment.state for segment in segments_of(store, self.install))

    def told(self, trace: str) -> list[dict[str, Any]]:
        with self.store() as store:
            return read_trace(store, self.install, trace)

    def verifies(self) -> bool:
        key = public_key(self.data)
        assert key is not None
        heads = read_heads(heads_path(self.data), key)
        with self.store() as store:
            return verify(store, heads, install_id=self.install).verified


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the lock of *path* as a program at work does."""
    private_folder(path.parent)
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    try:
        yield
    finally:
        os.close(fd)
