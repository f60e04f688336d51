"""Sentences of scenarios: scripted transition tests, their report, coverage and mutants.

Each problem of a file has two entries: what is wrong, and under `<key>_fix` what to write.
"""

WORDS: dict[str, tuple[str, str]] = {
    "scenario_broken": (
        "The scenario file {file} has {count} problem(s) and was not run; correct each line below:",
        "场景文件 {file} 有 {count} 个问题，未运行；请逐行修正：",
    ),
    "scenario_unknown_chart": ("There is no chart {name}.", "没有状态图 {name}。"),
    "scenario_unknown_chart_fix": ("Write {near}.", "请写 {near}。"),
    "scenario_unknown_key": ("A scenario has no key {name} here.", "此处不能写键 {name}。"),
    "scenario_unknown_key_fix": ("Write {near}.", "请写 {near}。"),
    "scenario_unknown_event": (
        "The chart has no event {name}, so it could never come.",
        "状态图没有事件 {name}，它不可能发生。",
    ),
    "scenario_unknown_event_fix": ("Write {near}.", "请写 {near}。"),
    "scenario_unknown_field": (
        "The payload of {event} has no field {name}.",
        "事件 {event} 的载荷没有字段 {name}。",
    ),
    "scenario_unknown_field_fix": ("Write {near}.", "请写 {near}。"),
    "scenario_value": (
        "{value} is no value of {field} of {event}.",
        "{value} 不是 {event} 的 {field} 的取值。",
    ),
    "scenario_value_fix": ("Write one of: {known}.", "请写其中之一：{known}。"),
    "scenario_unknown_state": (
        "The chart has no state {name} in which it could rest.",
        "状态图没有可停留的状态 {name}。",
    ),
    "scenario_unknown_state_fix": ("Write {near}.", "请写 {near}。"),
    "scenario_ambiguous": (
        "The state {name} could be any of: {known}.",
        "状态 {name} 可能是：{known}。",
    ),
    "scenario_ambiguous_fix": ("Write its whole path.", "请写完整路径。"),
    "scenario_effect": (
        "{effect} is not an effect: it has no kind and name.",
        "{effect} 不是效果：缺少种类和名称。",
    ),
    "scenario_effect_fix": (
        "Write `start ID`, `cancel ID`, `timer EVENT` with or without seconds, or `do NAME`.",
        "请写 `start ID`、`cancel ID`、`timer EVENT`（秒数可省略）或 `do NAME`。",
    ),
    "scenario_unknown_effect": (
        "The chart has no effect with {name}.",
        "状态图没有含 {name} 的效果。",
    ),
    "scenario_unknown_effect_fix": ("Write {near}.", "请写 {near}。"),
    "scenario_unknown_dropped": (
        "An event cannot be dropped as {name}.",
        "事件不会以 {name} 的方式被丢弃。",
    ),
    "scenario_unknown_dropped_fix": ("Write {near}.", "请写 {near}。"),
    "scenario_unknown_fact": ("The context has no fact {name}.", "上下文没有事实 {name}。"),
    "scenario_unknown_fact_fix": ("Write {near}.", "请写 {near}。"),
    "scenario_beginning": (
        "The chart cannot begin with {given}.",
        "状态图不能以 {given} 开始。",
    ),
    "scenario_beginning_fix": ("It begins with: {known}.", "可用的开始：{known}。"),
    "scenario_late": (
        "{event} cannot be late: no service or timer sends it.",
        "{event} 不会迟到：它不是由服务或定时器发出的。",
    ),
    "scenario_late_fix": ("Remove late.", "请删除 late。"),
    "scenario_twice": (
        "The name {name} already stands on line {first}.",
        "名称 {name} 已在第 {first} 行出现。",
    ),
    "scenario_twice_fix": ("Give one of them another name.", "请给其中一个换个名称。"),
    "record_empty": (
        "The ledger {name} holds no event of a chart, so there is nothing to tell.",
        "账本 {name} 中没有状态图事件，无可记录。",
    ),
    "record_event": (
        "Row {seq} of the ledger has the event {event}, which the chart {chart} no longer "
        "knows; record a run of the chart as it is now.",
        "账本第 {seq} 行的事件 {event} 已不在状态图 {chart} 中；请录制用当前状态图运行的任务。",
    ),
    "record_value": (
        "Row {seq} of the ledger: the field {field} of {event} is missing or has a value that "
        "the chart does not declare; add the value to events: of the chart.",
        "账本第 {seq} 行：{event} 的字段 {field} 缺失或取值未在状态图中声明；"
        "请把该值加入状态图的 events:。",
    ),
    "record_differs": (
        "At row {seq} of the ledger ({event}) the chart {chart} as it is now goes another way; "
        "record a run of the chart as it is now.",
        "在账本第 {seq} 行（{event}），当前的状态图 {chart} 走了不同的路；"
        "请录制用当前状态图运行的任务。",
    ),
    "scenario_step_differs": (
        "step {number}, {event}: - wanted, + got",
        "第 {number} 步 {event}：- 应为，+ 实为",
    ),
    "scenario_part_fault": ("result", "结果"),
    "scenario_part_result": ("result", "结果"),
    "scenario_part_state": ("state", "状态"),
    "scenario_part_effects": ("effects", "效果"),
    "scenario_part_context": ("context", "上下文"),
    "scenario_summary": (
        "{scenarios} scenarios in {files} files, {steps} steps: {passed} passed, {failed} failed",
        "{files} 个文件，{scenarios} 个场景，{steps} 步：通过 {passed}，失败 {failed}",
    ),
    "scenarios_broken": (
        "Nothing was run: {count} problem(s) in the scenario files; correct each line below:",
        "未运行任何场景：场景文件有 {count} 个问题；请逐行修正：",
    ),
    "scenario_file_missing": (
        "There is no scenario file or folder {path}; check the path.",
        "没有场景文件或文件夹 {path}；请检查路径。",
    ),
    "scenario_none": (
        "There is no scenario file in {where}; add one (`sgclaw chart test --help` shows the form).",
        "{where} 中没有场景文件；请添加（`sgclaw chart test --help` 有格式示例）。",
    ),
    "record_written": ("{count} events written to {path}", "{count} 个事件已写入 {path}"),
    "coverage_head": ("{chart}: {count} scenarios", "{chart}：{count} 个场景"),
    "coverage_rows": (
        "  rows           {met} of {of} taken, each in every leaf it can be taken in",
        "  行             走过 {met} / {of}（按可发生的每个状态计）",
    ),
    "coverage_overlaps": (
        "  overlap pairs  {met} of {of} met",
        "  重叠行对       遇到 {met} / {of}",
    ),
    "coverage_mutants": (
        "  mutants        {of}: {killed} killed by a scenario, {lint} refused by the lint, {equal} "
        "proven equal, {alive} alive",
        "  变异体         共 {of}：场景发现 {killed}，检查拒绝 {lint}，证明等价 {equal}，存活 {alive}",
    ),
    "coverage_failed": ("fails: {name}", "失败：{name}"),
    "coverage_row_missing": ("row never taken: {name}", "从未走过的行：{name}"),
    "coverage_overlap_missing": ("pair never met: {name}", "从未遇到的行对：{name}"),
    "coverage_survivor": (
        "survives: {name} (add a scenario that shows it, or list it in equivalent.yaml with the "
        "reason)",
        "存活：{name}（请补充能发现它的场景，或在 equivalent.yaml 中写明理由）",
    ),
    "coverage_overtaken": (
        "equivalent.yaml lists {name}, which a scenario shows or which does not exist; remove it",
        "equivalent.yaml 列出的 {name} 已被场景发现或不存在；请删除",
    ),
}
