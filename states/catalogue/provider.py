"""Sentences about who answers model calls: choice, address, key: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "provider_unknown": (
        "There is no provider {provider}; use claude, openai, ollama, offline or scripted:FILE. "
        "Any other server that speaks OpenAI's API is named with --base-url.",
        "没有模型服务 {provider}；请使用 claude、openai、ollama、offline 或 scripted:FILE。其他兼容 OpenAI 接口的服务请用 --base-url 指定。",
    ),
    "script_unreadable": (
        "The script {file} cannot be read: {why}. Give a JSON Lines file: --provider scripted:FILE.",
        "无法读取脚本 {file}：{why}。请给出 JSON Lines 文件：--provider scripted:FILE。",
    ),
    "option_needs_model": (
        "{option} names a model's server or name, and with {provider} no model answers. Add "
        "--provider claude, openai or ollama (or set a key), or leave it out.",
        "{option} 用于指定模型的服务或名称，而 {provider} 不使用模型。请加上 --provider claude、openai 或 ollama（或设置密钥），或去掉该选项。",
    ),
    # --- the address
    "base_url_unreadable": (
        "--base-url cannot be read as an address. Write it like https://models.example.com/v1.",
        "--base-url 无法解析为网址。请写成 https://models.example.com/v1 的形式。",
    ),
    "base_url_userinfo": (
        "--base-url holds a user name or password before {host}. Leave it out: a key belongs into "
        "the keyring or the environment.",
        "--base-url 在 {host} 之前含有用户名或密码。请去掉：密钥应放在密钥环或环境变量中。",
    ),
    "base_url_scheme": (
        "--base-url uses {scheme}:, and only https and http are spoken. Give an https address.",
        "--base-url 使用 {scheme}: 协议，只支持 https 和 http。请给出 https 网址。",
    ),
    "base_url_parts": (
        "--base-url of {host} holds a query or a fragment (? or #). Give the address alone.",
        "{host} 的 --base-url 含有查询或片段（? 或 #）。请只给出地址本身。",
    ),
    "base_url_insecure": (
        "--base-url speaks plain http with {host}, so whoever is on the way reads the key and every "
        "page. Use https; on a network of your own, set SGCLAW_MODEL_INSECURE_HTTP=true.",
        "--base-url 以明文 http 连接 {host}，途中任何人都能读到密钥和页面内容。请使用 https；若为自己的网络，请设置 SGCLAW_MODEL_INSECURE_HTTP=true。",
    ),
    # --- the name
    "model_name_ollama": (
        "Ollama at {host} has many models: name one with --model or SGCLAW_MODEL_NAME; `ollama list` "
        "shows those that are there.",
        "{host} 上的 Ollama 有多个模型：请用 --model 或 SGCLAW_MODEL_NAME 指定一个；`ollama list` 可列出现有模型。",
    ),
    "model_name_server": (
        "Which model {host} should answer with is not said. Name it with --model or "
        "SGCLAW_MODEL_NAME; most servers list theirs at BASE_URL/models.",
        "没有指定 {host} 使用哪个模型。请用 --model 或 SGCLAW_MODEL_NAME 指定；多数服务在 BASE_URL/models 列出其模型。",
    ),
    "model_name_malformed": (
        "The name of the model is too long, or holds blanks around it or characters that are no "
        "text. Copy it from the provider's list.",
        "模型名称过长，或首尾有空白，或含有非文本字符。请从服务商的列表中复制。",
    ),
    # --- the key
    "key_missing": (
        "There is no key for {provider} ({keyring}; {variable} is not set). Set {variable}, or "
        "put the key into the keyring: `keyring set sgclaw {provider}`.",
        "没有 {provider} 的密钥（{keyring}；未设置 {variable}）。请设置 {variable}，或存入密钥环：`keyring set sgclaw {provider}`。",
    ),
    "key_malformed": (
        "What stands in {where} cannot be a key: it is too long, or holds blanks or characters "
        "beyond ASCII. Set it anew; only the key itself, without quotes.",
        "{where} 中的内容不可能是密钥：过长，或含有空白或非 ASCII 字符。请重新设置，只填密钥本身，不带引号。",
    ),
    "keyring_found": ("the keyring has one", "密钥环中有"),
    "keyring_empty": ("the keyring has none", "密钥环中没有"),
    "keyring_absent": ("this machine has no keyring", "本机没有密钥环"),
    "keyring_failed": ("the keyring could not be read", "密钥环无法读取"),
    "keyring_late": ("the keyring did not answer in time", "密钥环没有及时应答"),
    # --- doctor --ping
    "ping_ok": ("its server answers and knows the model", "其服务有应答，并有该模型"),
    "ping_unreachable": (
        "{host} was not reached: {why}. Start the server, or mend the address or the network.",
        "无法连接 {host}：{why}。请启动服务，或检查地址与网络。",
    ),
    "ping_late": (
        "{host} gave no whole answer within {seconds} s. Look at the server, or set "
        "SGCLAW_MODEL_FIRST_TOKEN_SECONDS.",
        "{host} 在 {seconds} 秒内没有给出完整应答。请检查该服务，或调整 SGCLAW_MODEL_FIRST_TOKEN_SECONDS。",
    ),
    "ping_key_refused": (
        "The server refused the key (status {status}). Set a valid one.",
        "服务拒绝了密钥（状态码 {status}）。请设置有效的密钥。",
    ),
    "ping_no_list": (
        "The server answered with status {status} and no list of models. Check the base URL; some "
        "servers have no such list and work all the same.",
        "服务返回状态码 {status}，没有模型列表。请检查 base URL；有些服务没有该列表但仍可使用。",
    ),
    "ping_model_missing": (
        "The server lists {number} models and {model} is none of them. Check the name.",
        "服务列出了 {number} 个模型，其中没有 {model}。请检查名称。",
    ),
    # --- what a run says of it
    "model_told": (
        "{model} of {provider} at {host}, {key} ({why})",
        "{provider} 的 {model}，地址 {host}，{key}（{why}）",
    ),
    "model_told_offline": (
        "none; the built-in matcher answers ({why})",
        "无；由内置匹配器应答（{why}）",
    ),
    "model_told_scripted": ("the script {file} ({why})", "脚本 {file}（{why}）"),
    "model_key_of_keyring": ("key from the keyring", "密钥来自密钥环"),
    "model_key_of_environment": ("key from {variable}", "密钥来自 {variable}"),
    "model_without_key": ("without a key", "不带密钥"),
    "model_why_named": ("named with --provider", "由 --provider 指定"),
    "model_why_address": ("named with --base-url", "由 --base-url 指定"),
    "model_why_demo": ("--demo, and no --provider", "--demo 且未指定 --provider"),
    "model_why_claude_key": ("ANTHROPIC_API_KEY is set", "已设置 ANTHROPIC_API_KEY"),
    "model_why_openai_key": ("OPENAI_API_KEY is set", "已设置 OPENAI_API_KEY"),
    "model_why_no_key": (
        "neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set, and no --provider is named",
        "未设置 ANTHROPIC_API_KEY 或 OPENAI_API_KEY，也未指定 --provider",
    ),
    "model_why_resumed": ("as the task was started", "与任务启动时相同"),
    "run_model": ("model   {model}", "模型    {model}"),
    "run_model_used": (
        "{model}: {calls} calls ({tries} tries failed), {tokens_in} tokens in ({tokens_cached} cached), "
        "{tokens_out} out, {seconds} s, cost {cost}",
        "{model}：{calls} 次调用（{tries} 次尝试失败），输入 {tokens_in} 个 token（缓存 {tokens_cached}），输出 {tokens_out}，{seconds} 秒，费用 {cost}",
    ),
    "run_cost_unknown": ("not known", "未知"),
    "progress_model_retry": (
        "! model: {why}; try {number} failed, another in {seconds} s",
        "! 模型：{why}；第 {number} 次尝试失败，{seconds} 秒后重试",
    ),
    "progress_model_called": (
        "· model: {tokens_in} tokens in ({tokens_cached} cached), {tokens_out} out, {seconds} s",
        "· 模型：输入 {tokens_in} 个 token（缓存 {tokens_cached}），输出 {tokens_out}，{seconds} 秒",
    ),
}
