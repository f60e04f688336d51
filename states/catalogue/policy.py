"""Sentences of the policy: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    "url_deceptive": (
        "The address {url} holds blanks, control characters or a backslash, so a browser reads it "
        "otherwise than a person; write it plainly.",
        "网址 {url} 含有空白、控制字符或反斜杠，浏览器的理解会与人不同；请改用正常写法。",
    ),
    "url_unreadable": (
        "The address {url} cannot be read as a URL; give one like https://erp.example.com/.",
        "网址 {url} 无法解析；请写成 https://erp.example.com/ 这样的形式。",
    ),
    "scheme_refused": (
        "The address {url} uses {scheme}:, but only https and listed http hosts are allowed; "
        "use a page of a listed host.",
        "网址 {url} 使用 {scheme}: 协议，只允许 https 与策略列出的 http 主机；请使用已列出的主机。",
    ),
    "url_userinfo": (
        "The address {url} hides a user name before the host; remove everything before @.",
        "网址 {url} 在主机名前藏有用户名；请去掉 @ 之前的内容。",
    ),
    "host_not_in_policy": (
        "The host {host} is not in the policy, so nothing may be done there; "
        "an administrator can add it to the policy file.",
        "策略中没有主机 {host}，因此不允许任何操作；如需使用，请管理员把它加入策略文件。",
    ),
    "resource_not_in_policy": (
        "The page of {document} wanted to load from {host}, which is not among its resources in the "
        "policy; an administrator can add it.",
        "{document} 的页面想从 {host} 加载内容，但策略的 resources 中没有它；如需要请管理员添加。",
    ),
    "domain_mismatch": (
        "The command expects the page on {expected}, but it is on {actual}; look at the page again "
        "and name its real domain.",
        "命令以为页面在 {expected}，实际在 {actual}；请重新查看页面并写明真实域名。",
    ),
    "action_never": (
        "{action} runs foreign code in the page and is always refused; use the listed actions.",
        "{action} 会在页面中执行外部代码，永远拒绝；请使用列出的动作。",
    ),
    "action_unknown": (
        "There is no action {action}; use one of the 14 listed actions.",
        "没有名为 {action} 的动作；请使用 14 个动作之一。",
    ),
    "action_not_allowed": (
        "The policy does not allow {action} on {host}; an administrator can add it under allow or "
        "confirm.",
        "策略不允许在 {host} 上执行 {action}；如需要请管理员在 allow 或 confirm 中添加。",
    ),
    "policy_wants_confirmation": (
        "The policy asks for a person's confirmation of {action} on {host}.",
        "策略要求由人确认在 {host} 上执行 {action}。",
    ),
    "password_field": (
        "The field “{name}” holds a password; sgclaw never types or reads one. "
        "The person types it in the browser.",
        "“{name}”是密码框；sgclaw 从不输入或读取密码，请用户自己在浏览器中输入。",
    ),
    "risk_storage": (
        "Changing the page's storage needs a person's confirmation.",
        "修改页面存储需要用户确认。",
    ),
    "risk_word": (
        "“{name}” holds the risk word “{word}”, so a person must confirm it.",
        "“{name}”含有风险词“{word}”，需要用户确认。",
    ),
    "risk_upload": (
        "“{name}” uploads a file, so a person must confirm it.",
        "“{name}”会上传文件，需要用户确认。",
    ),
    "risk_keys": (
        "What {keys} does on “{name}” is up to the page, so a person must confirm it.",
        "在“{name}”上按 {keys} 的作用由页面决定，需要用户确认。",
    ),
    "upload_not_allowed": (
        "The field “{name}” takes files, and the policy does not let files be uploaded to {host}; an "
        "administrator can add upload: true to its entry.",
        "“{name}”是文件框，而策略不允许向 {host} 上传文件；如需要请管理员在该主机条目中加上 upload: true。",
    ),
    "click_opens_chooser": (
        "A click on “{name}” would open a file chooser, which sgclaw never uses. Use type on this "
        "field with the file's name as text.",
        "点击“{name}”会打开文件选择窗口，sgclaw 从不使用它。请对这个字段使用 type，文字写文件名。",
    ),
    "risk_login": (
        "“{name}” submits a form with a password (log in), so a person must confirm it.",
        "“{name}”会提交含密码的表单（登录），需要用户确认。",
    ),
    "risk_submit": (
        "“{name}” submits a form, so a person must confirm it.",
        "“{name}”会提交表单，需要用户确认。",
    ),
    "risk_dialog": (
        "The page's own dialog says “{name}”; only a person may answer it.",
        "页面弹出对话框“{name}”；只有用户可以回答。",
    ),
}
