"""Property: the matcher runs a skill only when that skill is what was asked for, else says why."""

import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

import pytest

from skills.registry import LIBRARY_ROOT, load_library
from skills.search import COVERAGE_FLOOR, Match, NoMatch, _segmenter, match
from skills.slots import take_departments, take_formats, take_months
from states.skill import Skill
from tests.skills.sandbox.runner import skill_of

TODAY = date(2026, 1, 15)
SKILLS = load_library().skills
REPORT = "erp-monthly-report"

ASKED = [
    ("导出本月合规报表", {"month": "2026-01"}),
    ("export this month's compliance report", {"month": "2026-01"}),
    ("Export this month’s compliance report.", {"month": "2026-01"}),
    ("请帮我把上个月的财务报表导出成Excel", {"month": "2025-12"}),
    (
        "导出２０２５年３月财务部的合规报表，pdf格式",
        {"month": "2025-03", "format": "pdf", "department": "财务部"},
    ),
    ("下载 2025-03 月度报表 csv", {"month": "2025-03", "format": "csv"}),
    ("生成去年12月的财务月报", {"month": "2025-12"}),
    ("Export the March 2025 finance report as PDF", {"month": "2025-03", "format": "pdf"}),
    (
        "please download last month's compliance report for the sales department",
        {"month": "2025-12", "department": "销售部"},
    ),
    ("generate the monthly finance report for 2025-03", {"month": "2025-03"}),
    ("我想要这个月的合规报表", {"month": "2026-01"}),
    ("帮我导出销售部上月的财务报表", {"month": "2025-12", "department": "销售部"}),
    ("Can you export last month's monthly report as CSV?", {"month": "2025-12", "format": "csv"}),
    ("导出后勤部3月报表", {"month": "2025-03", "department": "后勤部"}),
    ("导出人力资源部门2025年十一月合规报表", {"month": "2025-11", "department": "人力资源部"}),
]

NOT_ASKED = [
    *("删除所有发票", "hello", "你好", "", "删除本月合规报表", "作废发票 INV-001", "导出本月发票"),
    *("export this month", "查询本月部门", "export all invoices", "delete this month's report"),
    *("把本月合规报表发送给张总", "今天天气怎么样", "what is the weather this month"),
    *("审批上个月的报销单", "打开首页", "book a meeting in March 2025", "report a bug"),
    *("查看本月工资", "导出本月考勤", "export the contract list for March 2025", "导出数据"),
    *("显示本月销售额", "月", "报表" * 300),
]


@pytest.mark.parametrize(("instruction", "params"), ASKED)
def test_what_the_skill_does_is_found_with_its_parameters(
    instruction: str, params: dict[str, str]
) -> None:
    found = match(instruction, SKILLS, TODAY)
    assert isinstance(found, Match), found
    assert found.skill.header.skill == REPORT
    assert found.params == {"format": "xlsx", **params}
    assert found.score >= COVERAGE_FLOOR


@pytest.mark.parametrize("instruction", NOT_ASKED)
def test_anything_else_is_refused_with_the_skills_there_are(instruction: str) -> None:
    found = match(instruction, SKILLS, TODAY)
    assert isinstance(found, NoMatch), found
    assert (found.reason, found.known) == ("match_none", (REPORT,))
    assert REPORT in found.text("en")
    assert REPORT in found.text("zh-CN")


@pytest.mark.parametrize(
    ("instruction", "word"),
    [
        ("不要导出本月财务合规报表", "不要"),
        ("导出本月财务合规报表到Excel并打印", "打印"),
        ("export this month's finance compliance report and email it", "email"),
        ("don't export this month's finance compliance report", "don't"),
    ],
)
def test_half_a_fit_is_refused_where_the_other_half_is_another_intent(
    instruction: str, word: str
) -> None:
    found = match(instruction, SKILLS, TODAY)
    assert isinstance(found, NoMatch)
    assert (found.reason, found.facts["word"]) == ("match_other_intent", word)


@pytest.mark.parametrize(
    ("instruction", "reason", "said"),
    [
        ("导出合规报表", "match_missing", "month"),
        ("export the compliance report", "match_missing", "month"),
        ("导出2025年3月15日的合规报表", "match_missing", "month"),
        ("导出1月和2月的合规报表", "match_ambiguous", "2026-01, 2025-02"),
        ("把本月的财务报表保存为 pdf 和 csv", "match_ambiguous", "csv, pdf"),
        ("导出2025年13月合规报表", "match_params", "2025-13"),
    ],
)
def test_a_skill_that_fits_but_lacks_a_parameter_says_which(
    instruction: str, reason: str, said: str
) -> None:
    found = match(instruction, SKILLS, TODAY)
    assert isinstance(found, NoMatch)
    assert found.reason == reason
    assert said in found.text("en")
    assert said in found.text("zh-CN")


def test_without_any_skill_the_reason_is_that() -> None:
    assert match("导出本月合规报表", (), TODAY) == NoMatch("match_no_skills", {}, ())


def test_the_skill_that_fits_best_is_chosen_among_several() -> None:
    def skill(name: str, description: str) -> Skill:
        made = skill_of("")
        change = {"skill": name, "description": description}
        return made.model_copy(update={"header": made.header.model_copy(update=change)})

    others = (
        skill("oa-approval", "批量处理 OA 审批单. Handle approval forms in the office system."),
        skill("hr-salary-check", "核对员工薪酬数据. Check salary data of employees."),
    )
    found = match("核对员工薪酬", (*SKILLS, *others), TODAY)
    assert isinstance(found, Match)
    assert found.skill.header.skill == "hr-salary-check"
    found = match("导出本月合规报表", (*others, *SKILLS), TODAY)
    assert isinstance(found, Match)
    assert found.skill.header.skill == REPORT


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("本月", ["2026-01"]), ("这个月", ["2026-01"]), ("当月", ["2026-01"]),
        ("this month", ["2026-01"]),
        ("上个月", ["2025-12"]), ("上月", ["2025-12"]), ("last month", ["2025-12"]),
        ("上上个月", ["2025-11"]), ("下个月", ["2026-02"]), ("去年12月", ["2025-12"]),
        ("去年十二月份", ["2025-12"]), ("今年3月", ["2026-03"]), ("前年1月", ["2024-01"]),
        ("2026年3月", ["2026-03"]), ("2026 年 03 月", ["2026-03"]), ("2026-03", ["2026-03"]),
        ("2026/3", ["2026-03"]), ("march 2026", ["2026-03"]), ("mar. 2026", ["2026-03"]),
        ("may 2025", ["2025-05"]), ("2026 march", ["2026-03"]), ("december", ["2025-12"]),
        ("december of last year", ["2025-12"]), ("1月", ["2026-01"]), ("12月", ["2025-12"]),
        ("十月", ["2025-10"]), ("2025年3月到2025年5月", ["2025-03", "2025-05"]),
        ("2026-03-15", []), ("3月15日", []), ("3个月", []), ("you may go", []),
        ("order 12026-031", []), ("10.0.2026", []), ("", []),
    ],
)  # fmt: skip
def test_months_are_read_by_the_clock_that_is_given(text: str, months: list[str]) -> None:
    assert list(take_months(text, TODAY).found) == months


@pytest.mark.parametrize(
    ("text", "formats"),
    [
        ("成excel表", ["xlsx"]), ("xlsx", ["xlsx"]), ("电子表格", ["xlsx"]), ("csv", ["csv"]),
        ("as a pdf", ["pdf"]), ("excelent", []), ("word", []),
    ],
)  # fmt: skip
def test_formats_are_read_by_their_names(text: str, formats: list[str]) -> None:
    assert list(take_formats(text).found) == formats


@pytest.mark.parametrize(
    ("words", "departments"),
    [
        (["财务部", "的"], ["财务部"]), (["销售", "部门"], ["销售部"]),
        (["后勤", "部"], ["后勤部"]), (["销售部门"], ["销售部"]),
        (["全部"], []), (["各", "部门"], []), (["内部", "报表"], []),
    ],
)  # fmt: skip
def test_departments_are_read_from_words(words: list[str], departments: list[str]) -> None:
    assert list(take_departments(words).found) == departments


def test_the_segmenter_leaves_no_cache_file_and_trusts_none() -> None:
    cache = Path(tempfile.gettempdir()) / "jieba.cache"
    before = cache.exists()
    assert _segmenter().lcut("导出本月合规报表") == ["导出", "本月", "合规", "报表"]
    assert cache.exists() == before


def test_loading_the_library_needs_neither_the_segmenter_nor_the_ranking() -> None:
    script = "import skills.search, skills.registry, sys; skills.registry.load_library(); " + (
        "print([m for m in ('jieba', 'numpy', 'rank_bm25', 'py_mini_racer') if m in sys.modules])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=50,
        cwd=LIBRARY_ROOT.parents[1],
    )  # fmt: skip
    assert ended.stdout.strip() == "[]"
