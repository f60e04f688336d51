"""The pages every peer is shown, written to a folder that a local server serves."""

from pathlib import Path

_HEAD = "<!doctype html><meta charset=utf-8><title>{title}</title>"


def _rows(count: int, cells: int) -> str:
    body = "".join(
        "<tr>"
        + "".join(f"<td>{_cell(row, cell)}</td>" for cell in range(cells - 1))
        + f"<td><button id=b{row}>查看</button></td></tr>"
        for row in range(1, count + 1)
    )
    heads = "".join(f"<th>{name}" for name in _HEADS[: cells - 1]) + "<th>操作"
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


_HEADS = ("序号", "单号", "客户", "日期", "金额", "状态", "经办人", "备注")


def _cell(row: int, cell: int) -> str:
    day = row % 28 + 1
    return (
        str(row), f"SO-2026-{row:04}", f"客户 {row % 37} 有限公司", f"2026-03-{day:02}",
        f"{row * 137.5:,.2f}", ("待审", "已审", "作废")[row % 3], f"员工 {row % 11}", f"备注 {row}",
    )[cell]  # fmt: skip


def _small() -> str:
    return (
        "<nav><a href=/small.html>首页</a> <a href=/form.html>表单</a></nav><h1>工作台</h1>"
        "<p id=said>0</p>"
        "<button id=go onclick='said.textContent = +said.textContent + 1'>查询</button>"
        "<input id=n aria-label=单号><ul><li>待办 3</li><li>通知 2</li></ul>"
    )


def _form(fields: int) -> str:
    lines = "".join(
        f"<p><label>字段 {n}<input id=f{n} name=f{n}></label>"
        f"<label>类型 {n}<select name=s{n}><option>甲<option>乙<option>丙</select></label></p>"
        for n in range(fields)
    )
    return f"<h1>报销单</h1><form onsubmit='return false'>{lines}<button id=go>计算</button></form>"


def _erp() -> str:
    tabs = "".join(f"<button role=tab>页签 {n}</button>" for n in range(12))
    tools = "".join(f"<button>工具 {n}</button>" for n in range(30))
    return f"<div role=tablist>{tabs}</div><div>{tools}</div>{_form(60)}{_rows(40, 9)}"


def write_pages(folder: Path) -> tuple[str, ...]:
    """Write the five pages and the one of the task; return the five names."""
    pages = {
        "small": _small(), "form": _form(15), "table200": f"<h1>订单</h1>{_rows(200, 8)}",
        "elements2000": f"<h1>明细</h1>{_rows(280, 6)}", "erp": _erp(),
    }  # fmt: skip
    for name, body in pages.items():
        text = _HEAD.format(title=name) + body
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return tuple(pages)
