"""Rules on what a model put out (R5): what it claims, and whether it is a reply at all."""

import math
import re
from typing import Any

from states.messages import ModelTurn
from states.settings import TaskLimits
from states.verdict import ALLOWED, Verdict, refused

# What a task may do in the world. A text that says one of them was done claims it.
_VERBS_ZH = (
    "导出", "提交", "保存", "完成", "创建", "新建", "删除", "更新", "修改", "点击", "发送", "审批",
    "批准", "审核", "上传", "下载", "填写", "登录", "处理", "执行", "作废", "支付", "付款", "转账",
    "确认", "录入", "新增", "生成", "打印", "导入", "设置", "选择", "打开", "关闭", "取消", "归档",
    "记账", "过账", "搞定", "办",
)  # fmt: skip
_VERB_ZH = f"(?:{'|'.join(_VERBS_ZH)})"
_CLAIM_ZH = re.compile(
    rf"已经?[^，,。；;！!？?\n]{{0,20}}?{_VERB_ZH}"
    rf"|{_VERB_ZH}(?:了|完|好|到|至|成功|过)"
    rf"|成功(?:地)?{_VERB_ZH}"
    rf"|{_VERB_ZH}[^，,。；;！!？?\n]{{0,20}}?(?:成功|完成|完毕|了)"
    r"|(?:操作|任务|工作)?(?:成功|完成|完毕|搞定)了?$"
)
_NOT_ZH = re.compile(
    r"(?:没有?(?!失败)|未能?|无法|不能|不会|尚未|并非|不)[^，,。；;！!？?\n]{0,10}$"
)
_DONE_EN = (
    "done", "completed", "finished", "exported", "submitted", "saved", "created", "deleted",
    "removed", "updated", "changed", "clicked", "sent", "approved", "rejected", "uploaded",
    "downloaded", "filled", "logged in", "entered", "voided", "paid", "booked", "printed",
    "imported", "processed", "selected", "opened", "closed", "cancelled", "canceled", "archived",
    "successful", "successfully", "all set", "complete", "made", "did it",
)  # fmt: skip
_CLAIM_EN = re.compile(rf"\b(?:{'|'.join(_DONE_EN)})\b", re.IGNORECASE)
_NOT_EN = re.compile(
    r"(?:\b(?:not|never|nothing|no|cannot|unable|failed|without being)\b|n't\b)[^,.;:!?]{0,40}$",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]?")
_CLAUSE = re.compile(r"[,;:，；：]+")
_ASKS = re.compile(r"[?？]$|吗|请问|是否")
_INT_MAX = 2**53 - 1


def claims_action(text: str) -> bool:
    """Tell whether *text* says that something was done.

    A question claims nothing, and neither does a verb that a "not" governs ("was not exported",
    "没有导出"). A word that only stands nearby ("exported without errors") takes nothing back.
    """
    return any(
        _claims(clause.strip())
        for sentence in _SENTENCE.findall(text)
        if not _ASKS.search(sentence.strip())
        for clause in _CLAUSE.split(sentence)
    )


def _claims(clause: str) -> bool:
    plain = clause.rstrip(".!。！")
    for claim, negation in ((_CLAIM_EN, _NOT_EN), (_CLAIM_ZH, _NOT_ZH)):
        for found in claim.finditer(plain):
            if not negation.search(plain[: found.start()]) and not negation.search(
                plain[: _verb_start(found)]
            ):
                return True
    return False


def _verb_start(found: "re.Match[str]") -> int:
    """Return where the verb of a Chinese match begins: "已经没有导出" negates inside the match."""
    verb = re.search(_VERB_ZH, found[0])
    return found.start() + (verb.start() if verb else 0)


def output_is_reply(turn: ModelTurn, limits: TaskLimits) -> Verdict:
    """Refuse output that is broken, unsound, empty, or asks for too many calls at once."""
    if turn.broken is not None:
        return refused("output_broken", why=turn.broken[:200])
    if not turn.tool_calls and not turn.text.strip():
        return refused("output_empty")
    if len(turn.tool_calls) > limits.calls_per_turn_max:
        return refused("too_many_calls", max=limits.calls_per_turn_max, count=len(turn.tool_calls))
    ids = [call.id for call in turn.tool_calls]
    if len(set(ids)) < len(ids) or not all(ids):
        return refused("output_ids")
    return output_is_sound(turn, limits)


def output_is_sound(turn: ModelTurn, limits: TaskLimits) -> Verdict:
    """Refuse what no ledger row and no pipe line can hold: its size, depth, numbers, text."""
    why, chars = _survey([turn.model_dump(mode="python")], limits.model_depth_max)
    if not why and chars > limits.model_text_chars_max:
        why = f"> {limits.model_text_chars_max} characters"
    return refused("output_broken", why=why) if why else ALLOWED


def _survey(level: list[Any], depth_max: int) -> tuple[str, int]:
    """Walk level by level; return the first fault found and the characters of all text."""
    chars, depth = 0, 0
    while level:
        depth += 1
        if depth > depth_max:
            return f"nested deeper than {depth_max}", chars
        below: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                below += [*value.keys(), *value.values()]
            elif isinstance(value, list | tuple):
                below += value
            else:
                fault, length = _scalar(value)
                chars += length
                if fault:
                    return fault, chars
        level = below
    return "", chars


def _scalar(value: object) -> tuple[str, int]:
    if isinstance(value, str):
        lone = any("\ud800" <= char <= "\udfff" for char in value)
        return ("half of a surrogate pair" if lone else ""), len(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN or infinity", 0
    if isinstance(value, int) and abs(value) > _INT_MAX:
        return "a number beyond 2^53-1", 0
    return "", 0
