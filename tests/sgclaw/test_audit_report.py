"""The audit report is one file that runs nothing, loads nothing and shows the tasks' ways."""

import base64
import hashlib
import json
import re
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from memory.audit_query import Query, find
from memory.chain import Owner
from memory.database import Store, open_store
from memory.event_ledger import DatabaseLedger
from sgclaw.audit_report import report
from sgclaw.audit_report_ask import Asked
from states.catalogue import Lang
from tests.support.page_lab import PageLab, lab_browser

GOLDEN = Path(__file__).parents[1] / "golden" / "0.1.0"
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
EVIL = "<img src=x onerror=alert(1)>&\"'</style><script>document.title='ran'</script>"
# Waits for the pictures, tries to run a script of the page's own, and says what became of it.
LOOK = """(async () => {
    const images = [...document.images];
    await Promise.all(images.map(image => image.decode()));
    const script = document.createElement("script");
    script.textContent = "document.title = 'ran'";
    document.body.append(script);
    return {
        title: document.title,
        pictures: images.map(image => image.naturalWidth > 600),
        styled: getComputedStyle(document.querySelector("main")).maxWidth,
        wider: document.documentElement.scrollWidth > window.innerWidth,
    };
})()"""


class Page(HTMLParser):
    """The elements of a report with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, name: str) -> list[dict[str, str]]:
        """Return the attributes of every element *name*."""
        return [attributes for tag, attributes in self.elements if tag == name]


def trace(number: int) -> str:
    return f"sgclaw-20261130-{number:016x}"


def write(store: Store, number: int, name: str, user: str = "li.wei", **changed: Any) -> None:
    lines = (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) | {"trace_id": trace(number)} | changed for line in lines]
    kept = [{k: v for k, v in row.items() if k not in ("v", "seq")} for row in rows]
    DatabaseLedger(store, Owner("a" * 32, "acme", user), trace(number)).append_all(
        kept, durable=False
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Give a ledger with the tasks 1 (approved), 2 (refused) and 3 (looping)."""
    opened = open_store(tmp_path / "ledger.db")
    for number, name in enumerate(("approved", "refused", "looping"), start=1):
        write(opened, number, name)
    yield opened
    opened.close()


def told(
    store: Store, user: str = "", limit: int = 100, pictures_max: int = 5, lang: Lang = "en"
) -> str:
    query = Query(user_name=user)
    asked = Asked(query, limit, 0, (("--user", user),) if user else ())
    return report(store, asked, find(store, query, limit, 0, 1_000), NOW, pictures_max, lang)


def pictures(page: Page) -> list[str]:
    found = [image["src"].removeprefix("data:image/svg+xml;base64,") for image in page.all("img")]
    return [base64.b64decode(data, validate=True).decode() for data in found]


def test_a_report_has_no_script_and_names_nothing_to_load(store: Store) -> None:
    page = Page(told(store))
    assert {"script", "link", "iframe", "object", "embed", "form", "base"}.isdisjoint(
        tag for tag, _ in page.elements
    )
    named = [(name, value) for _, each in page.elements for name, value in each.items()
             if name in ("src", "href", "srcset", "data", "action", "style")
             or name.startswith("on")]  # fmt: skip
    assert named
    for name, value in named:
        assert (name, value[:5]) == ("src", "data:") or (name, value[:1]) == ("href", "#")


def test_its_policy_lets_in_its_own_style_and_pictures_alone(store: Store) -> None:
    text = told(store)
    [policy] = [m["content"] for m in Page(text).all("meta") if m.get("http-equiv")]
    style = text[text.index("<style>") + len("<style>") : text.index("</style>")]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy.split("; ") == [
        "default-src 'none'", f"style-src 'sha256-{digest}'", "img-src data:", "base-uri 'none'",
        "form-action 'none'",
    ]  # fmt: skip
    assert "url(" not in style
    assert "@import" not in style


def test_what_stands_in_the_ledger_is_text_and_never_a_part_of_the_page(store: Store) -> None:
    write(store, 4, "broken_output", user=EVIL, kind=EVIL, state=EVIL)
    plain, page = Page(told(store, "li.wei")), Page(told(store, EVIL))
    assert EVIL in page.text
    assert {tag for tag, _ in page.elements} <= {tag for tag, _ in plain.elements}
    assert not [image for image in page.all("img") if image.get("src") == "x"]


def test_each_task_that_is_shown_has_its_way_on_the_statechart(store: Store) -> None:
    page = Page(told(store))
    drawn = pictures(page)
    assert len(drawn) == 3
    for number, svg in zip((3, 2, 1), drawn, strict=True):
        assert svg.startswith("<svg ")
        assert trace(number) in svg
    links = {each["href"] for each in page.all("a")}
    assert links == {f"#{figure['id']}" for figure in page.all("figure")}


def test_no_more_tasks_are_drawn_than_the_bound_and_the_rest_is_said(store: Store) -> None:
    page = Page(told(store, pictures_max=1))
    [only] = pictures(page)
    assert trace(3) in only
    assert "Tasks without a picture here: 2" in page.text
    assert "more tasks" not in Page(told(store)).text


def test_totals_are_of_all_matches_and_the_table_of_those_shown(store: Store) -> None:
    page = Page(told(store, limit=3))
    assert "All matches: 32" in page.text
    assert "Events 1 to 3 of 32, newest first; times are UTC." in page.text
    assert len([cell for cell in page.all("td") if cell.get("class") == "at"]) == 3
    assert re.search(r"rejected\s*1", page.text)
    assert "completed" in page.text


def test_a_task_that_was_changed_is_named_in_place_of_its_picture(
    store: Store, tmp_path: Path
) -> None:
    with sqlite3.connect(tmp_path / "ledger.db") as other:
        other.execute("DROP TRIGGER event_stays")
        other.execute("UPDATE event SET text = text || ' ' WHERE trace_id = ?", (trace(2),))
    other.close()
    page = Page(told(store))
    assert len(pictures(page)) == 2
    assert "This task cannot be drawn:" in page.text


def test_it_speaks_chinese(store: Store) -> None:
    page = Page(told(store, "li.wei", lang="zh-CN"))
    assert page.all("html") == [{"lang": "zh-CN"}]
    for word in ("审计报告", "查询条件", "用户拒绝", "任务完成", "最新的在前"):
        assert word in page.text
    assert all("结束" in svg or "运行" in svg for svg in pictures(page))


def test_a_report_without_a_match_says_what_was_looked_for(store: Store) -> None:
    page = Page(told(store, "nobody"))
    assert "nobody" in page.text
    assert "All matches: 0" in page.text
    assert page.all("img") == []


async def test_a_browser_shows_it_as_it_was_meant_and_runs_nothing(
    store: Store, tmp_path: Path
) -> None:
    text = told(store)
    seen = {"pictures": [True] * 3, "styled": "1480px", "wider": False}
    async with lab_browser(tmp_path / "profiles") as browser:
        page = await PageLab.open(browser, text)
        assert await page.run(LOOK) == {"title": "Audit report", **seen}
        # Without its policy it would have run what is put into it.
        loose = await PageLab.open(browser, text.replace("Content-Security-Policy", "x-none"))
        assert await loose.run(LOOK) == {"title": "ran", **seen}


def test_what_the_model_of_a_task_took_stands_above_its_picture(store: Store) -> None:
    lines = (GOLDEN / "approved.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) | {"trace_id": trace(5)} for line in lines]
    for row in rows:
        turn = row["event"]["payload"].get("record", {}).get("turn")
        if turn:
            turn["usage"] = {"input_tokens": 1000, "output_tokens": 10, "cache_read_tokens": 400}
            turn["report"] = {"provider": "claude", "model": EVIL, "cost_microusd": 2500}
    kept = [{k: v for k, v in row.items() if k not in ("v", "seq")} for row in rows]
    owner = Owner("a" * 32, "acme", "spender")
    DatabaseLedger(store, owner, trace(5)).append_all(kept, durable=False)
    page = Page(told(store, "spender"))
    assert "model calls: 4, failed tries: 0" in page.text
    assert "tokens in 4,000 (from the cache 1,600" in page.text
    assert "about $0.0100 (estimate)" in page.text
    assert not [image for image in page.all("img") if image.get("src") == "x"]
    assert "模型调用 4 次" in Page(told(store, "spender", lang="zh-CN")).text
