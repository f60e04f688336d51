"""The server shows its fixed pages and nothing else, and ends without leaving anything open."""

import asyncio
import gc
import re
import socket
import ssl
from pathlib import Path

import pytest

from browser.demo import HOST, policy
from browser.demo.certificate import DemoCertificate
from browser.demo.server import DemoCompany
from states.settings import BrowserLimits
from tests.browser.demo.visitor import TODAY, Visitor, raw

PAGES = ["/", "/report/finance", "/invoices", "/login", "/leave", "/leave/frame", "/leave/inner"]
FINANCE_SELECTORS = [
    'class="card report-filter"',
    'id="month-picker"',
    'id="dept-selector"',
    'id="export-format"',
    'id="query-btn"',
    'class="report-table"',
    'id="prev-page"',
    'id="next-page"',
    'id="page-info"',
    'id="export-btn"',
    "export-progress",
    "export-success",
    'class="export-result"',
    "report-error",
]


@pytest.mark.parametrize("path", PAGES)
async def test_page_is_whole_and_runs_only_the_companys_own_scripts(
    visitor: Visitor, path: str
) -> None:
    page = await visitor.get(path)
    text = page.body.decode()
    assert page.status == 200
    assert text.startswith("<!DOCTYPE html>")
    assert "{{" not in text
    assert not re.search(r"<script(?! src=\"/[a-z]+\.js\"></script>)|\son\w+=|style=", text)
    assert "default-src 'self'" in page.headers["Content-Security-Policy"]
    for asset in re.findall(r'(?:src|rel="stylesheet" href)="(/[a-z]+\.(?:js|css))"', text):
        assert (await visitor.get(asset)).status == 200


async def test_report_page_has_the_elements_a_skill_works_on(visitor: Visitor) -> None:
    page = (await visitor.get("/report/finance")).body.decode()
    assert [s for s in FINANCE_SELECTORS if s not in page] == []
    assert 'aria-current="page">月度合规报表' in page


async def test_only_the_leave_pages_may_leave(visitor: Visitor) -> None:
    policies = {p: (await visitor.get(p)).headers["Content-Security-Policy"] for p in PAGES}
    leaving = [path for path, rule in policies.items() if "form-action 'self'" not in rule]
    assert leaving == ["/leave", "/leave/frame", "/leave/inner"]


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/server.py",
        "/../server.py",
        "/%2e%2e/server.py",
        "/pages/layout.html",
        "/layout.html",
        "/export/../server.py",
        "/export/..%2fserver.py",
        "/export/%2fetc%2fpasswd",
        "/style.css/",
        "/404",
    ],
)
async def test_anything_else_is_the_404_page(visitor: Visitor, path: str) -> None:
    page = await visitor.get(path)
    assert page.status == 404
    assert "页面不存在" in page.body.decode()


async def test_redirect_goes_where_it_is_told_but_carries_no_header(visitor: Visitor) -> None:
    away = await visitor.get("/redirect", to="https://evil.test/")
    assert (away.status, away.headers["Location"]) == (302, "https://evil.test/")
    for target in ("", "javascript:alert(1)", "https://evil.test/\r\nX: y", "https://a b/"):
        refused = await visitor.get("/redirect", to=target)
        assert refused.status == 400
        assert "Location" not in refused.headers


async def test_login_takes_any_name_with_a_password_and_keeps_neither(
    company: DemoCompany, visitor: Visitor
) -> None:
    form = "application/x-www-form-urlencoded"
    accepted = await visitor.send("/login", b"user=li&password=s3cret", form)
    assert (accepted.status, accepted.headers["Location"]) == (303, "/")
    for body in (b"user=li&password=", b"", b"\xff"):
        refused = await visitor.send("/login", body, form)
        assert (refused.status, refused.headers["Location"]) == (303, "/login?error=1")
    assert "s3cret" not in repr(company.requests)


async def test_requests_are_kept_in_order_and_bounded(certificate: DemoCertificate) -> None:
    limits = BrowserLimits(demo_records_max=3)
    async with DemoCompany(certificate, delay_ms=0, today=TODAY, limits=limits) as company:
        visitor = Visitor(certificate, company.port)
        for path in ("/", "/login", "/invoices", "/leave"):
            await visitor.get(path)
        visitor.close()
        assert company.requests == (("GET", "/login"), ("GET", "/invoices"), ("GET", "/leave"))


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n", b"200"),  # the positive control
        (b"HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n", b"200"),
        (b"GET / HTTP/1.0\r\n\r\n", b"400"),
        (b"GET /\r\n\r\n", b"400"),
        (b"GET http://erp.example.com/ HTTP/1.1\r\n\r\n", b"400"),
        (b"\xff\xfe\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost : a\r\n\r\n", b"400"),
        (b"GET /?a=%ff HTTP/1.1\r\n\r\n", b"400"),
        (b"GET /?" + b"&".join(b"a=1" for _ in range(50)) + b" HTTP/1.1\r\n\r\n", b"400"),
        (b"POST /login HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"400"),
        (b"POST /login HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", b"400"),
        (b"POST /login HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n", b"413"),
        (b"POST /login HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", b"501"),
        (b"DELETE / HTTP/1.1\r\nConnection: close\r\n\r\n", b"405"),
        (b"GET / HTTP/1.1\r\nX: " + b"a" * 20_000 + b"\r\n\r\n", b"431"),
    ],
)
async def test_malformed_request_gets_a_status_and_the_server_lives_on(
    certificate: DemoCertificate, company: DemoCompany, sent: bytes, status: bytes
) -> None:
    answer = await raw(certificate, company.port, sent)
    assert answer.startswith(b"HTTP/1.1 " + status)
    if sent.startswith(b"HEAD"):
        assert answer.endswith(b"\r\n\r\n")
    visitor = Visitor(certificate, company.port)
    assert (await visitor.get("/")).status == 200
    visitor.close()


async def test_other_host_name_fails_the_certificate_check(
    certificate: DemoCertificate, company: DemoCompany
) -> None:
    trust = ssl.create_default_context(cafile=certificate.cert_path)
    with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
        await asyncio.open_connection(
            "127.0.0.1", company.port, ssl=trust, server_hostname="evil.test"
        )


async def test_silent_connection_is_closed(certificate: DemoCertificate) -> None:
    limits = BrowserLimits(demo_idle_seconds=1)
    async with DemoCompany(certificate, today=TODAY, limits=limits) as company:
        assert await raw(certificate, company.port, b"GET / HT") == b""


async def test_end_closes_handshakes_idle_connections_and_running_requests(
    certificate: DemoCertificate,
) -> None:
    trust = ssl.create_default_context(cafile=certificate.cert_path)
    async with DemoCompany(certificate, delay_ms=600_000, today=TODAY) as company:
        port = company.port
        silent = socket.create_connection(("127.0.0.1", port))
        pairs = [
            await asyncio.open_connection("127.0.0.1", port, ssl=trust, server_hostname=HOST)
            for _ in range(2)
        ]
        pairs[1][1].write(b"GET /api/report?month=2026-11 HTTP/1.1\r\n\r\n")
        while not company.requests:  # noqa: ASYNC110 - the company has no event to wait for
            await asyncio.sleep(0.01)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    with silent, pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))
    for _, writer in pairs:
        writer.transport.abort()
    await asyncio.sleep(0)
    del pairs, writer
    gc.collect()  # an unclosed transport would warn here, and a warning is an error


async def test_more_connections_than_the_bound_are_turned_away(
    certificate: DemoCertificate,
) -> None:
    limits = BrowserLimits(demo_connections_max=1)
    async with DemoCompany(certificate, delay_ms=0, today=TODAY, limits=limits) as company:
        first, second = (Visitor(certificate, company.port) for _ in range(2))
        assert (await first.get("/")).status == 200
        with pytest.raises(OSError):  # noqa: PT011 - a reset or an end of file in the handshake
            await second.get("/")
        second.close()
        assert (await first.get("/")).status == 200
        first.close()


def test_port_of_a_company_that_is_not_running_is_an_error(certificate: DemoCertificate) -> None:
    with pytest.raises(RuntimeError, match="not running"):
        _ = DemoCompany(certificate, today=TODAY).port


def test_policy_lets_a_run_work_and_asks_before_storage() -> None:
    (rule,) = policy().hosts
    assert (rule.host, rule.scheme, rule.effective_port()) == (HOST, "https", 443)
    assert "click" in rule.allow
    assert "storageSet" in rule.confirm
    assert "storageSet" not in rule.allow
    assert "zombieSpawn" not in (*rule.allow, *rule.confirm)


def test_pages_use_nothing_of_a_third_party() -> None:
    folder = Path(__file__).parents[3] / "browser" / "demo" / "pages"
    addresses = {
        found
        for file in folder.iterdir()
        for found in re.findall(r"https?://[\w.-]+", file.read_text("utf-8"))
    }
    assert addresses == {"https://evil.test"}
