"""Sentences of the conversation's budget and of the panel's history: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "panel_model_gave_up": ("The model did not answer: {why}", "模型没有回答：{why}"),
    "panel_model_retry": (
        "The model did not answer: {why} It is asked again in {seconds} s.",
        "模型没有回答：{why} {seconds} 秒后再次请求。",
    ),
    "folded_heading": (
        "What was done so far, one line a step; whatever these steps saw may be out of date:",
        "此前已执行的步骤，每步一行；当时看到的内容可能已过时：",
    ),
    "folded_step": ("step {number}: {what} → {outcome}", "步骤{number} {what} → {outcome}"),
    "folded_round": ("- {what} → {outcome}", "- {what} → {outcome}"),
    "folded_ok": ("ok", "成功"),
    "folded_failed": ("failed", "失败"),
    "folded_refused": ("the person refused it; not to be tried again", "用户拒绝了，不要再尝试"),
    "folded_unanswered": ("no result", "无结果"),
    "folded_text": ("answered without a tool", "未调用工具的回答"),
    "result_left_out": (
        "The rest of this result was left out to make room. Take a new look at the page if it is needed.",
        "为节省空间，此结果的其余内容已省略；如有需要，请重新查看页面。",
    ),
    "memory_budget": (
        "The task no longer fits the model's window: about {needed} tokens are needed and {room} are left "
        "for the conversation. Ask for less at once, let pages be read in parts, or set "
        "SGCLAW_MODEL_CONTEXT_TOKENS to the window that the model really has.",
        "任务内容已超出模型的上下文窗口：约需 {needed} 个 token，对话只剩 {room} 个。请把任务拆小、分段读取页面，"
        "或将 SGCLAW_MODEL_CONTEXT_TOKENS 设为模型真实的窗口大小。",
    ),
}
