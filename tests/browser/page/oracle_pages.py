"""Large pages for the oracle: a long table, many elements, a heavy ERP form."""

from collections.abc import Callable

_SUBJECTS = ("发票", "合同", "采购单", "报销单", "工资表")


def long_table(rows: int = 200) -> str:
    """Return a table of 200 rows and 8 columns, each row with a link, a box and two buttons."""
    head = "".join(f"<th scope=col>{name}</th>" for name in ("", "编号", "日期", "供应商", "金额"))
    body = "".join(
        f"<tr><td><input type=checkbox aria-label='选择 {n}'></td>"
        f"<th scope=row><a href='#{n}'>FP-{n:05}</a></th><td>2026-03-{n % 28 + 1:02}</td>"
        f"<td>{_SUBJECTS[n % 5]}公司 {n % 17}</td><td>{n * 13.5:.2f}</td><td>财务部</td>"
        f"<td><span>待审</span></td><td><button>查看</button> <button>审批</button></td></tr>"
        for n in range(rows)
    )
    return (
        "<!doctype html><title>发票</title><h1>发票列表</h1><input type=search aria-label=查找>"
        f"<table><caption>发票</caption><thead><tr>{head}<th>部门<th>状态<th>操作</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def many_elements(cards: int = 220) -> str:
    """Return 2,000 elements in cards: headings, pictures, lists, links and fields."""
    inner = "".join(
        f"<article aria-label='卡 {n}'><h2>{_SUBJECTS[n % 5]} {n}</h2><img src=x alt='图 {n}'>"
        f"<p>说明 <b>{n}</b></p><ul><li>状态 {n}</li>"
        f"<li><a href='#{n}'>详情 <i>{n}</i></a></li></ul>"
        f"<label>备注<input value='{n}'></label></article>"
        for n in range(cards)
    )
    return f"<!doctype html><title>卡片</title><main>{inner}</main>"


def erp_form(groups: int = 40) -> str:
    """Return a form of 40 groups in tabs, with every kind of field, menus and a tree."""
    fields = "".join(
        f"<fieldset><legend>第 {n} 组</legend><label for=a{n}>名称 {n}</label>"
        f"<input id=a{n} required>"
        f"<label>类别 {n}<select><option>甲<option selected>乙<option>丙</select></label>"
        f"<label><input type=checkbox>启用 {n}</label><label><input type=radio name=r{n}>是</label>"
        f"<label><input type=radio name=r{n}>否</label><span id=l{n}>数量</span>"
        f"<input type=number aria-labelledby='l{n} a{n}' value={n}><textarea aria-label='备注 {n}'>"
        f"</textarea><div role=combobox tabindex=0 aria-expanded=false aria-label='部门 {n}'>财务"
        "</div>"
        f"<div role=switch tabindex=0 aria-checked=false>通知 {n}</div>"
        f"<button type=button title='帮助 {n}'></button><button type=button>选择…</button>"
        f"<div role=group aria-label='明细 {n}'><table><tr><th>品名<th>数<th>价</tr>"
        f"<tr><td>物 {n}<td><input aria-label='数 {n}'><td>3.50</tr></table></div></fieldset>"
        for n in range(groups)
    )
    return (
        "<!doctype html><title>订单</title><header><nav aria-label=主><ul role=menubar>"
        "<li role=none><a role=menuitem href='#'>文件</a><li role=none>"
        "<a role=menuitem href='#'>编辑</a></ul></nav></header><main>"
        "<h1>采购订单 <small>草稿</small></h1><div role=tablist>"
        "<button role=tab aria-selected=true>基本</button><button role=tab>明细</button></div>"
        f"<form aria-label=订单>{fields}<button>保存</button></form></main><aside aria-label=目录>"
        "<div role=tree><div role=treeitem tabindex=0>总部</div></div></aside><footer>版权</footer>"
    )


LARGE: dict[str, Callable[[], str]] = {
    "long_table": long_table,
    "many_elements": many_elements,
    "erp_form": erp_form,
}
