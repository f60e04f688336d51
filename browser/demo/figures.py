"""The demo company's books: the same month and department give the same figures for ever.

Amounts are whole fen (1/100 yuan). Over all departments the debits equal the credits, as in
any ledger: the bank account takes up the difference.
"""

import hashlib
import re
from dataclasses import dataclass
from datetime import date

from browser.demo.errors import InvalidInputError

ALL_DEPARTMENTS = "全部"
DEPARTMENTS = ("财务部", "销售部", "采购部", "人力资源部")
COMPLIANT, TO_REVIEW, IN_BREACH = "合规", "待复核", "不合规"
FIRST_YEAR = 2000
_MONTH = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])")
_BANK = "1002"
_FINANCE, _SALES, _PURCHASING, _PEOPLE = DEPARTMENTS
_ACCOUNTS = (
    ("1001", "库存现金", _FINANCE),
    (_BANK, "银行存款", _FINANCE),
    ("1012", "其他货币资金", _FINANCE),
    ("1122", "应收账款", _SALES),
    ("1123", "预付账款", _PURCHASING),
    ("1221", "其他应收款", _PEOPLE),
    ("1403", "原材料", _PURCHASING),
    ("1405", "库存商品", _PURCHASING),
    ("1601", "固定资产", _FINANCE),
    ("1602", "累计折旧", _FINANCE),
    ("2001", "短期借款", _FINANCE),
    ("2202", "应付账款", _PURCHASING),
    ("2203", "预收账款", _SALES),
    ("2211", "应付职工薪酬", _PEOPLE),
    ("2221", "应交税费", _FINANCE),
    ("2241", "其他应付款", _FINANCE),
    ("4001", "实收资本", _FINANCE),
    ("4103", "本年利润", _FINANCE),
    ("6001", "主营业务收入", _SALES),
    ("6051", "其他业务收入", _SALES),
    ("6401", "主营业务成本", _PURCHASING),
    ("6403", "税金及附加", _FINANCE),
    ("6601", "销售费用", _SALES),
    ("6602", "管理费用", _PEOPLE),
    ("6603", "财务费用", _FINANCE),
)


@dataclass(frozen=True)
class ReportRow:
    """One account of the monthly compliance report."""

    code: str
    name: str
    department: str
    debit_fen: int
    credit_fen: int
    status: str


def report_month(text: str, today: date) -> str:
    """Return *text* as a month that has figures.

    Raises:
        InvalidInputError: it is no month, or it has not begun.
    """
    found = _MONTH.fullmatch(text)
    if found is None or int(found[1]) < FIRST_YEAR:
        raise InvalidInputError("month_invalid", month=text[:20])
    if text > f"{today:%Y-%m}":
        raise InvalidInputError("month_not_begun", month=text)
    return text


def report_department(text: str) -> str:
    """Return *text* when the company has that department, or `全部`.

    Raises:
        InvalidInputError: it has not.
    """
    if text not in (ALL_DEPARTMENTS, *DEPARTMENTS):
        raise InvalidInputError("department_unknown", department=text[:20])
    return text


def report_rows(month: str, department: str) -> tuple[ReportRow, ...]:
    """Return the accounts of *department* in *month*, in the order of their codes."""
    drafts = [_draft(month, *account) for account in _ACCOUNTS]
    gap = sum(row.debit_fen - row.credit_fen for row in drafts)
    balanced = [_with_gap(row, gap) if row.code == _BANK else row for row in drafts]
    return tuple(row for row in balanced if department in (ALL_DEPARTMENTS, row.department))


def yuan(fen: int) -> str:
    """Return *fen* as yuan with two decimals."""
    return f"{fen // 100}.{fen % 100:02d}"


def _draft(month: str, code: str, name: str, department: str) -> ReportRow:
    lot = hashlib.sha256(f"{month} {code}".encode()).digest()
    debit = 20_000_00 + int.from_bytes(lot[0:4], "big") % 480_000_00
    credit = 20_000_00 + int.from_bytes(lot[4:8], "big") % 480_000_00
    twentieth = lot[8] % 20
    status = IN_BREACH if twentieth == 0 else TO_REVIEW if twentieth <= 2 else COMPLIANT  # noqa: PLR2004
    return ReportRow(code, name, department, debit, credit, status)


def _with_gap(bank: ReportRow, gap: int) -> ReportRow:
    return ReportRow(
        bank.code,
        bank.name,
        bank.department,
        bank.debit_fen + max(-gap, 0),
        bank.credit_fen + max(gap, 0),
        bank.status,
    )
