"""Sentences of questions that are about no page: tools, and what the model wants to know."""

WORDS: dict[str, tuple[str, str]] = {
    "approval_ask_question": (
        "The model asks you. What follows are its words, not sgclaw's:",
        "模型向您提问。以下是模型的话，不是 sgclaw 的话：",
    ),
    "approval_options": ("It offers these answers:", "它给出以下选项："),
    "approval_prompt_answer": (
        "Type the number of an answer or your own words and Enter; an empty line is no answer. "
        "Never a password: the model reads it ({seconds} s): ",
        "输入选项编号或您自己的回答并回车；空行表示不回答。切勿输入密码，模型会读到（{seconds} 秒内）：",
    ),
    "approval_ask_tool": (
        "sgclaw asks: may it call this tool of an MCP server, once?",
        "sgclaw 请求确认：是否允许调用一次以下 MCP 服务器的工具？",
    ),
    "approval_server": ("Server", "服务器"),
    "approval_tool": ("Tool", "工具"),
    "approval_digest": ("Digest", "摘要"),
    "approval_arguments": ("Arguments, whole, as they are sent", "参数（全部，按发送内容）"),
    "approval_more": (
        "Page {page} of {pages}: Enter shows the next one, anything else is no: ",
        "第 {page} 页，共 {pages} 页：回车显示下一页，其他均为拒绝：",
    ),
    "approval_file_step": (
        "The next line of the approval file does not fit the question: a text answers a question of "
        "the model and nothing else. So the answer is no; put the lines in the order of the questions.",
        "审批文件的下一行与提问不符：text 只用于回答模型的提问。因此按拒绝处理；请按提问的顺序排列各行。",
    ),
    "question_unfit": (
        "A question of the kind {purpose} holds what belongs to another kind, or lacks its own. See "
        "docs/protocol.",
        "类型为 {purpose} 的提问含有其他类型的内容，或缺少必需内容。请看 docs/protocol。",
    ),
    "tool_not_in_init": (
        "No person approved a tool {tool} for this task, so nobody was asked and nothing was called. "
        "Use a tool of the list; `sgclaw mcp approve` is the person's to run.",
        "本任务没有经人批准的工具 {tool}，因此没有询问，也没有调用。请使用列表中的工具；`sgclaw mcp approve` 由本人执行。",
    ),
    "tool_digest_differs": (
        "The call of {tool} that was asked about is not the one that its digest names, so nobody was "
        "asked. Ask about the call as it will be made.",
        "所询问的 {tool} 调用与其摘要不符，因此没有询问。请按实际调用的内容提问。",
    ),
    "tool_arguments_unfit": (
        "The arguments of {tool} hold what cannot be put to a person as it is sent (a number out of "
        "range, half a character). Send plain JSON.",
        "{tool} 的参数含有无法原样呈现给人的内容（超出范围的数、半个字符）。请发送普通 JSON。",
    ),
    "tool_arguments_long": (
        "The arguments of {tool} have {chars} characters, more than the {chars_max} that a person "
        "is asked to read. Send less at once.",
        "{tool} 的参数有 {chars} 个字符，超过供人阅读的上限 {chars_max}。请减少一次发送的内容。",
    ),
    "tool_approved_before": (
        "This very call was approved before in this task, and may have been made then.",
        "本任务中已批准过完全相同的调用，可能已经执行过。",
    ),
}
