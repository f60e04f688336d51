"""Property: a header has one spelling; what two readers could read differently is refused."""

import json
from typing import Any

import pytest

from skills.errors import SkillHeaderError, SkillParamsError
from skills.header import parse_header
from skills.params import check_params
from skills.registry import LIBRARY_ROOT
from states.settings import SkillLimits

GOOD = """\
/**
 * @skill erp-monthly-report
 * @version 1.0.0
 * @description 导出月度报表，
 * 自动分页。
 * Export the report
 * of a month.
 * @domains erp.example.com, erp-test.example.com
 * @author sgClaw Team
 * @params {
 *   "type": "object",
 *   "required": ["month"],
 *   "properties": {
 *     "month": {"type": "string", "pattern": "^\\\\d{4}-\\\\d{2}$", "description": "如 2026-03"},
 *     "format": {"enum": ["xlsx", "csv"], "default": "xlsx"}
 *   }
 * }
 */

/**
 * @param {object} params - a second block that must not be confused with the first
 * @params nonsense
 */
async function execute(params, browserAction) {}
"""


def header(**lines: str) -> str:
    """Return a short header whose lines are replaced by *lines*; an empty one is left out."""
    parts = {
        "opening": "/**",
        "skill": " * @skill a-b",
        "version": " * @version 1.0.0",
        "description": " * @description d",
        "domains": " * @domains erp.example.com",
        "author": "",
        "params": ' * @params {"type": "object"}',
        "closing": " */",
        **lines,
    }
    return "\n".join(part for part in parts.values() if part) + "\nasync function execute() {}\n"


def code_of(text: str) -> str:
    with pytest.raises(SkillHeaderError) as caught:
        parse_header(text.encode("utf-8", "surrogatepass"))
    assert caught.value.text("zh-CN") != caught.value.text("en")
    return caught.value.code


def test_a_good_header_is_read_whole() -> None:
    parsed = parse_header(GOOD.encode("utf-8"))
    assert parsed.skill == "erp-monthly-report"
    assert parsed.description == "导出月度报表，自动分页。 Export the report of a month."
    assert parsed.domains == ("erp.example.com", "erp-test.example.com")
    assert parsed.author == "sgClaw Team"
    assert parsed.params["required"] == ["month"]


def test_the_short_header_of_these_tests_is_good() -> None:
    assert parse_header(header().encode("utf-8")).skill == "a-b"


@pytest.mark.parametrize(
    "raw", [b"\xef\xbb\xbf" + GOOD.encode(), GOOD.replace("\n", "\r\n").encode()]
)
def test_a_byte_order_mark_and_windows_line_ends_are_read_past(raw: bytes) -> None:
    assert parse_header(raw) == parse_header(GOOD.encode("utf-8"))


def test_an_escaped_comment_end_inside_json_is_read() -> None:
    text = header(params=' * @params {"type": "object", "description": "a *\\/ b @author c"}')
    assert parse_header(text.encode("utf-8")).params["description"] == "a */ b @author c"


PLACES = [
    ("// note\n" + header(), "skill_header_missing"),
    ("\n" + header(), "skill_header_missing"),
    ("const a = `\n" + header(), "skill_header_missing"),
    ("", "skill_header_missing"),
    (header(opening="/** @skill a"), "skill_header_missing"),
    ("/** @skill a */", "skill_header_missing"),
    (header(closing=""), "skill_header_line"),
    ("/**\n * @skill a", "skill_header_unclosed"),
    (header(skill="@skill a-b"), "skill_header_line"),
    (header(skill=" *@skill a-b"), "skill_header_line"),
    (header(skill="\t* @skill a-b"), "skill_header_line"),
    (header(params=' * @params {"type": "object"} */'), "skill_header_line"),
    (header(params=' * @params {"type": "object", "description": "*/"}'), "skill_header_line"),
    (header(skill=" * words first\n * @skill a-b"), "skill_header_text_before_tags"),
    (header(skill=" * @skill a-b\n * c"), "skill_header_continuation"),
    (header(description=" * @description d\u202e"), "skill_header_character"),
    (header(description=" * @description d\x00"), "skill_header_character"),
    (header(description=" * @description d\u2028"), "skill_header_character"),
    (header(description=" * @description d\u200b"), "skill_header_character"),
    (header(description=" * @description d\ud800"), "skill_header_not_utf8"),
]

MANY_HOSTS = ", ".join(f"h{i}.com" for i in range(51))
TAGS = [
    (header(version=""), "skill_header_missing_tag"),
    (header(params=""), "skill_header_missing_tag"),
    (header(description=""), "skill_header_missing_tag"),
    (header(author=" * @skill a-b"), "skill_header_repeated_tag"),
    (header(author=" * @licence MIT"), "skill_header_unknown_tag"),
    (header(author=" * @Author me"), "skill_header_unknown_tag"),
    (header(author=" * @author\u3000me"), "skill_header_unknown_tag"),
    (header(author=" * @author " + "x" * 201), "skill_header_author"),
    (header(skill=" * @skill A-b"), "skill_header_name"),
    (header(skill=" * @skill a--b"), "skill_header_name"),
    (header(skill=" * @skill " + "a" * 65), "skill_header_name"),
    (header(version=" * @version 1.0"), "skill_header_version"),
    (header(version=" * @version ١.0.0"), "skill_header_version"),
    (header(description=" * @description"), "skill_header_description"),
    (header(description=" * @description " + "d" * 1025), "skill_header_description"),
    (header(domains=" * @domains *.example.com"), "skill_header_domains"),
    (header(domains=" * @domains https://erp.example.com"), "skill_header_domains"),
    (header(domains=" * @domains erp.example.com，oa.example.com"), "skill_header_domains"),
    (header(domains=" * @domains a.com, a.com"), "skill_header_domains"),
    (header(domains=" * @domains a.com,"), "skill_header_domains"),
    (header(domains=" * @domains a..com"), "skill_header_domains"),
    (header(domains=" * @domains ERP.example.com"), "skill_header_domains"),
    (header(domains=f" * @domains {MANY_HOSTS}"), "skill_header_domains"),
]


def with_pattern(pattern: str) -> str:
    """Return a schema with one *pattern*."""
    return json.dumps({"type": "object", "properties": {"a": {"pattern": pattern}}})


SCHEMAS = [
    ('{"type": "object"} trailing', "skill_header_params_json"),
    ('{"type": "object", "type": "object"}', "skill_header_params_json"),
    ("{'type': 'object'}", "skill_header_params_json"),
    ('{"type": "object", "maximum": NaN}', "skill_header_params_json"),
    ("[]", "skill_header_params_json"),
    ("", "skill_header_params_json"),
    ('{"a":' * 500 + "1" + "}" * 500, "skill_header_params_json"),
    ('{"type": "object",\n * @author me\n * "x": 1}', "skill_header_params_json"),
    ('{"type": "string"}', "skill_header_schema_type"),
    ("{}", "skill_header_schema_type"),
    ('{"type": "object", "properties": {"a": {"type": "text"}}}', "skill_header_schema"),
    ('{"type": "object", "required": "a"}', "skill_header_schema"),
    ('{"type": "object", "$ref": "https://evil.test/s.json"}', "skill_header_schema_keyword"),
    ('{"type": "object", "properties": {"a": {"$ref": "#"}}}', "skill_header_schema_keyword"),
    (
        '{"type": "object", "$schema": "http://json-schema.org/schema#"}',
        "skill_header_schema_keyword",
    ),
    (with_pattern("a" * 201), "skill_header_schema_pattern"),
    (with_pattern("^(a+)+$"), "skill_header_schema_pattern"),
    (with_pattern("("), "skill_header_schema_pattern"),
    ('{"type": "object", "patternProperties": {"(a*)*": {}}}', "skill_header_schema_pattern"),
]


@pytest.mark.parametrize(("text", "code"), PLACES + TAGS)
def test_a_header_in_any_other_form_is_refused(text: str, code: str) -> None:
    assert code_of(text) == code


@pytest.mark.parametrize(("schema", "code"), SCHEMAS)
def test_params_that_are_no_plain_object_schema_are_refused(schema: str, code: str) -> None:
    assert code_of(header(params=f" * @params {schema}")) == code


def test_a_file_over_the_bound_is_not_read() -> None:
    padded = (header() + "/" * 500).encode("utf-8")
    with pytest.raises(SkillHeaderError, match="larger than 600 bytes"):
        parse_header(padded, SkillLimits(file_bytes_max=600))
    assert parse_header(padded, SkillLimits(file_bytes_max=6_000)).skill == "a-b"


REPORT = parse_header((LIBRARY_ROOT / "builtin/erp-monthly-report.js").read_bytes())


def test_good_parameters_come_back_with_their_defaults() -> None:
    given = {"month": "2026-03"}
    assert check_params(REPORT, given) == {"month": "2026-03", "format": "xlsx"}
    assert given == {"month": "2026-03"}
    full = {"month": "2026-12", "department": "财务部", "format": "pdf", "report": "合规"}
    assert check_params(REPORT, full) == full


BROKEN = [
    ({}, "skill_params_missing", "month"),
    ({"month": 202603}, "skill_params_type", "month"),
    ({"month": None}, "skill_params_type", "month"),
    ({"month": "2026-13"}, "skill_params_pattern", "month"),
    ({"month": "2026-03\n"}, "skill_params_pattern", "month"),
    ({"month": "٢٠٢٦-03"}, "skill_params_pattern", "month"),
    ({"month": "x2026-03"}, "skill_params_pattern", "month"),
    ({"month": "2026-03", "format": "docx"}, "skill_params_enum", "format"),
    ({"month": "2026-03", "department": ""}, "skill_params_invalid", "department"),
    ({"month": "2026-03", "department": "x" * 41}, "skill_params_invalid", "department"),
    ({"month": "2026-03", "deparment": "财务部"}, "skill_params_unknown", "deparment"),
]


@pytest.mark.parametrize(("params", "code", "param"), BROKEN)
def test_bad_parameters_are_refused_by_name(params: dict[str, Any], code: str, param: str) -> None:
    with pytest.raises(SkillParamsError) as caught:
        check_params(REPORT, params)
    error = caught.value
    assert (error.code, error.facts["param"]) == (code, param)
    assert param in error.text("en")
    assert param in error.text("zh-CN")
    assert error.facts["expected"]


def test_the_error_says_what_was_expected() -> None:
    with pytest.raises(SkillParamsError, match=r"format.*'docx'.*xlsx, csv, pdf"):
        check_params(REPORT, {"month": "2026-03", "format": "docx"})


@pytest.mark.parametrize("params", [None, [], "month=2026-03", json.loads("5")])
def test_parameters_that_are_no_object_are_refused(params: Any) -> None:
    with pytest.raises(SkillParamsError) as caught:
        check_params(REPORT, params)
    assert caught.value.code == "skill_params_not_object"
