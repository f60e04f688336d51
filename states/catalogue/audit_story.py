"""Sentences of `audit show`: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    # --- audit show: the run as a whole
    "audit_story_head": (
        "{trace}\nasked    {instruction}\nlasted   {began} to {ended} (UTC)\nended    {state}",
        "{trace}\n指令    {instruction}\n时间    {began} 至 {ended}（UTC）\n结果    {state}",
    ),
    "audit_story_ledger": (
        "agent    rows: {rows} ({first} to {last}), {place}",
        "代理    {rows} 行（{first} 至 {last}），{place}",
    ),
    "audit_story_log": ("host     lines: {lines}, {place}", "宿主    {lines} 行，{place}"),
    "audit_story_journal": (
        "journal  rows: {rows}, {place}",
        "台账    {rows} 行，{place}",
    ),
    "audit_story_order": (
        "In the order of the ledger's rows (#) and of the log's lines, not of the clock.",
        "顺序以账本行号（#）与日志行序为准，不以时钟为准。",
    ),
    "audit_story_whole": (
        "Both sides are there and say the same.",
        "两侧记录齐全且一致。",
    ),
    "audit_story_agent_only": (
        "Nothing is missing in the copy; the browser side does not lie beside it.",
        "副本没有缺失；浏览器侧的记录不在旁边。",
    ),
    "audit_story_notes": (
        "Told besides, and no fault: {count}",
        "另请注意（不算缺失）：{count} 处",
    ),
    "audit_story_open": ("not yet; it stands in {state}", "尚未结束，停在 {state}"),
    "audit_story_upkeep": (
        "a prune of the ledger, no task: no browser takes part in it",
        "账本清理，不是任务：没有浏览器侧",
    ),
    "audit_story_upkeep_whole": (
        "The prune is told whole.",
        "清理的记录齐全。",
    ),
    "audit_prune_untold": (
        "The prune did not tell what went: it runs, or was killed. The next prune tells it.",
        "清理尚未记录结果：它仍在运行，或已被强行结束。下一次清理会补记。",
    ),
    "audit_story_not_whole": (
        "Missing, or not fitting together: {count}",
        "缺失或不一致：{count} 处",
    ),
    "audit_show_no_file": (
        "There is no {path}. Name a trace id, a copy of a ledger (*.jsonl), or a bundle.",
        "没有 {path}。请指定运行编号、账本副本（*.jsonl）或证据包。",
    ),
    "audit_show_no_ledger": (
        "{path} is no ledger and no bundle. Name a trace id, a copy of a ledger (*.jsonl), or a "
        "bundle (its folder or its .zip).",
        "{path} 既不是账本也不是证据包。请指定运行编号、账本副本（*.jsonl）或证据包（文件夹或 .zip）。",
    ),
    "audit_bundle_runs": (
        "{path} holds these runs: {runs}. Name one with --run.",
        "{path} 包含以下运行：{runs}。请用 --run 指定一个。",
    ),
    # --- audit show: one event
    "audit_told_asked": ("the person asks: {text}", "用户指令：{text}"),
    "audit_told_answer": ("the model answers: {text}", "模型回答：{text}"),
    "audit_told_cut": (
        "the reply was cut at the limit of its length: nothing of it was run",
        "回复达到长度上限被截断：未执行其中任何内容",
    ),
    "audit_told_declined": (
        "the model declined to go on: nothing of the reply was run",
        "模型拒绝继续：未执行其中任何内容",
    ),
    "audit_told_paused": (
        "the provider paused the reply: nothing of it was run",
        "模型服务暂停了回复：未执行其中任何内容",
    ),
    "audit_told_overflow": (
        "the conversation did not fit the model's window: nothing was run",
        "对话超出模型窗口：未执行任何内容",
    ),
    "audit_told_tried": (
        "try {number} of the model call failed after {took} s ({kind}, {code}); waits {wait} s: {text}",
        "第 {number} 次调用模型失败，用时 {took} 秒（{kind}，{code}）；等待 {wait} 秒：{text}",
    ),
    "audit_told_discarded": ("what it had said is discarded", "已说出的部分作废"),
    "audit_told_unusable": ("the model's output cannot be used", "模型的输出无法使用"),
    "audit_told_failed": ("{service} failed: {error} {text}", "{service} 失败：{error} {text}"),
    "audit_told_skill": (
        "the skill {skill} ended: {outcome} {text}",
        "技能 {skill} 结束：{outcome} {text}",
    ),
    "audit_told_resumed": (
        "a new agent goes on (browser: {browser}, lost: {lost})",
        "新代理继续执行（浏览器：{browser}，丢失：{lost}）",
    ),
    "audit_told_abort": ("the person stopped the task: {text}", "用户终止任务：{text}"),
    "audit_told_timer": ("time ran out: {timer}", "超时：{timer}"),
    "audit_told_end": ("the task ended: {state}", "任务结束：{state}"),
    "audit_told_pruning": (
        "{by} is about to drop: segments {segments} (events {spans}), files {files}, "
        "archives {archives}; profile {profile}",
        "{by} 即将清理：{segments} 段（事件 {spans}）、{files} 个文件、{archives} 个归档；保留方案 {profile}",
    ),
    "audit_told_pruned": (
        "dropped by {by}: segments {segments} (events {spans}), files {files}, "
        "archives {archives}; profile {profile}",
        "{by} 已清理：{segments} 段（事件 {spans}）、{files} 个文件、{archives} 个归档；保留方案 {profile}",
    ),
    "audit_told_gap": ("rows are missing here", "此处缺少记录"),
    "audit_told_other": ("{event} ({result}), now {state}", "{event}（{result}），状态 {state}"),
    # --- audit show: the model
    "audit_model_call": (
        "model: {model} · {tokens} · {seconds} s · {cost}",
        "模型：{model} · {tokens} · {seconds} 秒 · {cost}",
    ),
    "audit_model_totals": (
        "model calls: {calls}, failed tries: {tries} · {models} · {tokens} · {seconds} s · {cost}",
        "模型调用 {calls} 次，失败 {tries} 次 · {models} · {tokens} · {seconds} 秒 · {cost}",
    ),
    "audit_model_tokens": (
        "tokens in {taken} (from the cache {cached}, into it {written}), out {out} (thinking {thinking})",
        "输入 {taken} 词元（读缓存 {cached}，写缓存 {written}），输出 {out}（思考 {thinking}）",
    ),
    "audit_model_cost": ("about ${cost} (estimate)", "约 ${cost}（估算）"),
    "audit_model_no_price": ("cost unknown", "费用未知"),
    "audit_model_repaired": (
        "no strict JSON, read all the same: {how}",
        "不是严格的 JSON，仍可读取：{how}",
    ),
    "audit_cites": (
        "cites step {step}: command {command}, {action} (row {row})",
        "引用第 {step} 步：命令 {command}，{action}（第 {row} 行）",
    ),
    "audit_cites_nothing": (
        "cites step {step}, which the ledger does not have",
        "引用第 {step} 步，账本中没有这一步",
    ),
    # --- audit show: one command
    "audit_tool": ("tool", "工具"),
    "audit_side_tool": ("tool: {said}", "工具：{said}"),
    "audit_question": ("the model asks the person: {text}", "模型询问用户：{text}"),
    "audit_question_options": ("options: {options}", "选项：{options}"),
    "audit_question_open": ("not answered", "没有得到回答"),
    "audit_question_answered": (
        "answered by {by} at {at} (row {row}, seq {seq}); the model is told: {heard}",
        "由 {by} 于 {at} 回答（第 {row} 行，seq {seq}）；告知模型：{heard}",
    ),
    "audit_question_declined": (
        "not answered by {by}: {at} (row {row}, seq {seq}); the model is told: {heard}",
        "{by} 没有回答：{at}（第 {row} 行，seq {seq}）；告知模型：{heard}",
    ),
    "audit_did_answered": ("answered", "已回答"),
    "audit_did_unanswered": ("not answered", "未回答"),
    "audit_by_model": ("wanted by the model", "由模型提出"),
    "audit_by_model_saying": ("wanted by the model: {text}", "由模型提出：{text}"),
    "audit_by_skill": ("wanted by the skill {skill}", "由技能 {skill} 提出"),
    "audit_by_nobody": (
        "wanted by nobody that the agent's ledger knows",
        "代理账本中没有提出者",
    ),
    "audit_guards_passed": ("passed: {guards}", "通过：{guards}"),
    "audit_guard_refused": (
        "refused by {guard} (row {row}): {why}",
        "被 {guard} 拒绝（第 {row} 行）：{why}",
    ),
    "audit_approved": (
        "approved by {by} at {at} (row {row}, seq {seq})",
        "由 {by} 于 {at} 批准（第 {row} 行，seq {seq}）",
    ),
    "audit_not_approved": (
        "not approved: {decision} at {at} (row {row}, seq {seq})",
        "未获批准：{decision}，{at}（第 {row} 行，seq {seq}）",
    ),
    "audit_side_agent": ("agent: {said}", "代理：{said}"),
    "audit_side_host": ("host:  {said}", "宿主：{said}"),
    "audit_side_journal": ("journal: {said}", "宿主台账：{said}"),
    "audit_side_none": ("nothing", "无记录"),
    "audit_did_ok": ("done", "成功"),
    "audit_did_failed": ("failed", "失败"),
    "audit_did_asked": ("the host wants a person's yes first", "宿主要求先由用户确认"),
    "audit_did_unknown": ("outcome unknown", "结果未知"),
    "audit_did_open": ("sent, and no outcome follows", "已发出，没有后续结果"),
    "audit_did_refused": ("refused, never sent", "被拒绝，未发出"),
    "audit_did_started": ("started", "已启动"),
    "audit_did_unsent": ("never sent", "未发出"),
    "audit_did_approved": ("approved", "已批准"),
    "audit_did_rejected": ("rejected", "已拒绝"),
    "audit_did_expired": ("expired", "已过期"),
    "audit_did_unresolved": ("the target was not found", "找不到目标"),
    "audit_did_cancelled": ("cancelled", "已取消"),
    "audit_did_denied": ("refused by the host", "被宿主拒绝"),
    "audit_outcome": ("outcome: agent {agent}, host {host}", "结果：代理 {agent}，宿主 {host}"),
    "audit_outcome_unsent": ("outcome: {agent}", "结果：{agent}"),
    "audit_intent": ("intent before it, ", "事先有意向记录，"),
    # --- audit show: what is missing, what does not fit
    "audit_tool_unapproved": (
        "No person said yes before command {command} called {action}, a tool that asks first.",
        "命令 {command} 调用了须先确认的工具 {action}，此前没有用户同意。",
    ),
    "audit_citation_unknown": (
        "The answer in row {row} cites step {step}, and the ledger has no such step.",
        "第 {row} 行的回答引用了第 {step} 步，而账本中没有这一步。",
    ),
    "audit_ledger_missing": (
        "The agent's ledger of {trace} is missing; only the browser side is told.",
        "缺少 {trace} 的代理账本，只能讲述浏览器侧。",
    ),
    "audit_ledger_empty": (
        "{place} has no row of this run.",
        "{place} 中没有这次运行的记录。",
    ),
    "audit_host_log_missing": (
        "The host's log of {trace} is missing; only the agent's side is told.",
        "缺少 {trace} 的宿主日志，只能讲述代理侧。",
    ),
    "audit_journal_missing": (
        "The host's own journal of {trace} is missing: nothing shows the intent before each command.",
        "缺少 {trace} 的宿主台账，无法显示每条命令之前的意向记录。",
    ),
    "audit_torn": (
        "The last row of {place} was cut short while it was written.",
        "{place} 的最后一行写入时被截断。",
    ),
    "audit_rows_changed": (
        "Rows of the agent's ledger that are not what was written ({count}): {rows}. See `sgclaw audit verify`.",
        "代理账本有 {count} 行与写入时不符：{rows}。请用 `sgclaw audit verify` 核验。",
    ),
    "audit_rows_missing": (
        "Missing in the agent's ledger: rows {first} to {last} (after row {after} comes row {row}). Retention may have dropped them; `sgclaw audit verify` tells.",
        "代理账本缺少第 {first} 至 {last} 行（第 {after} 行之后是第 {row} 行）。可能已按保留期删除，请用 `sgclaw audit verify` 核验。",
    ),
    "audit_rows_disordered": (
        "The agent's ledger is out of order: after row {after} comes row {row}.",
        "代理账本顺序错乱：第 {after} 行之后是第 {row} 行。",
    ),
    "audit_rows_of_others": (
        "Rows of the ledger that belong to another run ({count}): {rows}.",
        "账本中有 {count} 行属于另一次运行：{rows}。",
    ),
    "audit_clock_back_ledger": (
        "The clock went back before row {row} of the ledger: from {before} to {at}.",
        "账本第 {row} 行之前时钟被回拨：从 {before} 到 {at}。",
    ),
    "audit_clock_back_log": (
        "The clock went back before line {line} of the host's log: from {before} to {at}.",
        "宿主日志第 {line} 行之前时钟被回拨：从 {before} 到 {at}。",
    ),
    "audit_lines_unreadable": (
        "Lines of the host's log that are not in its format ({count}): {lines}.",
        "宿主日志有 {count} 行格式不符：{lines}。",
    ),
    "audit_lines_of_others": (
        "Lines of the host's log that belong to another run ({count}): {lines}.",
        "宿主日志有 {count} 行属于另一次运行：{lines}。",
    ),
    "audit_seq_missing": (
        "The host's log has no line for seq {seq}.",
        "宿主日志没有 seq {seq} 的记录。",
    ),
    "audit_approver_differs": (
        "The host's log and its journal name different approvers of command {command}, seq {seq}: {log} and {journal}.",
        "宿主日志与宿主台账对命令 {command}（seq {seq}）的批准人不一致：{log} 与 {journal}。",
    ),
    "audit_journal_only": (
        "Row {row} of the host's journal tells of {action}, and the host's log has no line for it.",
        "宿主台账第 {row} 行记有 {action}，而宿主日志中没有对应的行。",
    ),
    "audit_ends_open": (
        "The agent's ledger ends in {state} (row {row}), before the task ended.",
        "代理账本止于 {state}（第 {row} 行），任务尚未结束。",
    ),
    "audit_end_differs": (
        "The sides tell different ends: the agent {agent}, the host {host}.",
        "两侧的结局不一致：代理 {agent}，宿主 {host}。",
    ),
    "audit_no_agent_row": (
        "The agent's ledger has no row for what the host met: command {command}, seq {seq}, {action}.",
        "代理账本没有宿主所收到命令的记录：命令 {command}，seq {seq}，{action}。",
    ),
    "audit_denied_alone": (
        "The host refused a message that the agent's ledger does not know: command {command}, seq {seq}, {action}.",
        "宿主拒绝了一条代理账本中没有的消息：命令 {command}，seq {seq}，{action}。",
    ),
    "audit_no_host_line": (
        "The host's log has no line for command {command}: seq {seq}, {action}.",
        "宿主日志没有命令 {command} 的记录：seq {seq}，{action}。",
    ),
    "audit_no_agent_outcome": (
        "The agent's ledger has no outcome for command {command}: seq {seq}, {action}, sent by row {row}.",
        "代理账本没有命令 {command} 的结果：seq {seq}，{action}，由第 {row} 行发出。",
    ),
    "audit_no_request_line": (
        "The host's log has no PIPE_ line for command {command}: seq {seq}, {action}.",
        "宿主日志没有命令 {command} 的 PIPE_ 行：seq {seq}，{action}。",
    ),
    "audit_no_mac_line": (
        "The host's log has no MAC_CHECK line for command {command}: seq {seq}, {action}.",
        "宿主日志没有命令 {command} 的 MAC_CHECK 行：seq {seq}，{action}。",
    ),
    "audit_no_host_outcome": (
        "The host's log has no outcome for command {command}: seq {seq}, {action}.",
        "宿主日志没有命令 {command} 的结果：seq {seq}，{action}。",
    ),
    "audit_no_journal_row": (
        "The host's journal has no outcome for command {command}: seq {seq}, {action}.",
        "宿主台账没有命令 {command} 的结果：seq {seq}，{action}。",
    ),
    "audit_no_intent": (
        "The host's journal has no intent before command {command}: seq {seq}, {action} (row {row}).",
        "宿主台账在命令 {command} 之前没有意向记录：seq {seq}，{action}（第 {row} 行）。",
    ),
    "audit_action_differs": (
        "The sides tell different things of command {command}, seq {seq}: the agent {agent}, the host {host}.",
        "命令 {command}（seq {seq}）两侧不一致：代理 {agent}，宿主 {host}。",
    ),
    "audit_domain_differs": (
        "The sides tell different hosts for command {command}, seq {seq}: the agent {agent}, the host {host}.",
        "命令 {command}（seq {seq}）两侧的主机不一致：代理 {agent}，宿主 {host}。",
    ),
    "audit_param_differs": (
        "The sides tell different values of {name} for command {command}, seq {seq}, {action}.",
        "命令 {command}（seq {seq}，{action}）两侧的参数 {name} 不一致。",
    ),
    "audit_outcome_differs": (
        "The sides tell different outcomes of command {command}, seq {seq}, {action}: the agent {agent}, the host {host}.",
        "命令 {command}（seq {seq}，{action}）两侧的结果不一致：代理 {agent}，宿主 {host}。",
    ),
    "audit_unknown_to_agent": (
        "The agent did not learn how command {command} ended (seq {seq}, {action}); the host says: {host}.",
        "代理不知道命令 {command} 的结果（seq {seq}，{action}）；宿主记录为：{host}。",
    ),
    "audit_journal_differs": (
        "The host's log and its journal tell different outcomes of command {command}, seq {seq}: {log} and {journal}.",
        "宿主日志与宿主台账对命令 {command}（seq {seq}）的结果不一致：{log} 与 {journal}。",
    ),
    "audit_decision_differs": (
        "The sides tell different answers of the person to command {command}, seq {seq}: the agent {agent}, the host {host}.",
        "两侧对命令 {command}（seq {seq}）的用户答复不一致：代理 {agent}，宿主 {host}。",
    ),
}
