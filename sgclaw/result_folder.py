"""The folder that a run leaves (design section 4).

result.json, ledger.jsonl, lifecycle.svg (the chart with this run on it), last_page.png.
"""

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from browser.host.downloads import Download
from engine.chart.errors import ChartError
from memory.errors import LedgerError
from memory.ledger import read_rows
from sgclaw.errors import UsageError
from sgclaw.logs import log_for, redact
from sgclaw.paths import ledger_path, private_folder
from states.catalogue import Lang
from states.secrets import strike_all
from states.wire import TaskCompleted

RESULT_FILES = (
    "result.json", "result.json.part", "ledger.jsonl", "lifecycle.svg", "last_page.png",
)  # fmt: skip
_DOWNLOAD = re.compile(r"downloads/[^/\\]+")


class ResultFolder:
    """Writes one run's results into *path*; what an earlier run left there goes.

    Results hold what a page showed: the files are for this account alone, whatever the folder is.
    """

    def __init__(self, path: Path, data_dir: Path, lang: Lang = "en") -> None:
        """Make the folder; *lang* is that of the picture.

        Raises:
            UsageError: it cannot be written.
        """
        self.path = path
        self._data_dir = data_dir
        self._lang = lang
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
            self._draw(source)
        if picture:
            self._write("last_page.png", picture)
        text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
        partial = self._write("result.json.part", text.encode("utf-8"))
        partial.replace(self.path / "result.json")
        return document

    def _draw(self, ledger: Path) -> None:
        from engine.chart.export.svg import lifecycle_svg
        from sgclaw.charts import task_chart

        try:
            picture = lifecycle_svg(task_chart(), list(read_rows(ledger)), self._lang)
        except (ChartError, LedgerError) as error:
            # The result stands without its picture; whoever looks for it finds why.
            log_for("result")("picture_not_drawn", level="WARNING", why=str(error))
            return
        self._write("lifecycle.svg", picture.encode("utf-8"))

    def _write(self, name: str, content: bytes) -> Path:
        path = self.path / name
        # Exclusive: whatever was put there since the folder was emptied is not written through.
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
        return path
