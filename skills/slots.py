"""Read month, format and department out of an instruction, in Chinese or English.

The clock is an argument. What is found is taken out of the text, so that the rest can be
compared with what a skill does. Two different values for one slot are both reported: the caller
asks, this module never chooses.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from datetime import date
from typing import NamedTuple

_NUMERALS = {
    **{char: number for number, char in enumerate("一二三四五六七八九十", start=1)},
    "十一": 11,
    "十二": 12,
}
_MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_NUMBER = r"(\d{1,2}|十[一二]?|[一二三四五六七八九])"
# "3月15日" is a day: no report is asked for by the day.
_ENDS = r"\s*月份?(?!\s*\d{1,2}\s*[日号])"
_NAME = r"(" + "|".join(rf"{name[:3]}(?:{name[3:]})?" for name in _MONTH_NAMES) + r")\.?"
_THIS, _LAST = "今年", "去年"

_FORMATS = (
    (re.compile(r"\b(?:xlsx?|excel)\b|(?:xlsx?|excel)(?=[\u4e00-\u9fff])|电子表格"), "xlsx"),
    (re.compile(r"csv|逗号分隔"), "csv"),
    (re.compile(r"pdf"), "pdf"),
)
_ENGLISH_DEPARTMENTS = (
    (re.compile(r"\bfinanc(?:e|ial)(?:'s)? dep(?:artmen)?t\.?"), "财务部"),
    (re.compile(r"\bsales(?:'s)? dep(?:artmen)?t\.?"), "销售部"),
    (re.compile(r"\b(?:purchasing|procurement)(?:'s)? dep(?:artmen)?t\.?"), "采购部"),
    (re.compile(r"\b(?:hr|human resources)(?:'s)? dep(?:artmen)?t\.?"), "人力资源部"),
)
_STEMS = """
财务 销售 采购 人力资源 人事 市场 技术 研发 行政 法务 生产 运营 客服 质量 审计 物流 仓储
"""
_DEPARTMENT_STEMS = frozenset(_STEMS.split())
_NO_DEPARTMENT = frozenset(("部", "全部", "内部", "外部", "局部", "总部", "各部", "本部"))


class Months(NamedTuple):
    """The months that a text names, as `YYYY-MM`, and the text without them."""

    found: tuple[str, ...]
    rest: str


class Words(NamedTuple):
    """The values that words name, and the words without them."""

    found: tuple[str, ...]
    rest: tuple[str, ...]


def plain(text: str) -> str:
    """Return *text* in one width and case: `２０２６年３月` reads like `2026年3月`."""
    return unicodedata.normalize("NFKC", text).lower().replace("\u2019", "'")


def take_months(text: str, today: date) -> Months:
    """Return the months that the plain *text* names on the day *today*."""
    found: list[str] = []
    for pattern, month_of in _month_rules(today):
        found.extend(month_of(match) for match in pattern.finditer(text))
        text = pattern.sub(" ", text)
    return Months(tuple(dict.fromkeys(found)), text)


def take_formats(text: str) -> Months:
    """Return the file formats that the plain *text* names, and the text without them."""
    return _take(text, _FORMATS)


def take_english_departments(text: str) -> Months:
    """Return the departments that the plain *text* names in English, by their Chinese names."""
    return _take(text, _ENGLISH_DEPARTMENTS)


def take_departments(words: Iterable[str]) -> Words:
    """Return the departments among the segmented *words*: 财务部, 销售 + 部门, 后勤 + 部."""
    found: list[str] = []
    rest: list[str] = []
    for word in words:
        stem = rest[-1] if rest else ""
        split = word == "部" and len(stem) > 1 and stem + word not in _NO_DEPARTMENT
        if split or (word == "部门" and stem in _DEPARTMENT_STEMS):
            found.append(rest.pop() + "部")
        elif word.endswith("部门") and word.removesuffix("部门") in _DEPARTMENT_STEMS:
            found.append(word.removesuffix("门"))
        elif word.endswith("部") and len(word) > 1 and word not in _NO_DEPARTMENT:
            found.append(word)
        else:
            rest.append(word)
    return Words(tuple(dict.fromkeys(found)), tuple(rest))


_MonthRule = tuple[re.Pattern[str], Callable[[re.Match[str]], str]]


def _month_rules(today: date) -> list[_MonthRule]:
    """Return the rules, most explicit first: each takes its words away from the next."""
    years = {_THIS: today.year, _LAST: today.year - 1, "前年": today.year - 2}
    ago = _months_ago
    return [
        (re.compile(r"(\d{4})\s*年\s*" + _NUMBER + _ENDS), lambda m: _month(int(m[1]), m[2])),
        (
            re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})(?!\d|[-/.]\d)"),
            lambda m: _month(int(m[1]), m[2]),
        ),
        (
            re.compile(r"(今年|去年|前年)\s*的?\s*" + _NUMBER + _ENDS),
            lambda m: _month(years[m[1]], m[2]),
        ),
        (re.compile(r"上上个?月份?"), lambda _: ago(today, 2)),
        (re.compile(r"上个?月份?|\b(?:last|previous) month(?:'s)?"), lambda _: ago(today, 1)),
        (re.compile(r"下个?月份?|\bnext month(?:'s)?"), lambda _: ago(today, -1)),
        (
            re.compile(r"[本当]月份?|这个?月份?|\b(?:this|current) month(?:'s)?"),
            lambda _: ago(today, 0),
        ),
        (
            re.compile(r"\b" + _NAME + r",?\s+(?:of\s+)?(\d{4})\b"),
            lambda m: _named(m[1], int(m[2])),
        ),
        (re.compile(r"\b(\d{4})\s+" + _NAME + r"(?![a-z])"), lambda m: _named(m[2], int(m[1]))),
        (
            re.compile(r"\b" + _NAME + r" (?:of )?(last|this) year"),
            lambda m: _named(m[1], today.year - (m[2] == "last")),
        ),
        # A month without a year is the latest one that has begun. "may" alone is a verb as well.
        (
            re.compile(r"(?<![\d十])" + _NUMBER + _ENDS),
            lambda m: _latest(_number(m[1]), today),
        ),
        (
            re.compile(r"\b(?!may\b|mar\b)" + _NAME + r"(?:'s)?(?![a-z])"),
            lambda m: _latest(_number_of_name(m[1]), today),
        ),
    ]


def _take(text: str, rules: Iterable[tuple[re.Pattern[str], str]]) -> Months:
    found: list[str] = []
    for pattern, value in rules:
        if pattern.search(text):
            found.append(value)
            text = pattern.sub(" ", text)
    return Months(tuple(found), text)


def _month(year: int, number: str) -> str:
    # An impossible month is passed on as it is: the skill's own schema refuses it by name.
    return f"{year:04d}-{_number(number):02d}"


def _number(text: str) -> int:
    return _NUMERALS[text] if text in _NUMERALS else int(text)


def _named(name: str, year: int) -> str:
    return f"{year:04d}-{_number_of_name(name):02d}"


def _number_of_name(name: str) -> int:
    return next(i for i, full in enumerate(_MONTH_NAMES, start=1) if full.startswith(name[:3]))


def _latest(number: int, today: date) -> str:
    year = today.year if number <= today.month else today.year - 1
    return f"{year:04d}-{number:02d}"


def _months_ago(today: date, months: int) -> str:
    count = today.year * 12 + today.month - 1 - months
    return f"{count // 12:04d}-{count % 12 + 1:02d}"
