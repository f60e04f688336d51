"""Sentences of `sgclaw audit export`: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    # --- the bundle
    "export_exists": (
        "{out} is there already and is not overwritten. Name another place.",
        "{out} 已存在，不会被覆盖。请指定另一个位置。",
    ),
    "export_unwritable": (
        "The bundle {out} cannot be written: {why}. Nothing of it was left behind; choose a folder "
        "that can be written, with enough room.",
        "无法写入证据包 {out}：{why}。没有留下任何残余；请选择可写且空间充足的文件夹。",
    ),
    "export_time_malformed": (
        "{option} {text} is no date or time; write 2026-11-29, 2026-11-29T08:30:00+08:00, or 7d for seven days back.",
        "{option} {text} 不是日期或时间；请写成 2026-11-29、2026-11-29T08:30:00+08:00，或用 7d 表示七天前。",
    ),
    "export_empty": (
        "The ledger holds no run that was chosen, so nothing was exported.",
        "账本中没有所选的运行记录，因此没有导出任何内容。",
    ),
    "export_not_proved": (
        "The ledger does not verify at event {position} of the chain {stream}, so nothing was "
        "signed or exported. `sgclaw audit verify` tells more.",
        "账本在链 {stream} 的第 {position} 个事件处未通过核验，因此没有签名，也没有导出。"
        "请运行 `sgclaw audit verify` 了解详情。",
    ),
    "export_no_heads": (
        "There is no signed head in {path}, so nothing shows whether the ledger is whole; nothing was "
        "signed or exported. `sgclaw audit verify` tells more.",
        "{path} 中没有签名头，无法判断账本是否完整，因此没有签名，也没有导出。请运行 `sgclaw audit verify` 了解详情。",
    ),
    "export_lacks": (
        "The run {trace} lacks {lacks} of its events, and retention dropped none, so nothing was "
        "signed or exported. `sgclaw audit verify` tells more.",
        "运行 {trace} 缺少 {lacks} 个事件，而保留策略没有删除过任何事件，因此没有签名，也没有导出。"
        "请运行 `sgclaw audit verify` 了解详情。",
    ),
    "export_nowhere": (
        "Name where the bundle goes (OUT) or a server (--otlp URL), one of the two.",
        "请指定证据包的位置（OUT）或服务器（--otlp URL），二者取一。",
    ),
    "export_content_needs_otlp": (
        "--content goes with --otlp only; a bundle always holds the whole text of its events.",
        "--content 只能与 --otlp 一起使用；证据包总是包含事件的全文。",
    ),
    "export_done": (
        "{out}: events: {events}, runs: {traces}, signed heads: {heads}. SHA-256 of the public "
        "key: {key}. Tell this number to whoever verifies, by another way than the bundle.",
        "{out}：{traces} 次运行的 {events} 个事件，{heads} 个签名头。公钥的 SHA-256：{key}。"
        "请通过证据包以外的途径把它告知核验者。",
    ),
    "export_after_head": (
        "{events} of these events stand after the last signed head: the bundle's signature alone "
        "speaks for them.",
        "其中 {events} 个事件位于最后一个签名头之后：只有证据包的签名为其作证。",
    ),
    "export_among_others": (
        "Between the chosen events stand {links} of other runs, as hashes alone.",
        "所选事件之间有其他运行的 {links} 个事件，仅以散列值出现。",
    ),
    "ledger_bundle_broken": (
        "The bundle {path} is not what was signed: {file}. Its verify.py tells more.",
        "证据包 {path} 与签名时不符：{file}。请运行其中的 verify.py 了解详情。",
    ),
    # --- OpenTelemetry
    "otel_missing": (
        "OpenTelemetry is not installed ({why}). Install it with: pip install 'sgclaw[otel]'",
        "未安装 OpenTelemetry（{why}）。请运行：pip install 'sgclaw[otel]'",
    ),
    "otel_url": (
        "{url} is no address of an OTLP server; write http://host:4318 or https://host/v1/traces.",
        "{url} 不是 OTLP 服务器的地址；请写成 http://host:4318 或 https://host/v1/traces。",
    ),
    "otel_failed": (
        "The server {url} did not take the spans ({why}). {sent} of {spans} spans were taken; the "
        "same export can be made again, its ids are the same.",
        "服务器 {url} 没有接收跨度（{why}）。共 {spans} 个，已接收 {sent} 个；可以再次导出，标识不变。",
    ),
    "otel_done": (
        "Sent to {url}: runs: {traces}, spans: {spans}.",
        "已将 {traces} 次运行的 {spans} 个跨度发送到 {url}。",
    ),
}
