"""A desk whose runs ask a model server of the test's own."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.e2e.conftest import Desk, Run, desk_in
from tests.support.ledger_lab import text_in
from tests.support.model_lab import ModelServer, browse, model_server

# It has no form of a secret: whatever keeps it is found, nothing strikes it by its looks.
CANARY = "canary_5b1e7d90_of_the_key"
LOOK = browse("navigate", {"url": "https://erp.example.com/invoices"}, "I open the list.\n")
VOID = browse("click", {"selector": "#void-FP0001"}, "I void FP0001.\n")
_OTHER_KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OLLAMA_API_KEY")


class ModelDesk(Desk):
    """A desk with the key of the server in its environment."""

    server: ModelServer

    def words(self, instruction: str, *more: str) -> tuple[str, ...]:
        """Return the command line that asks the server."""
        server = self.server
        return (
            "run", "--demo", instruction, "--out", "out", "--provider", server.wire.provider,
            "--base-url", server.base_url, "--model", "test-model", *more,
        )  # fmt: skip

    def ask(self, instruction: str, *more: str) -> Run:
        """Run the task to its end."""
        return self.run(*self.words(instruction, *more))

    def begin(self, instruction: str, *more: str) -> "subprocess.Popen[str]":
        """Start the task."""
        return self.start(*self.words(instruction, *more))

    def answers(self, *lines: dict[str, Any]) -> str:
        """Return the option's value for prepared answers with texts."""
        return str(self.write("approvals.jsonl", "".join(json.dumps(x) + "\n" for x in lines)))

    def told(self, text: str) -> bool:
        """Tell whether the ledger holds *text* by now."""
        return text in text_in(self.folder / "data")


def holders(folder: Path, text: str) -> list[str]:
    """Return the files below *folder* that hold *text* as it is."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return [path.name for path in files if text.encode() in path.read_bytes()]


@contextmanager
def model_desk(folder: Path, family: str, kind: type[ModelDesk] = ModelDesk) -> Iterator[ModelDesk]:
    """Yield a desk in *folder*; nothing of it is left running afterwards."""
    plain = desk_in(folder)
    env = {name: value for name, value in plain.env.items() if name not in _OTHER_KEYS}
    with model_server(family) as server:
        desk = kind(folder, env)
        desk.server = server
        desk.env |= {
            server.wire.key_variable: CANARY,
            "SGCLAW_CONFIG_DIR": str(folder / "config"),
            "SGCLAW_MODEL_RETRY_SECONDS": "0.05",
            # No keyring of this machine has a say in a test.
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        }
        yield desk
        desk.until(lambda: desk.left_over() == [], seconds=10)
