"""The folder that a run leaves (design section 4).

result.json, ledger.jsonl, lifecycle.svg (the chart with this run on it), last_page.png.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from browser.host.downloads import Download
from engine.chart.errors import ChartError
from sgclaw.errors import UsageError
from sgclaw.ledgers import ledger_texts
from sgclaw.logs import log_for, redact
from sgclaw.paths import private_folder
from states.catalogue import Lang
from states.errors import SgclawError
from states.secrets import strike_all
from states.wire import TaskCompleted

RESULT_FILES = (
    "result.json", "result.json.part", "ledger.jsonl", "lifecycle.svg", "last_page.png",
)  # fmt: skip
_DOWNLOAD = re.compile(r"downloads/[^/\\]+")
# What a killed browser left half done still has the name that the browser gave it.
_HALF_DONE = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\..*)?|.*\.crdownload")


class ResultFolder:
    """Writes one run's results into *path*; what an earlier run left there goes.

    A run that goes on keeps its downloads: `kept`. Results hold what a page showed: the files are
    for this account alone, whatever the folder is.
    """

    def __init__(self, path: Path, data_dir: Path, lang: Lang = "en", *, goes_on: str = "") -> None:
        """Make the folder; *lang* is that of the picture, *goes_on* the trace that is resumed.

        Raises:
            UsageError: it cannot be written.
        """
        self.path = path
        self.kept: tuple[Download, ...] = ()
        self._data_dir = data_dir
        self.failure = ""
        self._lang = lang
        trace, listed = self._earlier()
        self._listed = frozenset(listed)
        try:
            private_folder(path)
            if not goes_on or trace not in ("", goes_on):
                self._remove(listed)
            else:
                self.kept = self._downloaded()
            self._remove(RESULT_FILES)
        except OSError as error:
            raise UsageError("out_dir_unwritable", folder=path, why=error.strerror) from error

    def _remove(self, names: Iterable[str]) -> None:
        for name in names:
            (self.path / name).unlink(missing_ok=True)

    def _earlier(self) -> tuple[str, list[str]]:
        """Return the trace of the last result, and the downloads that it lists as its own.

        Nothing else in the folder is ours to remove.
        """
        try:
            document = json.loads((self.path / "result.json").read_bytes())
            names = [str(e["file"]) for e in document["downloads"] if not e.get("found")]
            trace = str(document.get("trace_id", "?"))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return "", []
        return trace, [name for name in names if _DOWNLOAD.fullmatch(name)]

    def _downloaded(self) -> tuple[Download, ...]:
        """Return what lies in the folder of downloads, as far as it is whole."""
        folder = self.path / "downloads"
        if folder.is_symlink() or not folder.is_dir():
            return ()
        whole = [
            path
            for path in sorted(folder.iterdir())
            if path.is_file() and not path.is_symlink() and not _HALF_DONE.fullmatch(path.name)
        ]
        return tuple(Download(path.name, path, "", path.stat().st_size) for path in whole)

    def write(
        self, completed: TaskCompleted, picture: bytes | None, downloads: Sequence[Download]
    ) -> dict[str, Any]:
        """Write everything; return what stands in result.json.

        On a disk that is full the run has its summary all the same: `failure` says what is missing.
        """
        whole = completed.model_dump(mode="json", exclude={"type"})
        document: dict[str, Any] = strike_all(whole, by_key=False)
        document["commands"] = redact(document["commands"])
        document["downloads"] = [self._entry(d) for d in (*self.kept, *downloads)]
        try:
            self._write_files(document, self._rows(completed.trace_id), picture)
        except OSError as error:
            self.failure = error.strerror or str(error)
        return document

    def _write_files(
        self, document: Mapping[str, Any], rows: Sequence[str], picture: bytes | None
    ) -> None:
        if rows:
            self._write("ledger.jsonl", "".join(f"{row}\n" for row in rows).encode("utf-8"))
            self._draw(rows)
        if picture:
            self._write("last_page.png", picture)
        text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
        partial = self._write("result.json.part", text.encode("utf-8"))
        partial.replace(self.path / "result.json")

    def _entry(self, download: Download) -> dict[str, Any]:
        entry: dict[str, Any] = {
            "file": f"downloads/{download.path.name}",
            "size": download.size,
            "sha256": download.sha256 or _sha256_of(download.path),
        }
        if download in self.kept and entry["file"] not in self._listed:
            entry["found"] = True  # perhaps the person's own: no later run removes it
        return entry

    def _rows(self, trace: str) -> list[str]:
        """Return the ledger's rows of *trace*; none, and a word in the log, if they are damaged."""
        try:
            return ledger_texts(self._data_dir, trace)
        except SgclawError as error:
            if error.code == "ledger_missing":  # the agent did not come to write one
                return []
            log_for("result")("ledger_not_copied", level="WARNING", why=str(error))
            return []

    def _draw(self, rows: Sequence[str]) -> None:
        from engine.chart.export.svg import lifecycle_svg
        from sgclaw.charts import task_chart

        try:
            picture = lifecycle_svg(task_chart(), [json.loads(r) for r in rows], self._lang)
        except ChartError as error:
            # The result stands without its picture; whoever looks for it finds why.
            log_for("result")("picture_not_drawn", level="WARNING", why=str(error))
            return
        self._write("lifecycle.svg", picture.encode("utf-8"))

    def _write(self, name: str, content: bytes) -> Path:
        path = self.path / name
        # Exclusive: whatever was put there since the folder was emptied is not written through.
        file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
        try:
            with file:
                file.write(content)
        except OSError:
            path.unlink(missing_ok=True)  # half a ledger would pass for a whole one
            raise
        return path


def _sha256_of(path: Path) -> str | None:
    """Return the hash of what lies at *path*; None when it was taken away meanwhile."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
