"""Sentences of the audit commands: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    # --- who this installation is
    "install_file_damaged": (
        "{path} was changed or is damaged, so nothing can be signed or checked with it. Put back "
        "a copy of it; a new one is not made, because what was signed before would look forged.",
        "{path} 已被改动或损坏，无法用于签名或核验。请恢复其副本；不会自动新建，否则以前的签名都会显得是伪造的。",
    ),
    "install_file_gone": (
        "{path} is gone, but what was signed under it is still there. Put back a copy of it; a "
        "new one is not made, because what was signed before would look forged.",
        "{path} 已丢失，而用它签过的内容仍在。请恢复其副本；不会自动新建，否则以前的签名都会显得是伪造的。",
    ),
    "install_file_link": (
        "{path} is a link or no regular file, so it is not used. Put the file itself there.",
        "{path} 是链接或不是普通文件，因此不予使用。请把文件本身放在那里。",
    ),
    "install_file_open": (
        "Other accounts can reach {path} (mode {mode}), so it is not trusted. If nobody used that, "
        "close it with: chmod 600 {path}",
        "其他账户可以访问 {path}（权限 {mode}），因此不可信任。若确认无人动过，请运行：chmod 600 {path}",
    ),
    "install_file_unusable": (
        "{path} cannot be read or written ({why}); the ledger's rows and heads need it.",
        "{path} 无法读写（{why}）；账本的记录与签名需要它。",
    ),
    "install_keys_differ": (
        "The public key {path} does not belong to the private key {key}: one of them was "
        "exchanged. Put back copies of both.",
        "公钥 {path} 与私钥 {key} 不匹配：其中之一被调换过。请恢复二者的副本。",
    ),
    # --- signed heads
    "ledger_heads_unreadable": (
        "The file of signed heads {path} cannot be read ({why}), so nothing shows whether the "
        "ledger was cut off. Name a copy with --heads.",
        "签名头文件 {path} 无法读取（{why}），因此无法判断账本是否被截断。请用 --heads 指定一份副本。",
    ),
    "ledger_head_damaged": (
        "Line {line} of the signed heads {path} was changed: it is no head. Name a copy that was "
        "kept elsewhere with --heads.",
        "签名头文件 {path} 的第 {line} 行被改动过，不是有效的签名头。请用 --heads 指定保存在别处的副本。",
    ),
    "ledger_head_other_key": (
        "Line {line} of the signed heads {path} is signed with the key {theirs}, not with {ours}: "
        "the heads are of another installation, or forged. Name the key they belong to with --key.",
        "签名头文件 {path} 的第 {line} 行由密钥 {theirs} 签名，而不是 {ours}：它们属于另一安装，或是伪造的。请用 --key 指定对应的密钥。",
    ),
    "ledger_head_forged": (
        "Line {line} of the signed heads {path} was changed or forged: its signature is not by the "
        "key {key}. Name a copy that was kept elsewhere with --heads.",
        "签名头文件 {path} 的第 {line} 行被改动或伪造：其签名不是密钥 {key} 所签。请用 --heads 指定保存在别处的副本。",
    ),
    # --- log files and their upload
    "log_file_incomplete": (
        "The log file {path} is incomplete: it could not be written ({why}). The ledger and the result are whole; free some space before the next run.",
        "日志文件 {path} 不完整：无法写入（{why}）。账本与结果完整；请在下次运行前释放空间。",
    ),
    "upload_url_missing": (
        "It is not said where to upload to. Give --url, or set {variable}.",
        "未说明上传到哪里。请给出 --url，或设置 {variable}。",
    ),
    "upload_url_invalid": (
        "The address to upload to is none. Write it as https://host/path.",
        "上传地址无效。请写成 https://host/path。",
    ),
    "upload_url_insecure": (
        "The address to upload to is not https, and not on this machine: anybody on the way could read it. Write https://.",
        "上传地址不是 https，也不在本机：途中任何人都能读到内容。请改用 https://。",
    ),
    "upload_url_credentials": (
        "The address to upload to holds a user name or a fragment. Take it out; a token goes in SGCLAW_AUDIT_UPLOAD_TOKEN.",
        "上传地址中含有用户名或片段。请去掉；令牌请放在 SGCLAW_AUDIT_UPLOAD_TOKEN 中。",
    ),
    "upload_token_invalid": (
        "SGCLAW_AUDIT_UPLOAD_TOKEN holds spaces or characters that cannot stand in a header. Set it anew.",
        "SGCLAW_AUDIT_UPLOAD_TOKEN 含有空格或不能放入请求头的字符。请重新设置。",
    ),
    "upload_proxy_invalid": (
        "SGCLAW_AUDIT_UPLOAD_PROXY is no address of a proxy. Write it as http://host:port.",
        "SGCLAW_AUDIT_UPLOAD_PROXY 不是代理地址。请写成 http://host:port。",
    ),
    "upload_running": (
        "Another upload to the same place runs. Wait until it ends.",
        "到同一地址的另一个上传正在进行。请等待其结束。",
    ),
    "upload_state_unwritable": (
        "{path} cannot be written ({why}), so nothing more is uploaded. Free some space or mend its permissions, then run it again.",
        "{path} 无法写入（{why}），因此不再上传。请释放空间或修正权限后重新运行。",
    ),
    "upload_changed": (
        "it differs from what was uploaded under this name, so it was not sent. Look with: sgclaw audit verify",
        "与以前用此名上传的内容不同，因此未上传。请运行 sgclaw audit verify 检查",
    ),
    "upload_unreadable": ("it cannot be read ({why})", "无法读取（{why}）"),
    "upload_unreachable": (
        "the server cannot be reached ({why}); nothing more was tried. Run it again later",
        "无法连接服务器（{why}）；未再尝试其他文件。请稍后重新运行",
    ),
    "upload_busy": (
        "the server did not take it, however often it was asked (status {why}); nothing more was tried. Run it again later",
        "多次尝试后服务器仍未接收（状态 {why}）；未再尝试其他文件。请稍后重新运行",
    ),
    "upload_refused": (
        "the server refuses it (status {why})",
        "服务器拒绝接收（状态 {why}）",
    ),
    "upload_redirected": (
        "the server points elsewhere (status {why}), which is not followed. Give the final address",
        "服务器要求转到别处（状态 {why}），不予跟随。请给出最终地址",
    ),
    "upload_would_send": (
        "would go to {to}: objects {count}, bytes {bytes}",
        "将向 {to} 上传 {count} 个对象，共 {bytes} 字节",
    ),
    "upload_ended": (
        "sent to {to}: {sent}; there before: {already}; failed: {failed}",
        "已向 {to} 上传 {sent} 个，此前已有 {already} 个，失败 {failed} 个",
    ),
    # --- audit query: what is asked for
    "audit_query_choice": (
        "{option} takes one of {allowed}; “{value}” is none of them.",
        "{option} 只能是 {allowed} 之一，“{value}”不在其中。",
    ),
    "audit_query_text": (
        "{option} takes 1 to {max} printable characters, and {value} is not that.",
        "{option} 应为 1 到 {max} 个可见字符，{value} 不符合。",
    ),
    "audit_query_domain": (
        "{option} takes a host such as erp.example.com or 127.0.0.1:8123; “{value}” is no host.",
        "{option} 应为主机名，例如 erp.example.com 或 127.0.0.1:8123；“{value}”不是主机名。",
    ),
    "audit_query_trace": (
        "{option} takes a trace id such as sgclaw-20261129-0123456789abcdef; “{value}” is none.",
        "{option} 应为运行编号，例如 sgclaw-20261129-0123456789abcdef；“{value}”不是。",
    ),
    "audit_query_number": (
        "{option} takes a whole number from {least} to {most}; “{value}” is none.",
        "{option} 应为 {least} 到 {most} 的整数，“{value}”不符合。",
    ),
    "audit_query_when": (
        "{option} takes a date (2026-11-30), a time in UTC (2026-11-30T08:15) or a time back from "
        "now (90m, 24h, 7d, 4w); “{value}” is none of these.",
        "{option} 应为日期（2026-11-30）、UTC 时间（2026-11-30T08:15）或距今多久"
        "（90m、24h、7d、4w）；“{value}”不符合。",
    ),
    "audit_query_order": (
        "--since {since} is after --until {until}, so nothing can lie between them.",
        "--since {since} 晚于 --until {until}，二者之间不可能有任何事件。",
    ),
    "audit_query_file_there": (
        "{file} exists already and is not overwritten. Name another file, or move this one away.",
        "{file} 已存在，不会被覆盖。请换一个文件名，或先移走它。",
    ),
    "audit_query_file_unwritable": (
        "{file} cannot be written: {why}.",
        "无法写入 {file}：{why}。",
    ),
    # --- audit query: what is answered
    "audit_query_none": (
        "No event of {looked} matches: {asked}.",
        "在 {looked} 中没有符合条件的事件：{asked}。",
    ),
    "audit_query_none_there": (
        "Matches: {number}, and --offset {offset} goes past the last: {asked}.",
        "符合条件的事件共 {number} 个，--offset {offset} 已超出范围：{asked}。",
    ),
    "audit_query_anything": ("any event", "任意事件"),
    "audit_query_shown": (
        "Events {first} to {last} of {number}, newest first; times are UTC.",
        "第 {first} 至 {last} 个事件，共 {number} 个，最新的在前；时间为 UTC。",
    ),
    "audit_query_over": ("more than {number}", "{number} 以上"),
    "audit_query_part": (
        "{file} holds these alone; for more, ask again with --limit N (up to {most}).",
        "{file} 仅包含这些事件；如需更多，请用 --limit N（最多 {most}）重新查询。",
    ),
    "audit_query_file_empty": ("{option} names no file.", "{option} 没有指定文件。"),
    "audit_query_more": ("The next ones: {command}", "查看后面的事件：{command}"),
    "audit_query_written": (
        "{file} was written; events in it: {number}.",
        "已写入 {file}：{number} 个事件。",
    ),
    # --- the report
    "audit_report_title": ("Audit report", "审计报告"),
    "audit_report_made": ("Made {at} UTC from {place}", "生成于 {at} UTC，数据来自 {place}"),
    "audit_report_asked": ("Asked for", "查询条件"),
    "audit_asked_since": ("since", "起始"),
    "audit_asked_until": ("until", "截止"),
    "audit_report_totals": ("All matches: {number}", "全部符合条件的事件：{number}"),
    "audit_report_totals_bounded": (
        "The newest {number} matches (there are more)",
        "最新的 {number} 个符合条件的事件（还有更多）",
    ),
    "audit_report_by_outcome": ("By outcome", "按结果"),
    "audit_report_by_verdict": ("By verdict", "按裁决"),
    "audit_report_by_domain": ("By domain", "按域名"),
    "audit_report_rest": ("{count} more", "另外 {count} 项"),
    "audit_report_none": ("none", "无"),
    "audit_report_events": ("Events", "事件"),
    "audit_report_runs": ("Tasks on their statechart", "任务在状态图上的经过"),
    "audit_report_runs_left": (
        "Tasks without a picture here: {count}; see one with: sgclaw chart export task "
        "--format svg --trace TRACE",
        "还有 {count} 个任务未在此绘出，可用以下命令查看：sgclaw chart export task --format svg --trace TRACE",
    ),
    "audit_report_no_picture": ("This task cannot be drawn: {why}", "无法绘制该任务：{why}"),
    "audit_report_picture_of": (
        "The statechart with the way of task {trace}",
        "任务 {trace} 在状态图上的路径",
    ),
    "audit_col_at": ("time (UTC)", "时间（UTC）"),
    "audit_col_trace": ("task", "任务"),
    "audit_col_seq": ("no.", "序号"),
    "audit_col_user": ("user", "用户"),
    "audit_col_event": ("event", "事件"),
    "audit_col_action": ("action", "动作"),
    "audit_col_domain": ("domain", "域名"),
    "audit_col_verdict": ("verdict", "裁决"),
    "audit_col_outcome": ("outcome", "结果"),
    "audit_col_skill": ("skill", "技能"),
    "audit_col_state": ("state", "状态"),
    "audit_word_denied": ("denied", "已拒绝"),
    "audit_word_confirm": ("confirm", "需确认"),
    "audit_word_approved": ("approved", "用户批准"),
    "audit_word_rejected": ("rejected", "用户拒绝"),
    "audit_word_expired": ("expired", "确认超时"),
    "audit_word_allowed": ("allowed", "已允许"),
    "audit_word_ok": ("ok", "成功"),
    "audit_word_failed": ("failed", "失败"),
    "audit_word_unknown": ("unknown", "结果未知"),
    "audit_word_refused": ("refused", "未执行"),
    "audit_word_completed": ("completed", "任务完成"),
    "audit_word_aborted": ("aborted", "任务终止"),
    # --- what a check of the chains finds wrong
    "verify_hash": (
        "Event {position} of the chain {stream} (row {seq} of {trace}) is not what was written: "
        "its hash does not fit.",
        "链 {stream} 的第 {position} 个事件（{trace} 的第 {seq} 条记录）与写入时不同：哈希不符。",
    ),
    "verify_prev": (
        "Event {position} of the chain {stream} (row {seq} of {trace}) does not follow the one "
        "before it: something was changed, inserted or exchanged there.",
        "链 {stream} 的第 {position} 个事件（{trace} 的第 {seq} 条记录）与前一个事件不衔接：此处被改动、插入或调换过。",
    ),
    "verify_gap": (
        "Event {position} of the chain {stream} is missing; the next one there is {found} (row "
        "{seq} of {trace}).",
        "链 {stream} 缺少第 {position} 个事件；其后是第 {found} 个（{trace} 的第 {seq} 条记录）。",
    ),
    "verify_twice": (
        "Event {position} of the chain {stream} stands where none may be (row {seq} of {trace}): "
        "it was inserted or doubled, or belongs to a dropped segment.",
        "链 {stream} 的第 {position} 个事件出现在不该出现的位置（{trace} 的第 {seq} 条记录）：它是插入、重复的，或属于已删除的分段。",
    ),
    "verify_unreadable": (
        "Event {position} of the chain {stream} (row {seq} of {trace}) has a text that is no row "
        "of a ledger.",
        "链 {stream} 的第 {position} 个事件（{trace} 的第 {seq} 条记录）的内容不是账本记录。",
    ),
    "verify_number": (
        "Event {position} of the chain {stream} says another trace or number in its text than row "
        "{seq} of {trace}.",
        "链 {stream} 的第 {position} 个事件的内容所写的追踪号或序号与 {trace} 的第 {seq} 条记录不一致。",
    ),
    "verify_column": (
        "Event {position} of the chain {stream} (row {seq} of {trace}) was changed for searches: "
        "its column {column} says '{said}', its text '{derived}'.",
        "链 {stream} 的第 {position} 个事件（{trace} 的第 {seq} 条记录）的检索列被改动：列 {column} 为“{said}”，而内容为“{derived}”。",
    ),
    "verify_head": (
        "Event {position} of the chain {stream} is not the one that was signed at {at}: it, or one "
        "after event {after}, was changed and the chain made anew.",
        "链 {stream} 的第 {position} 个事件不是 {at} 签名时的那一个：它或第 {after} 个之后的某个事件被改动，且链被重新生成。",
    ),
    "verify_truncated": (
        "The chain {stream} was cut off: it ends at event {end}, but event {seen} was signed at "
        "{at} (task {trace}).",
        "链 {stream} 被截断：它止于第 {end} 个事件，但第 {seen} 个事件已于 {at} 签名（任务 {trace}）。",
    ),
    "verify_cut_segment": (
        "The chain {stream} was cut off: it ends at event {position}, but its closed segment "
        "{number} reached to event {last}.",
        "链 {stream} 被截断：它止于第 {position} 个事件，但其已关闭的分段 {number} 直到第 {last} 个事件。",
    ),
    "verify_dropped_unsigned": (
        "The events of the chain {stream} up to {last} were dropped, and no signed head stands "
        "there or behind: nothing shows that it was retention.",
        "链 {stream} 直到第 {last} 个的事件已被删除，而此处及其后没有签名头：无法证明这是按保留期删除的。",
    ),
    "verify_drop_untold": (
        "Segment {number} of the chain {stream}, up to event {last}, is gone, and no prune in the "
        "ledger tells of it.",
        "链 {stream} 的分段 {number}（直到第 {last} 个事件）已不在，而账本中没有任何清理记录提到它。",
    ),
    "verify_segment": (
        "Segment {number} of the chain {stream}, which ends at event {position}, does not fit: its "
        "{part} was changed.",
        "链 {stream} 的分段 {number}（止于第 {position} 个事件）不符：其 {part} 被改动过。",
    ),
    "verify_seq_missing": (
        "Row {seq} of {trace} is missing in front of event {position} of the chain {stream}.",
        "{trace} 的第 {seq} 条记录缺失，位于链 {stream} 的第 {position} 个事件之前。",
    ),
    "verify_seq_twice": (
        "Row {seq} of {trace} stands twice; event {position} of the chain {stream} is the second.",
        "{trace} 的第 {seq} 条记录出现两次；第二次是链 {stream} 的第 {position} 个事件。",
    ),
    "verify_other_install": (
        "A signed head of {at} belongs to the installation {theirs}, not to the ledger that is "
        "checked (event {position} of the chain {stream}).",
        "{at} 的一个签名头属于安装 {theirs}，而不是所核验的账本（链 {stream} 的第 {position} 个事件）。",
    ),
    "verify_unknown_stream": (
        "The ledger holds events of a chain {stream} that sgclaw does not write.",
        "账本中含有 sgclaw 不会写入的链 {stream} 的事件。",
    ),
    # --- what `audit verify` tells
    "verify_no_file": (
        "There is no file {path}. Name the signed heads with --heads and the public key with --key.",
        "没有文件 {path}。请用 --heads 指定签名头文件，用 --key 指定公钥文件。",
    ),
    "verify_whose": (
        "Nothing in {path} says which installation's ledger is meant. Run this where sgclaw ran, or "
        "name its signed heads with --heads and its public key with --key.",
        "{path} 中没有信息表明要核验哪个安装的账本。请在运行过 sgclaw 的地方执行，或用 --heads 和 --key 指定其签名头与公钥。",
    ),
    "verify_no_heads": (
        "There is no signed head in {path}, so nothing shows whether events were cut off or made "
        "anew (there now: {events}). Name a copy that was kept elsewhere with --heads.",
        "{path} 中没有签名头，因此无法判断这 {events} 个事件是否被截断或重新生成。请用 --heads 指定保存在别处的副本。",
    ),
    "verify_ledger": (
        "ledger      {path} (installation {install})",
        "账本        {path}（安装 {install}）",
    ),
    "verify_heads": (
        "heads       {heads} signed in {path} (key {key})",
        "签名头      {path} 中有 {heads} 个（密钥 {key}）",
    ),
    "verify_stream": (
        "{stream}: events {events}, up to number {position}; signed up to number {anchored}; not "
        "signed yet {tail}",
        "{stream}：{events} 个事件，至第 {position} 个；已签名至第 {anchored} 个，尚未签名 {tail} 个",
    ),
    "verify_dropped": (
        "{stream}: events dropped with whole segments, by retention: {count}",
        "{stream}：{count} 个事件已按保留期随整个分段删除",
    ),
    "verify_clock_back": (
        "{stream}: events with an earlier time than the one before: {count}, first event {position} "
        "(two tasks at once, or a clock that was set back); the order is that of the chain",
        "{stream}：时间早于前一事件的事件 {count} 个，首个为第 {position} 个（多个任务同时运行，或时钟被回拨）；顺序以链为准",
    ),
    "verify_traces_cut": (
        "tasks that lost their first rows to retention: {count}",
        "{count} 个任务的开头记录已按保留期删除",
    ),
    "verify_others": (
        "The database also holds events of other installations ({count}), which were not checked.",
        "数据库中还有其他 {count} 个安装的事件，未作核验。",
    ),
    "verify_failed": ("DOES NOT VERIFY: {why}", "核验未通过：{why}"),
    "verify_ok": (
        "verified    events {events}, tasks {traces} ({rate} events/s)",
        "核验通过    {traces} 个任务的 {events} 个事件（每秒 {rate} 个）",
    ),
    "verify_proves": (
        "This proves: up to the last signed head nothing was changed, dropped, inserted, exchanged "
        "or cut off since it was signed, and every searched column says what its event says.",
        "这证明：截至最后一个签名头，自签名以来没有任何记录被改动、删除、插入、调换或截断，且每个检索列与其事件一致。",
    ),
    "verify_then": (
        "What to do: change nothing, and put a copy of {path} aside. Heads kept elsewhere "
        "(--heads FILE), archives and bundles made before tell what stood there.",
        "该怎么做：不要改动任何内容，并另存一份 {path} 的副本。保存在别处的签名头（--heads 文件）、"
        "此前的归档和证据包可以说明原来的内容。",
    ),
    "verify_proves_all_but": (
        "It does not prove anything against somebody who has the private key and all files here. "
        "Heads kept elsewhere (--heads) show that too.",
        "这不能防范同时拥有私钥和此处全部文件的人。保存在别处的签名头（--heads）可以揭示后者。",
    ),
    "verify_proves_not": (
        "It does not prove the events that are not signed yet ({count}), nor anything against "
        "somebody who has the private key and all files here. Heads kept elsewhere (--heads) show "
        "that too.",
        "这不能证明：最后 {count} 个尚未签名的事件；也不能防范同时拥有私钥和此处全部文件的人。保存在别处的签名头（--heads）可以揭示后者。",
    ),
}
