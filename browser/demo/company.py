"""What the demo company knows and does, in memory: one object is one company.

Every input is checked here; a refusal is an InvalidInputError, and nothing has changed.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta

from browser.demo.errors import InvalidInputError
from browser.demo.figures import (
    ALL_DEPARTMENTS,
    COMPLIANT,
    DEPARTMENTS,
    report_department,
    report_month,
    report_rows,
    yuan,
)
from browser.demo.files import CONTENT_TYPES, REPORTS, export_file, export_format

ROWS_PER_PAGE = 10
_IN_FORCE, _VOIDED = "有效", "已作废"
_CUSTOMERS = (
    ("华东包装有限公司", 126_800_00, 2),
    ("苏州精密机械厂", 48_350_50, 5),
    ("杭州云途科技有限公司", 315_000_00, 9),
    ("宁波港务服务有限公司", 9_780_00, 13),
    ("上海新锐广告有限公司", 72_460_80, 20),
    ("南京恒信电子有限公司", 188_920_00, 27),
    ("合肥星辰新材料有限公司", 53_600_00, 34),
    ("无锡大地物流有限公司", 20_145_30, 41),
)


@dataclass(frozen=True)
class ExportRecord:
    """One export that the company really made."""

    month: str
    department: str
    format: str
    rows: int
    file_name: str


@dataclass(frozen=True)
class Invoice:
    """One invoice of the invoice list."""

    number: str
    customer: str
    amount_fen: int
    issued_on: date
    state: str = _IN_FORCE


class Company:
    """The books, invoices and exports of one demo company on the day *today*."""

    def __init__(self, today: date, records_max: int) -> None:
        self._today = today
        self._records_max = records_max
        self._exports: deque[ExportRecord] = deque(maxlen=records_max)
        self._files: dict[str, tuple[str, bytes]] = {}
        self._invoices = {
            invoice.number: invoice
            for invoice in (
                Invoice(f"FP{n:04d}", customer, fen, today - timedelta(days=days))
                for n, (customer, fen, days) in enumerate(_CUSTOMERS, 1)
            )
        }

    @property
    def exports(self) -> tuple[ExportRecord, ...]:
        """The exports made so far, oldest first."""
        return tuple(self._exports)

    def file(self, file_name: str) -> tuple[str, bytes] | None:
        """Return content type and content of an exported file, or None when there is none."""
        return self._files.get(file_name)

    def overview(self) -> dict[str, object]:
        """Return the figures of the home page."""
        month = f"{self._today:%Y-%m}"
        rows = report_rows(month, ALL_DEPARTMENTS)
        in_force = [i for i in self._invoices.values() if i.state == _IN_FORCE]
        return {
            "month": month,
            "accounts": len(rows),
            "to_check": sum(row.status != COMPLIANT for row in rows),
            "invoices": len(in_force),
            "exports": len(self._exports),
            "departments": list(DEPARTMENTS),
        }

    def report(self, asked: Mapping[str, str]) -> dict[str, object]:
        """Return one page of the monthly report for *asked*: month, department, page."""
        month = report_month(asked.get("month", ""), self._today)
        department = report_department(asked.get("department", ALL_DEPARTMENTS))
        rows = report_rows(month, department)
        pages = -(-len(rows) // ROWS_PER_PAGE)
        page = asked.get("page", "1")
        if page not in map(str, range(1, pages + 1)):
            raise InvalidInputError("page_unknown", page=page[:20], pages=pages)
        first = (int(page) - 1) * ROWS_PER_PAGE
        return {
            "month": month,
            "department": department,
            "page": int(page),
            "pages": pages,
            "total": len(rows),
            "debit_total": yuan(sum(row.debit_fen for row in rows)),
            "credit_total": yuan(sum(row.credit_fen for row in rows)),
            "to_check": sum(row.status != COMPLIANT for row in rows),
            "rows": [
                {
                    "code": row.code,
                    "name": row.name,
                    "department": row.department,
                    "debit": yuan(row.debit_fen),
                    "credit": yuan(row.credit_fen),
                    "status": row.status,
                }
                for row in rows[first : first + ROWS_PER_PAGE]
            ],
        }

    def export(self, asked: Mapping[str, str]) -> dict[str, object]:
        """Make the file for *asked* (month, department, format), keep it, and say where it is."""
        month = report_month(asked.get("month", ""), self._today)
        department = report_department(asked.get("department", ALL_DEPARTMENTS))
        file_format = export_format(asked.get("format", ""))
        rows = report_rows(month, department)
        name = f"合规报表_{month}_{department}.{file_format}"
        self._files.pop(name, None)
        self._files[name] = (
            CONTENT_TYPES[file_format],
            export_file(month, department, file_format, rows),
        )
        while len(self._files) > self._records_max:
            del self._files[next(iter(self._files))]
        self._exports.append(ExportRecord(month, department, file_format, len(rows), name))
        return {
            "file_name": name,
            "reports": list(REPORTS),
            "month": month,
            "department": department,
            "format": file_format,
            "rows": len(rows),
        }

    def invoices(self) -> dict[str, object]:
        """Return every invoice that was not deleted."""
        return {"invoices": [_shown(invoice) for invoice in self._invoices.values()]}

    def void(self, asked: Mapping[str, str]) -> dict[str, object]:
        """Make the invoice *asked* names void; it stays in the list."""
        invoice = self._invoice(asked)
        if invoice.state != _IN_FORCE:
            raise InvalidInputError("invoice_already_void", number=invoice.number)
        voided = replace(invoice, state=_VOIDED)
        self._invoices[invoice.number] = voided
        return _shown(voided)

    def delete(self, asked: Mapping[str, str]) -> dict[str, object]:
        """Take the invoice *asked* names out of the list."""
        invoice = self._invoice(asked)
        del self._invoices[invoice.number]
        return {"number": invoice.number}

    def _invoice(self, asked: Mapping[str, str]) -> Invoice:
        number = asked.get("number", "")
        invoice = self._invoices.get(number)
        if invoice is None:
            raise InvalidInputError("invoice_unknown", number=number[:20])
        return invoice


def _shown(invoice: Invoice) -> dict[str, object]:
    return {
        "number": invoice.number,
        "customer": invoice.customer,
        "amount": yuan(invoice.amount_fen),
        "issued_on": invoice.issued_on.isoformat(),
        "state": invoice.state,
        "void": invoice.state == _VOIDED,
    }
