"""The folder that a run leaves: result.json, ledger.jsonl, last_page.png (design section 4)."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from browser.host.downloads import Download
from sgclaw.errors import UsageError
from sgclaw.logs import redact
from sgclaw.paths import ledger_path
from states.wire import TaskCompleted


class ResultFolder:
    """Writes one run's results into *path*; what an earlier run left there goes."""

    def __init__(self, path: Path, data_dir: Path) -> None:
        """Make the folder.

        Raises:
            UsageError: it cannot be written.
        """
        self.path = path
        self._data_dir = data_dir
        try:
            path.mkdir(parents=True, exist_ok=True)
            for name in ("result.json", "ledger.jsonl", "last_page.png"):
                (path / name).unlink(missing_ok=True)
            shutil.rmtree(path / "downloads", ignore_errors=True)
        except OSError as error:
            raise UsageError("out_dir_unwritable", folder=path, why=error.strerror) from error

    def write(
        self, completed: TaskCompleted, picture: bytes | None, downloads: Sequence[Download]
    ) -> dict[str, Any]:
        """Write everything; return what stands in result.json."""
        document = completed.model_dump(mode="json", exclude={"type"})
        document["commands"] = redact(document["commands"])
        document["downloads"] = [
            {"file": f"downloads/{d.path.name}", "size": d.size} for d in downloads
        ]
        source = ledger_path(self._data_dir, completed.trace_id)
        if source.is_file():
            shutil.copyfile(source, self.path / "ledger.jsonl")
        if picture:
            (self.path / "last_page.png").write_bytes(picture)
        text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
        partial = self.path / "result.json.part"
        partial.write_text(text, encoding="utf-8")
        partial.replace(self.path / "result.json")
        return document
