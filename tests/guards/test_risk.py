"""A risk word is found however it is written; what only looks near it is not."""

import pytest

from guards.policy import effect_of
from guards.risk import RISK_WORDS_EN, RISK_WORDS_ZH, risk_word_in, risk_word_in_path
from states.policy import Effect, Policy, Target

POLICY = Policy.model_validate(
    {"version": 1, "hosts": [{"host": "erp.example.com", "allow": ["click", "select"]}]}
)


def effect(action: str, target: Target, **params: str) -> tuple[Effect, str]:
    found, verdict = effect_of(POLICY, "https://erp.example.com", action, params, target)
    return found, verdict.reason


@pytest.mark.parametrize(
    "text",
    [
        "Ｄｅｌｅｔｅ", "D e l e t e", "D.e.l.e.t.e", "De\u034flete", "De\u200blete", "D\u0435lete",
        "D\u0415LETE", "Dèlete", "deLete", "deleteById", "doLogout", "Delete2", "sign-in",
        "刪除", "删·除", "删-除", "删\u034f除", "立即删 除", "註銷", "確認", "發佈",
        "确定", "登录", "登 錄", "登入", "Login", "核销", "归档", "冻结", "立即生效", "Refund",
        "archive",
    ],
)  # fmt: skip
def test_a_disguised_risk_word_is_found(text: str) -> None:
    assert risk_word_in(text)


@pytest.mark.parametrize(
    "text",
    ["查询", "导出报表", "下一页", "deleted items", "Sendai", "A B testing", "Postgres", "第 1 页",
     "已作，废话", "删，除此之外", "Signal", "a b c", "Подробнее", "", "…"],
)  # fmt: skip
def test_ordinary_words_stay_ordinary(text: str) -> None:
    assert risk_word_in(text) == ""


@pytest.mark.parametrize("word", [*RISK_WORDS_EN, *RISK_WORDS_ZH])
def test_each_listed_word_is_found_as_it_is_written(word: str) -> None:
    assert risk_word_in(f"x {word} 一")


def test_an_own_word_of_the_policy_is_read_the_same_way() -> None:
    assert risk_word_in("ｑ１ Close", ("q1 close",)) == "q1 close"
    assert risk_word_in("q2 close", ("q1 close",)) == ""
    assert risk_word_in("anything", ("!!", "——")) == ""


@pytest.mark.parametrize(
    "url",
    [
        "https://h/invoice/deleteById?id=3", "https://h/doLogout", "https://h?logout",
        "https://h#logout", "https://h/%256cogout", "https://h/x?do=%E5%88%A0%E9%99%A4",
        "javascript:delete_it()", "/account/delete",
    ],
)  # fmt: skip
def test_a_path_that_changes_something_is_found(url: str) -> None:
    assert risk_word_in_path(url)


@pytest.mark.parametrize(
    "url",
    ["https://logout.example.com/", "https://delete?x", "https://h/deleted", "https://h/save"],
)
def test_a_host_and_a_milder_path_are_not(url: str) -> None:
    assert risk_word_in_path(url) == ""


def test_what_is_said_around_a_target_asks_and_is_shown() -> None:
    silent = Target(role="generic", name="", tag="i", said="图标\n删除 INV-1")
    found, verdict = effect_of(POLICY, "https://erp.example.com", "click", {}, silent)
    assert (found, verdict.reason) == (Effect.CONFIRM, "risk_word")
    assert "删除 INV-1" in verdict.text("en")
    assert effect("click", Target(tag="i", said="图标\n查看 INV-1"))[0] is Effect.ACT


def test_a_word_far_inside_is_shown_with_what_stands_around_it() -> None:
    long = Target(role="button", name="x", said="term " * 900 + "delete all")
    _, verdict = effect_of(POLICY, "https://erp.example.com", "click", {}, long)
    assert "delete all" in verdict.text("en")
    assert len(verdict.text("en")) < 250


def test_of_a_list_only_the_chosen_option_counts() -> None:
    approval = Target(role="combobox", name="审批状态", tag="select", said="全部\n0")
    assert effect("select", approval, value="0")[0] is Effect.ACT
    deleting = approval.model_copy(update={"said": "删除\n3"})
    assert effect("select", deleting, value="3") == (Effect.CONFIRM, "risk_word")


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (Target(tag="div", in_password_form=True), "risk_login"),
        (Target(tag="a", role="link", in_password_form=True), "risk_login"),
        (Target(tag="input", input_type="checkbox", in_password_form=True), "risk_login"),
        (Target(tag="input", input_type="text", in_password_form=True), ""),
        (Target(tag="input", input_type="password", in_password_form=True), ""),
        (Target(tag="textarea", in_password_form=True), ""),
        (Target(tag="div"), ""),
    ],
)
def test_beside_a_password_only_a_text_field_is_clicked_unasked(
    target: Target, expected: str
) -> None:
    assert effect("click", target)[1] == expected


def test_the_words_of_a_target_never_leave_the_host() -> None:
    assert "secret" not in Target(name="a", said="secret").model_dump_json()
