"""Sentences of the model checker: key -> (English, Chinese).

Each violation has two entries: what is wrong, and under `<key>_fix` what to do.
"""

WORDS: dict[str, tuple[str, str]] = {
    "check_passes": (
        "{file}: no problem found ({states} states, {events} events fed, {rows} rows all taken, "
        "{monitors} monitors; {seconds} s)",
        "{file}：未发现问题（{states} 个状态，{events} 个事件，{rows} 行全部走过，"
        "{monitors} 个监视器；{seconds} 秒）",
    ),
    "check_fails": (
        "{file}: {count} problem(s) ({states} states, {events} events fed; {seconds} s)",
        "{file}：{count} 个问题（{states} 个状态，{events} 个事件；{seconds} 秒）",
    ),
    "check_way": ("  shortest way there:", "  最短的触发路径："),
    "check_impure": (
        "The event {event} in {state} read other facts the second time, so a guard or reducer "
        "answers differently on the same input.",
        "事件 {event} 在 {state} 中第二次读取了不同的内容：有守卫或归约函数对同样的输入给出不同结果。",
    ),
    "check_impure_fix": (
        "Make it depend on its context and event alone.",
        "请让它只依赖上下文和事件。",
    ),
    "check_fault": (
        "The {kind} {name} fails here ({cause}).",
        "{kind} {name} 在此处出错（{cause}）。",
    ),
    "check_fault_fix": (
        "Make it answer for every context and every payload that `events:` declares.",
        "请让它对任何上下文、以及 `events:` 声明的任何载荷都有结果。",
    ),
    "check_never_settles": (
        "The event {event} sets off {rows_max} rows without coming to rest (last in {state}).",
        "事件 {event} 连续触发 {rows_max} 行仍未停下（最后在 {state}）。",
    ),
    "check_never_settles_fix": (
        "Give one of its always rows a guard that ends the chase.",
        "请给其中一个 always 行加上能结束循环的守卫。",
    ),
    "check_out_of_domain": (
        "The control value {name} becomes {value}, which is outside of its declared domain.",
        "控制量 {name} 变为 {value}，超出其声明的取值范围。",
    ),
    "check_out_of_domain_fix": (
        "Bound it in the reducer, or declare the value.",
        "请在归约函数中限定它，或声明该取值。",
    ),
    "check_too_many_states": (
        "The chart has more than {limit} states, so it was not checked to its end.",
        "状态图的状态超过 {limit} 个，未能检查完。",
    ),
    "check_too_many_states_fix": (
        "Bound each counter of the control, and put back what is used up.",
        "请限定控制量中的每个计数器，并把用完的值恢复为初值。",
    ),
    "check_final_keeps_sender": (
        "The task ends in {state} while {id} is still running.",
        "任务在 {state} 结束时，{id} 仍在运行。",
    ),
    "check_final_keeps_sender_fix": (
        "Let a state that is left own it.",
        "请把它放在会被离开的状态里。",
    ),
    "check_unreachable": ("Nothing ever stands in {state}.", "没有任何过程会到达 {state}。"),
    "check_unreachable_fix": (
        "Lead a row to it, or remove it.",
        "请让某一行通向它，或删除它。",
    ),
    "check_dead_row": (
        "{where} is never taken: {before} always comes before it.",
        "{where} 永远不会走到：{before} 总是先于它。",
    ),
    "check_dead_row_fix": (
        "Put it first, correct a guard, or remove it.",
        "请把它移到前面，修正守卫，或删除它。",
    ),
    "check_dead_guard": (
        "{where} is never taken: its guard ({guard}) never holds when the event comes.",
        "{where} 永远不会走到：事件到来时，其守卫（{guard}）从不成立。",
    ),
    "check_dead_guard_fix": (
        "Correct the guard, or remove the row.",
        "请修正守卫，或删除这一行。",
    ),
    "check_never_sent": (
        "{where} is never taken: nothing sends the event while its state is active.",
        "{where} 永远不会走到：该状态下没有谁会发送这个事件。",
    ),
    "check_never_sent_fix": (
        "Start what sends it, or remove the row.",
        "请启动它的发送者，或删除这一行。",
    ),
    "check_dropped": (
        "No row takes {event} in {state}, although what sends it is running.",
        "{state} 中没有行处理 {event}，而它的发送者正在运行。",
    ),
    "check_dropped_fix": (
        "Add a row for it without a guard, after the guarded ones.",
        "请在有守卫的行之后，为它加上一行没有守卫的。",
    ),
    "check_waits": (
        "{state} can wait for ever: nothing runs that would end the wait.",
        "{state} 可能永远等待：没有正在运行的服务或时限来结束它。",
    ),
    "check_waits_fix": (
        "Start a service on the way in, or give the state a timer (`after`).",
        "请在进入时启动服务，或为该状态加上时限（`after`）。",
    ),
    "check_no_end": (
        "From {state} no final state can be reached any more, except by an abort.",
        "从 {state} 出发，除终止外再也到不了任何最终状态。",
    ),
    "check_no_end_fix": (
        "Add a row that leads on to an end.",
        "请加上通向结束的行。",
    ),
    "check_end_goes_on": (
        "In the final state {state} the event {event} still does something.",
        "在最终状态 {state} 中，事件 {event} 仍有作用。",
    ),
    "check_end_goes_on_fix": ("Remove what a final state does.", "请去掉最终状态中的动作。"),
    "check_no_abort": (
        "The person's abort does nothing in {state}.",
        "在 {state} 中，用户的终止不起作用。",
    ),
    "check_no_abort_fix": (
        "Add `abort` to the state or to one around it.",
        "请在该状态或其外层状态加上 `abort`。",
    ),
    "check_abort_guarded": (
        "In {state} a guard decides whether the person's abort counts.",
        "在 {state} 中，用户的终止还要经守卫判断。",
    ),
    "check_abort_guarded_fix": ("Remove the guard.", "请去掉守卫。"),
    "check_command_after_abort": (
        "After the abort, {event} in {state} starts a command.",
        "终止之后，{state} 中的 {event} 又启动了命令。",
    ),
    "check_command_after_abort_fix": (
        "Let abort end in a final state.",
        "请让终止进入最终状态。",
    ),
    "check_task_unapproved": (
        "{event} in {state} sends a command that needs a person's yes, and no fresh yes is there.",
        "{state} 中的 {event} 发出了需要用户批准的命令，而没有新的批准。",
    ),
    "check_task_unapproved_fix": (
        "Lead it through `confirm`; each yes is for one command.",
        "请先经过 `confirm`；每次批准只用于一条命令。",
    ),
    "check_task_denied": (
        "{event} in {state} sends a command that the policy denies.",
        "{state} 中的 {event} 发出了策略禁止的命令。",
    ),
    "check_task_denied_fix": (
        "Ask `policy_allows` before the command is sent.",
        "请在发出命令之前检查 `policy_allows`。",
    ),
    "check_task_sent_twice": (
        "{event} in {state} sends a command that nobody called for: its call was sent before, or "
        "refused.",
        "{state} 中的 {event} 发出了没有对应调用的命令：该调用已发出过，或已被拒绝。",
    ),
    "check_task_sent_twice_fix": (
        "Let the model or the skill make a new call first; the engine never sends again.",
        "请先由模型或技能发起新的调用；引擎从不自行重发。",
    ),
    "check_task_over_budget": (
        "{event} in {state} sends a command although the steps are spent.",
        "步数已用完，{state} 中的 {event} 仍发出命令。",
    ),
    "check_task_over_budget_fix": (
        "Ask `budget_left` before the command is sent.",
        "请在发出命令之前检查 `budget_left`。",
    ),
    "check_task_repairs": (
        "{event} in {state} asks the model for valid output more often than is allowed.",
        "{state} 中的 {event} 要求模型重新输出的次数超过上限。",
    ),
    "check_task_repairs_fix": (
        "Ask `repairs_left` before the model is asked again.",
        "请在再次询问模型之前检查 `repairs_left`。",
    ),
    "check_task_asked_again": (
        "{event} in {state} puts a command to the person that the person refused before.",
        "{state} 中的 {event} 又向用户询问已被拒绝过的命令。",
    ),
    "check_task_asked_again_fix": (
        "Ask `not_rejected_before` before `confirm`.",
        "请在 `confirm` 之前检查 `not_rejected_before`。",
    ),
    "check_task_lost_again": (
        "{event} in {state} sends a command again whose answer was lost; it may have acted.",
        "{state} 中的 {event} 重发了一条没有收到回应的命令；它可能已经生效。",
    ),
    "check_task_lost_again_fix": (
        "Let the model decide anew after `resumed`.",
        "请在 `resumed` 之后由模型重新决定。",
    ),
    "check_task_refusal_lost": (
        "{event} in {state} does not make an observation of a command that the person refused "
        "before.",
        "{state} 中的 {event} 没有把用户已拒绝过的命令变成观察结果。",
    ),
    "check_task_refusal_lost_fix": (
        "Lead it to `observing` with `take_repeated_question`, so that the model is told.",
        "请用 `take_repeated_question` 通向 `observing`，让模型得知。",
    ),
    "check_task_no_evidence": (
        "{event} in {state} ends the task as completed without an answer that the last result "
        "backs.",
        "{state} 中的 {event} 以完成结束任务，但最后的结果不支持模型的回答。",
    ),
    "check_task_no_evidence_fix": (
        "Ask `reply_is_text` and `answer_has_evidence` before `completed`.",
        "请在进入 `completed` 之前检查 `reply_is_text` 和 `answer_has_evidence`。",
    ),
    "check_task_told_again": (
        "{event} in {state} tells the model a second time that its answer lacks evidence; this "
        "can go on without end.",
        "{state} 中的 {event} 再次告知模型其回答缺少证据；这可能没完没了。",
    ),
    "check_task_told_again_fix": (
        "Ask `not_told_yet` before the model is told; then end as failed.",
        "请在告知模型之前检查 `not_told_yet`；之后以失败结束。",
    ),
    "check_task_breaker": (
        "{event} in {state} goes on although too many commands failed.",
        "失败的命令过多，{state} 中的 {event} 仍让任务继续。",
    ),
    "check_task_breaker_fix": (
        "Ask `breaker_closed` before the model or the skill goes on.",
        "请在模型或技能继续之前检查 `breaker_closed`。",
    ),
    "check_task_loop": (
        "{event} in {state} goes on although the task repeats the same steps.",
        "任务在重复同样的步骤，{state} 中的 {event} 仍让任务继续。",
    ),
    "check_task_loop_fix": (
        "Ask `no_loop` before the model or the skill goes on.",
        "请在模型或技能继续之前检查 `no_loop`。",
    ),
    "check_task_skill_goes_on": (
        "{event} in {state} belongs to a skill that goes on although the person said no to it.",
        "用户已拒绝技能的请求，{state} 中的 {event} 表明该技能仍在继续。",
    ),
    "check_task_skill_goes_on_fix": (
        "Stop the skill (`stop: skill`) where the person's no is taken.",
        "请在处理用户拒绝的那一行停止技能（`stop: skill`）。",
    ),
    "check_erp_queued_twice": (
        "{event} in {state} writes the rows of one card a second time.",
        "{state} 中的 {event} 把同一张预览卡的行再次入队。",
    ),
    "check_erp_queued_twice_fix": (
        "Look up what became of the first writing instead.",
        "请改为查明第一次入队的结果。",
    ),
    "check_erp_unchecked": (
        "{event} in {state} writes rows without the owner's click or a full second check.",
        "{state} 中的 {event} 未经本人点击或未经完整复核就入队。",
    ),
    "check_erp_unchecked_fix": (
        "Let only the checked click of the owner lead to `enqueue`.",
        "请只让经过复核的本人点击通向 `enqueue`。",
    ),
    "check_erp_cancel_too_late": (
        "{event} in {state} asks to cancel rows that are not waiting at 100.",
        "{state} 中的 {event} 要求取消并非处于 100 的行。",
    ),
    "check_erp_cancel_too_late_fix": (
        "Cancel only where the rows are known to wait.",
        "请只在确知行仍在等待时取消。",
    ),
    "check_erp_false_success": (
        "{event} in {state} ends as succeeded without 200 or 201.",
        "{state} 中的 {event} 没有 200 或 201 却以成功结束。",
    ),
    "check_erp_false_success_fix": ("Ask `answer_is_success`.", "请检查 `answer_is_success`。"),
    "check_erp_false_refusal": (
        "{event} in {state} says that nothing was written, but the rows may have been.",
        "{state} 中的 {event} 声称未写入，而行可能已入队。",
    ),
    "check_erp_false_refusal_fix": ("End as `unknown`.", "请以 `unknown` 结束。"),
    "check_erp_false_cancel": (
        "{event} in {state} ends as cancelled, but the queue did not say so.",
        "{state} 中的 {event} 以已取消结束，而队列并未确认。",
    ),
    "check_erp_false_cancel_fix": (
        "Ask `cancel_won`, or end as `unknown`.",
        "请检查 `cancel_won`，或以 `unknown` 结束。",
    ),
    "check_erp_false_failure": (
        "{event} in {state} ends as failed, but what became of the rows is not known.",
        "{state} 中的 {event} 以失败结束，而行的结果尚不清楚。",
    ),
    "check_erp_false_failure_fix": ("End as `unknown`.", "请以 `unknown` 结束。"),
    "check_erp_late_answer": (
        "{event} in {state} believes a worker whose lease another has taken over.",
        "{state} 中的 {event} 采信了租约已被接管的执行者的回应。",
    ),
    "check_erp_late_answer_fix": (
        "Ask `answer_is_current` first.",
        "请先检查 `answer_is_current`。",
    ),
    "check_erp_offered_again": (
        "{event} in {state} prepares a change that the person cancelled before.",
        "{state} 中的 {event} 又准备了用户已取消过的变更。",
    ),
    "check_erp_offered_again_fix": ("Ask `may_be_offered`.", "请检查 `may_be_offered`。"),
}
