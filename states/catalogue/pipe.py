"""Sentences of the pipe area: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    # --- lines
    "pipe_closed": (
        "The other end of the pipe is gone. Start the task again.",
        "管道的另一端已经断开。请重新开始任务。",
    ),
    "pipe_message_too_large": (
        "A {type} message of {size} bytes passes the bound of {size_max} bytes and was not sent. "
        "Ask for less of the page.",
        "{type} 消息有 {size} 字节，超过上限 {size_max} 字节，没有发送。请缩小读取范围。",
    ),
    "pipe_message_too_deep": (
        "A {type} message nests deeper than {depth_max} levels and was not sent. "
        "Ask for less of the page.",
        "{type} 消息的嵌套超过 {depth_max} 层，没有发送。请缩小读取范围。",
    ),
    "pipe_message_not_json": (
        "A {type} message holds what JSON cannot ({why}) and was not sent. Read another part "
        "of the page.",
        "{type} 消息含有 JSON 无法表示的内容（{why}），没有发送。请读取页面的其他部分。",
    ),
    "line_empty": (
        "An empty line is no message. Send one JSON object per line.",
        "空行不是消息。每行请发送一个 JSON 对象。",
    ),
    "line_too_long": (
        "A line passes the bound of {bytes_max} bytes and was skipped. Send shorter messages.",
        "一行超过了上限 {bytes_max} 字节，已跳过。请发送更短的消息。",
    ),
    "line_unfinished": (
        "The pipe ended in the middle of a line; that line was dropped. End each line with LF.",
        "管道在一行中间结束，该行已丢弃。每行请以 LF 结尾。",
    ),
    "line_bom": (
        "A line begins with a byte order mark. Send UTF-8 without one.",
        "行首有字节顺序标记（BOM）。请发送不带 BOM 的 UTF-8。",
    ),
    "line_not_utf8": (
        "A line is not UTF-8 (byte {at}). Send strict UTF-8.",
        "一行不是 UTF-8（第 {at} 字节）。请发送严格的 UTF-8。",
    ),
    "line_not_json": (
        "A line is not JSON: {why}. Send one JSON object per line.",
        "一行不是 JSON：{why}。每行请发送一个 JSON 对象。",
    ),
    "line_not_object": (
        "A line is JSON but not an object. Wrap the message in braces.",
        "一行是 JSON，但不是对象。请把消息写成对象。",
    ),
    "line_too_deep": (
        "A line nests deeper than {depth_max} levels. Send flatter JSON.",
        "一行的嵌套超过 {depth_max} 层。请减少嵌套。",
    ),
    "line_duplicate_key": (
        'A line has the key "{name}" twice in one object. Send each key once.',
        "一行的同一个对象里键“{name}”出现两次。每个键只能出现一次。",
    ),
    "line_not_finite": (
        "A line holds a number that is not finite ({number}). Send finite numbers.",
        "一行含有非有限的数（{number}）。请发送有限的数。",
    ),
    "line_int_out_of_range": (
        "A line holds an integer beyond 2^53-1. Send it as a string.",
        "一行含有超过 2^53-1 的整数。请用字符串发送。",
    ),
    "line_lone_surrogate": (
        "A line holds half of a surrogate pair. Send whole characters.",
        "一行含有半个代理对。请发送完整的字符。",
    ),
    # --- messages
    "message_schema": (
        "A message does not fit the protocol: {why}. See docs/protocol.",
        "消息不符合协议：{why}。请看 docs/protocol。",
    ),
    "message_unexpected": (
        "A {type} message is not expected now. See the message flow in docs/protocol.",
        "现在不应收到 {type} 消息。请看 docs/protocol 的消息流程。",
    ),
    "init_twice": (
        "A second init line came. Send init once, and start another agent for another task.",
        "收到第二条 init。init 只能发送一次，新任务请启动新的代理进程。",
    ),
    "init_missing": (
        "A task came before init. Send init first.",
        "任务先于 init 到达。请先发送 init。",
    ),
    "task_twice": (
        "A second task came. One agent runs one task: start another agent.",
        "收到第二个任务。一个代理进程只运行一个任务，请另启动一个。",
    ),
    "protocol_version": (
        "The host speaks protocol {theirs}, this agent {ours}. Install the same version of both.",
        "主机使用协议 {theirs}，代理使用协议 {ours}。请为两者安装同一版本。",
    ),
    "bad_hmac": (
        "The proof of a message is wrong: it was changed, or comes from another session or "
        "direction. It was not acted upon.",
        "消息的签名不对：内容被改动，或来自别的会话或方向。没有执行。",
    ),
    "seq_replayed": (
        "Message {seq} came again (expected {expected}). It was not acted upon.",
        "消息 {seq} 重复出现（应为 {expected}）。没有执行。",
    ),
    "seq_gap": (
        "Message {seq} came where {expected} was expected: one is missing. It was not acted upon.",
        "收到消息 {seq}，但应为 {expected}：中间缺了消息。没有执行。",
    ),
    # --- host: what the channel refuses
    "action_params": (
        "The parameters of {action} are not valid: {why}. Correct them and try again.",
        "{action} 的参数不正确：{why}。请改正后重试。",
    ),
    # --- host: approvals
    "approval_file_unreadable": (
        "The approval file {path} cannot be read: {why}. Give a readable JSON Lines file, or "
        "--approve ask or deny.",
        "无法读取审批文件 {path}：{why}。请提供可读的 JSON Lines 文件，或使用 --approve ask 或 deny。",
    ),
    "approval_file_line": (
        "Line {line} of the approval file {path} is not valid: {why}. Each line must be "
        'like {example}, with "approve", "reject" or "timeout".',
        "审批文件 {path} 第 {line} 行不正确：{why}。每行应为 {example}，"
        "取值为 approve、reject 或 timeout。",
    ),
    "approval_file_spent": (
        "The approval file {path} has no line left, so the question was answered with no. "
        "Add a line for each question.",
        "审批文件 {path} 已没有剩余的行，因此按拒绝处理。请为每个问题各写一行。",
    ),
    "approval_nobody": (
        "Nobody can be asked here (no terminal, or --approve deny), so the answer is no. "
        "Run on a terminal, or give an approval file.",
        "此处无人可问（没有终端，或使用了 --approve deny），因此按拒绝处理。"
        "请在终端中运行，或提供审批文件。",
    ),
    "approval_target_changed": (
        "The element or the page changed since the question was raised, so nobody was asked. "
        "Look at the page again.",
        "提问之后元素或页面已变化，因此没有询问。请重新查看页面。",
    ),
    "questions_spent": (
        "This task already asked the person {asked_max} times, which is all it may, so nobody was "
        "asked and nothing was done. Finish without it, or raise SGCLAW_TASK_QUESTIONS_MAX.",
        "本任务已向本人询问 {asked_max} 次，达到上限，因此没有再询问，也没有执行。"
        "请不做此操作而结束，或调大 SGCLAW_TASK_QUESTIONS_MAX。",
    ),
    "step_not_asked": (
        "This task does not run step by step, so nobody was asked whether to go on. Go on, or run "
        "it with --step.",
        "本任务不是逐步运行，因此没有询问是否继续。请直接继续，或用 --step 运行。",
    ),
    "approval_ask_call": (
        "sgclaw asks: may it do this?",
        "sgclaw 请求确认：是否允许以下操作？",
    ),
    "approval_ask_list": (
        "sgclaw asks: may it do these {number}, in this order? One answer is for all of them.",
        "sgclaw 请求确认：是否允许依次执行以下 {number} 项操作？一次回答适用于全部。",
    ),
    "approval_ask_step": (
        "sgclaw asks: may it go on with the next step?",
        "sgclaw 请求确认：是否继续下一步？",
    ),
    "approval_action": ("Action", "动作"),
    "approval_target": ("On", "对象"),
    "approval_host": ("At", "位置"),
    "approval_reason": ("Why", "原因"),
    "approval_picture": ("Picture", "截图"),
    "approval_no_picture": ("none could be taken", "未能截图"),
    "approval_prompt": (
        "Type y and Enter for yes; anything else is no ({seconds} s): ",
        "输入 y 并回车表示同意，其他均为拒绝（{seconds} 秒内）：",
    ),
    "approval_no_answer": (
        "No answer in time; the question is withdrawn.",
        "超时未答复，提问已撤回。",
    ),
    "approval_withdrawn": (
        "The question is withdrawn.",
        "提问已撤回。",
    ),
    # --- host: the agent process
    "agent_missing": (
        "The sgclaw program was not found at {path}, so no agent can be started. "
        "Install sgclaw into this Python.",
        "在 {path} 找不到 sgclaw 程序，无法启动代理进程。请在此 Python 中安装 sgclaw。",
    ),
    "agent_not_ready": (
        "The agent did not report ready within {seconds} s. See its log, then start the task again.",
        "代理进程在 {seconds} 秒内没有就绪。请查看日志后重新开始任务。",
    ),
    "agent_protocol": (
        "The agent speaks protocol {theirs}, this host {ours}. Install the same version of both.",
        "代理使用协议 {theirs}，本机使用协议 {ours}。请为两者安装同一版本。",
    ),
    "agent_silent": (
        "The agent did not answer for {seconds} s and was stopped; nothing more was done. Report it "
        "with the trace id if it happens twice.",
        "代理进程 {seconds} 秒没有应答，已被停止，没有继续操作。若再次发生请附 trace id 反馈。",
    ),
    "agent_broke_protocol": (
        "The agent broke the protocol more than {errors_max} times (last: {last}), so it was "
        "stopped. Look at the host's log.",
        "代理进程违反协议超过 {errors_max} 次（最后一次：{last}），已被停止。请查看主机日志。",
    ),
    "agent_over_time": (
        "The agent went on past the task's {seconds} s and was stopped. Give it more time or a "
        "smaller task.",
        "代理进程超过任务时限 {seconds} 秒，已被停止。请延长时限或缩小任务。",
    ),
    "host_fault": (
        "The host met a fault of its own ({why}) while it did this; whether it took effect is not "
        "known. Look at the page.",
        "主机执行时自身出错（{why}），是否生效未知。请查看页面。",
    ),
    "commands_spent": (
        "This task sent more commands than its step budget can ever need, so the host does no "
        "more of them. Finish, and start another task for the rest.",
        "本任务发送的命令远超其步数预算，主机不再执行。请结束任务，其余部分另开任务。",
    ),
    "host_log_unwritable": (
        "The host's log {path} cannot be written ({why}), so nothing was started. Remove what "
        "stands in its place, or set SGCLAW_DATA_DIR to another folder.",
        "无法写入主机日志 {path}（{why}），因此没有开始。请移除该位置上的内容，"
        "或用 SGCLAW_DATA_DIR 指定另一个文件夹。",
    ),
    "host_log_incomplete": (
        "The host's log {path} is incomplete: it could not be written ({why}). What was done stands "
        "in the result; free some space before the next run.",
        "主机日志 {path} 不完整：无法写入（{why}）。所做的操作见结果；请在下次运行前释放空间。",
    ),
    "command_over_time": (
        "The browser did not finish {action} within {seconds} s; whether it took effect is not "
        "known. Look at the page.",
        "浏览器在 {seconds} 秒内没有完成 {action}，是否生效未知。请查看页面。",
    ),
    "no_open_dialog": (
        "The page shows no dialog now, so there is nothing to answer. Look at the page.",
        "页面现在没有对话框，无需回答。请查看页面。",
    ),
}
