"""The only writer of the command line's stdout: text for people, or one JSON document."""

import json
import os
import sys
from typing import Any

from states.catalogue import Lang


def cli_language() -> Lang:
    """Return the person's language: `SGCLAW_LANG`, else the locale's."""
    for name in ("SGCLAW_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name, "")
        if value:
            return "zh-CN" if value.lower().startswith("zh") else "en"
    return "en"


class Printer:
    """Prints for a person, or with *as_json* one document at the end and the rest on stderr."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json

    def line(self, text: str = "") -> None:
        """Print one line of progress or result."""
        stream = sys.stderr if self.as_json else sys.stdout  # noqa: TID251 - see the module
        _write(stream, text + "\n")

    def error(self, text: str) -> None:
        """Print one line on stderr."""
        _write(sys.stderr, text + "\n")

    def document(self, document: Any) -> None:
        """Print *document* as JSON on stdout."""
        text = json.dumps(document, ensure_ascii=False, indent=2)
        _write(sys.stdout, text + "\n")  # noqa: TID251 - see the module


def _write(stream: Any, text: str) -> None:
    if stream is None:
        return  # closed before the program began: nobody listens
    try:
        stream.write(text)
        stream.flush()
    except UnicodeEncodeError:
        stream.write(text.encode("ascii", "backslashreplace").decode("ascii"))
    except BrokenPipeError:
        # The reader (head, a closed terminal) has seen enough; the run itself goes on.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
