"""A key is found in the keyring before the environment, and shown to nobody."""

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import ClassVar

import keyring
import pytest
from keyring.backend import KeyringBackend

from sgclaw.errors import UsageError
from sgclaw.keys import SERVICE, VARIABLES, Keys, NoKeyringError, key_for, read_keyring

SECRET = "sk-canary-0123456789abcdef"
OTHER = "sk-other-0123456789abcdef"


def nothing(service: str, entry: str) -> str | None:
    del service, entry
    return None


def no_keyring(service: str, entry: str) -> str | None:
    raise NoKeyringError(service, entry)


class KeptKeys(KeyringBackend):
    """A real backend of the keyring library, with its entries in memory."""

    priority = 1

    entries: ClassVar[dict[tuple[str, str], str]] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.entries[service, username]


@pytest.mark.parametrize("provider", VARIABLES)
def test_the_keyring_comes_before_the_environment(provider: str) -> None:
    before = keyring.get_keyring()
    keyring.set_keyring(KeptKeys())  # type: ignore[no-untyped-call]
    try:
        environment = {VARIABLES[provider]: OTHER}
        assert read_keyring(SERVICE, provider) is None
        found = key_for(provider, environment)
        assert found is not None
        assert (found.value, found.place) == (OTHER, "environment")
        keyring.set_password(SERVICE, provider, f" {SECRET}\n")
        found = key_for(provider, environment)
        assert found is not None
        assert (found.value, found.place) == (SECRET, "keyring")
        assert key_for(provider, {}) == found
    finally:
        KeptKeys.entries.clear()
        keyring.set_keyring(before)


def test_without_a_keyring_the_environment_is_asked_and_an_empty_variable_is_none() -> None:
    keys = Keys({"OPENAI_API_KEY": " "}, no_keyring)
    assert keys.search("openai") == (None, "absent")
    assert not keys.is_set("openai")
    found = Keys({"OPENAI_API_KEY": SECRET}, no_keyring).search("openai").key
    assert found is not None
    assert found.value == SECRET


def test_a_key_of_one_provider_is_none_of_another() -> None:
    keys = Keys({"OPENAI_API_KEY": SECRET}, nothing)
    assert [keys.search(name).key is None for name in VARIABLES] == [True, False, True]


def test_a_keyring_that_never_answers_is_asked_once_and_not_waited_for() -> None:
    released, asked = threading.Event(), []

    def hangs(service: str, entry: str) -> str | None:
        asked.append((service, entry))
        released.wait(30)
        return SECRET

    keys = Keys({"ANTHROPIC_API_KEY": OTHER}, hangs, seconds=0.01)
    first, second = keys.search("claude"), keys.search("openai")
    released.set()
    assert first.key is not None
    assert (first.key.value, first.keyring, second) == (OTHER, "late", (None, "late"))
    assert asked == [("sgclaw", "claude")]


def test_a_backend_that_breaks_is_told_without_its_words() -> None:
    def breaks(service: str, entry: str) -> str | None:
        raise RuntimeError(SECRET, service, entry)

    assert Keys({}, breaks).search("claude") == (None, "failed")


def test_a_machine_without_a_keyring_is_told_as_such() -> None:
    code = (
        "from sgclaw.keys import Keys; import os; print(Keys(os.environ).search('claude').keyring)"
    )
    fails = "keyring.backends.fail.Keyring"
    environment = {**os.environ, "PYTHON_KEYRING_BACKEND": fails, "PYTHONWARNINGS": ""}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "absent"


def test_the_library_is_loaded_for_those_alone_who_look_for_a_key() -> None:
    code = "import sys, sgclaw.keys, sgclaw.run_plan; print('keyring' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    "value", ["two words", "sk-\u202ex", "a\nb", "密钥", "\x1b[2J", "k" * 4_097, "tab\there"]
)
@pytest.mark.parametrize("place", ["keyring", "environment"])
def test_what_can_be_no_key_is_refused_without_being_shown(value: str, place: str) -> None:
    def holds(service: str, entry: str) -> str | None:
        del service, entry
        return value if place == "keyring" else None

    with pytest.raises(UsageError) as caught:
        key_for("claude", {"ANTHROPIC_API_KEY": value}, holds)
    assert caught.value.code == "key_malformed"
    assert value not in caught.value.text()
    assert value not in repr(caught.value.facts)
    assert key_for("claude", {"ANTHROPIC_API_KEY": "k" * 4_096}, nothing) is not None


def test_a_key_shows_itself_in_no_representation() -> None:
    search = Keys({"ANTHROPIC_API_KEY": SECRET}, nothing).search("claude")
    shown = f"{search!r} {search.key} {search.key!s} {search.key._asdict() if search.key else ''}"
    assert SECRET not in shown
    assert "environment" in shown


def test_no_file_is_read_for_a_key(tmp_path: Path) -> None:
    for name in (".env", "key", "ANTHROPIC_API_KEY", ".sgclaw", "credentials.json"):
        (tmp_path / name).write_text(f"ANTHROPIC_API_KEY={SECRET}\n", encoding="utf-8")
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        assert key_for("claude", {"HOME": str(tmp_path)}, nothing) is None
    finally:
        os.chdir(before)
