"""Secrets go through one real run, and none is found in anything that the run left or said.

Each canary is shown to have been where it could leak (the site was asked with it, the agent was
given it), and the search is shown to find it in each kind of file when it is put there.
"""

import gzip
import io
import json
import re
import secrets
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest

from tests.e2e.canary_run import NOTES
from tests.e2e.conftest import Desk, desk_in
from tests.support.site import Asked, Page, Reply, Site, redirect, serve

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(180)]
ROOT = Path(__file__).parents[2]
CARD = "4929123456781234"


def _fresh() -> str:
    return secrets.token_hex(10)


CANARIES = {
    "api_key": f"sk-{_fresh()}",
    "password": f"Pw{_fresh()}",
    "card": CARD,
    "bearer": f"tok{_fresh()}",
    "cookie": f"sid{_fresh()}",
    "upload_token": f"up{_fresh()}",
    "pg_password": f"pg{_fresh()}",
    "model_key": f"mk{_fresh()}",
}
HOME = f"""<!doctype html><title>Sign in</title><h1>登录 Sign in</h1>
<form onsubmit="return false"><label>密码 <input id=p type=password></label>
<label>卡号 <input id=c autocomplete=cc-number></label><label>备注 <input id=q></label></form>
<p id=t>Your key is {CANARIES["api_key"]} for now.</p><a id=go href=/enter>next</a>
<script>
  // A person types, after the page is there.
  p.value = "{CANARIES["password"]}"; c.value = "{CARD}";
  p.dispatchEvent(new Event("input", {{bubbles: true}}));
  document.title = "Sign in " + c.value;
  fetch("/heard", {{method: "POST", body: JSON.stringify([p.value, c.value, document.cookie])}});
</script>"""
INSIDE = """<!doctype html><title>Inside</title><h1>Inside 内部</h1><p id=here>You are in.</p>
<a id=more href="#x">more</a><script>fetch("/heard" + location.search)</script>"""


class Left(NamedTuple):
    """What the run left: the desk with its folders, what was *said*, and the notes of it all."""

    desk: Desk
    notes: Path
    said: str
    site: Site
    trace: str

    @property
    def prompts(self) -> str:
        return (self.notes / "prompts.jsonl").read_text("utf-8")

    def canaries(self) -> dict[str, str]:
        return {**CANARIES, "pipe_key": (self.notes / "key").read_text()}


def contents(path: Path) -> Iterator[bytes]:
    """Yield the bytes of the file at *path*, and what is packed in it."""
    raw = path.read_bytes()
    yield raw
    if raw[:2] == b"\x1f\x8b":
        yield gzip.decompress(raw)
    if raw[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(raw)) as packed:
            yield from (packed.read(name) for name in packed.namelist())


def spelled(canary: str) -> set[bytes]:
    """Return the spellings of *canary* that would give it away."""
    return {canary.encode(), quote(canary).encode(), canary.encode("utf-16-le")}


def found(folders: list[Path], canaries: dict[str, str]) -> list[str]:
    """Return each canary that is found below *folders*, with the file that holds it."""
    hits = []
    for path in (p for folder in folders for p in sorted(folder.rglob("*")) if p.is_file()):
        for content in contents(path):
            for name, canary in canaries.items():
                if any(word in content for word in spelled(canary)):
                    hits.append(f"{name} in {path.name}")
    return hits


def call(action: str, **params: Any) -> dict[str, Any]:
    wanted = {"action": action, "params": params, "expected_domain": "127.0.0.1"}
    return {"tool_calls": [{"id": "1", "name": "browser_action", "input": wanted}]}


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Left]:
    """One run for every canary."""
    folder = tmp_path_factory.mktemp("canary")
    desk, notes = desk_in(folder / "desk"), folder / "notes"
    notes.mkdir()

    def home(asked: Asked) -> Reply:
        del asked
        return Reply(HOME, headers={"Set-Cookie": f"session={CANARIES['cookie']}; Path=/"})

    pages: dict[str, Page] = {
        "/": home,
        "/enter": redirect(f"/inside?access_token={CANARIES['bearer']}&page=1"),
        "/inside": INSIDE,
        "/heard": "",
    }
    with serve(pages) as site:
        desk.env |= {
            NOTES: str(notes),
            "PYTHONPATH": str(ROOT),
            "SGCLAW_AUDIT_PIPE_CONTENT": "true",
            "SGCLAW_AUDIT_UPLOAD_TOKEN": CANARIES["upload_token"],
            "ANTHROPIC_API_KEY": CANARIES["model_key"],
        }
        desk.env.pop("SGCLAW_DEBUG", None)
        # In the agent's hands when it fails: what a library's message may repeat.
        (notes / "fault").write_text(
            f"https://{site.port}/?access_token={CANARIES['bearer']} Authorization: Bearer "
            f"{CANARIES['bearer']} api_key={CANARIES['api_key']} password={CANARIES['password']}"
        )
        script = desk.script(
            call("getText", selector="body"),
            call("getAomSnapshot"),
            call("getHtml", selector="body"),
            call("type", selector="#q", text="hello"),
            call("click", selector="#none", timeout_ms=100),
            call("click", selector="#go"),
            call("getText", selector="body"),
            call("pageScreenshot"),
        )
        rule = f"{{host: 127.0.0.1, scheme: http, port: {site.port}, allow: ['*']}}"
        policy = desk.write("policy.yaml", f"version: 1\nhosts:\n  - {rule}\n")
        words = ("run", f"look around, my key is {CANARIES['api_key']}", "--url", site.url(),
                 "--provider", script, "--policy", str(policy), "--approve",
                 desk.approvals(*["approve"] * 20), "--out", "out")  # fmt: skip
        child = subprocess.run(
            [sys.executable, "-m", "tests.e2e.canary_run", "host", *words],
            cwd=desk.folder, env=desk.env, capture_output=True, text=True, encoding="utf-8",
            stdin=subprocess.DEVNULL, timeout=120, check=False,
        )  # fmt: skip
        said = child.stdout + child.stderr
        trace = json.loads((desk.folder / "out" / "result.json").read_bytes())["trace_id"]
        for name in ("policy.yaml", "replies.jsonl", "approvals.jsonl"):
            (desk.folder / name).unlink()
        yield Left(desk, notes, said, site, trace)


def test_every_canary_was_where_it_could_leak(left: Left) -> None:
    heard = "".join(f"{hit.query} {hit.headers} {hit.body!r}" for hit in left.site.hits)
    for name in ("password", "card", "cookie", "bearer"):
        assert CANARIES[name] in heard, name
    assert CANARIES["api_key"] in HOME
    assert re.fullmatch("[0-9a-f]{64}", left.canaries()["pipe_key"])
    # The run went its way to the fault: all of what is searched tells of it.
    assert "the model library failed" in left.said + "".join(
        path.read_text("utf-8") for path in (left.desk.folder / "data" / "logs").glob("*.jsonl")
    )
    assert "卡号" in left.prompts
    assert "内部" in left.prompts
    # What is no secret stays: striking did not take everything.
    assert "page=1" in left.prompts


def test_no_canary_is_in_anything_that_the_run_left_or_said(left: Left) -> None:
    folder = left.desk.folder
    assert found([folder], left.canaries()) == []
    said = left.notes / "said"
    said.mkdir()
    (said / "said.txt").write_text(left.said)
    assert found([said], left.canaries()) == []


def test_no_canary_is_in_what_the_model_was_given(left: Left) -> None:
    told = left.notes / "told"
    told.mkdir()
    (told / "prompts.jsonl").write_text(left.prompts)
    assert found([told], left.canaries()) == []


def test_the_search_looks_into_each_kind_of_file_and_finds_every_canary(
    left: Left, tmp_path: Path
) -> None:
    folder = left.desk.folder
    kinds = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    kinds = {kind.replace(left.trace, "TRACE") for kind in kinds}
    assert kinds >= {
        "data/ledger/ledger.db", "data/host/TRACE.log", "data/host/TRACE.jsonl",
        "data/logs/operation.jsonl", "data/logs/pipe.jsonl", "out/result.json",
        "out/ledger.jsonl", "out/last_page.png", "out/lifecycle.svg",
    }  # fmt: skip
    everything = " ".join(left.canaries().values())
    (tmp_path / "a.log").write_text(everything)
    (tmp_path / "b.gz").write_bytes(gzip.compress(everything.encode()))
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as packed:
        packed.writestr("x", everything)
    base = sqlite3.connect(tmp_path / "d.db")
    with base:
        base.execute("CREATE TABLE t (text)")
        base.execute("INSERT INTO t VALUES (?)", (everything,))
    base.close()
    hits = found([tmp_path], left.canaries())
    expected = {f"{name} in {file}" for name in left.canaries()
                for file in ("a.log", "b.gz", "c.zip", "d.db")}  # fmt: skip
    assert set(hits) == expected


def test_a_picture_of_the_page_has_no_words_beside_its_pixels(left: Left) -> None:
    from PIL import Image

    with Image.open(left.desk.folder / "out" / "last_page.png") as picture:
        assert not [value for value in picture.info.values() if isinstance(value, str | bytes)]


def test_a_ledger_database_that_is_not_there_is_told_without_its_password(tmp_path: Path) -> None:
    desk = desk_in(tmp_path / "desk")
    secret = CANARIES["pg_password"]
    desk.env["SGCLAW_DATABASE_URL"] = f"postgresql://me:{secret}@127.0.0.1:1/ledger"
    run = desk.demo("export the report")
    assert run.code != 0
    assert "127.0.0.1" in run.stdout + run.stderr
    assert secret not in run.stdout + run.stderr
    assert found([desk.folder], CANARIES) == []


@pytest.mark.parametrize("out", ["bundle", "bundle.zip"])
def test_what_is_exported_or_shown_holds_no_canary(left: Left, tmp_path: Path, out: str) -> None:
    bundle, said = tmp_path / "bundle", tmp_path / "said"
    bundle.mkdir()
    said.mkdir()
    run = left.desk.run("audit", "export", str(bundle / out), "--trace", left.trace)
    shown = left.desk.run("audit", "show", left.trace)
    assert (run.code, shown.code) == (0, 0), run.stderr + shown.stderr
    (said / "shown").write_text(run.stdout + run.stderr + shown.stdout + shown.stderr)
    assert found([tmp_path], left.canaries()) == []
    # The control: what it was about is there.
    told = {hit.split()[0] for hit in found([bundle], {"trace": left.trace, "page": "#none"})}
    assert told == {"trace", "page"}
    assert "getHtml" in shown.stdout


def test_an_agent_that_breaks_at_its_edge_tells_the_fault_without_the_secret(left: Left) -> None:
    words = (sys.executable, "-m", "tests.e2e.canary_run", "crash", str(left.notes))
    child = subprocess.run(
        words, cwd=ROOT, env=left.desk.env, capture_output=True, stdin=subprocess.DEVNULL,
        timeout=60, check=False,
    )  # fmt: skip
    assert child.returncode == 1
    assert b"agent_broken" in child.stderr
    assert b"the model library failed" in child.stderr
    held = [name for name, word in left.canaries().items() if word.encode() in child.stderr]
    assert held == []
    assert b"Traceback" not in child.stderr
