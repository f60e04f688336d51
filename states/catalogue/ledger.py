"""Sentences of the ledger's database: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "ledger_missing": (
        "There is no ledger at {path} yet: nothing was run here. Run a task first, or point "
        "SGCLAW_DATA_DIR or SGCLAW_DATABASE_URL at the ledger you mean.",
        "{path} 处还没有账本：这里尚未运行过任务。请先运行任务，或用 SGCLAW_DATA_DIR / SGCLAW_DATABASE_URL 指向所要的账本。",
    ),
    "ledger_newer": (
        "The ledger {path} was written by a newer sgclaw (tables of version {theirs}; this one "
        "knows {ours}), so it is left untouched. Update sgclaw.",
        "账本 {path} 由更新版本的 sgclaw 写入（数据表版本 {theirs}，本程序只认识 {ours}），因此未作任何改动。请升级 sgclaw。",
    ),
    "ledger_busy": (
        "The ledger {path} was busy with another writer for too long, so nothing more is done. "
        "Try again; if it stays busy, look for a program that holds the database open.",
        "账本 {path} 长时间被另一个写入者占用，因此停止一切操作。请重试；若一直繁忙，请查找占用该数据库的程序。",
    ),
    "ledger_url": (
        "SGCLAW_DATABASE_URL is {url}, which is no address of a PostgreSQL database. Write it as "
        "postgresql://user@host/name, or unset it to use SQLite.",
        "SGCLAW_DATABASE_URL 的值 {url} 不是 PostgreSQL 数据库地址。请写成 postgresql://user@host/name，或取消设置以使用 SQLite。",
    ),
    "ledger_unreachable": (
        "The database of the ledger {url} cannot be reached ({why}), so nothing was done. Start it, or "
        "mend SGCLAW_DATABASE_URL, then try again.",
        "无法连接账本所在的数据库 {url}（{why}），因此未执行任何操作。请启动数据库或修正 SGCLAW_DATABASE_URL 后重试。",
    ),
    "ledger_extra_missing": (
        "The ledger is to be kept at {url}, but the PostgreSQL driver is not installed. Install "
        "it with: pip install 'sgclaw[postgres]'",
        "账本应保存在 {url}，但未安装 PostgreSQL 驱动。请安装：pip install 'sgclaw[postgres]'",
    ),
    "ledger_unreadable_file": (
        "{path} is no ledger, or it is damaged ({why}). Nothing was changed in it. Put an "
        "unchanged copy in its place.",
        "{path} 不是账本或已损坏（{why}）。未对其作任何改动。请换回未改动的副本。",
    ),
    "ledger_twice": (
        "The ledger {path} holds another row under the same number ({why}), so nothing more is "
        "done. Look with: sgclaw audit verify",
        "账本 {path} 中同一序号下已有另一条记录（{why}），因此停止一切操作。请运行 sgclaw audit verify 检查。",
    ),
    "ledger_trace_taken": (
        "The ledger holds rows of {trace} already, and a new task may not go on under its number. "
        "Start the task again for a new one, or resume that one: sgclaw run --resume {trace}",
        "账本中已有 {trace} 的记录，新任务不能沿用该追踪号。请重新启动任务以取得新号，或继续该任务：sgclaw run --resume {trace}",
    ),
    "ledger_changed": (
        "Row {seq} of {trace} in the ledger {path} is not what was written: its hash differs. "
        "Look with: sgclaw audit verify",
        "账本 {path} 中 {trace} 的第 {seq} 条记录与写入时不同：哈希不一致。请运行 sgclaw audit verify 检查。",
    ),
    "ledger_record_too_long": (
        "A record of {bytes} bytes is longer than the ledger takes ({max}), so the step was not "
        "done. Ask for less at once, or raise SGCLAW_AUDIT_RECORD_BYTES_MAX.",
        "一条记录有 {bytes} 字节，超过账本上限（{max}），因此未执行该步骤。请减少一次请求的内容，或调高 SGCLAW_AUDIT_RECORD_BYTES_MAX。",
    ),
    "ledger_no_row": (
        "A record cannot be written to the ledger {path} ({why}), so the step was not done. "
        "This is a defect of sgclaw; please report it.",
        "一条记录无法写入账本 {path}（{why}），因此未执行该步骤。这是 sgclaw 的缺陷，请报告。",
    ),
    "ledger_owner": (
        "The ledger cannot be kept under this name: {why}. Check SGCLAW_AUDIT_USER.",
        "账本无法使用该名称：{why}。请检查 SGCLAW_AUDIT_USER。",
    ),
    "ledger_head_refused": (
        "The ledger contradicts what the host knows of it (stream {stream}, position {position}): "
        "it was cut off or made anew. Look with: sgclaw audit verify",
        "账本与浏览器端所知不符（{stream} 链，第 {position} 位）：账本被截断或重写。请运行 sgclaw audit verify 检查。",
    ),
    "ledger_head_missing": (
        "The head of the ledger could not be kept in {path} ({why}), so the last rows are not "
        "anchored yet; the next run anchors them. Free some space or mend the rights.",
        "账本的链头无法写入 {path}（{why}），因此最后几条记录尚未锚定，下次运行时会补上。请释放空间或修复权限。",
    ),
    "ledger_pruned": (
        "Part of the ledger of the time since {trace} began was dropped by audit prune, so nobody can "
        "tell how far it came; it is not gone on with. Start a new run.",
        "{trace} 开始以来的部分账本已被 audit prune 清除，无法确定其进度，因此不再继续。请重新运行任务。",
    ),
    "ledger_closed": (
        "The ledger {path} is closed, so nothing more is done.",
        "账本 {path} 已关闭，因此停止一切操作。",
    ),
}
