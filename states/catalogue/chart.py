"""Sentences of the chart area: key -> (English, Chinese).

Each problem of a chart has two entries: what is wrong, and under `<key>_fix` what to write.
"""

WORDS: dict[str, tuple[str, str]] = {
    "chart_broken": (
        "The chart {file} has {count} problem(s) and was not loaded; correct each line below:",
        "状态图 {file} 有 {count} 个问题，未加载；请逐行修正：",
    ),
    "chart_missing": (
        "There is no chart named {name}; the charts are: {known}.",
        "没有名为 {name} 的状态图；现有：{known}。",
    ),
    "chart_never_settles": (
        "The chart {chart} took {rows_max} rows for the event {event} and had not come to rest "
        "in {state}; give one of its always rows a guard that ends the chase.",
        "状态图 {chart} 为事件 {event} 连续走了 {rows_max} 行仍未停下（在 {state}）；"
        "请给其中一个 always 行加上能结束循环的守卫。",
    ),
    "chart_fault": (
        "The {kind} {name} failed ({cause}), so the event changed nothing; correct its code: "
        "guards and reducers must answer for every context and event.",
        "{kind} {name} 出错（{cause}），该事件未产生任何改变；请修正其代码："
        "守卫和归约函数必须对任何上下文和事件都有结果。",
    ),
    "chart_unbound": (
        "The {kind} {name} of the chart {chart} is not bound.",
        "状态图 {chart} 的 {kind} {name} 没有绑定。",
    ),
    "chart_unbound_fix": ("Bind it in the wiring.", "请在装配处绑定它。"),
    "chart_inbox_full": (
        "More than {events_max} events wait for the chart {chart}, so the run was stopped; "
        "find the service that floods it.",
        "等待状态图 {chart} 处理的事件超过 {events_max} 个，运行已停止；请找出发送过多事件的服务。",
    ),
    "chart_already_running": (
        "This shell already runs the chart {chart}; make a new shell for another run.",
        "此外壳已在运行状态图 {chart}；再次运行请新建外壳。",
    ),
    "chart_emit_undeclared": (
        "The service {id} sent {event}, which its chart entry does not list under emits; "
        "add it there or do not send it.",
        "服务 {id} 发送了 {event}，但状态图中它的 emits 没有列出；请补上或不要发送。",
    ),
    "chart_payload_no_mapping": (
        "The service {src} ended with {kind} instead of a mapping, so its result was not used; "
        "return a mapping.",
        "服务 {src} 返回了 {kind} 而不是映射，其结果未被采用；请返回映射。",
    ),
    # -- problems: the text as YAML
    "chart_not_yaml": ("The file is not YAML: {cause}.", "文件不是有效的 YAML：{cause}。"),
    "chart_not_yaml_fix": (
        "Correct the syntax at this line or just above it.",
        "请修正此行或其上方的语法。",
    ),
    "chart_number_too_long": (
        "This number has more than {most} digits.",
        "此数字超过 {most} 位。",
    ),
    "chart_number_too_long_fix": (
        "Write a shorter one, or put it in quotes if it is text.",
        "请写短一些；若是文本，请加引号。",
    ),
    "chart_two_documents": (
        "A second YAML document starts here.",
        "此处开始了第二个 YAML 文档。",
    ),
    "chart_two_documents_fix": (
        "Put one chart in one file and remove the `---`.",
        "一个文件只放一个状态图，请去掉 `---`。",
    ),
    "chart_empty": ("The file declares no state.", "文件没有声明任何状态。"),
    "chart_empty_fix": (
        "Write id, version, initial, events and states.",
        "请写出 id、version、initial、events 和 states。",
    ),
    "chart_alias": (
        "Anchors, aliases and merge keys are not allowed ({name}).",
        "不允许使用锚点、别名或合并键（{name}）。",
    ),
    "chart_alias_fix": ("Write the value out here.", "请在此处写出完整的值。"),
    "chart_tag": ("YAML tags are not allowed ({tag}).", "不允许使用 YAML 标签（{tag}）。"),
    "chart_tag_fix": ("Remove the tag.", "请去掉标签。"),
    "chart_key_not_text": ("A list or mapping stands as a key.", "键不能是列表或映射。"),
    "chart_key_not_text_fix": ("Use a name as key.", "请用名称作为键。"),
    "chart_duplicate_key": (
        "The key {word} stands twice; the first is on line {first_line}.",
        "键 {word} 出现了两次；第一次在第 {first_line} 行。",
    ),
    "chart_duplicate_key_fix": (
        "Join both under one key (alternatives are a list of rows).",
        "请合并到一个键下（多个备选写成列表）。",
    ),
    # -- problems: keys and types
    "chart_unknown_key": ("{where} has the unknown key {word}.", "{where} 含有未知的键 {word}。"),
    "chart_unknown_key_fix": ("Write {near}, or remove it.", "请写成 {near}，或删除它。"),
    "chart_missing_key": ("{where} lacks the key {word}.", "{where} 缺少键 {word}。"),
    "chart_missing_key_fix": ("Add {word}.", "请补上 {word}。"),
    "chart_wrong_type": ("{where} must be {expected}.", "{where} 的类型不对，应为 {expected}。"),
    "chart_wrong_type_fix": ("Write {expected} here.", "请在此处写 {expected}。"),
    "chart_bad_name": ("{name} cannot be a name in {where}.", "{where} 中的 {name} 不能作名称。"),
    "chart_bad_name_fix": (
        "Use small letters, digits and single underscores, a letter first "
        "(a state's path and an event may have dots).",
        "请用小写字母、数字和单个下划线，以字母开头（状态路径和事件名可以带点）。",
    ),
    "chart_state_type": (
        "State {state} has the type {kind}; parallel and history states do not exist here.",
        "状态 {state} 的 type 为 {kind}；这里没有并行状态和历史状态。",
    ),
    "chart_state_type_fix": ("Write `type: final` or no type.", "请写 `type: final` 或不写。"),
    "chart_guard_malformed": ("The guard of {where} is malformed.", "{where} 的守卫写法有误。"),
    "chart_guard_malformed_fix": (
        "Write a name, {and: [...]}, {or: [...]} or {not: guard}, with at least one part.",
        "请写名称、{and: [...]}、{or: [...]} 或 {not: 守卫}，且至少有一项。",
    ),
    "chart_empty_domain": (
        "The payload key {word} of {event} has no values.",
        "事件 {event} 的载荷键 {word} 没有取值。",
    ),
    "chart_empty_domain_fix": ("List its finite values.", "请列出它的有限取值。"),
    "chart_schema": (
        "{where} breaks the schema: {cause}.",
        "{where} 不符合 JSON Schema：{cause}。",
    ),
    "chart_schema_fix": ("See statecharts/schema.json.", "请参看 statecharts/schema.json。"),
    # -- problems: names
    "chart_unknown_guard": ("There is no guard {name}.", "没有守卫 {name}。"),
    "chart_unknown_guard_fix": ("Known: {near}.", "已知：{near}。"),
    "chart_unknown_action": (
        "There is neither a reducer nor an effect {name}.",
        "没有名为 {name} 的归约函数或效果。",
    ),
    "chart_unknown_action_fix": ("Known: {near}.", "已知：{near}。"),
    "chart_unknown_service": ("There is no service {name}.", "没有服务 {name}。"),
    "chart_unknown_service_fix": ("Known: {near}.", "已知：{near}。"),
    "chart_unknown_delay": ("There is no delay {name}.", "没有时限 {name}。"),
    "chart_unknown_delay_fix": (
        "Known: {near}. Or write seconds as a number.",
        "已知：{near}；也可以直接写秒数。",
    ),
    "chart_unknown_spawn": ("No state declares a spawn {name}.", "没有状态声明 spawn {name}。"),
    "chart_unknown_spawn_fix": ("Known: {near}.", "已知：{near}。"),
    "chart_unknown_target": ("There is no state {name}.", "没有状态 {name}。"),
    "chart_unknown_target_fix": (
        "Targets are paths from the root. Known: {near}.",
        "目标须写从根开始的路径。已知：{near}。",
    ),
    "chart_unknown_event": ("events: does not list {name}.", "events: 没有列出 {name}。"),
    "chart_unknown_event_fix": (
        "Add it to events:, or write {near}.",
        "请加入 events:，或写成 {near}。",
    ),
    "chart_unknown_completion": (
        "No service or timer sends {name}.",
        "没有服务或定时器会发出 {name}。",
    ),
    "chart_unknown_completion_fix": ("Known: {near}.", "已知：{near}。"),
    "chart_bound_twice": (
        "{name} is bound both as a reducer and as an effect.",
        "{name} 同时绑定为归约函数和效果。",
    ),
    "chart_bound_twice_fix": (
        "Give one of the two functions another name.",
        "请给其中一个函数改名。",
    ),
    # -- problems: states and rows
    "chart_initial": (
        "The initial of {state} is missing or no child of it.",
        "{state} 的 initial 缺失或不是其子状态。",
    ),
    "chart_initial_fix": ("Name a child: {near}.", "请写一个子状态：{near}。"),
    "chart_initial_of_leaf": (
        "State {state} has an initial but no states.",
        "状态 {state} 有 initial 但没有子状态。",
    ),
    "chart_initial_of_leaf_fix": (
        "Remove initial, or add states.",
        "请删除 initial 或补上 states。",
    ),
    "chart_initial_never_entered": (
        "The chart starts in {state} without entering it, so its {word} would never run.",
        "状态图从 {state} 开始而不是进入它，其 {word} 不会执行。",
    ),
    "chart_initial_never_entered_fix": (
        "Move {word} to the row that leaves this state, or to the next state.",
        "请把 {word} 移到离开此状态的行或下一个状态。",
    ),
    "chart_final_nested": (
        "The final state {state} stands inside another state.",
        "终止状态 {state} 位于其他状态之内。",
    ),
    "chart_final_nested_fix": ("Move it to the top level.", "请移到最外层。"),
    "chart_final_goes_on": (
        "The final state {state} has {word}, which could never happen.",
        "终止状态 {state} 含有 {word}，永远不会发生。",
    ),
    "chart_final_goes_on_fix": (
        "Remove it, or remove `type: final`.",
        "请删除它，或删除 `type: final`。",
    ),
    "chart_rows_twice": (
        "State {state} lists rows for {event} in two places.",
        "状态 {state} 在两处为 {event} 写了行。",
    ),
    "chart_rows_twice_fix": (
        "Keep one place, so that the order of the alternatives shows.",
        "请只保留一处，使备选的先后一目了然。",
    ),
    "chart_dead_row": (
        "{where} can never be taken: the row on line {line_of} has no guard.",
        "{where} 永远不会执行：第 {line_of} 行没有守卫。",
    ),
    "chart_dead_row_fix": (
        "Give that row a guard, or move it to the end.",
        "请给那一行加守卫，或把它移到最后。",
    ),
    # -- problems: services and sessions
    "chart_invoke_unhandled": (
        "Nothing in {state} takes {event}: the task would hang.",
        "{state} 中没有行处理 {event}：任务会一直挂起。",
    ),
    "chart_invoke_unhandled_fix": (
        "Add onDone and onError, or a row for it on an ancestor.",
        "请补上 onDone 和 onError，或在上级状态写一行。",
    ),
    "chart_spawn_unhandled": (
        "The session may end in {state}, where nothing takes {event}.",
        "会话可能在 {state} 中结束，但那里没有行处理 {event}。",
    ),
    "chart_spawn_unhandled_fix": (
        "Add a row for it to the state that declares the spawn.",
        "请在声明该 spawn 的状态上写一行处理它。",
    ),
    "chart_emit_unhandled": (
        "No state inside {state} takes the emitted {event}.",
        "{state} 之内没有状态处理发出的 {event}。",
    ),
    "chart_emit_unhandled_fix": (
        "Add a row for it, or remove it from emits.",
        "请补上一行，或从 emits 删除。",
    ),
    "chart_no_else": (
        "Every row for {event} in {state} has a guard: a result none of them takes would hang.",
        "{state} 中处理 {event} 的每一行都有守卫：都不满足时任务会挂起。",
    ),
    "chart_no_else_fix": (
        "End the list with a row without guard that fails closed.",
        "请在最后加一行不带守卫、按失败处理的行。",
    ),
    "chart_id_live_twice": (
        "The service id {id} would be live twice in {state}.",
        "服务 id {id} 会在 {state} 中同时存在两份。",
    ),
    "chart_id_live_twice_fix": ("Give one of them another id.", "请给其中一个换个 id。"),
    "chart_spawn_twice": (
        "The session id {id} of {state} also names another service.",
        "{state} 的会话 id {id} 与另一个服务同名。",
    ),
    "chart_spawn_twice_fix": (
        "Give it another id: {spawn: id} must say which one.",
        "请换一个 id：{spawn: id} 必须指向唯一的会话。",
    ),
    "chart_emit_reserved": (
        "{id} emits {event}, a name kept for what a service or a timer ends with.",
        "{id} 发出 {event}，该名称保留给服务或定时器的结束事件。",
    ),
    "chart_emit_reserved_fix": (
        "Name the event after what happened, without done., error. or after.",
        "请按发生的事命名，不要以 done.、error. 或 after. 开头。",
    ),
    "chart_spawn_unused": ("Nothing starts the session {id}.", "没有动作启动会话 {id}。"),
    "chart_spawn_unused_fix": (
        "Add the action {spawn: id} to a row, or remove the declaration.",
        "请在某一行加动作 {spawn: id}，或删除该声明。",
    ),
    "chart_spawn_outside_owner": (
        "The session {id} is started where its owner {owner} is not active.",
        "会话 {id} 在其所属状态 {owner} 未激活时启动。",
    ),
    "chart_spawn_outside_owner_fix": (
        "Start it in a row that stays in or enters {owner}, never in an exit.",
        "请在停留于或进入 {owner} 的行中启动，不要放在 exit 中。",
    ),
    # -- problems: what could hang
    "chart_waits_for_ever": (
        "State {state} waits without a timer or a service.",
        "状态 {state} 在等待，但没有定时器或服务。",
    ),
    "chart_waits_for_ever_fix": (
        "Give it or an ancestor an after, or an invoke.",
        "请给它或上级状态加 after 或 invoke。",
    ),
    "chart_abort_guarded": ("{where}: abort has a guard.", "{where}：abort 带有守卫。"),
    "chart_abort_guarded_fix": (
        "Remove the guard: a person may always abort.",
        "请删除守卫：用户随时可以中止。",
    ),
    "chart_no_abort": ("State {state} cannot be aborted.", "状态 {state} 无法中止。"),
    "chart_no_abort_fix": (
        "Add an unguarded abort row to it or to an ancestor, and abort to events:.",
        "请给它或上级状态加不带守卫的 abort 行，并在 events: 中列出 abort。",
    ),
    "chart_always_cycle": (
        "Eventless rows without guards chase each other: {path}.",
        "不带守卫的 always 行互相循环：{path}。",
    ),
    "chart_always_cycle_fix": ("Give one of them a guard.", "请给其中一行加守卫。"),
    "chart_scxml_comment": (
        "{id} v{version}, written from its YAML. To read it: a cond holds the name of a guard, or a tree of names, which the program binds; with datamodel=null a processor cannot evaluate it. A log marks where an action runs. A delayexpr is the name of a delay whose seconds the settings hold. What only-from names is the only sender of that event: from an older one it is stale.",
        "{id} v{version}，由 YAML 生成。阅读说明：cond 是由程序绑定的守卫名或守卫名的组合，datamodel=null 时处理器无法求值；log 标出动作执行的位置；delayexpr 是时限的名称，秒数在设置中；only-from 指明该事件的唯一发送者，来自旧发送者的事件作废。",
    ),
    # --- replay
    "replay_identical": (
        "Identical: {events} events of the chart {chart} give the same path, effects and context again; the last state is {state}.",
        "一致：状态图 {chart} 的 {events} 个事件重放后，路径、动作和上下文完全相同；最后状态为 {state}。",
    ),
    "replay_different": (
        "Different: row {seq} ({event}) comes to another {part} in a replay; {events} events before it are identical. The ledger was edited, or the program changed.",
        "不一致：第 {seq} 行（{event}）重放后的{part}不同；此前 {events} 个事件一致。账本被修改过，或程序已变更。",
    ),
    "replay_part_result": ("result", "结果"),
    "replay_part_path": ("path", "路径"),
    "replay_part_state": ("state", "状态"),
    "replay_part_verdicts": ("verdict", "守卫判定"),
    "replay_part_effects": ("list of effects", "动作列表"),
    "replay_part_context": ("context", "上下文"),
    "replay_empty": (
        "The ledger {path} holds no event, so there is nothing to replay; take the ledger of a task that began.",
        "账本 {path} 中没有事件，无法重放；请使用已开始的任务的账本。",
    ),
    "replay_torn": (
        "Behind the last whole row stand {bytes} bytes of a row that was never finished (a kill, or a full disk); they were not counted.",
        "最后一条完整记录之后还有 {bytes} 字节未写完的记录（进程被终止或磁盘已满），未计入。",
    ),
}
