"""Sentences of the skill area: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    # --- the header of a skill file
    "skill_header_not_utf8": (
        "The skill file is not UTF-8. Save it as UTF-8 and sign it again.",
        "技能文件不是 UTF-8 编码。请另存为 UTF-8 后重新签名。",
    ),
    "skill_header_missing": (
        "The skill file does not begin with its header. The first line must be exactly /** , with "
        "nothing before it.",
        "技能文件没有以文件头开始。第一行必须正好是 /** ，前面不能有任何内容。",
    ),
    "skill_header_unclosed": (
        "The header is not closed. End it with a line that holds only ' */'.",
        "文件头没有结束。请用单独一行 ' */' 结束。",
    ),
    "skill_header_line": (
        "Header line {line} does not begin with ' * '. Begin every header line with it.",
        "文件头第 {line} 行没有以 ' * ' 开头。文件头每一行都要以它开头。",
    ),
    "skill_header_character": (
        "Header line {line} holds the invisible or control character {character}. Remove it.",
        "文件头第 {line} 行含有不可见字符或控制字符 {character}。请删除它。",
    ),
    "skill_header_text_before_tags": (
        "Header line {line} stands before the first tag. Begin with a line like ' * @skill name'.",
        "文件头第 {line} 行出现在第一个标签之前。请先写 ' * @skill 名称' 这样的行。",
    ),
    "skill_header_continuation": (
        "Header line {line} continues @{tag}, but only @description may take several lines. Put "
        "@{tag} on one line.",
        "文件头第 {line} 行是 @{tag} 的续行，但只有 @description 可以写多行。请把 @{tag} 写在一行内。",
    ),
    "skill_header_unknown_tag": (
        "Header line {line} has the unknown tag @{tag}. Known tags: {known}.",
        "文件头第 {line} 行有未知标签 @{tag}。可用标签：{known}。",
    ),
    "skill_header_repeated_tag": (
        "The tag @{tag} stands twice (again on header line {line}). Keep one.",
        "标签 @{tag} 出现了两次（文件头第 {line} 行又出现）。请只保留一个。",
    ),
    "skill_header_missing_tag": (
        "The header has no @{tag}. Add the line ' * @{tag} …'.",
        "文件头缺少 @{tag}。请添加 ' * @{tag} …' 这一行。",
    ),
    "skill_header_name": (
        "@skill is {value}. A name has 1 to 64 lower-case letters, digits and single hyphens, like "
        "erp-monthly-report.",
        "@skill 的值是 {value}。名称由 1 到 64 个小写字母、数字和单个连字符组成，例如 erp-monthly-report。",
    ),
    "skill_header_version": (
        "@version is {value}. Write three numbers, like 1.0.0.",
        "@version 的值是 {value}。请写三个数字，例如 1.0.0。",
    ),
    "skill_header_description": (
        "@description has {length} characters. It needs 1 to 1024: what the skill does, and when "
        "to use it.",
        "@description 有 {length} 个字符。需要 1 到 1024 个：说明技能做什么、何时使用。",
    ),
    "skill_header_author": (
        "@author is too long ({length} characters). Use at most 200.",
        "@author 太长（{length} 个字符）。最多 200 个。",
    ),
    "skill_header_domains": (
        "@domains holds {value}. Write 1 to 50 exact host names separated by commas, like "
        "erp.example.com; no scheme, port, path or wildcard, none twice.",
        "@domains 含有 {value}。请写 1 到 50 个确切的主机名，用逗号分隔，例如 erp.example.com；"
        "不要写协议、端口、路径或通配符，也不要重复。",
    ),
    "skill_header_params_json": (
        "@params is not one JSON object that is the last part of the header: {why} Inside JSON, "
        "write */ as *\\/.",
        "@params 不是位于文件头末尾的一个 JSON 对象：{why} JSON 中的 */ 要写成 *\\/。",
    ),
    "skill_header_schema": (
        "@params is not a usable JSON Schema (Draft 2020-12): {why}",
        "@params 不是可用的 JSON Schema（Draft 2020-12）：{why}",
    ),
    "skill_header_schema_type": (
        '@params must describe an object. Write "type": "object" at its top.',
        '@params 必须描述一个对象。请在顶层写 "type": "object"。',
    ),
    "skill_header_schema_keyword": (
        "@params uses {keyword}, which is not allowed in a skill. Write the schema out in full.",
        "@params 使用了 {keyword}，技能中不允许使用。请把 schema 完整写出。",
    ),
    "skill_header_schema_pattern": (
        "@params holds the pattern {pattern}, which is longer than {length_max} characters, repeats "
        "a repetition, or is no regular expression. Write a simpler one.",
        "@params 含有正则表达式 {pattern}：它超过 {length_max} 个字符、对重复再次重复，或者不是合法的"
        "正则表达式。请写得简单一些。",
    ),
    # --- parameters
    "skill_params_not_object": (
        "The parameters of {skill} are {value}. Pass one JSON object.",
        "技能 {skill} 的参数是 {value}。请传入一个 JSON 对象。",
    ),
    "skill_params_missing": (
        "{skill} needs the parameter {param}, and it is missing. Expected: {expected}.",
        "技能 {skill} 缺少参数 {param}。应为：{expected}。",
    ),
    "skill_params_unknown": (
        "{skill} has no parameter {param}. Known parameters: {expected}.",
        "技能 {skill} 没有参数 {param}。可用参数：{expected}。",
    ),
    "skill_params_type": (
        "Parameter {param} of {skill} is {value}, which has the wrong type. Expected: {expected}.",
        "技能 {skill} 的参数 {param} 是 {value}，类型不对。应为：{expected}。",
    ),
    "skill_params_enum": (
        "Parameter {param} of {skill} is {value}. Expected one of: {expected}.",
        "技能 {skill} 的参数 {param} 是 {value}。应为其中之一：{expected}。",
    ),
    "skill_params_pattern": (
        "Parameter {param} of {skill} is {value}, which does not have the right form. Expected: "
        "{expected}.",
        "技能 {skill} 的参数 {param} 是 {value}，格式不对。应为：{expected}。",
    ),
    "skill_params_invalid": (
        "Parameter {param} of {skill} is {value}, which breaks the rule {rule}. Expected: {expected}.",
        "技能 {skill} 的参数 {param} 是 {value}，不符合规则 {rule}。应为：{expected}。",
    ),
    # --- registry, signatures, files
    "skill_registry_missing": (
        "There is no skill registry at {path}. Reinstall the program, or sign the library: "
        "sgclaw skills sign.",
        "{path} 没有技能清单。请重新安装程序，或给技能库签名：sgclaw skills sign。",
    ),
    "skill_registry_unsigned": (
        "The skill registry has no usable signature file {path}. No skill was loaded. Reinstall "
        "the program, or sign the library: sgclaw skills sign.",
        "技能清单没有可用的签名文件 {path}。没有加载任何技能。请重新安装程序，或给技能库签名："
        "sgclaw skills sign。",
    ),
    "skill_registry_tampered": (
        "The skill registry {path} was changed after it was signed, or was signed by another key. "
        "No skill was loaded. Reinstall the program.",
        "技能清单 {path} 在签名后被改动，或由其他密钥签名。没有加载任何技能。请重新安装程序。",
    ),
    "skill_registry_json": (
        "The skill registry {path} is not strict JSON: {why} No skill was loaded. Sign the library "
        "again.",
        "技能清单 {path} 不是严格的 JSON：{why} 没有加载任何技能。请重新给技能库签名。",
    ),
    "skill_registry_invalid": (
        "The skill registry is not valid at {where}: {why}. No skill was loaded. Sign the library "
        "again.",
        "技能清单的 {where} 无效：{why}。没有加载任何技能。请重新给技能库签名。",
    ),
    "skill_registry_duplicate": (
        "The skill registry names {name} twice (upper and lower case count as the same). No skill "
        "was loaded. Keep one entry and sign the library again.",
        "技能清单中 {name} 出现了两次（大小写视为相同）。没有加载任何技能。请只保留一项并重新签名。",
    ),
    "skill_registry_expiry": (
        "The skill registry has an expiry date ({expires_at}), which built-in libraries do not "
        "carry. No skill was loaded. Sign the library again without one.",
        "技能清单带有到期日期（{expires_at}），内置技能库不使用它。没有加载任何技能。请去掉后重新签名。",
    ),
    "skill_key_copy_differs": (
        "The readable key {path} is not the key that this program trusts. No skill was loaded. "
        "Reinstall the program.",
        "公钥文件 {path} 与本程序信任的密钥不一致。没有加载任何技能。请重新安装程序。",
    ),
    "skill_key_invalid": (
        "The skill key is not 32 bytes written as 64 hexadecimal digits. Reinstall the program.",
        "技能公钥不是 64 位十六进制数（32 字节）。请重新安装程序。",
    ),
    "skill_key_unknown": (
        "Skill {name} is signed by the key {key_id}, which this program does not trust. It was not "
        "loaded.",
        "技能 {name} 由密钥 {key_id} 签名，本程序不信任该密钥。没有加载它。",
    ),
    "skill_signature_bad": (
        "The signature of skill {name} does not match its entry. It was not loaded. Restore the "
        "signed version.",
        "技能 {name} 的签名与其条目不符。没有加载它。请恢复已签名的版本。",
    ),
    "skill_hash_differs": (
        "Skill {name} was changed after it was signed: the hash of {file} does not match. It was "
        "not loaded. Restore the signed version.",
        "技能 {name} 在签名后被改动：{file} 的哈希值不符。没有加载它。请恢复已签名的版本。",
    ),
    "skill_hash_line_endings": (
        "The line endings of {file} were changed from LF to CRLF after skill {name} was signed. It "
        "was not loaded. Check the file out again without line ending conversion.",
        "技能 {name} 签名后，{file} 的换行符由 LF 变成了 CRLF。没有加载它。请关闭换行符转换后重新检出。",
    ),
    "skill_header_differs": (
        "The header of {file} says {field} {header}, but its signed entry says {entry}. Skill {name} "
        "was not loaded.",
        "{file} 的文件头中 {field} 为 {header}，而签名条目中为 {entry}。技能 {name} 没有加载。",
    ),
    "skill_unsigned": (
        "The file {file} is not in the signed registry, so it is never run. To use it, sign the "
        "library: sgclaw skills sign.",
        "文件 {file} 不在已签名的清单中，因此不会运行。要使用它，请给技能库签名：sgclaw skills sign。",
    ),
    "skill_disabled": (
        "Skill {name} is switched off in the registry.",
        "技能 {name} 在清单中已停用。",
    ),
    "skill_unknown": (
        "There is no skill named {name}. Skills: {known}.",
        "没有名为 {name} 的技能。现有技能：{known}。",
    ),
    "skill_file_missing": (
        "The skill file {file} cannot be read: {why}. Restore it.",
        "无法读取技能文件 {file}：{why}。请恢复该文件。",
    ),
    "skill_file_link": (
        "The skill file {file} is a link or lies behind one. Skills are read from plain files only.",
        "技能文件 {file} 是链接，或位于链接之后。技能只能从普通文件读取。",
    ),
    "skill_file_irregular": (
        "The skill file {file} is not a plain file. Restore it.",
        "技能文件 {file} 不是普通文件。请恢复该文件。",
    ),
    "skill_file_too_large": (
        "The file {file} is larger than {bytes_max} bytes and was not read.",
        "文件 {file} 超过 {bytes_max} 字节，没有读取。",
    ),
    # --- what a skill asks of the browser
    "skill_call_empty": (
        "browserAction was called without an action. Call browserAction('click', selector).",
        "browserAction 没有给出动作。请这样调用：browserAction('click', selector)。",
    ),
    "skill_call_action": (
        "There is no action {action}. Actions: {known}.",
        "没有动作 {action}。可用动作：{known}。",
    ),
    "skill_call_never": (
        "The action {action} runs code in the page and is always refused.",
        "动作 {action} 会在页面中执行代码，一律拒绝。",
    ),
    "skill_call_arguments": (
        "{action} was given too many arguments. Expected: {expected}.",
        "{action} 的参数太多。应为：{expected}。",
    ),
    "skill_call_missing": (
        "{action} needs {param}. Expected: {expected}.",
        "{action} 需要 {param}。应为：{expected}。",
    ),
    "skill_call_key": (
        "{action} has no parameter {param}. Expected: {expected}.",
        "{action} 没有参数 {param}。应为：{expected}。",
    ),
    "skill_call_type": (
        "The {param} of {action} must be {expected}.",
        "{action} 的 {param} 必须是 {expected}。",
    ),
    "skill_answer_too_large": (
        "The answer is larger than {bytes_max} bytes. Ask for less: a narrower selector, or fewer "
        "characters.",
        "返回内容超过 {bytes_max} 字节。请缩小范围：使用更精确的选择器或更少的字符。",
    ),
    "skill_answer_not_json": (
        "The answer could not be passed to the skill.",
        "返回内容无法传给技能。",
    ),
    # --- running
    "skill_start_failed": (
        "The skill sandbox did not start: {why}. Run sgclaw doctor.",
        "技能沙箱没有启动：{why}。请运行 sgclaw doctor。",
    ),
    "skill_start_timeout": (
        "The skill sandbox did not start within {seconds} s. Close other programs and try again.",
        "技能沙箱在 {seconds} 秒内没有启动。请关闭其他程序后重试。",
    ),
    "skill_start_unsafe": (
        "The skill sandbox refused to start because its engine still offers {what}. Reinstall the "
        "locked version of mini-racer.",
        "技能沙箱拒绝启动，因为引擎仍然提供 {what}。请重新安装锁定版本的 mini-racer。",
    ),
    "skill_run_timeout": (
        "Skill {skill} took more than {seconds} s of its own time and was stopped.",
        "技能 {skill} 自身运行超过 {seconds} 秒，已停止。",
    ),
    "skill_turn_timeout": (
        "Skill {skill} did not come to rest within {seconds} s (an endless loop?) and was stopped.",
        "技能 {skill} 在 {seconds} 秒内没有停下（可能是死循环），已停止。",
    ),
    "skill_stalled": (
        "Skill {skill} waits for something that can never happen (no call, no timer) and was "
        "stopped. Its author must await only browserAction and timers.",
        "技能 {skill} 在等待不可能发生的事（没有调用，也没有定时器），已停止。作者只能等待 browserAction 和定时器。",
    ),
    "skill_memory": (
        "Skill {skill} needed more than {megabytes} MB of memory and was stopped.",
        "技能 {skill} 需要的内存超过 {megabytes} MB，已停止。",
    ),
    "skill_crashed": (
        "The sandbox of skill {skill} ended by itself ({why}). Nothing more was done.",
        "技能 {skill} 的沙箱自行结束（{why}）。没有再执行任何操作。",
    ),
    "skill_protocol": (
        "The sandbox of skill {skill} sent something that is not allowed and was stopped: {why}",
        "技能 {skill} 的沙箱发送了不允许的内容，已停止：{why}",
    ),
    "skill_message_invalid": (
        "a message does not have the agreed form ({where}).",
        "消息不符合约定格式（{where}）。",
    ),
    "skill_message_too_long": (
        "a line is longer than {bytes_max} bytes. Pass and return less at once.",
        "一行超过 {bytes_max} 字节。请一次少传一些。",
    ),
    "skill_message_unasked": (
        "it spoke without being asked.",
        "它在未被询问时发送了内容。",
    ),
    "skill_result_not_object": (
        "Skill {skill} returned no object. It must return {success: true or false, data, error}.",
        "技能 {skill} 没有返回对象。必须返回 {success: true 或 false, data, error}。",
    ),
    "skill_result_success": (
        "Skill {skill} returned no success of its own that is true or false. It must return "
        "{success: true or false, data, error}.",
        "技能 {skill} 的返回值中没有自身的、为 true 或 false 的 success。必须返回 "
        "{success: true 或 false, data, error}。",
    ),
    "skill_result_key": (
        "Skill {skill} returned the unknown key {param}. It may return success, data and error.",
        "技能 {skill} 返回了未知的键 {param}。只能返回 success、data 和 error。",
    ),
    "skill_result_error": (
        "Skill {skill} returned an error that is not text. It must return error as a string.",
        "技能 {skill} 返回的 error 不是文本。error 必须是字符串。",
    ),
    "skill_result_too_large": (
        "Skill {skill} returned more than {bytes_max} bytes. It must return less.",
        "技能 {skill} 返回的内容超过 {bytes_max} 字节。请减少返回内容。",
    ),
    "skill_budget_calls": (
        "Skill {skill} made more than {budget} browser calls and was stopped.",
        "技能 {skill} 的浏览器调用超过 {budget} 次，已停止。",
    ),
    "skill_budget_logs": (
        "Skill {skill} wrote more than {budget} log lines and was stopped.",
        "技能 {skill} 写了超过 {budget} 行日志，已停止。",
    ),
    "skill_budget_timers": (
        "Skill {skill} held more than {budget} timers, or one longer than {ms_max} ms, and was "
        "stopped.",
        "技能 {skill} 同时持有超过 {budget} 个定时器，或有定时器超过 {ms_max} 毫秒，已停止。",
    ),
    "skill_failed": (
        "Skill {skill} failed: {message}{where}",
        "技能 {skill} 失败：{message}{where}",
    ),
    "skill_killed": (
        "Skill {skill} was stopped.",
        "技能 {skill} 已被停止。",
    ),
    "skill_sandbox_closed": (
        "The skill sandbox is closed; no skill can be started.",
        "技能沙箱已关闭，不能再启动技能。",
    ),
    # --- finding a skill without a model
    "match_no_skills": (
        "No skill is installed, and no model is configured. Install a signed skill or configure a "
        "model.",
        "没有安装任何技能，也没有配置模型。请安装已签名的技能或配置模型。",
    ),
    "match_none": (
        "No skill fits this instruction, and no model is configured that could plan it. Skills: "
        "{known}.",
        "没有符合该指令的技能，也没有配置可以规划任务的模型。现有技能：{known}。",
    ),
    "match_other_intent": (
        "The instruction says {word}, which {skill} does not do. No skill fits. Skills: {known}.",
        "指令中有“{word}”，而技能 {skill} 不做这件事。没有符合的技能。现有技能：{known}。",
    ),
    "match_missing": (
        "{skill} fits, but the instruction does not say {missing}. Name it, for example: {example}.",
        "技能 {skill} 符合，但指令没有说明 {missing}。请写明，例如：{example}。",
    ),
    "match_ambiguous": (
        "{skill} fits, but the instruction names more than one {slot}: {values}. Name one.",
        "技能 {skill} 符合，但指令中有多个 {slot}：{values}。请只写一个。",
    ),
    "match_params": (
        "{skill} fits, but its parameters do not: {why}",
        "技能 {skill} 符合，但参数不对：{why}",
    ),
}
