"""Which words and targets make a click matter (P5): the built-in list, in both languages."""

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

from guards.plain_words import english_words, parted_by_case, plain, without_gaps
from states.policy import Target

RISK_WORDS_ZH = (
    "删除", "移除", "清空", "清除", "作废", "注销", "登出", "退出", "提交", "保存", "储存", "确认",
    "确定", "审批", "审核", "批准", "同意", "驳回", "拒绝", "付款", "支付", "转账", "汇款", "收款",
    "退款", "过账", "记账", "结账", "冲销", "核销", "撤销", "撤回", "终止", "停用", "禁用", "冻结",
    "生效", "归档", "重置", "发布", "发送", "传送", "签署", "盖章", "下单", "购买", "授权", "解约",
    "离职", "发放", "登录", "登陆", "登入",
)  # fmt: skip
RISK_WORDS_EN = (
    "delete", "remove", "clear", "void", "erase", "purge", "wipe", "logout", "signout",
    "log out", "sign out", "log off", "logoff", "login", "log in", "signin", "sign in", "submit",
    "save", "confirm", "approve", "reject", "deny", "pay", "payment", "refund", "transfer", "post",
    "reverse", "revoke", "terminate", "disable", "deactivate", "archive", "reset", "publish",
    "send", "sign", "buy", "purchase", "checkout", "authorize", "authorise", "unsubscribe",
)  # fmt: skip

# A GET that a path names so plainly changes something; milder words in a path do not ask.
PATH_RISK_WORDS = (
    "logout", "signout", "logoff", "log out", "sign out", "log off", "delete", "remove", "void",
    "注销", "登出", "退出", "删除", "作废",
)  # fmt: skip

_HOST_PART = re.compile(r"^[a-z][a-z0-9+.-]*://[^/?#]*", re.IGNORECASE)
# A server may decode more than once ("%256cogout").
_DECODED_MAX = 4
_NOT_TEXT_INPUTS = frozenset(
    {"submit", "image", "button", "reset", "checkbox", "radio", "file", "color", "range", "hidden"}
)
# Fields of text whose tag does not say so (contenteditable).
_TEXT_ROLES = frozenset({"textbox", "searchbox"})
_EDITING_KEYS = frozenset({"Control+a", "Control+z", "Control+y", "Control+Backspace",
                           "Control+Delete"})  # fmt: skip
_SHOWN_CHARS = 80


def risk_word_in(text: str, extra_words: Iterable[str] = ()) -> str:
    """Return the first risk word found in *text*, or "".

    English words match whole words only ("deleted" is not "delete"); Chinese ones match
    anywhere, since Chinese is written without spaces.
    """
    return _first_of((*RISK_WORDS_ZH, *RISK_WORDS_EN, *extra_words), text)


def risk_word_in_path(url: str, extra_words: Iterable[str] = ()) -> str:
    """Return the first word after the host of *url* that names a risky operation, or ""."""
    path = _HOST_PART.sub("", url)
    for _ in range(_DECODED_MAX):
        path, encoded = unquote(path), path
        if path == encoded:
            break
    return _first_of((*PATH_RISK_WORDS, *extra_words), path)


def _first_of(words: Iterable[str], text: str) -> str:
    read = plain(text)
    english = english_words(read) + english_words(parted_by_case(read))
    joined = without_gaps(read)
    for listed in words:
        word = plain(listed)
        is_english = word.isascii()
        wanted = english_words(word) if is_english else without_gaps(word)
        # A listed word of signs only says nothing.
        if wanted.strip() and wanted in (english if is_english else joined):
            return listed
    return ""


def risk_of_target(
    action: str, params: Mapping[str, Any], target: Target | None, extra_words: Iterable[str]
) -> tuple[str, dict[str, str]]:
    """Return the key and facts of why *action* on *target* needs a person, or ("", {})."""
    extra = tuple(extra_words)
    if action == "storageSet":
        return "risk_storage", {}
    if action in {"navigate", "zombieSpawn"}:
        url = target.href if target is not None and target.href else str(params.get("url", ""))
        word = risk_word_in_path(url, extra)
        return ("risk_word", {"word": word, "name": url}) if word else ("", {})
    if action == "select":
        # Of the list only the option counts: a filter named 审批状态 approves nothing.
        option = target.said if target is not None else ""
        return _risk_said((str(params.get("value", "")), *option.split("\n")), extra)
    if action == "type" and target is not None:
        return _risk_of_type(tuple(params.get("keys") or ()), target, extra)
    if action != "click" or target is None:
        return "", {}
    return _risk_of_click(target, extra)


def _risk_of_type(
    keys: tuple[str, ...], target: Target, extra: tuple[str, ...]
) -> tuple[str, dict[str, str]]:
    """Judge what is typed: files, and keys by what they set off; text alone is harmless."""
    named = {"name": target.name or target.tag}
    if target.input_type == "file":
        return "risk_upload", named
    is_text = _is_text_field(target) or target.role in _TEXT_ROLES
    strange = [key for key in keys if _is_shortcut(key, is_text=is_text)]
    plain_keys = {key.rpartition("+")[2] for key in keys}
    if "Enter" in plain_keys or ("Space" in plain_keys and not is_text):
        if target.in_password_form:
            return "risk_login", named
        key, facts = _risk_of_click(target, extra)
        if key:
            return key, facts
    elif target.said:
        key, facts = _risk_said(target.said.split("\n"), extra)
        if key:
            return key, {**facts, **named}
    if strange:
        return "risk_keys", {"keys": strange[0], **named}
    return "", {}


def _is_shortcut(key: str, *, is_text: bool) -> bool:
    """Tell whether a page may have bound *key* to anything: nothing on it says to what."""
    modifier, _, plain_key = key.rpartition("+")
    if modifier in ("Control", "Alt"):
        return key not in _EDITING_KEYS and not plain_key.startswith(("Arrow", "Home", "End"))
    return len(plain_key) == 1 and not is_text


def _risk_of_click(target: Target, extra: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    named = {"name": target.name or target.tag}
    if target.in_password_form and not _is_text_field(target):
        return "risk_login", named
    if target.submits:
        return "risk_submit", named
    key, facts = _risk_said((target.name, *target.said.split("\n")), extra)
    if key:
        return key, facts
    word = risk_word_in_path(target.href, extra)
    return ("risk_word", {"word": word, **named}) if word else ("", {})


def _risk_said(lines: Iterable[str], extra: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    for line in lines:
        word = risk_word_in(line, extra)
        if word:
            return "risk_word", {"word": word, "name": _around(word, line)}
    return "", {}


def _around(word: str, line: str) -> str:
    """Return *line* short enough for a card, with *word* in it where it is written so."""
    start = max(line.find(word) - _SHOWN_CHARS // 2, 0)
    cut = line[start : start + _SHOWN_CHARS]
    return ("…" if start else "") + cut + ("…" if start + _SHOWN_CHARS < len(line) else "")


def _is_text_field(target: Target) -> bool:
    is_input = target.tag == "input" and target.input_type not in _NOT_TEXT_INPUTS
    return target.tag == "textarea" or is_input
