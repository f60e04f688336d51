"""Sentences of a chart's picture and its export: key -> (English, Chinese).

Those with `picture_` are drawn, so they are short.
"""

WORDS: dict[str, tuple[str, str]] = {
    "picture_title": ("Statechart {chart} v{version}", "状态图 {chart} v{version}"),
    "picture_run_title": (
        "One run on the statechart {chart} v{version}",
        "状态图 {chart} v{version} 上的一次运行",
    ),
    "picture_digest": ("SHA-256 of the chart", "状态图 SHA-256"),
    "picture_start": ("start", "起始"),
    "picture_final": ("final", "终态"),
    "picture_row": ("{source}: {label}", "{source}：{label}"),
    # -- what a run left on a card
    "picture_state_ran": (
        "entered {count}×, first at +{first} s, {seconds} s in all",
        "进入 {count} 次，首次 +{first} 秒，共 {seconds} 秒",
    ),
    "picture_row_taken": (
        "taken {count}×, first at +{first} s, ledger rows {numbers}",
        "执行 {count} 次，首次 +{first} 秒，账本第 {numbers} 行",
    ),
    "picture_initial_taken": ("taken {count}×", "执行 {count} 次"),
    "picture_refused": ("{guard} said no {count}×", "{guard} 否决 {count} 次"),
    "picture_refused_why": (
        "{guard} said no {count}×: {reason}",
        "{guard} 否决 {count} 次：{reason}",
    ),
    "picture_more": ("and {count} more reasons", "另有 {count} 种原因"),
    # -- the head of a run
    "picture_trace": ("Trace", "运行编号"),
    "picture_started": ("Started", "开始时间"),
    "picture_lasted": ("Duration", "用时"),
    "picture_seconds": ("{seconds} s", "{seconds} 秒"),
    "picture_events": ("Events", "事件"),
    "picture_counts": (
        "{handled} handled, {ignored} ignored, {stale} stale, {faulted} faulted",
        "已处理 {handled}，忽略 {ignored}，过期 {stale}，出错 {faulted}",
    ),
    "picture_outcome": ("Outcome", "结果"),
    "picture_not_ended": (
        "not ended: the ledger stops in {state}",
        "未结束：账本停在 {state}",
    ),
    "picture_last_row": ("Last transition", "最后一次转换"),
    # -- the legend
    "picture_legend": ("How to read this", "图例"),
    "picture_legend_row": (
        "A numbered line is a transition: event [guard] / actions → next state. "
        "#n numbers the alternatives of one event: they are tried from top to bottom, "
        "and the first enabled one wins.",
        "每个编号行是一个转换：事件 [守卫] / 动作 → 下一状态。"
        "#n 是同一事件的备选编号：自上而下逐个检查，第一个满足条件的生效。",
    ),
    "picture_legend_parent": (
        "The lines of a state with inner states hold in each of them, after the inner state's own.",
        "外层状态的转换行对其中每个内层状态都有效，先检查内层自己的行。",
    ),
    "picture_legend_internal": (
        "A line without → stays in its state. always: taken without an event, at once.",
        "没有 → 的行不离开本状态。always：无需事件，立即检查。",
    ),
    "picture_legend_work": (
        "entry, exit: actions on entering and leaving. invoke: a service that runs while the state "
        "is active. spawn: a service that a line starts. after: a timer.",
        "entry、exit：进入、离开时的动作。invoke：状态活动期间运行的服务。"
        "spawn：由某一行启动的服务。after：定时器。",
    ),
    "picture_legend_lane": (
        "Lines of one colour lead to the same state; lines that only cross are not joined.",
        "同色的线通向同一个状态；只是交叉的线并不相连。",
    ),
    "picture_legend_arrow": (
        "Each line leads to the card that its arrow points at; lines that only cross are not "
        "joined.",
        "每条线通向其箭头所指的卡片；只是交叉的线并不相连。",
    ),
    "picture_legend_start": ("Where it starts.", "起始状态。"),
    "picture_legend_final": ("Where it ends.", "终态。"),
    "picture_legend_run": (
        "Coloured: what this run did, with counts, seconds since its first event, and the numbers "
        "of the ledger rows. Pale: not part of it.",
        "彩色：本次运行经过的部分，附次数、距首个事件的秒数和账本行号。浅色：本次未经过。",
    ),
    "picture_legend_refused": (
        "said no: a guard that refused the line, how often, and why; under not, that lets it pass.",
        "“否决”：拒绝该行的守卫、次数与原因；在 not 之下，否决使该行通过。",
    ),
    # -- a ledger that cannot be drawn
    "overlay_empty": (
        "The ledger holds no event of a chart, so there is no path to draw; name the ledger of a "
        "run that started.",
        "账本中没有任何状态图事件，无路径可画；请指定一次已开始运行的账本。",
    ),
    "overlay_broken": (
        "Row {row} of the ledger has no readable {key}, so the run cannot be drawn; use the ledger "
        "as it was written.",
        "账本第 {row} 行的 {key} 无法读取，无法画出此次运行；请使用未经改动的账本。",
    ),
    "overlay_gap": (
        "Row {row} of the ledger follows row {before}, so rows are missing or were moved; use the "
        "whole ledger as it was written.",
        "账本第 {row} 行紧跟在第 {before} 行之后，有行缺失或被移动；请使用完整且未经改动的账本。",
    ),
    "overlay_other_chart": (
        "The ledger is of the chart {other}, not of {chart}; export that chart instead.",
        "此账本属于状态图 {other}，而不是 {chart}；请改为导出该状态图。",
    ),
    "overlay_other_version": (
        "The chart {chart} has been changed since the run: row {row} of the ledger names the "
        "version {theirs}, this one is {ours}. Draw it with the release that ran it.",
        "状态图 {chart} 在该次运行之后已修改：账本第 {row} 行的版本为 {theirs}，当前为 {ours}。"
        "请用当时运行的版本来画。",
    ),
    "overlay_does_not_fit": (
        "Row {row} of the ledger ({event}) says what the chart {chart} cannot do there: rows are "
        "missing or were changed. Use the whole ledger as it was written.",
        "账本第 {row} 行（{event}）的内容与状态图 {chart} 不符：有行缺失或被改动。"
        "请使用完整且未经改动的账本。",
    ),
    # -- chart export
    "chart_trace_needs_svg": (
        "A run can be drawn as svg only, not as {form}; leave out --trace or name --format svg.",
        "运行路径只能画成 svg，不能用 {form}；请去掉 --trace 或使用 --format svg。",
    ),
    "chart_exported": ("{chart} written to {file}", "{chart} 已写入 {file}"),
    "coverage_unwritable": (
        "The file {file} cannot be written: {why}. Name a folder that can be with --write.",
        "无法写入文件 {file}：{why}。请用 --write 指定一个可写的文件夹。",
    ),
    "chart_unwritable": (
        "The file {file} cannot be written: {why}. Name another with --out.",
        "无法写入文件 {file}：{why}。请用 --out 指定另一个。",
    ),
}
