"""Rules on what a model put out (R5): what it claims, and whether it is a reply at all."""

import re

from states.messages import ModelTurn
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


def output_is_reply(turn: ModelTurn, *, calls_max: int) -> Verdict:
    """Refuse output that is broken, empty, or asks for more than *calls_max* calls at once."""
    if turn.broken is not None:
        return refused("output_broken", why=turn.broken[:200])
    if not turn.tool_calls and not turn.text.strip():
        return refused("output_empty")
    if len(turn.tool_calls) > calls_max:
        return refused("too_many_calls", max=calls_max, count=len(turn.tool_calls))
    return ALLOWED
