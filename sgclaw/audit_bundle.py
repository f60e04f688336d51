"""A self-contained, signed bundle of the ledger that a stranger can verify (A4, M7).

The rule: nothing is signed that does not verify. Each event is held against its hash, its
neighbours and the signed heads while it is written; the first that fails ends the export.
docs/audit-bundle.md says what is in a bundle and what it proves.
"""

import base64
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.chart.errors import ChartError
from engine.chart.export.svg import lifecycle_svg
from memory.chain import GENESIS, Owner, Place, content_hash, link_of
from memory.database import Store
from memory.errors import LedgerError
from memory.heads import read_heads
from memory.reader import read_trace
from sgclaw import __version__
from sgclaw.audit_bundle_choice import Choice, Stretch, chosen_traces, stretches_of
from sgclaw.audit_bundle_files import BundleFolder, new_bundle, parts_of
from sgclaw.charts import task_chart
from sgclaw.errors import RefusedError
from sgclaw.install import heads_path
from sgclaw.paths import host_log_dir
from states.catalogue import Lang
from states.ledger_head import SignedHead, head_line

if TYPE_CHECKING:
    from nacl.signing import SigningKey

FORMAT = "sgclaw-audit-bundle-1"
EVENTS, HEADS, KEY = "events.jsonl", "heads.jsonl", "public_key.pem"
MANIFEST, SIGNATURE = "manifest.json", "manifest.sig"
# The DER of an Ed25519 SubjectPublicKeyInfo before its 32 bytes (RFC 8410).
_SPKI = bytes.fromhex("302a300506032b6570032100")
_HERE = Path(__file__).parent
_HASH = "SELECT hash FROM event WHERE install_id = ? AND stream = ? AND position = ?"
_DROPPED_AT = """SELECT 1 FROM segment WHERE install_id = ? AND stream = ?
    AND ? BETWEEN first_position AND last_position AND state IN ('dropping', 'dropped')"""
_DROPPED = "SELECT 1 FROM segment WHERE install_id = ? AND state IN ('dropping', 'dropped') LIMIT 1"
# An event may be 10 MB long.
_ROWS_AT_ONCE = 100
_ROWS = """SELECT position, trace_id, seq, tenant, user_name, algorithm, prev, hash, text
    FROM event WHERE install_id = ? AND stream = ? AND position BETWEEN ? AND ?
    ORDER BY position"""


class Source(NamedTuple):
    """What a bundle is made from: the ledger, the host's folder below *data*, and the key."""

    data: Path
    store: Store
    install_id: str
    key: "SigningKey"


class _Counts:
    """What the events come to, as they pass by."""

    def __init__(self) -> None:
        self.traces: dict[str, dict[str, Any]] = {}
        self.charts: dict[str, set[str]] = defaultdict(set)
        self.events: Counter[str] = Counter()
        self.links: Counter[str] = Counter()

    def add(self, stream: str, trace: str, seq: int, row: Any) -> None:
        self.events[stream] += 1
        document: Mapping[str, Any] = row if isinstance(row, dict) else {}
        at = str(document.get("at", ""))
        told = self.traces.setdefault(
            trace, {"events": 0, "first_at": at, "last_at": at, "last_seq": 0, "lacks": 0}
        )
        told["events"] += 1
        told["first_at"] = min(told["first_at"], at)
        told["last_at"] = max(told["last_at"], at)
        told["last_seq"] = max(told["last_seq"], seq)
        told["lacks"] = told["last_seq"] - told["events"]
        if "chart_sha256" in document:
            self.charts[str(document.get("chart", ""))].add(str(document["chart_sha256"]))


def public_pem(public: bytes) -> bytes:
    """Return the Ed25519 key *public* (32 bytes) as `openssl` reads it."""
    text = base64.b64encode(_SPKI + public).decode("ascii")
    return f"-----BEGIN PUBLIC KEY-----\n{text}\n-----END PUBLIC KEY-----\n".encode("ascii")


def verify_script() -> bytes:
    """Return the program with which a stranger verifies a bundle."""
    return (_HERE / "audit_bundle_verify.txt").read_bytes()


def export_bundle(
    out: Path, source: Source, choice: Choice, lang: Lang, now: Callable[[], datetime]
) -> dict[str, Any]:
    """Write the bundle of *choice* to *out*, a folder or a file `*.zip`; return its manifest.

    *lang* is the language of the pictures.

    Raises:
        UsageError: *out* is there or cannot be written, or nothing is chosen.
        CliError: the disk is full; nothing is left behind.
        RefusedError: the ledger does not verify.
        LedgerError: the ledger or the heads cannot be read, or do not verify.
    """
    with new_bundle(out) as folder:
        # In this order: a head that comes later is of no event that was read.
        heads = read_heads(heads_path(source.data), source.key.verify_key)
        if not any(signed.head.install_id == source.install_id for signed in heads):
            # Whoever removed them could have cut off or made anew whatever is behind them.
            raise RefusedError("export_no_heads", path=heads_path(source.data))
        traces = chosen_traces(source.store, source.install_id, choice)
        stretches = stretches_of(source.store, source.install_id, traces, heads)
        _check_heads(source, traces, heads)
        counts = _Counts()
        kept = _heads_for(heads, source.install_id, stretches)
        folder.write(EVENTS, _events(source, traces, stretches, kept, counts))
        _check_whole(source, counts)
        folder.write(HEADS, (head_line(head) + b"\n" for head in kept))
        missing = _beside(folder, source, traces, lang)
        folder.write(KEY, [public_pem(bytes(source.key.verify_key))])
        folder.write("verify.py", [verify_script()])
        folder.write("VERIFY.md", [(_HERE / "audit_bundle_verify.md").read_bytes()])
        manifest = {
            "format": FORMAT,
            "made_at": now().isoformat(timespec="milliseconds"),
            "made_by": f"sgclaw {__version__}",
            "install_id": source.install_id,
            "key_sha256": folder.files[KEY].sha256,
            "chosen": {**choice._asdict(), "traces": list(choice.traces)},
            "traces": dict(sorted(counts.traces.items())),
            "streams": _streams(stretches, kept, counts),
            "charts": {name: sorted(hashes) for name, hashes in sorted(counts.charts.items())},
            "missing": missing,
            "files": {name: file._asdict() for name, file in sorted(folder.files.items())},
        }
        text = json.dumps(manifest, ensure_ascii=False, indent=1).encode("utf-8") + b"\n"
        folder.write(MANIFEST, [text])
        folder.write(SIGNATURE, [source.key.sign(text).signature])
    return manifest


def _check_heads(source: Source, traces: Sequence[str], heads: Iterable[SignedHead]) -> None:
    """Hold every head that was signed during *traces* against the event that it is of.

    Raises:
        RefusedError: the event is another, or is not there although retention did not drop it.
    """
    chosen = set(traces)
    for head, _, trace, *_ in heads:
        if trace in chosen and head.install_id == source.install_id:
            place = (head.install_id, head.stream, head.position)
            found = source.store.all(_HASH, place)
            if found != [(head.hash,)] and (found or not source.store.all(_DROPPED_AT, place)):
                raise _broken(head.stream, head.position)


def _check_whole(source: Source, counts: _Counts) -> None:
    """Refuse a run that lacks events, unless retention dropped any of this installation.

    Raises:
        RefusedError: it does.
    """
    lacking = {trace: told["lacks"] for trace, told in counts.traces.items() if told["lacks"]}
    if lacking and not source.store.all(_DROPPED, (source.install_id,)):
        trace, lacks = min(lacking.items())
        raise RefusedError("export_lacks", trace=trace, lacks=lacks)


def _heads_for(
    heads: Sequence[SignedHead], install: str, stretches: Sequence[Stretch]
) -> list[SignedHead]:
    """Return the heads that end a stretch, one for each place, in order.

    Raises:
        RefusedError: two signed heads say different hashes of one place.
    """
    ends = {(install, s.stream, s.last) for s in stretches if s.anchored}
    kept: dict[tuple[str, int], SignedHead] = {}
    for signed in heads:
        if signed.head[:3] in ends:
            place = (signed.head.stream, signed.head.position)
            if kept.setdefault(place, signed).head.hash != signed.head.hash:
                raise _broken(*place)
    return [kept[place] for place in sorted(kept)]


def _events(
    source: Source,
    traces: Sequence[str],
    stretches: Sequence[Stretch],
    heads: Sequence[SignedHead],
    counts: _Counts,
) -> Iterator[bytes]:
    """Yield the lines of the events file, each held against what is before it and its head."""
    chosen = set(traces)
    said = {(h.head.stream, h.head.position): h.head.hash for h in heads}
    for stretch in stretches:
        last, expected = GENESIS if stretch.first == 1 else "", stretch.first
        span = (source.install_id, stretch.stream, stretch.first, stretch.last)
        for row in _rows(source.store, span):
            position, trace, seq, tenant, user, algorithm, prev, link, text = row
            owner = Owner(source.install_id, tenant, user)
            place = Place(stretch.stream, position, trace, seq)
            content = _content(owner, place, algorithm, text)
            good = (
                position == expected
                and last in ("", prev)
                and content
                and link_of(*span[:2], position, algorithm, prev, content) == link
                and said.get((stretch.stream, position), link) == link
            )
            if not good:
                raise _broken(stretch.stream, expected)
            last, expected = link, position + 1
            line = {"install_id": source.install_id, "stream": stretch.stream, "position": position}
            line |= {"algorithm": algorithm, "prev": prev}
            if trace in chosen:
                line |= {"hash": link, "tenant": tenant, "user": user, "trace_id": trace,
                         "seq": seq, "text": text}  # fmt: skip
                counts.add(stretch.stream, trace, seq, _parsed(text, place))
            else:
                line |= {"content": content, "hash": link}
                counts.links[stretch.stream] += 1
            yield _line(line)
        if expected != stretch.last + 1:
            raise _broken(stretch.stream, expected)


def _rows(store: Store, span: tuple[str, str, int, int]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of *span* (installation, stream, first and last position), a few at a time."""
    install, stream, first, last = span
    for start in range(first, last + 1, _ROWS_AT_ONCE):
        end = min(last, start + _ROWS_AT_ONCE - 1)
        yield from store.all(_ROWS, (install, stream, start, end))


def _line(document: Mapping[str, Any]) -> bytes:
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _content(owner: Owner, place: Place, algorithm: str, text: str) -> str:
    try:
        return content_hash(owner, place, algorithm, text)
    except (TypeError, ValueError):  # no such algorithm, or no text: the column was changed
        return ""


def _parsed(text: str, place: Place) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise _broken(place.stream, place.position) from error


def _broken(stream: str, position: int) -> RefusedError:
    return RefusedError("export_not_proved", stream=stream, position=position)


def _streams(
    stretches: Iterable[Stretch], heads: Iterable[SignedHead], counts: _Counts
) -> dict[str, Any]:
    told: dict[str, Any] = {}
    of_heads = Counter(head.head.stream for head in heads)
    for stretch in stretches:
        entry = told.setdefault(
            stretch.stream,
            {
                "first": stretch.first, "last": stretch.last,
                "events": counts.events[stretch.stream], "links": counts.links[stretch.stream],
                "heads": of_heads[stretch.stream], "after_last_head": 0,
            },
        )  # fmt: skip
        entry["last"] = stretch.last
        if not stretch.anchored:
            entry["after_last_head"] = stretch.last - stretch.first + 1
    return told


def _beside(
    folder: BundleFolder, source: Source, traces: Sequence[str], lang: Lang
) -> dict[str, str]:
    """Write the host's logs and the pictures; return what is not there, and why."""
    missing: dict[str, str] = {}
    for trace in traces:
        for name in (f"{trace}.log", f"{trace}.jsonl"):
            try:
                parts = parts_of(host_log_dir(source.data) / name)
            except FileNotFoundError:
                missing[f"host/{name}"] = "no_such_file"
            except OSError:
                missing[f"host/{name}"] = "unreadable"
            else:
                folder.write(f"host/{name}", parts)
        name = f"lifecycle/{trace}.svg"
        try:
            rows = read_trace(source.store, source.install_id, trace)
            folder.write(name, [lifecycle_svg(task_chart(), rows, lang).encode("utf-8")])
        except (ChartError, LedgerError) as error:
            missing[name] = error.code
    return missing
