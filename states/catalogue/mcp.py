"""Sentences of the MCP servers and their tools (R6)."""

WORDS: dict[str, tuple[str, str]] = {
    # --- what a model is told of its call
    "mcp_tool_unknown": (
        "There is no approved tool “{tool}”. Nothing was sent. Use one of the tools that are listed.",
        "没有名为“{tool}”的已批准工具。未发送任何内容。请使用已列出的工具。",
    ),
    "mcp_arguments_long": (
        "The arguments of {tool} are {chars} characters long; at most {chars_max} are sent. Nothing was sent. Send less at once.",
        "{tool} 的参数有 {chars} 个字符，最多发送 {chars_max} 个。未发送任何内容。请分次发送。",
    ),
    "mcp_arguments_wrong": (
        "The arguments of {tool} do not fit its schema at {where}: {value} breaks {rule}. Nothing was sent. Correct that place and call it again.",
        "{tool} 的参数在 {where} 处不符合其模式：{value} 违反 {rule}。未发送任何内容。请改正该处后重新调用。",
    ),
    "mcp_tool_changed": (
        "{server} no longer offers {tool} as a person approved it. Nothing was sent. A person must look at it again: sgclaw mcp approve {server} {tool}",
        "{server} 提供的 {tool} 已与人工批准时不同。未发送任何内容。需由人重新查看：sgclaw mcp approve {server} {tool}",
    ),
    "mcp_call_timeout": (
        "{server} did not answer within {seconds} s and was ended. What the call did is not known; look before you repeat it.",
        "{server} 在 {seconds} 秒内没有应答，已被结束。这次调用的效果未知；重复之前请先查看。",
    ),
    "mcp_ended": (
        "{server} ended during the call ({why}). What the call did is not known; look before you repeat it.",
        "{server} 在调用期间结束（{why}）。这次调用的效果未知；重复之前请先查看。",
    ),
    "mcp_message_long": (
        "{server} sent a message that is longer than SGCLAW_MCP_MESSAGE_BYTES_MAX and was ended. What the call did is not known; ask for less.",
        "{server} 发送的消息超过 SGCLAW_MCP_MESSAGE_BYTES_MAX，已被结束。这次调用的效果未知；请减少所请求的内容。",
    ),
    "mcp_not_mcp": (
        "{server} writes what is no MCP on its standard output and was ended. Its author must mend it, or the command is another program's.",
        "{server} 在标准输出上写入了非 MCP 内容，已被结束。需由其作者修复，或该命令并非 MCP 服务器。",
    ),
    "mcp_result_wrong": (
        "The answer of {server} is not what it promised ({why}) and is not shown. What the call did is not known; look before you repeat it.",
        "{server} 的应答与其声明不符（{why}），因此不予显示。这次调用的效果未知；重复之前请先查看。",
    ),
    "mcp_result_cut": (
        "[cut here: {left} more characters]",
        "[在此截断：还有 {left} 个字符]",
    ),
    "mcp_result_part": (
        "[{kind}: not shown]",
        "[{kind}：未显示]",
    ),
    # --- why a server cannot be used
    "mcp_no_program": (
        "{server}: the program {program} is not found. Install it, or give its full path: sgclaw mcp remove {server}, then sgclaw mcp add.",
        "{server}：找不到程序 {program}。请安装它，或给出完整路径：先 sgclaw mcp remove {server}，再 sgclaw mcp add。",
    ),
    "mcp_no_folder": (
        "{server}: its working folder {folder} does not exist. Make it, or add the server with another --cwd.",
        "{server}：其工作目录 {folder} 不存在。请创建该目录，或用其他 --cwd 重新添加该服务器。",
    ),
    "mcp_start_timeout": (
        "{server} did not start to speak MCP within {seconds} s ({why}). Start its command by hand, or raise SGCLAW_MCP_START_SECONDS.",
        "{server} 在 {seconds} 秒内没有开始 MCP 通信（{why}）。请手动启动其命令，或增大 SGCLAW_MCP_START_SECONDS。",
    ),
    "mcp_start_failed": (
        "{server} cannot be used: {why}. Start its command by hand to see more.",
        "{server} 无法使用：{why}。请手动启动其命令以查看详情。",
    ),
    "mcp_restarts_spent": (
        "{server} was started {starts} times in this task and is not started again. Go on without its tools.",
        "{server} 在本任务中已启动 {starts} 次，不再启动。请不使用其工具继续。",
    ),
    "mcp_too_many_tools": (
        "{server} lists more than {most} tools, or never comes to an end. Its author must mend it, or raise SGCLAW_MCP_LISTED_MAX.",
        "{server} 列出的工具超过 {most} 个，或没有尽头。需由其作者修复，或增大 SGCLAW_MCP_LISTED_MAX。",
    ),
    # --- why a tool cannot be approved
    "mcp_schema_long": (
        "The schema of {tool} is longer than {chars_max} characters; it cannot be approved.",
        "{tool} 的模式超过 {chars_max} 个字符，不能批准。",
    ),
    "mcp_schema_type": (
        "The schema of {tool} does not describe an object; it cannot be approved.",
        "{tool} 的模式描述的不是对象，不能批准。",
    ),
    "mcp_schema_reference": (
        "The schema of {tool} points outside itself ({text}); it cannot be approved, as what it says could change.",
        "{tool} 的模式指向自身之外（{text}），其含义可能改变，不能批准。",
    ),
    "mcp_schema_unseen": (
        "The schema of {tool} holds characters that nobody sees ({text}); it cannot be approved.",
        "{tool} 的模式含有不可见字符（{text}），不能批准。",
    ),
    "mcp_schema_invalid": (
        "The schema of {tool} is no JSON Schema ({why}); it cannot be approved.",
        "{tool} 的模式不是有效的 JSON Schema（{why}），不能批准。",
    ),
    "mcp_name_odd": (
        "The name of {tool} holds characters other than visible ASCII, or is too long; it cannot be approved.",
        "{tool} 的名称含有可见 ASCII 以外的字符或过长，不能批准。",
    ),
    "mcp_name_twice": (
        "{tool} is offered twice under one name; it cannot be approved.",
        "{tool} 以同一名称提供了两次，不能批准。",
    ),
    "mcp_not_offered": (
        "{server} offers no tool {tool}; see sgclaw mcp list.",
        "{server} 没有提供工具 {tool}；请查看 sgclaw mcp list。",
    ),
    "mcp_too_many_approved": (
        "More than {most} tools would be approved in all. Remove some, or raise SGCLAW_MCP_TOOLS_MAX.",
        "批准的工具总数将超过 {most} 个。请移除一些，或增大 SGCLAW_MCP_TOOLS_MAX。",
    ),
    # --- sgclaw mcp
    "mcp_server_exists": (
        "There is a server {server} already. Remove it first: sgclaw mcp remove {server}",
        "已有名为 {server} 的服务器。请先移除：sgclaw mcp remove {server}",
    ),
    "mcp_server_unknown": (
        "There is no server {server}; known: {known}. Add it: sgclaw mcp add NAME -- COMMAND",
        "没有名为 {server} 的服务器；已知：{known}。添加：sgclaw mcp add NAME -- COMMAND",
    ),
    "mcp_env_key": (
        "{name} is the key of a model and goes to the model's provider only; no tool server is handed it. "
        "Give the server a key of its own under another name.",
        "{name} 是模型的密钥，只发给模型服务，不会交给工具服务器。请用另一个变量名为该服务器提供它自己的密钥。",
    ),
    "mcp_server_wrong": (
        "This server cannot be added: {where}: {why}. See sgclaw mcp add --help.",
        "不能添加该服务器：{where}：{why}。请查看 sgclaw mcp add --help。",
    ),
    "mcp_not_approved": (
        "No tool {tool} of {server} is approved; see sgclaw mcp list.",
        "{server} 的工具 {tool} 未被批准；请查看 sgclaw mcp list。",
    ),
    "mcp_needs_terminal": (
        "Approving asks a person: run it on a terminal, without --json, or give --yes.",
        "批准需要询问人：请在终端中运行且不带 --json，或给出 --yes。",
    ),
    "mcp_added": (
        "{server} stands in {path} now; none of its tools is allowed yet.",
        "{server} 已写入 {path}；其工具均尚未允许。",
    ),
    "mcp_now_approve": (
        "Allow what you want: sgclaw mcp approve {server} [TOOL ...] [--read-only]",
        "允许所需的工具：sgclaw mcp approve {server} [TOOL ...] [--read-only]",
    ),
    "mcp_none": (
        "No servers in {path}. Add one: sgclaw mcp add NAME -- COMMAND",
        "{path} 中没有服务器。添加：sgclaw mcp add NAME -- COMMAND",
    ),
    "mcp_approved": (
        "Allowed of {server}: {names}",
        "已允许 {server} 的工具：{names}",
    ),
    "mcp_removed": (
        "Removed: {names}",
        "已移除：{names}",
    ),
    "mcp_ask": (
        "Allow {tool}? A person is asked at each call. [y/N]",
        "允许 {tool} 吗？每次调用都会询问人。[y/N]",
    ),
    "mcp_ask_read_only": (
        "Allow {tool} as read-only? It then runs WITHOUT a question. [y/N]",
        "将 {tool} 作为只读允许吗？之后它将不经询问直接运行。[y/N]",
    ),
    "mcp_shown_cut": (
        "(cut: a model is told the first {most} characters only)",
        "（已截断：只向模型提供前 {most} 个字符）",
    ),
    "mcp_shown_unseen": (
        "CAUTION: this description holds characters that nobody sees, shown here as escapes; a model is told it without them.",
        "注意：该描述含有不可见字符，此处以转义形式显示；提供给模型时会去除。",
    ),
    "mcp_is_read_only": ("allowed, read-only", "已允许，只读"),
    "mcp_is_asks": ("allowed, asks at each call", "已允许，每次调用询问"),
    "mcp_is_changed": (
        "CHANGED, refused until it is approved again: sgclaw mcp approve {server} {name}",
        "已改变，重新批准前将被拒绝：sgclaw mcp approve {server} {name}",
    ),
    "mcp_is_gone": ("no longer offered", "不再提供"),
    "mcp_is_unknown": ("allowed, but its server is not reachable", "已允许，但其服务器无法连接"),
    "mcp_is_new": ("not allowed", "未允许"),
    "mcp_is_unfit": ("not allowed, and cannot be", "未允许，且不能允许"),
    # --- mcp.json
    "mcp_file_unreadable": (
        "{path} cannot be read: {why}. Mend or remove it.",
        "无法读取 {path}：{why}。请修复或移除它。",
    ),
    "mcp_file_unwritable": (
        "{path} cannot be written: {why}.",
        "无法写入 {path}：{why}。",
    ),
    "mcp_file_open": (
        "{path} can be written by others (mode {mode}), who could choose programs to run. Close it: chmod 600",
        "{path} 可被他人写入（模式 {mode}），他人可借此选择要运行的程序。请关闭：chmod 600",
    ),
    "mcp_folder_open": (
        "The folder {path} can be written by others (mode {mode}), who could put another file of servers there. Close it: chmod 700",
        "目录 {path} 可被他人写入（模式 {mode}），他人可借此放入另一个服务器文件。请关闭：chmod 700",
    ),
    "mcp_file_foreign": (
        "{path} belongs to another account (uid {owner}), who could choose programs to run. Make it yours: chown, or remove it and add the servers anew.",
        "{path} 属于另一个账户（uid {owner}），该账户可借此选择要运行的程序。请用 chown 改为您所有，或移除后重新添加服务器。",
    ),
    "mcp_file_busy": (
        "{path} is being changed by another sgclaw, and was not let go within {seconds} s; nothing was saved. Try again when it has ended.",
        "另一个 sgclaw 正在修改 {path}，{seconds} 秒内未释放；未保存任何内容。请待其结束后重试。",
    ),
    "mcp_server_changed": (
        "{server} was removed or changed while its tools were looked at; nothing was saved. See sgclaw mcp list, then approve again.",
        "{server} 在查看其工具期间被移除或更改；未保存任何内容。请查看 sgclaw mcp list，然后重新批准。",
    ),
    "mcp_file_wrong": (
        "{path} is wrong at {where}: {why} Mend that place, or remove the file and add the servers anew.",
        "{path} 在 {where} 处有误：{why} 请修复该处，或移除文件后重新添加服务器。",
    ),
    "mcp_too_many": (
        "{path} names {servers} servers with {tools} approved tools; SGCLAW_MCP_SERVERS_MAX is {servers_max}, SGCLAW_MCP_TOOLS_MAX is {tools_max}. Remove some: sgclaw mcp remove",
        "{path} 中有 {servers} 个服务器、{tools} 个已批准的工具；SGCLAW_MCP_SERVERS_MAX 为 {servers_max}，SGCLAW_MCP_TOOLS_MAX 为 {tools_max}。请移除一些：sgclaw mcp remove",
    ),
}
