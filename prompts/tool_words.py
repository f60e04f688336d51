"""What a model is told of each tool: key -> (English, Chinese).

Kept apart from the catalogue of sentences: nobody but a model reads these, and every word of them
is paid for in every call.
"""

from states.catalogue import Lang

WORDS: dict[str, tuple[str, str]] = {
    "browser_action": (
        "Do one action in the page, or read from it. The actions and their params (? = may be left out):",
        "在页面中执行一个操作，或读取页面。操作及其 params（? 表示可省略）：",
    ),
    "click": (
        "press an element; with to, drag it onto that one",
        "点击元素；给出 to 时把它拖到该元素上",
    ),
    "type": (
        "fill a field (clear: false adds to what it holds), then press keys such as Enter; never into a password field",
        "填写输入框（clear: false 表示在原内容后追加），随后按下 keys，如 Enter；不得用于密码框",
    ),
    "navigate": (
        "open an address; back and forward go through the history",
        "打开网址；back、forward 为后退、前进",
    ),
    "getText": ("the visible text of an element, or of the page", "读取元素或整个页面的可见文字"),
    "getHtml": (
        "the HTML of an element; only when text does not do",
        "读取元素的 HTML；仅在文字不够用时",
    ),
    "waitForSelector": ("wait until an element is in state", "等待元素进入 state 状态"),
    "pageScreenshot": (
        "a picture; som_overlay: true numbers all that can be pressed",
        "截图；som_overlay: true 会给可点击的元素编号",
    ),
    "select": (
        "choose in a list by value, label or group / label",
        "在列表中按值、文字或“分组 / 文字”选择",
    ),
    "scrollTo": ("scroll to an element, or to x and y", "滚动到元素，或到 x、y"),
    "getAomSnapshot": (
        "the page text anew, or a part of it: filter is interactive, role=button, rows=31-70, nodes=301-600 or words; cursor goes on",
        "重新读取页面文本或其中一部分：filter 可为 interactive、role=button、rows=31-70、nodes=301-600 或文字；cursor 用于继续",
    ),
    "storageSet": (
        "write a key of the page's storage; null clears it",
        "写入页面存储的键；null 表示清除",
    ),
    "storageGet": ("read a key of the page's storage", "读取页面存储的键"),
    "zombieSpawn": ("open an address in a hidden page", "在隐藏页面中打开网址"),
    "zombieKill": (
        "close a hidden page, or a tab by its tab_id",
        "关闭隐藏页面，或按 tab_id 关闭标签页",
    ),
    "action": ("Which action.", "操作名称。"),
    "params": ("The params of that action, and no others.", "该操作的参数，不得有其他参数。"),
    "selector": (
        'The element: its ref in the newest page text ("@12"), role and name (button "Save", with #2 for the second of several), a number of the newest marked picture ("[7]"), or CSS.',
        '元素：最新页面文本中的引用（"@12"）、角色加名称（button "保存"，有多个时用 #2 表示第二个）、最新标记截图中的编号（"[7]"），或 CSS。',
    ),
    "expected_domain": (
        "The host that is meant. Left out: that of the element's frame, else of the page.",
        "目标主机名。省略时取元素所在框架的主机，否则取页面的主机。",
    ),
    "run_skill": (
        "Run a skill of the list: a signed script that does a whole piece of work. Its steps are checked like yours.",
        "运行列表中的技能：已签名、可完成一整段工作的脚本。它的每一步与你的操作一样受检查。",
    ),
    "use_skill": (
        "Read a skill's manual: what it does, its params, where it works. Changes nothing.",
        "读取技能的说明：用途、参数、适用范围。不改变任何内容。",
    ),
    "skill_name": ("Its name, exactly as listed.", "技能名称，与列表完全一致。"),
    "skill_params": ("What its manual asks for.", "其说明所要求的参数。"),
    "answer_dialog": (
        "Answer the native dialog that the page has opened; nothing else works while it is open.",
        "回应页面弹出的原生对话框；对话框打开时其他操作均无效。",
    ),
    "accept": ("true for OK, false for Cancel.", "true 为确定，false 为取消。"),
    "dialog_text": ("What a prompt is answered with.", "输入型对话框中要填写的内容。"),
    "ask_person": (
        "Ask the person for something that the task needs and that neither task nor page says. Not for permission: risky calls are put to the person by themselves. Never for a password.",
        "向用户询问任务必需、而任务描述和页面都没有给出的内容。不要用来请求许可：有风险的调用会自动交由用户确认。绝不询问密码。",
    ),
    "question": ("One question, in the person's language.", "一个问题，使用用户的语言。"),
    "options": (
        "Answers to choose from, if there are only a few.",
        "供选择的答案（仅当答案有限时）。",
    ),
    "finish": (
        "End the task, done or not, and tell the person how it ended.",
        "结束任务（无论是否完成），并告知用户结果。",
    ),
    "summary": (
        "What was done, what was found, what was not done and why; in the person's language.",
        "做了什么、得到什么、什么没有做及原因；使用用户的语言。",
    ),
    "citations": (
        "Numbers of the steps whose observations prove the summary.",
        "能证明总结内容的步骤编号。",
    ),
    "outside_open": (
        "The schema above is incomplete: the arguments are described in this text and are checked against the approved schema. Arguments: {names}",
        "上面的参数模式不完整：参数见本说明文字，调用时按已批准的模式检查。参数名：{names}",
    ),
}


def said(key: str, lang: Lang) -> str:
    """Return what a model is told of *key* in *lang*."""
    return WORDS[key][lang == "zh-CN"]
