"""Sentences about calls of a model that gave no reply: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    # --- the person must act
    "model_key_refused": (
        "The model's provider does not accept the API key (HTTP {status}: {said}); set a valid key "
        "for this provider and try again.",
        "模型服务不接受该 API 密钥（HTTP {status}：{said}）；请设置此服务的有效密钥后重试。",
    ),
    "model_key_unusable": (
        "The API key cannot be sent: it holds a line break or a character that no key has; set it again.",
        "该 API 密钥无法发送：其中含有换行或密钥不会有的字符；请重新设置。",
    ),
    "model_not_permitted": (
        "The model's provider does not permit this (HTTP {status}: {said}); check what the account and "
        "its key may use.",
        "模型服务不允许此请求（HTTP {status}：{said}）；请检查账号和密钥的使用权限。",
    ),
    "model_quota_spent": (
        "The quota or credit at the model's provider is used up (HTTP {status}: {said}); top it up or "
        "use another provider.",
        "模型服务的额度或余额已用完（HTTP {status}：{said}）；请充值，或改用其他服务。",
    ),
    # --- the operator must act
    "model_not_found": (
        "The model's provider knows no such model or address (HTTP {status}: {said}); check --model and "
        "--base-url.",
        "模型服务没有该模型或地址（HTTP {status}：{said}）；请检查 --model 和 --base-url。",
    ),
    "model_bad_request": (
        "The model's provider does not take this request (HTTP {status}: {said}); check the model's name "
        "and SGCLAW_MODEL_PROFILE.",
        "模型服务不接受此请求（HTTP {status}：{said}）；请检查模型名称和 SGCLAW_MODEL_PROFILE。",
    ),
    "model_redirected": (
        "The model's address answers with a redirect (HTTP {status}), which is not followed because the "
        "whole prompt would go elsewhere; set --base-url to the final address.",
        "模型地址返回了重定向（HTTP {status}）；为避免整个提示被发往别处，不会跟随；请把 --base-url 设为最终地址。",
    ),
    "model_no_server": (
        "What answers at this address is no model server (content type: {kind}; {said}); check "
        "--base-url, for most servers it ends in /v1.",
        "该地址的应答并非来自模型服务（内容类型：{kind}；{said}）；请检查 --base-url，多数服务以 /v1 结尾。",
    ),
    "model_address_wrong": (
        "The model's address cannot be used ({said}); set --base-url to an http or https address.",
        "模型地址无法使用（{said}）；请把 --base-url 设为 http 或 https 地址。",
    ),
    "model_certificate": (
        "The certificate of {host} is not trusted ({said}); check the address, or the proxy in between.",
        "{host} 的证书不受信任（{said}）；请检查地址或中间的代理。",
    ),
    # --- the prompt is too long
    "model_prompt_too_long": (
        "The prompt does not fit the model's window (HTTP {status}: {said}).",
        "提示超出了模型的上下文窗口（HTTP {status}：{said}）。",
    ),
    # --- another try may do
    "model_rate_limited": (
        "The model's provider asks for fewer requests (HTTP {status}: {said}); try again later.",
        "模型服务要求降低请求频率（HTTP {status}：{said}）；请稍后重试。",
    ),
    "model_busy": (
        "The model's provider is overloaded or failed (HTTP {status}: {said}); try again later.",
        "模型服务过载或出错（HTTP {status}：{said}）；请稍后重试。",
    ),
    "model_asked_again": (
        "The model's provider gave up waiting for the request (HTTP {status}: {said}); try again.",
        "模型服务等待请求超时（HTTP {status}：{said}）；请重试。",
    ),
    "model_unreachable": (
        "The model's provider at {host} cannot be reached ({said}); check the network, --base-url, and "
        "that the server runs.",
        "无法连接 {host} 的模型服务（{said}）；请检查网络、--base-url，以及服务是否在运行。",
    ),
    "model_connect_late": (
        "No connection to the model's provider at {host} within {seconds} s; check the network and "
        "--base-url.",
        "{seconds} 秒内未能连接 {host} 的模型服务；请检查网络和 --base-url。",
    ),
    "model_first_token_late": (
        "The model said nothing within {seconds} s; try again, or allow more with "
        "SGCLAW_MODEL_FIRST_TOKEN_SECONDS.",
        "模型在 {seconds} 秒内没有任何输出；请重试，或用 SGCLAW_MODEL_FIRST_TOKEN_SECONDS 放宽。",
    ),
    "model_try_late": (
        "The model's reply was not whole within {seconds} s; try again, or allow more with "
        "SGCLAW_MODEL_TRY_SECONDS.",
        "模型的回复在 {seconds} 秒内没有完成；请重试，或用 SGCLAW_MODEL_TRY_SECONDS 放宽。",
    ),
    "model_cut": (
        "The connection to the model's provider broke while it answered ({said}); try again.",
        "模型服务应答时连接中断（{said}）；请重试。",
    ),
    "model_stream_failed": (
        "The model's provider broke its answer off ({said}); try again.",
        "模型服务中断了应答（{said}）；请重试。",
    ),
    "model_unreadable": (
        "The model's answer cannot be read ({said}); try again or use another server.",
        "无法读取模型的应答（{said}）；请重试，或更换服务。",
    ),
    "model_incomplete": (
        "The model's answer ended before it was whole; try again.",
        "模型的应答在完成之前就结束了；请重试。",
    ),
    "model_too_long": (
        "The model's answer is longer than allowed; ask for less at once.",
        "模型的应答超过了允许的长度；请减少一次要求的内容。",
    ),
}
