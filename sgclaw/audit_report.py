"""The answer of `sgclaw audit query` as one HTML file (A4), read anywhere and for years.

It holds no script and loads nothing; its policy says so to the browser too. Everything from the
ledger is escaped, and the statecharts are pictures, so that nothing in them is part of the page.
"""

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from html import escape

from engine.chart.export.svg import lifecycle_svg
from memory.audit_query import Found, Match
from memory.database import Store
from memory.reader import read_trace
from sgclaw.audit_report_ask import Asked
from sgclaw.audit_report_style import BAD, GOOD, STYLE
from sgclaw.audit_report_table import COLUMNS, time_of
from sgclaw.audit_story_model import totals_in
from sgclaw.audit_story_words import totals_line
from sgclaw.charts import task_chart
from states.catalogue import Lang, words
from states.errors import SgclawError

_TOTALS = {"outcome": "audit_report_by_outcome", "verdict": "audit_report_by_verdict",
           "domain": "audit_report_by_domain"}  # fmt: skip
_ASKED = {
    "--since": "audit_asked_since", "--until": "audit_asked_until", "--trace": "audit_col_trace",
    "--user": "audit_col_user", "--domain": "audit_col_domain", "--action": "audit_col_action",
    "--verdict": "audit_col_verdict", "--skill": "audit_col_skill",
    "--outcome": "audit_col_outcome",
}  # fmt: skip
_LINES_MAX = 8
_MARKS = {
    "denied": "audit_word_denied", "confirm": "audit_word_confirm",
    "approved": "audit_word_approved", "rejected": "audit_word_rejected",
    "expired": "audit_word_expired", "allowed": "audit_word_allowed", "ok": "audit_word_ok",
    "failed": "audit_word_failed", "unknown": "audit_word_unknown",
    "refused": "audit_word_refused", "completed": "audit_word_completed",
    "aborted": "audit_word_aborted",
}  # fmt: skip


def report(
    store: Store, asked: Asked, found: Found, now: datetime, pictures_max: int, lang: Lang = "en"
) -> str:
    """Return the report on *found*, with pictures of the first *pictures_max* of its tasks.

    *now* is the time it says it was made at.
    """
    title = words("audit_report_title", lang)
    body = [
        _element("h1", escape(title)),
        _made(store.place, now, lang),
        _element("h2", escape(words("audit_report_asked", lang))),
        _question(asked, lang),
        _element("h2", escape(_whole(found, lang))),
        _element("div", "".join(_totals(found, lang)), "totals"),
        _element("h2", escape(words("audit_report_events", lang))),
        _events(asked, found, pictures_max, lang),
        *_runs(store, found.matches, pictures_max, lang),
    ]
    return _page(title, "\n".join(body), lang)


def _page(title: str, body: str, lang: Lang) -> str:
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        f'<!DOCTYPE html>\n<html lang="{lang}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _element(name: str, inner: str, kind: str = "") -> str:
    """Return an element around *inner*, which is HTML already."""
    return f'<{name} class="{kind}">{inner}</{name}>' if kind else f"<{name}>{inner}</{name}>"


def _made(place: str, now: datetime, lang: Lang) -> str:
    at = now.strftime("%Y-%m-%d %H:%M:%S")
    return _element("p", escape(words("audit_report_made", lang, at=at, place=place)), "soft")


def _question(asked: Asked, lang: Lang) -> str:
    if not asked.options:
        return _element("p", escape(words("audit_query_anything", lang)))
    pairs = "".join(
        f"<div><dt>{escape(words(_ASKED[option], lang))}</dt>"
        f"<dd>{_value(option, value, lang)}</dd></div>"
        for option, value in asked.options
    )
    return _element("dl", pairs)


def _value(option: str, value: str, lang: Lang) -> str:
    # A user may be called "ok"; only these two are words of ours.
    return _shown(value, lang) if option in ("--verdict", "--outcome") else escape(value)


def _whole(found: Found, lang: Lang) -> str:
    if found.is_counted:
        return words("audit_report_totals", lang, number=found.number)
    return words("audit_report_totals_bounded", lang, number=found.number)


def _totals(found: Found, lang: Lang) -> Iterable[str]:
    for name, total in found.totals._asdict().items():
        heading = _element("h3", escape(words(_TOTALS[name], lang)))
        yield _element("section", heading + _bars(total, found.number, lang))


def _bars(total: Mapping[str, int], whole: int, lang: Lang) -> str:
    """Return one line for each fact, the most frequent first; events without it come last."""
    named = sorted((-number, fact) for fact, number in total.items() if fact)
    lines = [(_shown(fact, lang), -number) for number, fact in named[:_LINES_MAX]]
    if rest := named[_LINES_MAX:]:
        label = escape(words("audit_report_rest", lang, count=len(rest)))
        lines.append((label, -sum(number for number, _ in rest)))
    if none := total.get("", 0):
        soft = f'<span class="soft">{escape(words("audit_report_none", lang))}</span>'
        lines.append((soft, none))
    rows = (
        f'<tr><td class="of">{label}</td><td>{_bar(number, whole)}</td>'
        f'<td class="sum">{number:,}</td></tr>'
        for label, number in lines
    )
    return _element("table", "".join(rows))


def _bar(number: int, whole: int) -> str:
    share = 100 * number / max(whole, 1)
    return (
        '<svg class="bar" aria-hidden="true"><rect class="rail" width="100%" height="8" rx="4"/>'
        f'<rect width="{share:.1f}%" height="8" rx="4"/></svg>'
    )


def _shown(fact: str, lang: Lang) -> str:
    """Return a verdict or an outcome as a coloured word, anything else as its text."""
    if fact not in _MARKS:
        return escape(fact)
    kind = "mark good" if fact in GOOD else "mark bad" if fact in BAD else "mark"
    return _element("span", escape(words(_MARKS[fact], lang)), kind)


def _events(asked: Asked, found: Found, pictures_max: int, lang: Lang) -> str:
    if not found.matches:
        return _element("p", escape(words("audit_report_none", lang)))
    number = f"{found.number:,}"
    if not found.is_counted:
        number = words("audit_query_over", lang, number=f"{found.number - 1:,}")
    first, last = asked.offset + 1, asked.offset + len(found.matches)
    said = words("audit_query_shown", lang, first=first, last=last, number=number)
    names = [name for name in COLUMNS if any(getattr(match, name) != "" for match in found.matches)]
    heads = "".join(
        _element("th", escape(words(COLUMNS[name], lang)), "seq" if name == "seq" else "")
        for name in names
    )
    drawn = _tasks(found.matches)[:pictures_max]
    rows = "\n".join(_event(match, names, drawn, lang) for match in found.matches)
    grid = f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody>"
    table = _element("div", _element("table", grid, "events"), "wide")
    return _element("p", escape(said), "soft") + table


def _event(match: Match, names: Sequence[str], drawn: Sequence[Match], lang: Lang) -> str:
    cells = []
    for name in names:
        value = str(getattr(match, name))
        if name == "at":
            cells.append(_element("td", escape(time_of(match)), "at"))
        elif name == "trace_id":
            cells.append(_element("td", _link(match, drawn), "trace mono"))
        elif name in ("seq", "user_name"):
            cells.append(_element("td", escape(value), "seq" if name == "seq" else "user"))
        elif name in ("verdict", "outcome"):
            cells.append(_element("td", _shown(value, lang), "of"))
        else:
            cells.append(_element("td", escape(value.removeprefix("active."))))
    return _element("tr", "".join(cells))


def _link(match: Match, drawn: Sequence[Match]) -> str:
    shown = escape(match.trace_id)
    for number, task in enumerate(drawn):
        if _task(task) == _task(match):
            return f'<a href="#task-{number}">{shown}</a>'
    return shown


def _task(match: Match) -> tuple[str, str]:
    return match.install_id, match.trace_id


def _tasks(matches: Sequence[Match]) -> list[Match]:
    """Return one event of each task, in the order the tasks appear."""
    return list({_task(match): match for match in reversed(matches)}.values())[::-1]


def _runs(store: Store, matches: Sequence[Match], most: int, lang: Lang) -> Iterable[str]:
    tasks = _tasks(matches)
    if not tasks:
        return
    yield _element("h2", escape(words("audit_report_runs", lang)))
    for number, task in enumerate(tasks[:most]):
        caption = _element("figcaption", escape(task.trace_id), "mono")
        yield f'<figure id="task-{number}">{caption}{_run(store, task, lang)}</figure>'
    left = len(tasks) - most
    if left > 0:
        yield _element("p", escape(words("audit_report_runs_left", lang, count=left)), "soft")


def _run(store: Store, task: Match, lang: Lang) -> str:
    """Return what the task's model calls came to, and its way on the statechart."""
    try:
        rows = read_trace(store, task.install_id, task.trace_id)
    except SgclawError as error:
        return _no_picture(error, lang)
    spent = totals_line(totals_in(rows), lang)
    line = _element("p", escape(spent), "soft") if spent else ""
    return line + _picture(task, rows, lang)


def _no_picture(error: SgclawError, lang: Lang) -> str:
    why = words("audit_report_no_picture", lang, why=error.text(lang))
    return _element("p", escape(why), "why")


def _picture(task: Match, rows: Sequence[Mapping[str, object]], lang: Lang) -> str:
    """Return the statechart with the task's way on it, or why it cannot be drawn."""
    try:
        drawn = lifecycle_svg(task_chart(), rows, lang)
    except SgclawError as error:
        return _no_picture(error, lang)
    told = escape(words("audit_report_picture_of", lang, trace=task.trace_id))
    image = base64.b64encode(drawn.encode()).decode()
    return f'<img alt="{told}" src="data:image/svg+xml;base64,{image}">'
