"""Sentences that tell a model what is wrong with its arguments: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "arguments_broken": (
        "The arguments of the call are not one JSON object, so nothing was run: {why} "
        "Send the whole call again with strict JSON.",
        "调用的参数不是一个完整的 JSON 对象，因此没有执行：{why}请用严格的 JSON 重新发送整个调用。",
    ),
    "json_cut": (
        "they end before the object or a string in it is closed (they end with: {around}).",
        "在对象或其中的字符串结束之前就中断了（结尾是：{around}）。",
    ),
    "json_more": (
        "more follows after the object, at line {line}, column {column} ({around}).",
        "对象结束之后还有内容，位于第 {line} 行第 {column} 列（{around}）。",
    ),
    "json_at": (
        "at line {line}, column {column} {what} ({around}).",
        "第 {line} 行第 {column} 列{what}（{around}）。",
    ),
    "json_key_twice": (
        "the key “{key}” stands twice in one object.",
        "同一个对象中键“{key}”出现了两次。",
    ),
    "json_not_finite": (
        "{number} is no number of JSON.",
        "{number} 不是 JSON 数字。",
    ),
    "json_bounds": (
        "a number is too long, or the nesting too deep.",
        "有数字过长，或嵌套过深。",
    ),
    "json_list": ("they are a list.", "它是一个数组。"),
    "json_text": ("they are a text in quotes.", "它是一个带引号的字符串。"),
    "json_number": ("they are a number.", "它是一个数字。"),
    "json_no_object": ("they are true, false or null.", "它是 true、false 或 null。"),
    # --- what stands at a place, after its line and column
    "json_want_key": (
        "a key in double quotes is missing",
        "缺少用英文双引号括起的键",
    ),
    "json_want_colon": ("a colon is missing after a key", "键后缺少英文冒号"),
    "json_want_comma": (
        'a comma or a closing bracket is missing; a double quote inside a string is written \\"',
        '缺少英文逗号或右括号；字符串中的双引号要写成 \\"',
    ),
    "json_want_value": ("a JSON value is missing", "缺少 JSON 值"),
    "json_control": (
        "a string holds a raw line break or control character, which is written \\n or \\u00XX",
        "字符串中有未转义的换行或控制字符，应写成 \\n 或 \\u00XX",
    ),
    "json_escape": (
        "a backslash begins no escape of JSON; a backslash itself is written \\\\",
        "反斜杠不是有效的 JSON 转义；反斜杠本身要写成 \\\\",
    ),
    "json_trailing_comma": (
        "a comma stands before a closing bracket",
        "右括号之前多了一个逗号",
    ),
    "json_other": ("it cannot be read", "无法解析"),
}
