"""Which words and targets make a click matter (P5): the built-in list, in both languages."""

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

from states.policy import Target

RISK_WORDS_ZH = (
    "删除", "移除", "清空", "清除", "作废", "注销", "登出", "退出", "提交", "保存", "确认",
    "审批", "审核", "批准", "同意", "驳回", "拒绝", "付款", "支付", "转账", "汇款", "收款",
    "过账", "记账", "结账", "冲销", "撤销", "撤回", "终止", "停用", "禁用", "重置", "发布",
    "发送", "签署", "盖章", "下单", "购买", "授权", "解约", "离职", "发放",
)  # fmt: skip
RISK_WORDS_EN = (
    "delete", "remove", "clear", "void", "erase", "purge", "wipe", "logout", "signout",
    "log out", "sign out", "log off", "submit", "save", "confirm", "approve", "reject",
    "deny", "pay", "payment", "transfer", "post", "reverse", "revoke", "terminate", "disable",
    "deactivate", "reset", "publish", "send", "sign", "buy", "purchase", "checkout",
    "authorize", "authorise", "unsubscribe",
)  # fmt: skip

# A GET that a path names so plainly changes something; milder words in a path do not ask.
PATH_RISK_WORDS = (
    "logout", "signout", "logoff", "log out", "sign out", "log off", "delete", "remove", "void",
    "注销", "登出", "退出", "删除", "作废",
)  # fmt: skip

_WORD = re.compile(r"[a-z0-9]+")
_BUTTON_ROLES = frozenset({"button", "link", "menuitem", "switch"})


def risk_word_in(text: str, extra_words: Iterable[str] = ()) -> str:
    """Return the first risk word found in *text*, or "".

    English words match whole words only ("deleted" is not "delete"); Chinese ones match
    anywhere, since Chinese is written without spaces.
    """
    return _first_of((*RISK_WORDS_ZH, *RISK_WORDS_EN, *extra_words), text)


def risk_word_in_path(url: str, extra_words: Iterable[str] = ()) -> str:
    """Return the first word in the path or query of *url* that names a risky operation, or ""."""
    _, _, rest = url.partition("://")
    _, _, path = (rest or url).partition("/")
    return _first_of((*PATH_RISK_WORDS, *extra_words), unquote(path))


def _first_of(words: Iterable[str], text: str) -> str:
    lowered = text.casefold()
    spaced = " " + " ".join(_WORD.findall(lowered)) + " "
    # A page may set blanks between the characters of one Chinese word ("确 认").
    joined = "".join(lowered.split())
    for word in (listed.casefold() for listed in words):
        if word.isascii():
            if f" {' '.join(_WORD.findall(word))} " in spaced:
                return word
        elif word in joined:
            return word
    return ""


def risk_of_target(
    action: str, params: Mapping[str, Any], target: Target | None, extra_words: Iterable[str]
) -> tuple[str, dict[str, str]]:
    """Return the key and facts of why *action* on *target* needs a person, or ("", {})."""
    extra = tuple(extra_words)
    if action == "storageSet":
        return "risk_storage", {}
    if action == "navigate":
        url = str(params.get("url", ""))
        word = risk_word_in_path(url, extra)
        return ("risk_word", {"word": word, "name": url}) if word else ("", {})
    if action == "select":
        word = risk_word_in(str(params.get("value", "")), extra)
        return ("risk_word", {"word": word, "name": str(params.get("value"))}) if word else ("", {})
    if action != "click" or target is None:
        return "", {}
    return _risk_of_click(target, extra)


def _risk_of_click(target: Target, extra: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    named = {"name": target.name or target.tag}
    if target.input_type == "file":
        return "risk_upload", named
    if target.in_password_form and (target.submits or target.role in _BUTTON_ROLES):
        return "risk_login", named
    if target.submits:
        return "risk_submit", named
    word = risk_word_in(target.name, extra) or risk_word_in_path(target.href, extra)
    return ("risk_word", {"word": word, **named}) if word else ("", {})
