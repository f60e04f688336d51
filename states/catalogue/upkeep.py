"""Sentences of the ledger's upkeep (archive, prune, size): key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "prune_compact_busy": (
        "What was due is gone, but the room was not given back: {trace} is running, and could write "
        "nothing meanwhile. Run `sgclaw audit prune --compact` again when no task runs.",
        "到期内容已清除，但未释放空间：{trace} 正在运行，其间将无法写入。请在没有任务运行时再次执行 `sgclaw audit prune --compact`。",
    ),
    # --- what stops it
    "ledger_head_differs": (
        "The ledger {path} does not hold what was signed at position {position} of {stream}, so "
        "nothing is closed, archived or dropped. Look with: sgclaw audit verify",
        "账本 {path} 中 {stream} 第 {position} 位与签名内容不符，因此不归档也不清理。请运行 sgclaw audit verify 检查。",
    ),
    "ledger_segment_broken": (
        "Segment {number} of {stream} is not what was written: it breaks at position {position}. "
        "Nothing of it was dropped. Look with: sgclaw audit verify",
        "{stream} 的第 {number} 段与写入时不同：在第 {position} 位断开。该段未被清理。请运行 sgclaw audit verify 检查。",
    ),
    "ledger_segment_moved": (
        "Segment {number} of {stream} in {path} was changed by another program meanwhile. Run it "
        "again.",
        "{path} 中 {stream} 的第 {number} 段同时被其他程序改动。请重新运行。",
    ),
    "ledger_upkeep_busy": (
        "Another prune or archive of this ledger is running (it holds {path}). Wait for its end.",
        "该账本正在进行另一个清理或归档（它占用 {path}）。请等待其结束。",
    ),
    "archive_exists": (
        "There is a file {path} already, and it is not this segment's archive ({why}). It was not "
        "touched. Move it away, or name another folder with --to.",
        "已存在文件 {path}，但它不是该段的归档（{why}）。未作改动。请将其移走，或用 --to 指定其他文件夹。",
    ),
    "ledger_archive_unreadable": (
        "The archive {path} cannot be read ({why}), so its segment is not dropped. Put back the "
        "archive as it was made.",
        "归档 {path} 无法读取（{why}），因此不清理对应的段。请恢复原归档。",
    ),
    "ledger_archive_broken": (
        "The archive {path} does not hold its segment ({why}), so nothing is dropped. Put back "
        "the archive as it was made.",
        "归档 {path} 的内容与其段不符（{why}），因此不作清理。请恢复原归档。",
    ),
    "archive_unwritten": (
        "The archive {path} cannot be written: {why}. Its segment stays in the ledger. Free some "
        "space, or name another folder with --to.",
        "无法写入归档 {path}：{why}。该段仍保留在账本中。请释放空间，或用 --to 指定其他文件夹。",
    ),
    "archive_to_empty": (
        "--to names no folder; name one, or leave it out for the data folder's own.",
        "--to 没有指定文件夹；请指定一个，或省略以使用数据文件夹内的位置。",
    ),
    "upkeep_folder_unreadable": (
        "The folder {path} cannot be read: {why}. Nothing was removed. Make it readable.",
        "无法读取文件夹 {path}：{why}。未删除任何内容。请使其可读。",
    ),
    "upkeep_file_kept": (
        "The file {path} cannot be removed: {why}. Make its folder writable and prune again.",
        "无法删除文件 {path}：{why}。请使其所在文件夹可写后重新清理。",
    ),
    "prune_clock_behind": (
        "The clock says {now}, but something here was written at {newest}: the clock was set "
        "back, or stood ahead then. Nothing was dropped. Set the clock, or say --yes if it is right.",
        "当前时钟为 {now}，但此处有内容写于 {newest}：时钟可能被调回，或当时偏快。未清理任何内容。请校准时钟；若时钟正确，请加 --yes。",
    ),
    "prune_clock_ahead": (
        "The clock says {now}, and the newest thing here was written at {newest}: even that would "
        "be past its days. Either sgclaw was not used for so long, or the clock is wrong. Nothing "
        "was dropped. Check the clock, and say --yes if it is right.",
        "当前时钟为 {now}，而此处最新的内容写于 {newest}：连它也已过期。要么很久没有使用，要么时钟有误。未清理任何内容。请检查时钟；若时钟正确，请加 --yes。",
    ),
    "prune_head_refused": (
        "The prune is done and written down, but the head of the ledger could not be signed into "
        "{path} ({why}). Look with: sgclaw audit verify",
        "清理已完成并已记录，但账本头无法签入 {path}（{why}）。请运行 sgclaw audit verify 检查。",
    ),
    # --- what is told
    "upkeep_nothing": (
        "There is no ledger at {path} yet: nothing to keep, archive or drop.",
        "{path} 处还没有账本：没有可保留、归档或清理的内容。",
    ),
    "archive_done": (
        "Archived: segments {count}, events {events}.",
        "已归档 {count} 段（{events} 条事件）。",
    ),
    "archive_nothing": (
        "Nothing to archive: no segment is ready. One closes at {events} events or {hours} hours, "
        "as far as signed heads reach.",
        "没有可归档的分段。分段满 {events} 条事件或 {hours} 小时后关闭，且以签名头所及为限。",
    ),
    "archive_line": (
        "{stream} segment {number}: events {events}, {oldest} to {newest} -> {archive}",
        "{stream} 第 {number} 段：{events} 条事件，{oldest} 至 {newest} -> {archive}",
    ),
    "prune_class_would": (
        "{name}: days kept {days}. Would go: segments {segments} (events {events}), files {files} "
        "(bytes {bytes}).",
        "{name}：保留 {days} 天。将清理：{segments} 段（{events} 条事件）、{files} 个文件（{bytes} 字节）。",
    ),
    "prune_class_gone": (
        "{name}: days kept {days}. Gone: segments {segments} (events {events}), files {files} "
        "(bytes {bytes}).",
        "{name}：保留 {days} 天。已清理：{segments} 段（{events} 条事件）、{files} 个文件（{bytes} 字节）。",
    ),
    "prune_archives_would": (
        "archives: days kept {days}. Would go: {count}.",
        "归档：保留 {days} 天。将清理 {count} 个。",
    ),
    "prune_archives_gone": (
        "archives: days kept {days}. Gone: {count}.",
        "归档：保留 {days} 天。已清理 {count} 个。",
    ),
    "prune_kept_not_archived": (
        "  stays: {count} not archived yet. Run `sgclaw audit archive` first, or say "
        "--without-archive.",
        "  保留：{count} 段尚未归档。请先运行 `sgclaw audit archive`，或加 --without-archive。",
    ),
    "prune_kept_unfinished": (
        "  stays: {count} with a task that has not ended ({traces}). Resume it, or say --unfinished.",
        "  保留：{count} 项含未结束的任务（{traces}）。请恢复运行该任务，或加 --unfinished。",
    ),
    "prune_kept_running": (
        "  stays: {count} with a task that is running ({traces}).",
        "  保留：{count} 项含正在运行的任务（{traces}）。",
    ),
    "prune_kept_behind_kept": (
        "  stays: {count} behind one that stays; a chain is dropped from its beginning only.",
        "  保留：{count} 段位于保留段之后；链只能从开头清理。",
    ),
    "prune_told": (
        "Written down in the ledger: sgclaw audit show {trace}",
        "已记入账本：sgclaw audit show {trace}",
    ),
    "prune_doubt_told": (
        "A prune would be refused: {why}",
        "实际清理会被拒绝：{why}",
    ),
    "size_store": (
        "database {place}: bytes {bytes}, of its write-ahead log {wal_bytes}, bytes per 1,000 events "
        "{per_thousand}",
        "数据库 {place}：{bytes} 字节，预写日志 {wal_bytes} 字节，每千条事件 {per_thousand} 字节",
    ),
    "size_stream_empty": ("stream {stream}: no events", "链 {stream}：没有事件"),
    "size_stream": (
        "stream {stream}: events {events}, bytes of text {bytes}, {oldest} to {newest}, segments "
        "{segments}",
        "链 {stream}：{events} 条事件，正文 {bytes} 字节，{oldest} 至 {newest}，段 {segments}",
    ),
    "size_files": (
        "{name}: files {files}, bytes {bytes}",
        "{name}：{files} 个文件，{bytes} 字节",
    ),
}
