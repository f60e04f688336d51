"""`sgclaw audit upload`: says what goes where, ends with an honest code, tells no secret."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sgclaw.install import install_id
from sgclaw.upload_target import TOKEN, URL
from tests.sgclaw.commands.conftest import Cli
from tests.sgclaw.upload_lab import Desk, Server, server

SECRET = "tok-canary-12345"


@pytest.fixture
def there() -> Iterator[Server]:
    with server() as running:
        yield running


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    install_id(tmp_path / "data")  # before there is anything that names it
    return Desk(tmp_path / "data")


def test_it_says_what_it_sent_and_the_second_time_that_nothing_is_new(
    cli: Cli, desk: Desk, there: Server
) -> None:
    cli.env |= {URL: f"{there.url}?sig={SECRET}", TOKEN: SECRET}
    said = cli("audit", "upload", "--json")
    assert (said.code, len(said.document["sent"]), said.document["failed"]) == (0, 3, [])
    assert all(path.startswith(f"/in/{install_id(desk.data)}/") for path in there.kept)
    again = cli("audit", "upload")
    assert again.code == 0
    assert "sent to http://127.0.0.1:" in again.out
    assert again.out.endswith("; failed: 0\n")
    assert SECRET not in said.out + said.err + again.out + again.err
    assert len(there.asked) == 3


def test_a_dry_run_asks_no_server_and_writes_nothing(cli: Cli, desk: Desk, there: Server) -> None:
    before = sorted(desk.data.rglob("*"))
    said = cli("audit", "upload", "--url", there.url, "--dry-run", "--json")
    assert said.code == 0
    assert [item["name"].split("/")[0] for item in said.document["would_send"]] == [
        "archive", "logs", "heads",
    ]  # fmt: skip
    assert there.asked == []
    assert sorted(desk.data.rglob("*")) == before


@pytest.mark.usefixtures("desk")
def test_what_a_server_refuses_is_told_and_fails(cli: Cli, there: Server) -> None:
    there.say(400)
    said = cli("audit", "upload", "--url", there.url)
    assert said.code == 1
    assert "status 400" in said.err
    assert ": 2; there before: 0; failed: 1" in said.out


def test_without_an_address_or_with_a_bad_one_it_is_a_usage_error(cli: Cli) -> None:
    assert cli("audit", "upload").code == 2
    said = cli("audit", "upload", "--url", f"https://u:{SECRET}@logs.example.com/", "--json")
    assert said.code == 2
    assert SECRET not in said.out + said.err


def test_where_nothing_was_run_there_is_nothing_to_send(cli: Cli, there: Server) -> None:
    said = cli("audit", "upload", "--url", there.url)
    assert said.code == 0
    assert there.asked == []
