"""Where the key of a model provider comes from: the OS keyring, then the environment (R3).

The rule: never from a file of ours and never into one. A key leaves this process in the agent's
init line only; nothing that is printed, logged or written down holds it.
"""

import queue
import threading
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from pydantic import SecretStr

from sgclaw.errors import UsageError

SERVICE = "sgclaw"
VARIABLES: Mapping[str, str] = {
    "claude": "ANTHROPIC_API_KEY",
    "openai": "OPENAI_API_KEY",
    "ollama": "OLLAMA_API_KEY",
}
# A backend may wait for a person who is not there (a locked collection, a dead D-Bus).
KEYRING_SECONDS = 3.0
_KEY_CHARS_MAX = 4_096

Place = Literal["keyring", "environment"]
# What the keyring said: it has the entry, has it not, there is none, it broke, it is silent.
KeyringSaid = Literal["found", "empty", "absent", "failed", "late"]
ReadKeyring = Callable[[str, str], str | None]


class NoKeyringError(Exception):
    """This machine has no keyring; a reader's way to say so."""


class Key(NamedTuple):
    """A key, shown to nobody, and where it was found."""

    secret: SecretStr
    place: Place

    @property
    def value(self) -> str:
        """The key itself."""
        return self.secret.get_secret_value()


class KeySearch(NamedTuple):
    """What a search for a key came to."""

    key: Key | None
    keyring: KeyringSaid


def read_keyring(service: str, entry: str) -> str | None:
    """Return what the OS keyring holds for *entry* of *service*, None when it has no such entry.

    Raises:
        NoKeyringError: there is no keyring here.
    """
    # Finding a backend takes longer than the rest of a start: only for those who need a key.
    import keyring
    import keyring.errors

    try:
        return keyring.get_password(service, entry)
    except keyring.errors.NoKeyringError as error:
        raise NoKeyringError from error


class Keys:
    """Looks for keys in the keyring behind *read*, and in *environment*."""

    def __init__(
        self,
        environment: Mapping[str, str],
        read: ReadKeyring = read_keyring,
        seconds: float = KEYRING_SECONDS,
    ) -> None:
        self._environment = environment
        self._read = read
        self._seconds = seconds
        self._is_silent = False

    def is_set(self, provider: str) -> bool:
        """Tell whether the environment holds a key of *provider*."""
        return bool(self._environment.get(VARIABLES[provider], "").strip())

    def search(self, provider: str) -> KeySearch:
        """Return the key of *provider*: the keyring's, else the environment's, else none.

        Raises:
            UsageError: what stands there can be no key.
        """
        said, found = self._ask_keyring(provider)
        if found is not None and found.strip():
            return KeySearch(_key(found, "keyring", f"{SERVICE}/{provider}"), said)
        variable = VARIABLES[provider]
        value = self._environment.get(variable, "")
        if value.strip():
            return KeySearch(_key(value, "environment", variable), said)
        return KeySearch(None, said)

    def _ask_keyring(self, provider: str) -> tuple[KeyringSaid, str | None]:
        """Ask in a daemon thread: one that never answers holds up neither this nor the exit."""
        if self._is_silent:
            return "late", None
        answers: queue.SimpleQueue[tuple[KeyringSaid, str | None]] = queue.SimpleQueue()

        def ask() -> None:
            try:
                value = self._read(SERVICE, provider)
            except NoKeyringError:
                answers.put(("absent", None))
            except Exception:  # noqa: BLE001 - a backend is foreign code; its words may hold the key
                answers.put(("failed", None))
            else:
                answers.put(("empty" if value is None else "found", value))

        threading.Thread(target=ask, name="keyring", daemon=True).start()
        try:
            return answers.get(timeout=self._seconds)
        except queue.Empty:
            self._is_silent = True
            return "late", None


def key_for(
    provider: str, environment: Mapping[str, str], read: ReadKeyring = read_keyring
) -> Key | None:
    """Return the key of *provider*, None when there is none.

    Raises:
        UsageError: what stands there can be no key.
    """
    return Keys(environment, read).search(provider).key


def _key(text: str, place: Place, where: str) -> Key:
    """Return *text* as a key: it becomes a header's value, so it is one word of ASCII."""
    word = text.strip()
    if len(word) > _KEY_CHARS_MAX or not all("!" <= char <= "~" for char in word):
        raise UsageError("key_malformed", where=where)
    return Key(SecretStr(word), place)
