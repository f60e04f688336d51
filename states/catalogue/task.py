"""Sentences of the task's life: guards' reasons and how tasks end: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    # --- refusals of guards
    "loop": (
        "The same steps ({action}) ran 4 times and the page did not change, so the task was stopped "
        "instead of going round in circles; say more exactly what to do, or do this step yourself.",
        "相同的步骤（{action}）执行了 4 次而页面没有变化，已停止以免死循环；请把要求说得更具体，或手动完成这一步。",
    ),
    "no_evidence": (
        "The answer says the work is done, but no command succeeded that would show it "
        "(or the last one failed or was refused), so it does not count as done. Look at the page, then "
        "say more exactly what to do.",
        "回答声称已完成，但没有成功的操作可以证明（或最后一步失败、被拒绝），因此不算完成。请查看页面，再把要求说得更具体。",
    ),
    "breaker_same_call": (
        "One command failed {failures} times, so the circuit breaker stopped the task.",
        "同一条命令失败了 {failures} 次，熔断器已停止任务。",
    ),
    "breaker_in_a_row": (
        "{failures} commands in a row failed, so the circuit breaker stopped the task.",
        "连续 {failures} 条命令失败，熔断器已停止任务。",
    ),
    "breaker_open": (
        "Too many commands failed (last: {last}), so the task was stopped; look at the page, mend what "
        "the message names, then try again.",
        "失败的命令过多（最后一次：{last}），任务已停止；请查看页面，解决上述问题后重试。",
    ),
    "budget_spent": (
        "The task used all of its {steps} steps without finishing; allow more with --max-steps or ask "
        "for less at once.",
        "任务用完了 {steps} 步仍未完成；可用 --max-steps 增加步数，或把任务拆小。",
    ),
    "time_spent": (
        "The task took longer than allowed and was stopped; allow more with --max-seconds.",
        "任务超过了允许的时间，已停止；可用 --max-seconds 放宽。",
    ),
    "invalid_output": (
        "The model's output could not be used three times in a row; try again or use another model.",
        "模型的输出连续三次无法使用；请重试或换一个模型。",
    ),
    "output_unusable": ("The model's output cannot be used.", "模型的输出无法使用。"),
    "refused": ("The call is not allowed.", "该操作不被允许。"),
    "needs_confirmation": ("A person must confirm this first.", "需要先由用户确认。"),
    "not_approved": (
        "The person did not approve (answer: {decision}).",
        "未获用户批准（回答：{decision}）。",
    ),
    "rejected_before": (
        "The person already refused exactly this command in this task; it is not asked again. "
        "Do something else, or finish and say so.",
        "用户在本任务中已拒绝过完全相同的操作，不会再次询问；请换一种做法，或说明后结束。",
    ),
    "person_refused": (
        "The person refused {action}; do not try it again.",
        "用户拒绝了 {action}；不要再尝试。",
    ),
    "person_refused_skill": (
        "The person refused {action} inside the skill {skill}, so the skill was stopped.",
        "用户拒绝了技能 {skill} 中的 {action}，技能已停止。",
    ),
    "person_stopped_step": (
        "The person does not want the task to go on after this step; finish and say what was done.",
        "用户不希望在这一步之后继续；请结束并说明已完成的部分。",
    ),
    "not_run": (
        "Skipped: an earlier call of the same reply failed, was refused, or was the only one to run. "
        "Look at what came of it, then ask again if it is still needed.",
        "已跳过：同一回复中较早的调用失败、被拒绝，或只执行了那一个。请先看其结果，仍需要时再次提出。",
    ),
    "reply_is_whole": ("The reply is whole.", "回复是完整的。"),
    "not_declined": ("The model did not decline.", "模型没有拒绝回答。"),
    "not_paused": ("The reply is not paused.", "回复没有暂停。"),
    "window_has_room": ("The model's window has room.", "模型窗口还有空间。"),
    "no_question": ("The reply is no question to the person.", "这不是向用户提出的问题。"),
    "not_asking_question": ("The question was not the model's own.", "这不是模型提出的问题。"),
    "output_cut": (
        "The model's replies were cut at the limit of their length again and again, so nothing of them "
        "was run. Raise SGCLAW_MODEL_OUTPUT_TOKENS_MAX, or give the task in smaller parts.",
        "模型的回复多次达到长度上限被截断，未执行其中任何内容。请调大 SGCLAW_MODEL_OUTPUT_TOKENS_MAX，"
        "或把任务分成几个小任务。",
    ),
    "model_go_on": ("Go on.", "请继续。"),
    "output_cut_told": (
        "The reply was cut at the limit of its length, so nothing of it was run. Answer shorter: "
        "one call, or a brief text.",
        "回复达到长度上限被截断，未执行其中任何内容。请更简短：只给一个调用，或一段简短文字。",
    ),
    "model_declined": (
        "The model declined to go on with this task. Say it in other words, or do it yourself.",
        "模型拒绝继续此任务。请换一种说法，或由您自己完成。",
    ),
    "model_paused": (
        "The provider paused the reply again and again; nothing was run. Try once more later.",
        "模型服务反复暂停回复，未执行任何操作。请稍后再试。",
    ),
    "window_full": (
        "The conversation does not fit the model's window, also after it was shortened. Set "
        "SGCLAW_MODEL_CONTEXT_TOKENS to what the model has, or give the task in smaller parts.",
        "对话超出模型窗口，缩短后仍放不下。请把 SGCLAW_MODEL_CONTEXT_TOKENS 设为模型的实际大小，"
        "或把任务分成几个小任务。",
    ),
    "citations_unproven": (
        "Cited steps that did not succeed: {cited}. Steps that did: {known}.",
        "引用了未成功的步骤：{cited}。成功的步骤有：{known}。",
    ),
    "tool_asks": (
        "{tool} may change something outside the page, so a person decides.",
        "{tool} 可能改变页面之外的内容，需由用户决定。",
    ),
    "tool_error": ("The tool answered with an error.", "工具返回了错误。"),
    "tool_outcome_unknown": (
        "{tool} was called and gave no usable answer ({why}). Whether it did anything is not known; "
        "look before you call it again.",
        "已调用 {tool}，但没有得到可用的回答（{why}）。不知道它是否生效；再次调用之前请先查看。",
    ),
    "tool_not_approved": (
        "{tool} was not called: no person agreed to exactly this call.",
        "未调用 {tool}：没有用户同意这一调用。",
    ),
    "digest_differs": (
        "The answer was about another call than the one that was asked about; nothing was done.",
        "回答针对的不是所询问的调用，未执行任何操作。",
    ),
    "call_json": (
        "The arguments of {tool} are no strict JSON object ({why}). Send the call again, whole.",
        "{tool} 的参数不是严格的 JSON 对象（{why}）。请完整地重新给出这个调用。",
    ),
    "call_in_text": (
        "A call of {tool} stood in your text. What may change something is run only as a real tool "
        "call: make it as one.",
        "文字中写了 {tool} 的调用。会改变内容的操作只有作为真正的工具调用才会执行，请用工具调用给出。",
    ),
    "person_answers": ("The person answers: {text}", "用户回答：{text}"),
    "person_no_answer": (
        "The person does not answer. Go on without it, or finish and say what is missing.",
        "用户没有回答。请在没有该信息的情况下继续，或结束并说明缺少什么。",
    ),
    "guard_negated": ("{guard} holds.", "{guard} 成立。"),
    # --- facts of the flow
    "not_expired": ("An answer came in time.", "已按时回答。"),
    "resolved": ("The host found the element.", "浏览器端找到了元素。"),
    "asking_about_step": ("The question was not about a call.", "询问的不是某个调用。"),
    "reply_has_call": ("The reply asks for a tool.", "回复要求调用工具。"),
    "no_skill_call": ("The call is not run_skill.", "不是技能调用。"),
    "no_skill_runs": ("No skill is running.", "没有技能在运行。"),
    "runs_through": ("The task runs without stops.", "任务连续执行。"),
    "told_before": ("The model was told before.", "模型已被告知过。"),
    "host_did_not_ask": ("The host did not ask for a confirmation.", "浏览器端没有要求确认。"),
    "browser_is_the_same": ("The browser is the same.", "浏览器没有更换。"),
    # --- going on after a kill
    "resumed_same": (
        "The agent was interrupted, and the task goes on in the same page ({url}).",
        "代理进程中断过，任务在同一页面（{url}）继续。",
    ),
    "resumed_new": (
        "The task was interrupted and goes on in a new browser, on {url}; what was typed or open before is gone.",
        "任务中断过，现在在新的浏览器中从 {url} 继续；之前输入或打开的内容已丢失。",
    ),
    "lost_command": (
        "Whether {action} {what} was done is not known: it was sent, and no answer came. It is not sent "
        "again; look at the page to see what it did.",
        "{action} {what} 是否已执行无法确定：命令已发出但没有收到回应。不会重新发送；请查看页面确认结果。",
    ),
    "lost_tool": (
        "Whether {tool} was done is not known: it was called, and no answer came. It is not called "
        "again; look where it acts to see what it did.",
        "{tool} 是否已执行无法确定：已调用但没有收到回答。不会重新调用；请到它起作用的地方查看结果。",
    ),
    "lost_read": (
        "{action} {what} was not answered; it changes nothing and may be repeated.",
        "{action} {what} 没有得到回应；它不改变任何内容，可以重做。",
    ),
    "lost_question": (
        "{action} {what} was not done: the person's answer to the question was lost.",
        "{action} {what} 没有执行：用户对该问题的回答已丢失。",
    ),
    "skill_interrupted": (
        "The skill {skill} was interrupted; the calls it had done: {calls}.",
        "技能 {skill} 被中断；它已完成的调用：{calls}。",
    ),
    "call_struck": (
        "What {action} should send was struck out as a secret when the task was interrupted, so it was not "
        "sent; name it again, or let the person type it.",
        "任务中断时，{action} 要发送的内容因属秘密已被删除，因此没有发送；请重新给出，或由用户输入。",
    ),
    "sent_before": (
        "This very command was sent before, and whether it acted is not known; a person must decide "
        "whether it is sent once more.",
        "相同的命令之前已发出，是否已生效无法确定；需由用户决定是否再次发送。",
    ),
    # --- how tasks end
    "approval_expired": (
        "Nobody answered the question about {action} in time, so nothing was done; run the task again "
        "when somebody can confirm.",
        "关于 {action} 的确认超时无人回答，未执行任何操作；请在有人可以确认时重新运行。",
    ),
    "model_failed": (
        "The task cannot go on: {text}",
        "任务无法继续：{text}",
    ),
    "model_silent": (
        "The model did not answer in time; check the network and the provider, then try again.",
        "模型没有在规定时间内回答；请检查网络与模型服务后重试。",
    ),
    "ask_failed": (
        "The question to the person could not be put: {text}",
        "无法向用户提问：{text}",
    ),
    "internal_error": (
        "sgclaw itself failed ({error}: {text}); this is a defect, please report it with the trace id.",
        "sgclaw 自身出错（{error}：{text}）；这是缺陷，请附上 trace id 反馈。",
    ),
    "skill_out_of_turn": (
        "The skill spoke while its last call was still under way; this is a defect, please report it "
        "with the trace id.",
        "技能在上一个调用未结束时又发出消息；这是缺陷，请附上 trace id 反馈。",
    ),
    "browser_lost": (
        "The browser ended during the task, and nothing more was done. What was done before stands "
        "in the result; look there before you do it again.",
        "任务过程中浏览器退出了，没有继续操作。此前的操作见结果；再次操作前请先查看。",
    ),
    "agent_lost": (
        "The agent ended during the task; the browser was closed and nothing more was done. "
        "Report it with the trace id if it happens twice.",
        "任务过程中智能体进程退出；浏览器已关闭，没有继续操作。若再次发生请附 trace id 反馈。",
    ),
    "aborted": ("The task was stopped. {why}", "任务已终止。{why}"),
    "no_response": (
        "The browser did not answer the command in time; whether it took effect is not known, so it "
        "was not sent again.",
        "浏览器没有在规定时间内回应；命令是否生效未知，因此没有重发。",
    ),
    "script_ended": (
        "The script has no line {line}; add one more reply to {file}.",
        "脚本没有第 {line} 行；请在 {file} 中增加一行回复。",
    ),
    "script_error": (
        "The scripted model answered with HTTP status {status}.",
        "脚本模型返回了 HTTP 状态 {status}。",
    ),
    "script_broken": (
        "Line {line} of {file} is not a scripted reply: {why}. See docs/models.md for the form.",
        "{file} 第 {line} 行不是有效的脚本回复：{why}。格式见 docs/models.md。",
    ),
    "skill_did_not_succeed": (
        "The skill {skill} ended without success: {why}",
        "技能 {skill} 未成功：{why}",
    ),
    "offline_plan": (
        "No model is configured; the built-in matcher chose the skill {skill} with {params}.",
        "未配置模型；内置匹配器选择了技能 {skill}，参数：{params}。",
    ),
    "offline_done": ("The skill ended with success.", "技能执行成功。"),
    "host_gone": (
        "The browser side closed the pipe; the task was stopped.",
        "浏览器端关闭了管道；任务已停止。",
    ),
    # --- what the model is told
    "observed_ok": ("Step {number}: {action} succeeded.", "步骤 {number}：{action} 成功。"),
    "observed_failed": (
        "Step {number}: {action} failed ({code}):",
        "步骤 {number}：{action} 失败（{code}）：",
    ),
    "output_broken": (
        "Your output could not be read ({why}). Reply with text, or with one valid tool call.",
        "无法读取你的输出（{why}）。请用文字回复，或给出一个有效的工具调用。",
    ),
    "output_ids": (
        "Each tool call of a reply needs an id of its own; give every call a different one.",
        "同一回复中的每个工具调用都需要各自不同的 id；请分别给出。",
    ),
    "output_empty": (
        "Your output was empty. Reply with text, or with one valid tool call.",
        "你的输出为空。请用文字回复，或给出一个有效的工具调用。",
    ),
    "tool_unknown": (
        "There is no tool {tool}; there are: {known}.",
        "没有工具 {tool}；可用的有：{known}。",
    ),
    "tool_input": (
        "The input of {tool} is not valid: {why}",
        "{tool} 的输入无效：{why}",
    ),
    "no_evidence_told": (
        "You say the work is done, but no command succeeded after the last failure or refusal. "
        "Do it with a tool now, or answer plainly that it was not done.",
        "你说已完成，但在最后一次失败或拒绝之后没有成功的命令。请立即用工具完成，或如实说明没有完成。",
    ),
    "too_many_calls": (
        "One reply may ask for at most {max} calls; this one asks for {count}.",
        "一次回复最多 {max} 个调用；这次有 {count} 个。",
    ),
    "skill_domains": (
        "The skill {skill} works on {domains}, none of which is in the policy.",
        "技能 {skill} 针对 {domains}，策略中都没有。",
    ),
    "skill_domain_left": (
        "The skill {skill} may only work on {domains}, not on {domain}.",
        "技能 {skill} 只能在 {domains} 上工作，不能在 {domain} 上操作。",
    ),
}
