"""What a tree of processes costs: read from /proc, for every peer the same way."""

import contextlib
from pathlib import Path
from typing import NamedTuple


class Process(NamedTuple):
    """One process; *born* tells it from a later one with the same number."""

    pid: int
    born: int
    command: str

    @property
    def is_browser(self) -> bool:
        """Whether it is Chromium's."""
        return "chrom" in self.command.partition(" ")[0]


def tree_of(root: int) -> list[Process]:
    """Return *root* and all its descendants."""
    rows = {row[0]: row for row in map(_row, Path("/proc").glob("[0-9]*")) if row is not None}
    found, level = [], [root]
    while level:
        found += [Process(pid, rows[pid][2], rows[pid][3]) for pid in level if pid in rows]
        level = [pid for pid, row in rows.items() if row[1] in level]
    return found


def alive(processes: list[Process]) -> list[Process]:
    """Return those of *processes* that still run."""
    return [each for each in processes if _is_running(each)]


def pss_mib(processes: list[Process]) -> float:
    """Return the memory of *processes* in MiB, what they share counted once."""
    return sum(_pss_kib(each.pid) for each in processes) / 1024


def _row(entry: Path) -> tuple[int, int, int, str] | None:
    try:
        fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except (OSError, ValueError):
        return None
    return int(entry.name), int(fields[1]), int(fields[19]), command.strip()


def _is_running(process: Process) -> bool:
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    except (OSError, ValueError):
        return False
    return int(fields[19]) == process.born and fields[0] not in "ZX"


def _pss_kib(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0
