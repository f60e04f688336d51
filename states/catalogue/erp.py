"""Sentences of ERP changes: why a gate refuses, and how a change ends: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    # --- gates 1 and 2: nothing was written
    "erp_cancelled_before": (
        "You cancelled this very change before, so it is not offered again by itself; ask for it "
        "once more if you want it now.",
        "您之前取消过同样的变更，不会自动再次提出；如现在需要，请再说一次。",
    ),
    "erp_no_right": (
        "You have no right to make this change in the ERP, so nothing was written; ask the ERP's "
        "administrator for it.",
        "您在 ERP 中没有进行此变更的权限，未写入任何内容；请联系 ERP 管理员授权。",
    ),
    "erp_record_missing": (
        "No such record was found ({what}), so nothing was written; check its number or name.",
        "没有找到该记录（{what}），未写入任何内容；请核对单号或名称。",
    ),
    "erp_several_records": (
        "More than one record fits ({what}), so nothing was written; say which one you mean.",
        "有多条记录符合（{what}），未写入任何内容；请说明是哪一条。",
    ),
    "erp_value_invalid": (
        "A new value cannot be used ({what}), so nothing was written; correct it and ask again.",
        "新的取值无法使用（{what}），未写入任何内容；请更正后再试。",
    ),
    "erp_name_unclear": (
        "A name does not stand for exactly one record ({what}), so nothing was written; say it "
        "more exactly.",
        "名称没有对应到唯一的记录（{what}），未写入任何内容；请说得更具体。",
    ),
    "erp_record_state": (
        "The record's state in the ERP (audited, void or closed) does not allow this change "
        "({what}), so nothing was written; change its state first or choose another record.",
        "记录在 ERP 中的状态（已审核、已作废或已关闭）不允许此变更（{what}），未写入任何内容；请先调整状态或另选记录。",
    ),
    "erp_no_stamps": (
        "The ERP gave no version stamps for the record, so a later change by somebody else could "
        "not be seen and nothing was written; try again, and tell the administrator if it lasts.",
        "ERP 没有返回记录的版本戳，无法发现他人之后的修改，因此未写入任何内容；请重试，若仍如此请告知管理员。",
    ),
    "erp_dry_run_invalid": (
        "The ERP tried the change and refused it ({what}), so nothing was written; correct what "
        "it names and ask again.",
        "ERP 预检不通过（{what}），未写入任何内容；请按提示更正后再试。",
    ),
    "erp_preview_failed": (
        "The card could not be prepared ({error}: {text}), so nothing was written; try again.",
        "无法生成预览卡（{error}：{text}），未写入任何内容；请重试。",
    ),
    "erp_preview_silent": (
        "The ERP did not answer in time for the card, so nothing was written; try again when it "
        "is quicker.",
        "ERP 没有及时响应，无法生成预览卡，未写入任何内容；请稍后重试。",
    ),
    "erp_not_owner": (
        "This card was made for another person, so the click did nothing; ask for a card of your "
        "own.",
        "这张预览卡属于其他用户，此次点击无效；请自行发起预览。",
    ),
    "erp_changed_since": (
        "Somebody changed the record after the card was made ({what}), so nothing was written; "
        "ask for a new card and look at it again.",
        "预览之后记录已被修改（{what}），未写入任何内容；请重新预览并核对。",
    ),
    "erp_digest_differs": (
        "What would be written is not what the card showed, so nothing was written; ask for a "
        "new card, and report this with the trace id if it happens twice.",
        "将要写入的内容与预览卡不一致，未写入任何内容；请重新预览，若再次发生请附 trace id 反馈。",
    ),
    "erp_recheck_failed": (
        "The record could not be read again ({error}: {text}), so nothing was written; ask for a "
        "new card.",
        "无法重新读取记录（{error}：{text}），未写入任何内容；请重新预览。",
    ),
    "erp_recheck_silent": (
        "The ERP did not answer in time when the record was checked again, so nothing was "
        "written; ask for a new card.",
        "复查时 ERP 没有及时响应，未写入任何内容；请重新预览。",
    ),
    "erp_fault": (
        "sgclaw itself failed ({error}: {text}) before anything was written; this is a defect, "
        "please report it with the trace id.",
        "写入之前 sgclaw 自身出错（{error}：{text}），未写入任何内容；这是缺陷，请附上 trace id 反馈。",
    ),
    "erp_card_expired": (
        "Nobody clicked the card in time, so nothing was written; ask for a new card.",
        "预览卡超时无人点击，未写入任何内容；请重新预览。",
    ),
    # --- gate 3: the claim
    "erp_already_taken": (
        "Another click had already used this card, so this one wrote nothing; look at the "
        "queue for what the first click did.",
        "这张预览卡已被另一次点击使用，此次没有写入；请在队列中查看第一次点击的结果。",
    ),
    "erp_not_queued": (
        "The change could not be put into the queue, so nothing was written and the card is "
        "closed; ask for a new card.",
        "变更未能入队，未写入任何内容，预览卡已关闭；请重新预览。",
    ),
    "erp_no_other_claim": ("No other click claimed the card.", "预览卡没有被其他点击使用。"),
    "erp_claim_unknown": (
        "Whether the change stands in the queue cannot be seen now; look at the queue before you "
        "ask for it again, or it may be written twice.",
        "目前无法确认变更是否已入队；再次发起之前请先查看队列，以免重复写入。",
    ),
    "erp_saved_before": (
        "You already clicked save on this card; it is written once, however often you click.",
        "您已点过这张预览卡的保存；无论点击多少次，只会写入一次。",
    ),
    # --- the queue
    "erp_cancelled": (
        "The change was cancelled before the ERP began, so nothing was written. {why}",
        "变更在 ERP 执行之前已取消，未写入任何内容。{why}",
    ),
    "erp_cancel_too_late": (
        "The cancel came too late: the change is being handed over or the ERP is already at work "
        "on it; wait for the result, then change the record back if you need to.",
        "取消来得太晚：变更正在提交或 ERP 已开始处理；请等待结果，如有需要再改回。",
    ),
    "erp_cancel_failed": (
        "The queue could not be asked to cancel the change, so it may still be carried out; try "
        "to cancel again.",
        "无法通知队列取消变更，它仍可能被执行；请再次尝试取消。",
    ),
    "erp_old_attempt": (
        "Attempt {attempt} was seen before or is beyond the bound (last: {attempts}).",
        "第 {attempt} 次尝试已见过或超出上限（最近一次：{attempts}）。",
    ),
    "erp_late_answer": (
        "The answer of attempt {attempt} came after attempt {attempts} had begun, so it does not "
        "count.",
        "第 {attempt} 次尝试的结果在第 {attempts} 次开始之后才到，不计入。",
    ),
    "erp_attempts_spent": (
        "The ERP began {attempts} times and never finished.",
        "ERP 已尝试 {attempts} 次，均未完成。",
    ),
    "erp_lease_over": ("No worker holds the lease any more.", "租约已无人持有。"),
    "erp_no_success": ("Status {status} is no success.", "状态 {status} 不是成功。"),
    "erp_not_cancelled": ("Status {status} is no cancellation.", "状态 {status} 不是取消。"),
    "erp_status_impossible": (
        "The queue reports status {after} after {status}, which its protocol does not allow; look "
        "at the queue before you ask for the change again.",
        "队列在状态 {status} 之后报告 {after}，不符合协议；再次发起之前请先查看队列。",
    ),
    "erp_watch_lost": (
        "The queue cannot be read any more ({error}: {text}); the change stands in it with status "
        "{status} as last seen. Look at the queue before you ask for it again.",
        "无法再读取队列（{error}：{text}）；变更仍在队列中，最后看到的状态为 {status}。再次发起之前请先查看队列。",
    ),
    "erp_watch_ended": (
        "The queue stopped reporting before the ERP had answered (status {status} as last seen); look "
        "at the queue before you ask for the change again, and report this with the trace id.",
        "ERP 答复之前队列停止了汇报（最后看到的状态为 {status}）；再次发起之前请先查看队列，并附上 trace id 反馈。",
    ),
    "erp_watch_time": (
        "The ERP has not finished the change for a long time (status {status} as last seen), so it "
        "is not watched any more; look at the queue before you ask for it again.",
        "ERP 长时间未完成变更（最后看到的状态为 {status}），已停止等待；再次发起之前请先查看队列。",
    ),
    "erp_close_unknown": (
        "The ERP began {attempts} times and never finished, and the queue could not be asked to "
        "end it; look at the queue before you ask for the change again.",
        "ERP 已尝试 {attempts} 次均未完成，且无法通知队列结束；再次发起之前请先查看队列。",
    ),
    "erp_fault_later": (
        "sgclaw itself failed ({error}: {text}) after save was clicked, so whether the change was "
        "written is not known; look at the queue, and report this with the trace id.",
        "点击保存之后 sgclaw 自身出错（{error}：{text}），是否写入未知；请查看队列，并附上 trace id 反馈。",
    ),
    # --- what the ERP answered
    "erp_payload_broken": (
        "The ERP could not read the change (400: {receipt}), so it was not written; report this "
        "with the trace id.",
        "ERP 无法识别变更内容（400：{receipt}），未写入；请附上 trace id 反馈。",
    ),
    "erp_right_lost": (
        "The ERP did not let you make the change (401: {receipt}), so it was not written; log in "
        "again or ask the administrator for the right.",
        "ERP 不允许您进行此变更（401：{receipt}），未写入；请重新登录或联系管理员授权。",
    ),
    "erp_record_gone": (
        "The record was gone when the ERP came to it (404: {receipt}), so nothing was written; "
        "look for it again.",
        "ERP 执行时记录已不存在（404：{receipt}），未写入；请重新查找。",
    ),
    "erp_conflict": (
        "The record or its state had changed when the ERP came to it (409: {receipt}), so it was "
        "not written; ask for a new card.",
        "ERP 执行时记录或其状态已变化（409：{receipt}），未写入；请重新预览。",
    ),
    "erp_rejected": (
        "The ERP's own rules refused the change (422: {receipt}), so it was not written; correct "
        "what they name and ask again.",
        "ERP 业务校验不通过（422：{receipt}），未写入；请按提示更正后再试。",
    ),
    "erp_locked": (
        "The record was locked by somebody else (423: {receipt}), so it was not written; try "
        "again later.",
        "记录被他人锁定（423：{receipt}），未写入；请稍后再试。",
    ),
    "erp_broken": (
        "The ERP failed (500: {receipt}; attempts: {attempts}), and the change does not count as "
        "written; look at the record before you ask for it again.",
        "ERP 出错（500：{receipt}；尝试次数：{attempts}），不视为已写入；再次发起之前请先查看记录。",
    ),
    "erp_timed_out": (
        "The ERP ran out of time (504: {receipt}), and the change does not count as written; look "
        "at the record before you ask for it again.",
        "ERP 超时（504：{receipt}），不视为已写入；再次发起之前请先查看记录。",
    ),
}
