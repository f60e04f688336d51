"""Where the pictures of an approval card lie for a person at a terminal, who cannot be shown them.

The rule: only this account can read them, and a folder made for them is gone at the end.
"""

import os
import shutil
import tempfile
import weakref
from pathlib import Path

from browser.host.approver import ApprovalCard


class CardPictures:
    """Writes pictures into *folder*, by default into a private one that goes with this object."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._made: Path | None = None

    def written(self, card: ApprovalCard) -> list[Path | None]:
        """Return the file of each picture of *card*, None where there is none or no room for it."""
        return [
            self._file(picture) for picture in (card.picture, *(each.picture for each in card.also))
        ]

    def _file(self, picture: bytes | None) -> Path | None:
        if picture is None:
            return None
        try:
            number, name = tempfile.mkstemp(prefix="approval-", suffix=".png", dir=self._place())
            with os.fdopen(number, "wb") as file:
                file.write(picture)
        except OSError:
            return None
        return Path(name)

    def _place(self) -> Path:
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            return self._folder
        if self._made is None:
            self._made = Path(tempfile.mkdtemp(prefix="sgclaw-cards-"))
            # Also at the end of the program, when nobody lets this object go.
            weakref.finalize(self, shutil.rmtree, self._made, ignore_errors=True)
        return self._made
