"""An upload sends each closed thing once, bears a bad server, and gives nothing away."""

import hashlib
import json
import os
import socket
from collections.abc import Iterator
from datetime import timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from memory.lock import lock_file
from sgclaw.errors import RefusedError, UsageError
from sgclaw.upload import seconds_asked
from sgclaw.upload_state import UploadState
from sgclaw.upload_target import PROXY, TOKEN, target_of
from tests.sgclaw.upload_lab import ARCHIVED, AT, HANG, LIMITS, OLD_LOG, Desk, Server, server

HEADS = b'{"position":1}\n{"position":2}\n'
SECRET = "tok-canary-12345"


@pytest.fixture
def there() -> Iterator[Server]:
    with server() as running:
        yield running


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "data")


def names(there: Server) -> list[str]:
    return sorted(path.removeprefix("/in/install-1/") for path in there.kept)


def test_what_is_closed_is_sent_with_its_hash_and_nothing_is_removed(
    desk: Desk, there: Server
) -> None:
    before = {p: p.read_bytes() for p in desk.data.rglob("*") if p.is_file()}
    sent = desk.upload(there.url)
    heads = f"heads/{0:012d}-{len(HEADS):012d}.jsonl"
    assert names(there) == [f"archive/{ARCHIVED}", heads, f"logs/{OLD_LOG}"]
    assert there.kept[f"/in/install-1/{heads}"] == HEADS
    assert [item.code for item in sent] == ["", "", ""]
    for path, headers in there.asked:
        content = there.kept[path]
        assert headers["Content-SHA256"] == hashlib.sha256(content).hexdigest()
        assert "Authorization" not in headers
    assert {path: path.read_bytes() for path in before} == before


def test_a_second_run_sends_nothing_and_a_third_only_what_is_new(desk: Desk, there: Server) -> None:
    desk.upload(there.url)
    assert desk.upload(there.url) == []
    assert len(there.asked) == 3
    desk.write("logs/pipe-20260303-000000-1.jsonl", b"{}\n")
    desk.write("host/heads.jsonl", HEADS + b'{"position":3}\n')
    new = [item.name for item in desk.upload(there.url)]
    assert new == ["logs/pipe-20260303-000000-1.jsonl", f"heads/{30:012d}-{45:012d}.jsonl"]
    assert there.kept[f"/in/install-1/{new[1]}"] == b'{"position":3}\n'


def test_another_place_gets_everything_again(desk: Desk, there: Server) -> None:
    desk.upload(there.url)
    assert len(desk.upload(there.url + "/other")) == 3


def test_a_server_that_is_busy_twice_gets_it_the_third_time(desk: Desk, there: Server) -> None:
    there.say(503, 503)
    assert [item.code for item in desk.upload(there.url)] == ["", "", ""]
    assert len(there.asked) == 5
    assert desk.waits == [0.5, 1.0]


@pytest.mark.parametrize(
    ("asks", "waits"),
    [("7", 7.0), ("9999", 20.0), (format_datetime(AT + timedelta(seconds=9), usegmt=True), 9.0),
     (format_datetime(AT - timedelta(days=1), usegmt=True), 0.0), ("soon", 0.5)],
)  # fmt: skip
def test_the_server_says_when_to_come_back_up_to_a_bound(
    desk: Desk, there: Server, asks: str, waits: float
) -> None:
    there.say((429, {"Retry-After": asks}))
    desk.upload(there.url)
    assert desk.waits == [waits]


@pytest.mark.parametrize("text", ["", "-1", "1.5", "Tue", "²", "99 Mar", "Tue, 03 Mar 2026 1:1:1"])
def test_a_time_to_come_back_that_is_none_is_not_heeded(text: str) -> None:
    assert seconds_asked(text, AT) is None


def test_what_the_server_refuses_is_not_sent_again_and_the_rest_is(
    desk: Desk, there: Server
) -> None:
    there.say(400)
    sent = desk.upload(there.url)
    assert [(item.code, item.why) for item in sent] == [
        ("upload_refused", "400"), ("", ""), ("", ""),
    ]  # fmt: skip
    assert (len(there.asked), desk.waits) == (3, [])
    assert [item.name for item in desk.upload(there.url)] == [f"archive/{ARCHIVED}"]


@pytest.mark.parametrize(
    ("status", "code"), [(307, "upload_redirected"), (301, "upload_redirected"),
                         (401, "upload_refused"), (403, "upload_refused")],
)  # fmt: skip
def test_a_closed_door_ends_it_and_no_redirect_is_followed(
    desk: Desk, there: Server, status: int, code: str
) -> None:
    there.say((status, {"Location": f"{there.url}/elsewhere"}))
    sent = desk.upload(there.url, environment={TOKEN: SECRET})
    assert [item.code for item in sent] == [code]
    assert len(there.asked) == 1
    assert there.kept == {}


def test_a_server_that_stays_busy_is_left_alone_after_some_attempts(
    desk: Desk, there: Server
) -> None:
    there.say(503, 500, 408)
    [failed] = desk.upload(there.url)
    assert (failed.code, failed.why) == ("upload_busy", "408")
    assert len(there.asked) == 3


def test_a_server_that_hangs_is_left_in_time(desk: Desk, there: Server) -> None:
    there.say(HANG, HANG)
    limits = LIMITS.model_copy(update={"upload_seconds": 0.3, "upload_attempts_max": 2})
    [failed] = desk.upload(there.url, limits)
    assert (failed.code, failed.why) == ("upload_unreachable", "timed out")
    there.go.set()
    assert len(desk.upload(there.url)) == 3


def test_a_server_that_drips_is_left_in_time(desk: Desk) -> None:
    import threading

    with socket.create_server(("127.0.0.1", 0)) as listener:
        done = threading.Event()

        def drip() -> None:
            peer, _ = listener.accept()
            with peer:
                try:
                    peer.sendall(b"HTTP/1.1 200 OK\r\nX: ")
                    while not done.wait(0.05):
                        peer.sendall(b"x")
                except OSError:
                    return

        thread = threading.Thread(target=drip)
        thread.start()
        limits = LIMITS.model_copy(update={"upload_seconds": 0.4, "upload_attempts_max": 1})
        [failed] = desk.upload(f"http://127.0.0.1:{listener.getsockname()[1]}/", limits)
        done.set()
        thread.join()
    assert (failed.code, failed.why) == ("upload_unreachable", "timed out")


def test_a_server_that_is_not_there_is_told_as_that(desk: Desk) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    [failed] = desk.upload(f"http://127.0.0.1:{port}/")
    assert (failed.code, failed.why) == ("upload_unreachable", "Connection refused")
    assert desk.waits == [0.5, 1.0]


def test_an_upload_that_broke_off_goes_on_where_it_stopped(desk: Desk, there: Server) -> None:
    there.say(201, 503, 503, 503)
    assert [item.code for item in desk.upload(there.url)] == ["", "upload_busy"]
    sent = [item.name for item in desk.upload(there.url)]
    assert sent == [f"logs/{OLD_LOG}", f"heads/{0:012d}-{len(HEADS):012d}.jsonl"]


def test_heads_whose_answer_was_lost_keep_their_name_when_more_came_meanwhile(
    desk: Desk, there: Server
) -> None:
    there.say(201, 201, 503, 503, 503)
    begun = desk.upload(there.url)[-1]
    desk.write("host/heads.jsonl", HEADS + b'{"position":3}\n')
    sent = [item.name for item in desk.upload(there.url)]
    assert sent == [begun.name, f"heads/{30:012d}-{45:012d}.jsonl"]


def test_what_changed_after_it_was_sent_is_told_and_not_sent_over(
    desk: Desk, there: Server
) -> None:
    desk.upload(there.url)
    desk.write(f"logs/{OLD_LOG}", b"other, and longer\n")
    desk.write("host/heads.jsonl", b"{}\n")
    sent = desk.upload(there.url)
    assert [(item.name, item.code) for item in sent] == [
        (f"logs/{OLD_LOG}", "upload_changed"), ("heads", "upload_changed"),
    ]  # fmt: skip
    assert len(there.asked) == 3


def test_links_and_strange_names_are_not_sent(desk: Desk, there: Server) -> None:
    secret = desk.write("keys/install.key", b"ab" * 32)
    (desk.data / "archive" / "model-2.jsonl.gz").symlink_to(secret)
    (desk.data / "logs" / "pipe-20260303-000000-1.jsonl").symlink_to(secret)
    desk.write("archive/ä?x.jsonl.gz", b"x")
    desk.write("archive/half.part", b"x")
    assert len(desk.upload(there.url)) == 3
    assert b"ab" * 32 not in there.kept.values()


def test_a_large_object_is_sent_whole(desk: Desk, there: Server) -> None:
    content = os.urandom(3_000_000)
    desk.write(f"archive/{ARCHIVED}", content)
    desk.upload(there.url)
    assert there.kept[f"/in/install-1/archive/{ARCHIVED}"] == content


def test_the_token_goes_to_the_server_and_nowhere_else(desk: Desk, there: Server) -> None:
    url = f"{there.url}?sig={SECRET}"
    sent = desk.upload(url, environment={TOKEN: SECRET})
    assert all(headers["Authorization"] == f"Bearer {SECRET}" for _, headers in there.asked)
    assert all(path.endswith(f"?sig={SECRET}") for path, _ in there.asked)
    assert SECRET not in repr(sent)
    kept = b"".join(p.read_bytes() for p in desk.data.rglob("*") if p.is_file())
    assert SECRET.encode() not in kept
    # The control: what was confirmed is in there, so the search looks at the right files.
    assert ARCHIVED.encode() in kept


def test_a_query_that_changes_is_the_same_place(desk: Desk, there: Server) -> None:
    desk.upload(f"{there.url}?sig=1")
    assert desk.upload(f"{there.url}?sig=2") == []


@pytest.mark.parametrize(
    ("url", "code"),
    [("http://logs.example.com/", "upload_url_insecure"), ("ftp://x/", "upload_url_invalid"),
     (f"https://u:{SECRET}@logs.example.com/", "upload_url_credentials"),
     (f"https://logs.example.com/#{SECRET}", "upload_url_credentials"), ("", "upload_url_invalid"),
     ("https://", "upload_url_invalid"), ("https://a:0/", "upload_url_invalid"),
     ("https://a:99999/", "upload_url_invalid"), ("https://a/ b", "upload_url_invalid"),
     ("https://a/\r\nX: y", "upload_url_invalid"), ("https://[::1", "upload_url_invalid"),
     ("http://127.0.0.1.example.com/", "upload_url_insecure"),
     ("https://日本/", "upload_url_invalid"),
     ("http://user@127.0.0.1/", "upload_url_credentials"), ("x" * 3_000, "upload_url_invalid")],
)  # fmt: skip
def test_an_address_that_may_not_be_used_is_refused_and_not_repeated(url: str, code: str) -> None:
    with pytest.raises(UsageError) as raised:
        target_of(url, {})
    assert raised.value.code == code
    assert SECRET not in raised.value.text("en")


@pytest.mark.parametrize(
    "url", ["https://logs.example.com/a", "http://[::1]:8080", "http://localhost/"]
)
def test_an_address_that_may_be_used_is_taken(url: str) -> None:
    assert target_of(url, {}).path_of("logs/a.jsonl").endswith("/logs/a.jsonl")


@pytest.mark.parametrize(
    "environment", [{TOKEN: "a\r\nX: y"}, {TOKEN: "a b"}, {PROXY: "https://p:1"},
                    {PROXY: f"http://u:{SECRET}@p"}, {PROXY: "http://p:0"}],
)  # fmt: skip
def test_a_token_or_proxy_that_is_none_is_refused(environment: dict[str, str]) -> None:
    with pytest.raises(UsageError) as raised:
        target_of("https://logs.example.com/", environment)
    assert SECRET not in raised.value.text("en")


def test_a_proxy_is_used_only_when_it_is_named_for_this(
    desk: Desk, there: Server, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        proxy.settimeout(10)
        named = {PROXY: f"http://u:{SECRET}@127.0.0.1:{proxy.getsockname()[1]}"}
        limits = LIMITS.model_copy(update={"upload_seconds": 0.3, "upload_attempts_max": 1})
        desk.upload("https://logs.example.com/", limits, named)
        peer, _ = proxy.accept()
        with peer:
            peer.settimeout(10)
            assert peer.recv(1_000).startswith(b"CONNECT logs.example.com:443 ")
    # On this machine there is no way through one.
    assert desk.upload(there.url, environment={PROXY: "http://127.0.0.1:1"}) != []


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"v":1,"files":[]}', b"\xff" * 100])
def test_a_damaged_note_of_what_was_confirmed_only_sends_again(
    desk: Desk, there: Server, content: bytes
) -> None:
    desk.upload(there.url)
    [state] = (desk.data / "upload").glob("*.json")
    state.write_bytes(content)
    assert [item.code for item in desk.upload(there.url)] == ["", "", ""]
    assert json.loads(state.read_bytes())["heads_end"] == len(HEADS)
    assert state.stat().st_mode & 0o777 == 0o600


def test_two_uploads_to_one_place_do_not_run_at_once(desk: Desk, there: Server) -> None:
    folder, target = desk.data / "upload", target_of(there.url, {})
    with UploadState(folder, target.id), pytest.raises(UsageError) as raised:
        desk.upload(there.url)
    assert raised.value.code == "upload_running"
    assert there.asked == []
    with (folder / f"{target.id}.lock").open("rb") as free:
        assert lock_file(free.fileno())


def test_without_a_place_to_note_what_was_confirmed_nothing_is_sent(
    desk: Desk, there: Server
) -> None:
    desk.write("upload", b"a file")
    with pytest.raises(RefusedError) as raised:
        desk.upload(there.url)
    assert raised.value.code == "upload_state_unwritable"
    assert there.asked == []
