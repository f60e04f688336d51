"""The folder that a run leaves: result.json, ledger.jsonl, last_page.png (design section 4)."""

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from browser.host.downloads import Download
from sgclaw.errors import UsageError
from sgclaw.logs import redact
from sgclaw.paths import ledger_path, private_folder
from states.secrets import strike_all
from states.wire import TaskCompleted

RESULT_FILES = ("result.json", "result.json.part", "ledger.jsonl", "last_page.png")
_DOWNLOAD = re.compile(r"downloads/[^/\\]+")


class ResultFolder:
    """Writes one run's results into *path*; what an earlier run left there goes.

    Results hold what a page showed: the files are for this account alone, whatever the folder is.
    """

    def __init__(self, path: Path, data_dir: Path) -> None:
        """Make the folder.

        Raises:
            UsageError: it cannot be written.
        """
        self.path = path
        self._data_dir = data_dir
        try:
            private_folder(path)
            for name in (*self._earlier_downloads(), *RESULT_FILES):
                (path / name).unlink(missing_ok=True)
        except OSError as error:
            raise UsageError("out_dir_unwritable", folder=path, why=error.strerror) from error

    def _earlier_downloads(self) -> list[str]:
        """Return what the last run's result lists: nothing else in the folder is ours to remove."""
        try:
            document = json.loads((self.path / "result.json").read_bytes())
            names = [str(entry["file"]) for entry in document["downloads"]]
        except (OSError, ValueError, KeyError, TypeError):
            return []
        return [name for name in names if _DOWNLOAD.fullmatch(name)]

    def write(
        self, completed: TaskCompleted, picture: bytes | None, downloads: Sequence[Download]
    ) -> dict[str, Any]:
        """Write everything; return what stands in result.json."""
        whole = completed.model_dump(mode="json", exclude={"type"})
        document: dict[str, Any] = strike_all(whole, by_key=False)
        document["commands"] = redact(document["commands"])
        document["downloads"] = [
            {"file": f"downloads/{d.path.name}", "size": d.size} for d in downloads
        ]
        source = ledger_path(self._data_dir, completed.trace_id)
        if source.is_file():
            self._write("ledger.jsonl", source.read_bytes())
        if picture:
            self._write("last_page.png", picture)
        text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
        partial = self._write("result.json.part", text.encode("utf-8"))
        partial.replace(self.path / "result.json")
        return document

    def _write(self, name: str, content: bytes) -> Path:
        path = self.path / name
        # Exclusive: whatever was put there since the folder was emptied is not written through.
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
        return path
