"""Rules on what a model put out (R5): what it claims, and whether it is a reply at all."""

import math
import re
from typing import Any

from states.messages import ModelTurn
from states.settings import TaskLimits
from states.verdict import ALLOWED, Verdict, refused

# Words that claim something was done in the world. Questions and refusals hold none of them.
_CLAIMS_EN = re.compile(
    r"\b(done|completed|finished|exported|submitted|saved|created|deleted|updated|clicked|sent|"
    r"approved|uploaded|downloaded|filled|logged in|successful(ly)?)\b",
    re.IGNORECASE,
)
_CLAIMS_ZH = re.compile(
    r"已经?(导出|提交|保存|完成|创建|新建|删除|更新|修改|点击|发送|审批|批准|上传|下载|填写|登录|处理|执行|作废)"
    r"|(导出|提交|保存|创建|删除|更新|修改|发送|审批|上传|下载|填写|登录|处理|操作)(成功|完成|完毕|好了)"
    r"|(完成|成功)了|搞定|办好了|大功告成"
)
_NOT_EN = re.compile(r"\b(not|n't|cannot|never|nothing|unable|failed to|without)\b", re.IGNORECASE)
_NOT_ZH = re.compile(r"没有?|未|无法|不能|尚未|失败")
_INT_MAX = 2**53 - 1
_CLAUSE = re.compile(r"[,.;:!?，。；：！？\n]+")


def claims_action(text: str) -> bool:
    """Tell whether *text* says that something was done, clause by clause.

    A clause that also negates ("could not be exported", "没有导出") claims nothing.
    """
    for clause in _CLAUSE.split(text):
        if _CLAIMS_EN.search(clause) and not _NOT_EN.search(clause):
            return True
        if _CLAIMS_ZH.search(clause) and not _NOT_ZH.search(clause):
            return True
    return False


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
