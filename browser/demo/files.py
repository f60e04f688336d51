"""The files an export makes: real CSV, xlsx and PDF, written with the standard library alone.

Each holds the same three reports: totals by department, every account, and the accounts
that need a look.
"""

import csv
import io
import zipfile
from collections.abc import Sequence
from html import escape

from browser.demo.errors import InvalidInputError
from browser.demo.figures import (
    ALL_DEPARTMENTS,
    COMPLIANT,
    DEPARTMENTS,
    IN_BREACH,
    TO_REVIEW,
    ReportRow,
    yuan,
)

REPORTS = ("科目汇总表", "科目明细表", "合规检查表")
CONTENT_TYPES = {
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "csv": "text/csv; charset=utf-8",
    "pdf": "application/pdf",
}
_ENGLISH = {
    ALL_DEPARTMENTS: "All departments",
    "财务部": "Finance",
    "销售部": "Sales",
    "采购部": "Purchasing",
    "人力资源部": "Human resources",
    COMPLIANT: "ok",
    TO_REVIEW: "to review",
    IN_BREACH: "in breach",
}
_STATUS_COLUMN = 4
Cell = str | int  # text, or fen
Table = Sequence[Sequence[Cell]]


def export_format(text: str) -> str:
    """Return *text* when it is a format this company exports.

    Raises:
        InvalidInputError: it is not.
    """
    if text not in CONTENT_TYPES:
        raise InvalidInputError("format_unknown", format=text[:20])
    return text


def export_file(month: str, department: str, file_format: str, rows: Sequence[ReportRow]) -> bytes:
    """Return the file that holds the three reports over *rows*."""
    if file_format == "pdf":
        return _pdf(_pdf_lines(month, department, rows))
    tables = (_totals(rows), _accounts(rows), _to_check(rows))
    return _csv(tables) if file_format == "csv" else _xlsx(tables)


def _totals(rows: Sequence[ReportRow]) -> Table:
    table: list[Sequence[Cell]] = [("部门", "借方合计", "贷方合计", "科目数")]
    for department in DEPARTMENTS:
        of_it = [row for row in rows if row.department == department]
        if of_it:
            debit, credit = (sum(r.debit_fen for r in of_it), sum(r.credit_fen for r in of_it))
            table.append((department, debit, credit, str(len(of_it))))
    return table


def _accounts(rows: Sequence[ReportRow]) -> Table:
    heading = ("科目编号", "科目名称", "借方金额", "贷方金额", "合规状态")
    return [heading, *((r.code, r.name, r.debit_fen, r.credit_fen, r.status) for r in rows)]


def _to_check(rows: Sequence[ReportRow]) -> Table:
    accounts = _accounts(rows)
    return [accounts[0], *(row for row in accounts[1:] if row[_STATUS_COLUMN] != COMPLIANT)]


def _csv(tables: Sequence[Table]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    for title, table in zip(REPORTS, tables, strict=True):
        writer.writerow((title,))
        writer.writerows([c if isinstance(c, str) else yuan(c) for c in row] for row in table)
        writer.writerow(())
    return text.getvalue().encode("utf-8-sig")  # the mark lets Excel read the Chinese


# --- xlsx: the fewest parts that spreadsheet programs accept (ECMA-376, part 1)
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEADING_STYLE, _AMOUNT_STYLE = 1, 2
_STYLES = (
    f'<styleSheet xmlns="{_MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
    '<cellXfs count="3"><xf/><xf fontId="1" applyFont="1"/>'
    '<xf numFmtId="4" applyNumberFormat="1"/></cellXfs>'  # 4 is #,##0.00
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
    "</styleSheet>"
)


def _xlsx(tables: Sequence[Table]) -> bytes:
    numbers = range(1, len(tables) + 1)
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_SHEET_TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_SHEET_TYPE}.styles+xml"/>'
        + "".join(
            f'<Override PartName="/xl/worksheets/sheet{n}.xml" '
            f'ContentType="{_SHEET_TYPE}.worksheet+xml"/>'
            for n in numbers
        )
        + "</Types>",
        "_rels/.rels": _relations([("officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
        + "".join(
            f'<sheet name="{escape(title)}" sheetId="{n}" r:id="rId{n}"/>'
            for n, title in zip(numbers, REPORTS, strict=True)
        )
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": _relations(
            [
                *(("worksheet", f"worksheets/sheet{n}.xml") for n in numbers),
                ("styles", "styles.xml"),
            ]
        ),
        "xl/styles.xml": _STYLES,
        **{f"xl/worksheets/sheet{n}.xml": _sheet(t) for n, t in zip(numbers, tables, strict=True)},
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            # ZipInfo's own date keeps the same export byte for byte the same.
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, f'<?xml version="1.0" encoding="UTF-8"?>\n{text}')
    return packed.getvalue()


def _relations(targets: Sequence[tuple[str, str]]) -> str:
    rows = "".join(
        f'<Relationship Id="rId{n}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{rows}</Relationships>'


def _sheet(table: Table) -> str:
    rows = "".join(
        f'<row r="{n}">{"".join(_cell(c, heading=n == 1) for c in row)}</row>'
        for n, row in enumerate(table, 1)
    )
    columns = f'<cols><col min="1" max="{len(table[0])}" width="18" customWidth="1"/></cols>'
    return f'<worksheet xmlns="{_MAIN}">{columns}<sheetData>{rows}</sheetData></worksheet>'


def _cell(cell: Cell, *, heading: bool) -> str:
    if isinstance(cell, int):
        return f'<c s="{_AMOUNT_STYLE}"><v>{yuan(cell)}</v></c>'
    style = f' s="{_HEADING_STYLE}"' if heading else ""
    return f'<c t="inlineStr"{style}><is><t>{escape(cell)}</t></is></c>'


# --- pdf: one A4 page in a font every reader has, hence ASCII (ISO 32000-1, 7.5)
def _pdf_lines(month: str, department: str, rows: Sequence[ReportRow]) -> list[str]:
    to_check = sum(row.status != COMPLIANT for row in rows)
    lines = [
        f"Monthly compliance report {month}  -  {_ENGLISH[department]}",
        "",
        f"{'Department':<18}{'Debit':>18}{'Credit':>18}{'Accounts':>10}",
    ]
    for name, debit, credit, count in _totals(rows)[1:]:
        amounts = f"{yuan(int(debit)):>18}{yuan(int(credit)):>18}{count:>10}"
        lines.append(f"{_ENGLISH[str(name)]:<18}{amounts}")
    lines += ["", f"{'Account':<18}{'Debit':>18}{'Credit':>18}  Status"]
    for row in rows:
        amounts = f"{yuan(row.debit_fen):>18}{yuan(row.credit_fen):>18}"
        lines.append(f"{row.code:<18}{amounts}  {_ENGLISH[row.status]}")
    return [*lines, "", f"Accounts that need a look: {to_check} of {len(rows)}"]


def _pdf(lines: Sequence[str]) -> bytes:
    shown = "".join(f"({_pdf_text(line)}) Tj T*\n" for line in lines)
    stream = f"BT /F1 10 Tf 15 TL 48 790 Td\n{shown}ET".encode("ascii")
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R "
        b"/Resources << /Font << /F1 4 0 R >> >> >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
    )
    file = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table_at = len(file)
    file += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    file += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    file += b"trailer\n<< /Size %d /Root 1 0 R >>\n" % (len(objects) + 1)
    return bytes(file + b"startxref\n%d\n%%%%EOF\n" % table_at)


def _pdf_text(line: str) -> str:
    return line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
