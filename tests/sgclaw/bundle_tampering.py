"""Ways to change a bundle, each with what a stranger must be told."""

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nacl.signing import SigningKey

from memory.chain import Owner, Place, content_hash, link_of
from sgclaw.audit_bundle import public_pem
from tests.sgclaw.bundle_lab import TRACE


def lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def flip(path: Path, old: bytes, new: bytes) -> None:
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new, 1))


def drop_third_line(bundle: Path) -> None:
    path = bundle / "events.jsonl"
    path.write_bytes(b"".join(lines(path)[:2] + lines(path)[3:]))


def drop_last_line(bundle: Path) -> None:
    path = bundle / "events.jsonl"
    path.write_bytes(b"".join(lines(path)[:-1]))


def swap_two_lines(bundle: Path) -> None:
    path = bundle / "events.jsonl"
    first, second, third, *rest = lines(path)
    path.write_bytes(b"".join([first, third, second, *rest]))


def repeat_a_line(bundle: Path) -> None:
    path = bundle / "events.jsonl"
    first, second, *rest = lines(path)
    path.write_bytes(b"".join([first, second, second, *rest]))


def head_of_another_key(bundle: Path) -> None:
    path = bundle / "heads.jsonl"
    head = json.loads(lines(path)[0])
    flip(
        path, head["signature"].encode(), SigningKey.generate().sign(b"x").signature.hex().encode()
    )


def head_of_elsewhere(bundle: Path) -> None:
    path = bundle / "heads.jsonl"
    path.write_bytes(b"".join(lines(path)[:-1]))


def manifest_of_another_key(bundle: Path) -> None:
    signed = SigningKey.generate().sign((bundle / "manifest.json").read_bytes())
    (bundle / "manifest.sig").write_bytes(signed.signature)


def of_other(bundle: Path, name: str) -> bytes:
    """Return what the first line of a run that was not chosen says of *name*."""
    found = next(e for e in map(json.loads, lines(bundle / "events.jsonl")) if "text" not in e)
    return str(found[name]).encode()


def linked(event: dict[str, Any], prev: str) -> dict[str, Any]:
    """Return the line *event* behind *prev*, as the ledger itself would have hashed it."""
    e = defaultdict(str, event)
    owner = Owner(e["install_id"], e["tenant"], e["user"])
    place = Place(e["stream"], e["position"], e["trace_id"], e["seq"])
    content = e["content"] or content_hash(owner, place, e["algorithm"], e["text"])
    link = link_of(owner.install_id, place.stream, place.position, e["algorithm"], prev, content)
    return {**event, "prev": prev, "hash": link}


def forge(bundle: Path, name: str, links: int) -> None:
    """Change what is hashed where this run's events border on another run's.

    *name* is `text`, of the last event in front of the other run's first, or `content`, of that
    one. It and those behind it are hashed anew, *links* of them, so that they hold together; the
    next one follows them too, but keeps its hash.
    """
    path = bundle / "events.jsonl"
    events = [json.loads(line) for line in lines(path)]
    start = next(n for n, event in enumerate(events) if "text" not in event) - (name == "text")
    stream, prev = events[start]["stream"], events[start]["prev"]
    assert events[start + 1]["stream"] == stream
    events[start][name] = events[start][name][::-1]
    for n, event in enumerate(events[start : start + links + 1], start):
        if event["stream"] == stream:
            anew = linked(event, prev)
            events[n] = anew if n < start + links else {**event, "prev": prev}
            prev = anew["hash"]
    path.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")


TAMPERED: dict[str, tuple[Callable[[Path], object], str]] = {
    "a word of an event": (
        lambda b: flip(b / "events.jsonl", b"active.planning", b"active.planninh"),
        r"events.jsonl line \d+: its hash is another",
    ),
    "who it was": (
        lambda b: flip(b / "events.jsonl", b'"seq":1,', b'"seq":9,'),
        r"events.jsonl line \d+: its hash is another",
    ),
    "a link of another run": (
        lambda b: flip(b / "events.jsonl", of_other(b, "hash"), b"0" * 64),
        r"events.jsonl line \d+: its hash is another",
    ),
    "the content of another run": (
        lambda b: flip(b / "events.jsonl", of_other(b, "content"), b"0" * 64),
        r"events.jsonl line \d+: its hash is another",
    ),
    "an event in front of another run's, and what that one follows": (
        lambda b: forge(b, "text", 1),
        r"events.jsonl line \d+: its hash is another",
    ),
    "an event in front of another run's, and every link up to the head": (
        lambda b: forge(b, "text", 1_000),
        r"events.jsonl line \d+: a signed head says another hash",
    ),
    "the content of another run, and every link up to the head": (
        lambda b: forge(b, "content", 1_000),
        r"events.jsonl line \d+: a signed head says another hash",
    ),
    "a space": (
        lambda b: flip(b / "events.jsonl", b'"seq":', b'"seq": '),
        r"events.jsonl: it is not what was signed",
    ),
    "no JSON": (lambda b: flip(b / "events.jsonl", b"{", b"["), r"events.jsonl line 1: "),
    "a line less": (drop_third_line, r"events.jsonl line 3: it does not follow"),
    "the last line": (drop_last_line, r"events.jsonl line \d+: the event of a signed head"),
    "two lines": (swap_two_lines, r"events.jsonl line 2: it does not follow"),
    "a line twice": (repeat_a_line, r"events.jsonl line 3: it does not follow"),
    "a head's signature": (head_of_another_key, r"heads.jsonl line 1: not signed by the key"),
    "a head's hash": (
        lambda b: flip(b / "heads.jsonl", b'"hash":"', b'"hash":"f'),
        r"heads.jsonl line 1: not signed by the key",
    ),
    "a head less": (head_of_elsewhere, r"heads.jsonl: it is not what was signed"),
    "the manifest": (
        lambda b: flip(b / "manifest.json", b'"made_at"', b'"made_by"'),
        "manifest.json: not signed by the key",
    ),
    "the signature": (manifest_of_another_key, "manifest.json: not signed by the key"),
    "the key": (
        lambda b: (b / "public_key.pem").write_bytes(public_pem(b"k" * 32)),
        "manifest.json: not signed by the key",
    ),
    "a file more": (lambda b: (b / "host" / "more.log").write_text("x"), "host/more.log: it is"),
    "a link more": (lambda b: (b / "more").symlink_to("verify.py"), "more: it is not"),
    "a file less": (lambda b: (b / "VERIFY.md").unlink(), r"VERIFY.md: "),
    "the host's log": (
        lambda b: flip(b / "host" / f"{TRACE}.log", b"APPROVED", b"REJECTED"),
        f"host/{TRACE}.log: it is not what was signed",
    ),
    "the picture": (
        lambda b: flip(b / "lifecycle" / f"{TRACE}.svg", b"<svg", b"<SVG"),
        f"lifecycle/{TRACE}.svg: it is not what was signed",
    ),
    "the program": (lambda b: flip(b / "verify.py", b"BAD", b"bad"), "verify.py: it is not"),
}
