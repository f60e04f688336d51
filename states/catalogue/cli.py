"""Sentences of the cli area: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "demo_needs_cryptography": (
        "The demo company needs the package `cryptography` to make its certificate, "
        "and it is not installed. "
        'Run `make setup`, or `pip install "sgclaw[demo]"`.',
        "演示公司需要用 cryptography 包生成证书，但该包未安装。"
        '请运行 make setup，或执行 pip install "sgclaw[demo]"。',
    ),
    "demo_certificate_not_written": (
        "The demo company's certificate could not be kept in {folder}: {why}. "
        "Make the folder writable, or free some space.",
        "无法在 {folder} 保存演示公司的证书：{why}。请确认该文件夹可写且磁盘有空间。",
    ),
    "demo_month_invalid": (
        "“{month}” is no month: write it like 2026-03.",
        "月份“{month}”格式不正确，请按 2026-03 的格式填写。",
    ),
    "demo_month_not_begun": (
        "{month} has not begun, so it has no report: choose this month or an earlier one.",
        "{month} 尚未开始，暂无报表，请选择本月或更早的月份。",
    ),
    "demo_department_unknown": (
        "There is no department “{department}”: choose one from the list.",
        "部门“{department}”不存在，请从列表中选择。",
    ),
    "demo_format_unknown": (
        "“{format}” is no export format: choose xlsx, csv or pdf.",
        "导出格式“{format}”不受支持，请选择 xlsx、csv 或 pdf。",
    ),
    "demo_page_unknown": (
        "There is no page “{page}”: the report has {pages}.",
        "第“{page}”页不存在，报表共 {pages} 页。",
    ),
    "demo_invoice_unknown": (
        "There is no invoice “{number}”: load the list again.",
        "发票“{number}”不存在，请刷新列表后重试。",
    ),
    "demo_invoice_already_void": (
        "Invoice {number} is void already: there is nothing to do.",
        "发票 {number} 已经作废，无需重复操作。",
    ),
    "demo_request_unreadable": (
        "The request cannot be read: send it from the demo company's own page.",
        "请求无法识别，请在页面上重新操作。",
    ),
    # --- the command line
    "usage": (
        "{why}\nSee `{command} --help` for what it takes and examples.",
        "{why}\n用法与示例见 `{command} --help`。",
    ),
    "agent_takes_no_arguments": (
        "`sgclaw agent` takes no arguments {given}: a host starts it and speaks JSON Lines with it; "
        "people use `sgclaw run`.",
        "`sgclaw agent` 不接受参数 {given}：它由宿主进程启动并用 JSON Lines 通信；请使用 `sgclaw run`。",
    ),
    "setting_invalid": (
        "The environment variable {variable} cannot be used: {why}. Unset it or give a fitting value.",
        "环境变量 {variable} 无法使用：{why}。请取消设置或改为合适的值。",
    ),
    "policy_missing": (
        "There is no policy file at {path}, and without one nothing is allowed. Name one with "
        "--policy FILE (docs/policy.md has an example), or try --demo.",
        "没有策略文件 {path}；没有策略就不允许任何操作。请用 --policy 指定文件（示例见 docs/policy.md），或试试 --demo。",
    ),
    "policy_unreadable": (
        "The policy file {path} cannot be read: {why}. Mend the file or name another with --policy.",
        "无法读取策略文件 {path}：{why}。请修复该文件或用 --policy 指定另一个。",
    ),
    "policy_invalid": (
        "The policy file {path} is not valid. Line {line}: {why} Nothing was started; mend it and "
        "try again.",
        "策略文件 {path} 无效。第 {line} 行：{why}没有启动任何操作；请改正后重试。",
    ),
    "policy_not_mapping": (
        "It must hold `version: 1` and `hosts:` (docs/policy.md has an example).",
        "文件应包含 `version: 1` 与 `hosts:`（示例见 docs/policy.md）。",
    ),
    "policy_key_unknown": (
        "There is no key {key} ({where}); meant is perhaps {near}.",
        "没有键 {key}（{where}）；可能是 {near}。",
    ),
    "policy_key_missing": ("The key {key} is missing ({where}).", "缺少键 {key}（{where}）。"),
    "policy_key_twice": (
        "The key {key} stands twice; keep one of them.",
        "键 {key} 出现了两次；请只保留一个。",
    ),
    "policy_action_unknown": (
        "There is no action {value} ({where}); meant is perhaps {near}.",
        "没有动作 {value}（{where}）；可能是 {near}。",
    ),
    "policy_not_list": (
        "{where} must be a list of actions like [navigate, click], not {value}.",
        "{where} 应是动作列表，如 [navigate, click]，而不是 {value}。",
    ),
    "policy_host_form": (
        "{value} is no host name ({where}): write it in lower case without scheme, port or wildcard, "
        "like erp.example.com.",
        "{value} 不是主机名（{where}）：请用小写，不带协议、端口和通配符，如 erp.example.com。",
    ),
    "policy_not_entries": (
        "{where} must be a list with `- …` or [ … ], or one of its entries with keys, not {value}.",
        "{where} 应是用 `- …` 或 [ … ] 写的列表（或其中带键的一条），而不是 {value}。",
    ),
    "policy_too_many": (
        "{where} has more than {most} entries; leave out what is not needed.",
        "{where} 超过 {most} 条；请去掉不需要的。",
    ),
    "policy_place_twice": (
        "{place} has two entries; write one with all that is meant.",
        "{place} 有两个条目；请合并成一个。",
    ),
    "policy_scheme_form": (
        "{where} must be https or http, not {value}.",
        "{where} 应是 https 或 http，而不是 {value}。",
    ),
    "policy_port_form": (
        "{where} must be a number from 1 to 65535, not {value}.",
        "{where} 应是 1 到 65535 的数字，而不是 {value}。",
    ),
    "policy_mask_form": (
        "{where} must be a CSS selector such as #salary, without >>> and <, of at most 300 characters, "
        "not {value}.",
        "{where} 应是 CSS 选择器，如 #salary，不含 >>> 和 <，最多 300 个字符，而不是 {value}。",
    ),
    "policy_upload_form": (
        "{where} must be true or false without quotes, not {value}.",
        "{where} 应是不带引号的 true 或 false，而不是 {value}。",
    ),
    "policy_version_form": (
        "{where} must be 1, not {value}.",
        "{where} 应是 1，而不是 {value}。",
    ),
    "policy_risk_word_form": (
        "{where} must be a word of 1 to 40 characters, not {value}.",
        "{where} 应是 1 到 40 个字符的词，而不是 {value}。",
    ),
    "policy_value": ("{where}: {why}.", "{where}：{why}。"),
    "policy_not_yaml": ("{why}.", "{why}。"),
    "policy_allows_nothing": (
        "The policy file {path} allows nothing, so there is nothing to start. List a host with "
        "allow or confirm (docs/policy.md).",
        "策略文件 {path} 什么都不允许，因此没有启动。请列出主机及其 allow 或 confirm（见 docs/policy.md）。",
    ),
    "start_page_refused": (
        "The start page is not allowed: {why}",
        "起始页面不被允许：{why}",
    ),
    "start_page_failed": (
        "The start page {url} did not open: {why}",
        "起始页面 {url} 打不开：{why}",
    ),
    "files_unreadable": (
        "The folder {folder} of files to hand over cannot be read: {why}. Give a folder: --files DIR.",
        "无法读取要交付文件的文件夹 {folder}：{why}。请给出文件夹：--files 目录。",
    ),
    "instruction_empty": (
        'Say what is to be done, for example: sgclaw run --demo "导出本月合规报表"',
        '请说明要做什么，例如：sgclaw run --demo "导出本月合规报表"',
    ),
    "instruction_too_long": (
        "The instruction has {chars} characters; at most {max} are taken. Say it shorter.",
        "指令有 {chars} 个字符，最多 {max} 个；请说得更短。",
    ),
    "out_dir_unwritable": (
        "The folder {folder} cannot be written: {why}. Name another with --out.",
        "无法写入文件夹 {folder}：{why}。请用 --out 指定另一个。",
    ),
    "out_dir_empty": (
        "--out names no folder; name one, or leave it out for out/<trace id>.",
        "--out 没有指定文件夹；请指定一个，或省略以使用 out/<trace id>。",
    ),
    "chart_file_unreadable": (
        "The chart file {path} cannot be read: {why}. Name a YAML file or a chart of `chart list`.",
        "无法读取状态图文件 {path}：{why}。请给出 YAML 文件或 `chart list` 中的名称。",
    ),
    "chart_unknown": (
        "There is no chart {chart}; there are: {known}. A YAML file may be named as well.",
        "没有状态图 {chart}；现有：{known}。也可以给出 YAML 文件。",
    ),
    "file_unreadable": (
        "The file {file} cannot be read: {why}. Check its name and rights.",
        "无法读取文件 {file}：{why}。请检查文件名与权限。",
    ),
    "skill_passes": ("{file}: {skill}, no problem found", "{file}：{skill}，没有问题"),
    "skills_signed": (
        "Signed with a new release key (serial {serial}): {names}. Commit the library, "
        "skills/keys and skills/release_key.py together.",
        "已用新的发布密钥签名（序号 {serial}）：{names}。请把技能库、skills/keys 与 skills/release_key.py 一并提交。",
    ),
    "skills_refused": (
        "The built-in skills do not verify, so nothing was started: {why} "
        "(run `sgclaw skills verify` for the whole list)",
        "内置技能未通过验证，没有启动任何操作：{why}（完整列表请运行 `sgclaw skills verify`）",
    ),
    "skill_left_out": ("Not loaded: {why}", "未加载：{why}"),
    "trace_malformed": (
        "{trace} is no trace id; one looks like sgclaw-20261129-0123456789abcdef. "
        "A ledger file (.jsonl) may be named as well.",
        "{trace} 不是 trace id；正确形式如 sgclaw-20261129-0123456789abcdef，也可以给出 .jsonl 账本文件。",
    ),
    "trace_unknown": (
        "There is no run {trace} in {folder}; it may have been made by another account.",
        "{folder} 中没有运行记录 {trace}；可能由另一个账户产生。",
    ),
    "ledger_unwritable": (
        "The ledger {path} cannot be written ({why}), so nothing more is done. Free some space or "
        "mend the rights, then try again.",
        "账本 {path} 无法写入（{why}），因此停止一切操作。请释放空间或修复权限后重试。",
    ),
    "ledger_unreadable": (
        "Line {line} of the ledger {path} cannot be read; the file is damaged. Put an unchanged copy in its place; a run that ended leaves one in its result folder. Without a copy, check by hand what was done and start a new run.",
        "账本 {path} 第 {line} 行无法读取；文件已损坏。请换回未改动的副本（已结束的运行会在结果目录中留下一份）；没有副本时，请人工核实已执行的操作后重新运行。",
    ),
    "resume_malformed": (
        "{trace} is no trace id: --resume takes the id that a run prints at its start (sgclaw-20261129-…), no file.",
        "{trace} 不是追踪号：--resume 需要运行开始时显示的追踪号（sgclaw-20261129-…），而不是文件。",
    ),
    "journal_damaged": (
        "Line {line} of the host's own journal {path} cannot be read or was moved, so it is not known what may have been done, and nothing was started. Look at the pages yourself, then start a new run.",
        "宿主日志 {path} 第 {line} 行无法读取或被移动，无法确定可能已执行的操作，因此没有启动任何操作。请自行查看页面，再重新运行。",
    ),
    "resume_ended": (
        "The task {trace} had ended ({state}), so there is nothing to go on with; see `sgclaw audit show {trace}`, or start a new run.",
        "任务 {trace} 已结束（{state}），没有可继续的内容；请用 `sgclaw audit show {trace}` 查看，或重新运行。",
    ),
    "resume_fixed": (
        "{option} cannot be given together with --resume: a task goes on with what it was started with. Leave it out.",
        "{option} 不能与 --resume 同时使用：任务按最初的设置继续。请去掉该选项。",
    ),
    "run_unknown": (
        "Not known whether it was done: {action} {what} — it was sent, and no answer came. Check it yourself; it is not sent again by itself.",
        "无法确定是否已执行：{action} {what} —— 命令已发出，但没有收到回应。请自行核实；不会自动重新发送。",
    ),
    "run_can_go_on": (
        "Go on with it: sgclaw run --resume {trace}",
        "可继续该任务：sgclaw run --resume {trace}",
    ),
    "results_unwritable": (
        "The results could not all be written to {folder} ({why}); what was done stands above and in the ledger. Free some space, then see `sgclaw audit show`.",
        "结果未能全部写入 {folder}（{why}）；已完成的操作见上文及账本。请释放空间，再用 `sgclaw audit show` 查看。",
    ),
    "ledger_gap": (
        "Line {line} of the ledger {path} has the number {seq}, not {expected}: rows were removed or moved. Put an unchanged copy in its place; a run that ended leaves one in its result folder. Without a copy, check by hand what was done and start a new run.",
        "账本 {path} 第 {line} 行的序号是 {seq}，应为 {expected}：有记录被删除或移动。请换回未改动的副本（已结束的运行会在结果目录中留下一份）；没有副本时，请人工核实已执行的操作后重新运行。",
    ),
    "ledger_not_read": (
        "The ledger {path} cannot be opened or read ({why}). Mend its rights, or name a file.",
        "账本 {path} 无法打开或读取（{why}）。请修复权限，或指定一个文件。",
    ),
    "ledger_replaced": (
        "The ledger {path} was replaced or removed while this run writes it, so nothing more is done. Put the file back as it was and leave it alone while a task runs.",
        "账本 {path} 在写入期间被替换或删除，因此停止一切操作。请恢复原文件，任务运行时不要改动它。",
    ),
    "ledger_behind": (
        "The host's journal tells of {intended} commands that may have acted, the ledger {path} of {known}: rows were cut off its end, and a command could be sent twice. Put an unchanged copy in its place, or check by hand what was done and start a new run.",
        "主机日志记有 {intended} 条可能已执行的命令，账本 {path} 只有 {known} 条：末尾的记录被截断，继续可能重复发送命令。请换回未改动的副本，或人工核实已执行的操作后重新运行。",
    ),
    "ledger_locked": (
        "The ledger {path} is being written by another process, so nothing was started: this task runs already. Wait for it, or stop it.",
        "账本 {path} 正由另一个进程写入，因此没有启动任何操作：该任务已在运行。请等待其结束，或先停止它。",
    ),
    "replay_format": (
        "Row {seq} of the ledger is not in format {ours}, the only one this program reads. Use the program version that wrote it.",
        "账本第 {seq} 行不是格式 {ours}，本程序只能读取该格式。请使用写入它的程序版本。",
    ),
    "replay_other_trace": (
        "Row {seq} of the ledger is of the trace {theirs}, not of {ours}: rows of another run were put in. Use an unchanged copy.",
        "账本第 {seq} 行属于运行 {theirs}，而不是 {ours}：混入了其他运行的记录。请使用未改动的副本。",
    ),
    "replay_row": (
        "Row {seq} of the ledger is not the record of an event ({why}); the ledger is damaged or edited. Use an unchanged copy.",
        "账本第 {seq} 行不是事件记录（{why}）；账本已损坏或被修改。请使用未改动的副本。",
    ),
    "replay_differs": (
        "A replay of the ledger comes to something else in row {seq} ({part}), so it cannot be trusted: it was edited, or the program changed. See `sgclaw chart replay --diff`.",
        "重放账本时第 {seq} 行（{part}）结果不同，因此不可信：账本被修改过，或程序已变更。详见 `sgclaw chart replay --diff`。",
    ),
    "replay_other_chart": (
        "Row {seq} of the ledger was written under the chart {theirs}, and this program has {ours}, so a replay would prove nothing. Use the program version that wrote it.",
        "账本第 {seq} 行写于状态图 {theirs}，而本程序的状态图是 {ours}，重放没有意义。请使用当时的程序版本。",
    ),
    "fonts_unknown": (
        "cannot tell (no fc-list)",
        "无法判断（没有 fc-list）",
    ),
    "fonts_missing": (
        "No Chinese font: pictures would show boxes. Run: apt-get install -y fonts-noto-cjk",
        "没有中文字体，图片中会显示方框。请运行：apt-get install -y fonts-noto-cjk",
    ),
    "data_dir_unwritable": (
        "The data folder {folder} cannot be written ({why}); set SGCLAW_DATA_DIR to another one.",
        "数据文件夹 {folder} 无法写入（{why}）；请用 SGCLAW_DATA_DIR 指定另一个。",
    ),
    # --- what a run shows
    "run_starts": ("task    {instruction}", "任务    {instruction}"),
    "run_trace": ("trace   {trace}", "追踪号  {trace}"),
    "run_ended_completed": (
        "completed in {seconds} s, {steps} steps",
        "已完成，用时 {seconds} 秒，共 {steps} 步",
    ),
    "run_ended_failed": (
        "failed after {seconds} s, {steps} steps",
        "失败，用时 {seconds} 秒，共 {steps} 步",
    ),
    "run_ended_aborted": (
        "aborted after {seconds} s, {steps} steps",
        "已终止，用时 {seconds} 秒，共 {steps} 步",
    ),
    "run_reason": ("reason  {reason}", "原因    {reason}"),
    "run_answer": ("answer  {answer}", "回答    {answer}"),
    "run_download": ("file    {path} ({size} bytes)", "文件    {path}（{size} 字节）"),
    "run_folder": ("folder  {folder}", "文件夹  {folder}"),
    "run_aborting": ("stopping ...", "正在终止……"),
    "aborted_by_key": ("(Ctrl-C)", "（按下了 Ctrl-C）"),
    "aborted_by_signal": ("({name})", "（{name}）"),
    "instruction_not_utf8": (
        "The instruction holds characters that are no text; type it again.",
        "指令含有无法识别的字符；请重新输入。",
    ),
    "progress_browser_starting": ("starting the browser", "正在启动浏览器"),
    "progress_step": ("step {step}", "第 {step} 步"),
    "progress_planned": ("plan:", "计划："),
    "progress_agent_restarted": (
        "the agent was killed; a new one goes on",
        "代理进程已终止；新的代理继续任务",
    ),
    "progress_browser_restarted": (
        "the browser was killed; a new one goes on",
        "浏览器已终止；新的浏览器继续任务",
    ),
    "progress_resumed": ("resumed:", "继续："),
    "progress_skill_started": ("skill", "技能"),
    "progress_skill_finished": ("skill ended", "技能结束"),
}
