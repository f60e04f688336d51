"""Any row of a long table, and any node of a long page, is had in one more call."""

import json
import time
from typing import Any

import pytest

from tests.browser.page.conftest import Open
from tests.support.page_lab import flat

pytestmark = [pytest.mark.chromium, pytest.mark.asyncio(loop_scope="session")]

SLOW_S = 10.0


def table(rows: int, attributes: str = "") -> str:
    body = "".join(
        f"<tr><td>{n}</td><td>发票-{n:05}</td><td><button>查看 {n}</button></td></tr>"
        for n in range(1, rows + 1)
    )
    return f"<table {attributes}><tr><th>号<th>名<th>做</tr>{body}</table>"


def names(answer: dict[str, Any], role: str = "cell") -> list[str]:
    return [node["name"] for node in flat(answer["nodes"]) if node["role"] == role]


async def test_rows_are_had_by_their_numbers_with_the_header(open_page: Open) -> None:
    lab = await open_page(f"<h1>a</h1>{table(200)}<table><tr><th>x<tr><td>y</table>")
    answer = await lab.ask("snapshot", filter="rows=102-103")
    assert names(answer, "columnheader") == ["号", "名", "做"]
    assert names(answer) == [
        "101", "发票-00101", "查看 101", "102", "发票-00102", "查看 102",
    ]  # fmt: skip
    assert answer["nodes"][0]["row_count"] == 201
    assert (answer["truncated"], answer["total"]) == (False, 1 + 4 + 2 * 5)
    button = next(node for node in flat(answer["nodes"]) if node["role"] == "button")
    assert (await lab.ask("resolve", selector=button["ref"]))["target"]["name"] == "查看 101"
    one = await lab.ask("snapshot", filter="rows=201")
    assert names(one)[0] == "200"


async def test_the_last_row_of_a_table_is_at_most_two_calls_away(open_page: Open) -> None:
    lab = await open_page(table(200))
    first = await lab.ask("snapshot", limit=300)
    assert first["truncated"] is True
    count = first["nodes"][0]["row_count"]
    assert names(await lab.ask("snapshot", filter=f"rows={count}"))[0] == "200"


async def test_the_table_under_a_selector_is_meant(open_page: Open) -> None:
    lab = await open_page(f"{table(20)}<div id=d>{table(3)}</div>")
    assert names(await lab.ask("snapshot", filter="rows=2-2", selector="#d"))[0] == "1"
    assert names(await lab.ask("snapshot", filter="rows=9-9", selector="#d")) == []
    assert names(await lab.ask("snapshot", filter="rows=9-9"))[0] == "8"


async def test_rows_of_a_table_that_holds_a_part_go_by_their_index(open_page: Open) -> None:
    rows = "".join(
        f"<div role=row aria-rowindex={n}><span role=gridcell>v{n}</span></div>"
        for n in range(40, 60)
    )
    lab = await open_page(
        "<div role=grid aria-rowcount=5000><div role=row aria-rowindex=1>"
        f"<span role=columnheader>h</span></div>{rows}</div>"
    )
    answer = await lab.ask("snapshot", filter="rows=50-51")
    assert names(answer, "gridcell") == ["v50", "v51"]
    assert names(answer, "columnheader") == ["h"]
    assert answer["nodes"][0]["row_count"] == 5000
    assert names(await lab.ask("snapshot", filter="rows=3000"), "gridcell") == []


async def test_a_table_in_a_shadow_root_or_frame_is_found(open_page: Open) -> None:
    lab = await open_page("<table><tr><th>a</table><div id=h></div>")
    await lab.run(
        "document.getElementById('h').attachShadow({mode: 'open'}).innerHTML ="
        + json.dumps(table(5))
    )
    assert names(await lab.ask("snapshot", filter="rows=6"))[0] == "5"
    await lab.show(f'<iframe srcdoc="{table(7)}"></iframe>')
    await lab.ask("settled", ms_max=5000)
    assert names(await lab.ask("snapshot", filter="rows=8"))[0] == "7"


async def test_many_rows_go_on_by_the_cursor(open_page: Open) -> None:
    lab = await open_page(table(100))
    answer = await lab.ask("snapshot", filter="rows=11-80", limit=200)
    seen = names(answer)
    while answer["cursor"]:
        answer = await lab.ask("snapshot", filter="rows=11-80", limit=200, cursor=answer["cursor"])
        seen += names(answer)
    wanted = [f"发票-{n:05}" for n in range(10, 80)]
    assert sorted(name for name in seen if name.startswith("发票")) == wanted


async def test_any_node_of_a_long_page_is_had_by_its_number_or_words(open_page: Open) -> None:
    lab = await open_page("".join(f"<p>段 {n}</p>" for n in range(1, 5001)))
    first = await lab.ask("snapshot")
    assert (first["total"], first["truncated"]) == (5000, True)
    answer = await lab.ask("snapshot", filter="nodes=4321-4322")
    assert names(answer, "text") == ["段 4321", "段 4322"]
    assert names(await lab.ask("snapshot", filter="段 3999"), "text") == ["段 3999"]


async def test_what_only_looks_like_a_number_is_searched_as_text(open_page: Open) -> None:
    lab = await open_page(f"<p>rows=a</p>{table(3)}")
    assert names(await lab.ask("snapshot", filter="rows=a"), "text") == ["rows=a"]
    assert names(await lab.ask("snapshot", filter="rows=3-2")) == []
    await lab.show("<p>rows=1 of none</p>")
    assert names(await lab.ask("snapshot", filter="rows=1"), "text") == ["rows=1 of none"]


async def test_a_very_long_table_costs_no_more_than_its_rows(open_page: Open) -> None:
    lab = await open_page("<p>a</p>")
    await lab.run(f"document.body.innerHTML = {json.dumps(table(5000))};document.body.offsetHeight")
    started = time.monotonic()
    answer = await lab.ask("snapshot", filter="rows=4321-4330")
    few = time.monotonic() - started
    assert names(answer)[0] == "4320"
    whole = await lab.ask("snapshot")
    assert time.monotonic() - started < SLOW_S
    assert whole["truncated"] is True
    assert (
        next(node for node in flat(whole["nodes"]) if node["role"] == "table")["row_count"] == 5001
    )
    assert few < SLOW_S / 3
