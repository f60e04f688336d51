"""What the demo company's API does over real TLS, and that a refusal changes nothing."""

import io
import zipfile
from urllib.parse import quote

import pytest

from browser.demo.certificate import DemoCertificate
from browser.demo.company import ExportRecord
from browser.demo.server import DemoCompany
from tests.browser.demo.visitor import TODAY, Visitor

REPORT = {"month": "2026-11", "department": "全部"}
EXPORT = {"month": "2026-11", "department": "全部", "format": "xlsx"}


async def test_report_has_25_rows_over_3_pages(visitor: Visitor) -> None:
    pages = [(await visitor.get("/api/report", **REPORT, page=n)).json() for n in "123"]
    lengths = [len(page["rows"]) for page in pages if isinstance(page["rows"], list)]
    assert lengths == [10, 10, 5]
    assert [(page["page"], page["pages"], page["total"]) for page in pages] == [
        (1, 3, 25),
        (2, 3, 25),
        (3, 3, 25),
    ]
    assert pages[0]["debit_total"] == pages[0]["credit_total"]


async def test_department_narrows_the_report(visitor: Visitor) -> None:
    report = (await visitor.get("/api/report", month="2026-03", department="销售部")).json()
    assert isinstance(report["rows"], list)
    assert report["total"] == len(report["rows"]) == 5
    assert {row["department"] for row in report["rows"]} == {"销售部"}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"month": "2026-13"}, "格式不正确"),
        ({"month": "本月"}, "格式不正确"),
        ({"month": ""}, "格式不正确"),
        ({"month": "1999-01"}, "格式不正确"),
        ({"month": "２０２６-03"}, "格式不正确"),
        ({"month": "2026-12"}, "尚未开始"),
        ({"department": '财务"]部'}, "不存在"),
        ({"page": "4"}, "共 3 页"),
        ({"page": "0"}, "共 3 页"),
        ({"page": "1x"}, "共 3 页"),
    ],
)
async def test_report_refuses_what_it_does_not_have(
    visitor: Visitor, change: dict[str, str], sentence: str
) -> None:
    answer = await visitor.get("/api/report", **{**REPORT, **change})
    assert answer.status == 400
    assert sentence in str(answer.json()["error"])


async def test_export_makes_a_file_that_can_be_fetched(
    company: DemoCompany, visitor: Visitor
) -> None:
    made = await visitor.post("/api/export", **EXPORT)
    assert made.json()["reports"] == ["科目汇总表", "科目明细表", "合规检查表"]
    name = "合规报表_2026-11_全部.xlsx"
    assert company.exports == (ExportRecord("2026-11", "全部", "xlsx", 25, name),)
    file = await visitor.get(f"/export/{quote(name)}")
    assert file.status == 200
    assert file.headers["Content-Disposition"] == f"attachment; filename*=UTF-8''{quote(name)}"
    with zipfile.ZipFile(io.BytesIO(file.body)) as archive:
        assert "xl/worksheets/sheet3.xml" in archive.namelist()


@pytest.mark.parametrize(
    "change",
    [{"month": "2026-3"}, {"department": "研发部"}, {"format": "exe"}, {"month": 202611}],
)
async def test_refused_export_makes_nothing(
    company: DemoCompany, visitor: Visitor, change: dict[str, object]
) -> None:
    answer = await visitor.post("/api/export", **{**EXPORT, **change})
    assert answer.status == 400
    assert answer.json()["error"]
    assert company.exports == ()
    assert (await visitor.get(f"/export/{quote('合规报表_2026-11_全部.xlsx')}")).status == 404


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b'{"month":"2026-11","department":"\xff","format":"csv"}', "application/json"),
        (b"[1,2]", "application/json"),
        (b"not json", "application/json"),
        (b"[" * 60_000, "application/json"),
        (b'{"month":"2026-11","format":"csv"}', "text/plain"),
        (b"month=2026-11&format=csv", "application/x-www-form-urlencoded"),
    ],
)
async def test_body_that_is_not_a_json_object_makes_nothing(
    company: DemoCompany, visitor: Visitor, body: bytes, content_type: str
) -> None:
    assert (await visitor.send("/api/export", body, content_type)).status == 400
    assert company.exports == ()


async def test_void_invoice_stays_in_the_list_and_cannot_be_voided_twice(visitor: Visitor) -> None:
    assert (await visitor.post("/api/void", number="FP0003")).json()["state"] == "已作废"
    invoices = (await visitor.get("/api/invoices")).json()["invoices"]
    assert isinstance(invoices, list)
    assert [i["number"] for i in invoices if i["void"]] == ["FP0003"]
    again = await visitor.post("/api/void", number="FP0003")
    assert (again.status, again.json()) == (
        400,
        {"error": "发票 FP0003 已经作废，无需重复操作。"},
    )


async def test_deleted_invoice_leaves_the_list(visitor: Visitor) -> None:
    assert (await visitor.post("/api/delete", number="FP0001")).status == 200
    invoices = (await visitor.get("/api/invoices")).json()["invoices"]
    assert isinstance(invoices, list)
    assert [i["number"] for i in invoices] == [f"FP000{n}" for n in range(2, 9)]
    assert (await visitor.post("/api/delete", number="FP0001")).status == 400
    assert (await visitor.post("/api/void", number="FP9999")).status == 400


async def test_overview_counts_what_happened(visitor: Visitor) -> None:
    await visitor.post("/api/export", **EXPORT)
    await visitor.post("/api/void", number="FP0002")
    overview = (await visitor.get("/api/overview")).json()
    assert (overview["month"], overview["exports"], overview["invoices"]) == ("2026-11", 1, 7)


async def test_two_companies_share_nothing(
    certificate: DemoCertificate, company: DemoCompany, visitor: Visitor
) -> None:
    async with DemoCompany(certificate, delay_ms=0, today=TODAY) as other:
        await visitor.post("/api/export", **EXPORT)
        assert len(company.exports) == 1
        assert other.exports == ()
        assert other.port != company.port
