"""Sentences of typing, keys, choices and files: key -> (English, Chinese)."""

WORDS: dict[str, tuple[str, str]] = {
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
    "option_ambiguous": (
        "Several options of {selector} are called so: {detail}. Use the option's value or “group / "
        "label”, or click the one that is meant.",
        "{selector} 有多个同名选项：{detail}。请使用选项的值或“分组 / 名称”，或直接点击所需的那一个。",
    ),
    "option_risky": (
        "The option “{name}” needs a person's yes: {why} The list was closed again; click the list, "
        "then click the option.",
        "选项“{name}”需要用户确认：{why}列表已重新关闭；请先点击列表，再点击该选项。",
    ),
    "list_did_not_open": (
        "“{name}” was clicked, but no options appeared within {seconds} s. Look at the page, then "
        "click what opens its list, or type a part of the option into it.",
        "已点击“{name}”，但 {seconds} 秒内没有出现选项。请查看页面，再点击打开列表的元素，或先在其中输入选项的一部分。",
    ),
    "choice_did_not_stick": (
        "“{wanted}” was clicked in the list “{name}”, which now says “{got}”. Look at the page before "
        "anything else.",
        "已在列表“{name}”中点击“{wanted}”，但它现在显示“{got}”。请先查看页面。",
    ),
    "value_did_not_stick": (
        "“{wanted}” was typed into “{name}”, but the field now holds “{got}”: the page cleared or "
        "rewrote it. Look at what the field asks for and type that; do not repeat the same text.",
        "已在“{name}”中输入“{wanted}”，但该字段现在是“{got}”：页面清空或改写了它。请查看字段的要求后再输入，不要重复同样的内容。",
    ),
    "value_was_cut": (
        "“{wanted}” is too long for “{name}”, which holds only “{got}”. Type a shorter text.",
        "“{wanted}”对“{name}”来说太长，该字段只保留了“{got}”。请输入较短的文字。",
    ),
    "text_has_newline": (
        "{selector} holds one line, so the text may not have a line break. Leave it out; to press "
        'Enter give keys ["Enter"].',
        '{selector} 只能容纳一行，文字不能含换行。请去掉换行；如要按回车，请使用 keys ["Enter"]。',
    ),
    "nothing_to_type": (
        "There is nothing to do on “{name}”: text is empty, clear is false and no keys are given. "
        "Give a text or keys.",
        "对“{name}”没有可做的事：text 为空、clear 为 false，也没有 keys。请给出文字或按键。",
    ),
    "takes_no_keys": (
        "{selector} cannot take the focus ({detail}), so no keys reach it. Name the field, button or "
        "list inside it, or body.",
        "{selector}（{detail}）不能获得焦点，按键到不了它。请指定其中的输入框、按钮或列表，或使用 body。",
    ),
    "focus_moved": (
        "The focus is no longer on {selector} but on {detail}, so the key was not pressed. Press it "
        "there with a command of its own.",
        "焦点已不在 {selector}，而在 {detail}，因此没有按键。请另用一条命令在那里按键。",
    ),
    "keys_stopped": (
        "{pressed} was pressed, {key} was not: {why}",
        "已按 {pressed}，没有按 {key}：{why}",
    ),
    "keys_interrupted": (
        "The page went away while {key} was pressed (before it: {pressed}; {why}). Look at the page; "
        "do not simply repeat it.",
        "按 {key} 时页面已离开（此前按过：{pressed}；{why}）。请先查看页面，不要直接重复。",
    ),
    "keys_clipboard": (
        "{key} is not pressed: the clipboard belongs to the person. Type the text instead.",
        "不会按 {key}：剪贴板属于用户。请直接输入文字。",
    ),
    # --- files
    "upload_name": (
        "“{name}” is no plain file name. Give only the name of a file that was handed over, without "
        "a path.",
        "“{name}”不是普通文件名。请只写已交给任务的文件名，不要带路径。",
    ),
    "upload_no_name": (
        "“{name}” takes files: give the file's name as text, several on lines of their own.",
        "“{name}”是文件框：请在 text 中写文件名，多个文件各占一行。",
    ),
    "upload_keys": (
        "“{name}” takes files and no keys. Leave keys out.",
        "“{name}”是文件框，不接受按键。请去掉 keys。",
    ),
    "upload_not_there": (
        "No file “{name}” was handed to this task. There are: {names}. The person hands over a folder "
        "with sgclaw run --files DIR.",
        "没有把文件“{name}”交给本任务。现有：{names}。用户可用 sgclaw run --files 目录 交付一个文件夹。",
    ),
    "upload_twice": (
        "“{name}” is both a handed file and a download, or was downloaded twice, so it is not clear "
        "which is meant. Rename one of them.",
        "“{name}”既是交付的文件又是下载的文件，或下载了多次，无法确定是哪一个。请改名后再用。",
    ),
    "upload_no_file": (
        "“{name}” cannot be uploaded: {why}. Only a regular file can be, no link and no folder.",
        "“{name}”不能上传：{why}。只能上传普通文件，不能是链接或文件夹。",
    ),
    "upload_too_large": (
        "“{name}” would make it more than {most} bytes in one upload. Choose a smaller file.",
        "加上“{name}”后一次上传将超过 {most} 字节。请选择较小的文件。",
    ),
    "upload_too_many": (
        "{count} files were named; one upload takes {most} at most. Name fewer.",
        "列出了 {count} 个文件；一次最多上传 {most} 个。请减少文件。",
    ),
    "upload_did_not_stick": (
        "The files were given to “{name}”, but it now holds {got}. Look at the page.",
        "文件已交给“{name}”，但它现在的内容是 {got}。请查看页面。",
    ),
    "chooser_refused": (
        "The click on “{name}” opened a file chooser, which was closed at once. Use type on the file "
        "field {fields} with the file's name as text.",
        "点击“{name}”打开了文件选择窗口，已立即关闭。请对文件字段 {fields} 使用 type，文字写文件名。",
    ),
    "value_refused": (
        "{selector} did not take the value: {detail}. Write it in the field's own format.",
        "{selector} 不接受该值：{detail}。请按字段的格式填写。",
    ),
}
