"""An exported file is what its name says, and holds the figures of the books."""

import csv
import io
import re
import zipfile
from xml.etree import ElementTree

from browser.demo.figures import (
    ALL_DEPARTMENTS,
    COMPLIANT,
    DEPARTMENTS,
    ReportRow,
    report_rows,
    yuan,
)
from browser.demo.files import export_file

MONTH = "2026-11"
ROWS = report_rows(MONTH, ALL_DEPARTMENTS)
XML = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def as_printed(row: ReportRow) -> list[str]:
    return [row.code, row.name, yuan(row.debit_fen), yuan(row.credit_fen), row.status]


def sheet(archive: zipfile.ZipFile, number: int) -> list[list[str]]:
    tree = ElementTree.fromstring(  # noqa: S314 - our own file
        archive.read(f"xl/worksheets/sheet{number}.xml")
    )
    return [["".join(cell.itertext()) for cell in row] for row in tree.iter(f"{XML}row")]


def test_books_are_the_same_every_time_and_differ_by_month() -> None:
    assert report_rows(MONTH, ALL_DEPARTMENTS) == ROWS
    assert report_rows("2026-10", ALL_DEPARTMENTS) != ROWS


def test_debits_equal_credits_and_departments_add_up() -> None:
    for month in ("2026-01", "2026-06", MONTH):
        rows = report_rows(month, ALL_DEPARTMENTS)
        assert sum(row.debit_fen for row in rows) == sum(row.credit_fen for row in rows)
        parts = [row for department in DEPARTMENTS for row in report_rows(month, department)]
        assert sorted(parts, key=lambda row: row.code) == list(rows)


def test_xlsx_has_three_sheets_with_every_row() -> None:
    with zipfile.ZipFile(io.BytesIO(export_file(MONTH, ALL_DEPARTMENTS, "xlsx", ROWS))) as archive:
        assert archive.testzip() is None
        for name in archive.namelist():
            ElementTree.fromstring(archive.read(name))  # noqa: S314 - our own file
        workbook = archive.read("xl/workbook.xml").decode()
        assert re.findall(r'name="(\w+)"', workbook) == ["科目汇总表", "科目明细表", "合规检查表"]
        heading, *accounts = sheet(archive, 2)
        assert heading == ["科目编号", "科目名称", "借方金额", "贷方金额", "合规状态"]
        assert accounts == [as_printed(row) for row in ROWS]
        assert [row[0] for row in sheet(archive, 1)[1:]] == list(DEPARTMENTS)
        assert sheet(archive, 3)[1:] == [as_printed(r) for r in ROWS if r.status != COMPLIANT]


def test_same_export_is_the_same_file() -> None:
    first, second = (export_file(MONTH, ALL_DEPARTMENTS, "xlsx", ROWS) for _ in range(2))
    assert first == second


def test_csv_opens_with_its_mark_and_holds_every_row() -> None:
    content = export_file(MONTH, "销售部", "csv", report_rows(MONTH, "销售部"))
    lines = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    assert content.startswith(b"\xef\xbb\xbf")
    start = lines.index(["科目明细表"]) + 2
    assert lines[start : start + 5] == [as_printed(row) for row in report_rows(MONTH, "销售部")]
    assert lines[start + 5] == []


def test_pdf_has_one_page_and_a_true_cross_reference_table() -> None:
    content = export_file(MONTH, ALL_DEPARTMENTS, "pdf", ROWS)
    assert content.startswith(b"%PDF-1.4")
    assert content.count(b"/Type /Page ") == 1
    table_at = int(content.rsplit(b"startxref\n", 1)[1].split(b"\n")[0])
    assert content[table_at:].startswith(b"xref\n0 6\n")
    offsets = [int(line[:10]) for line in content[table_at:].split(b"\n")[3:8]]
    for number, offset in enumerate(offsets, 1):
        assert content[offset:].startswith(b"%d 0 obj" % number)
    stream = content.split(b"stream\n", 1)[1].split(b"\nendstream")[0]
    assert f"/Length {len(stream)} ".encode() in content
    assert all(row.code.encode() in stream for row in ROWS)
