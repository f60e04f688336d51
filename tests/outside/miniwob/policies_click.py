"""Policies for tasks of clicks: buttons, boxes, lists, links, tabs, sections, dialogs, menus."""

import re

from tests.outside.miniwob.case import Case, target

SUBMIT = ("button", "Submit")
_WIDGET_ROLES = {"radio": "radio", "checkbox": "checkbox", "button": "button"}
_SYNONYMS = """\
big large huge enormous gigantic|small tiny little mini petite|red scarlet crimson vermillion
happy cheerful joyful gleeful delighted|sad unhappy sorrowful miserable tragic
angry mad furious irritated|evil wicked immoral sinful corrupt depraved
wrong incorrect mistaken erroneous|real genuine actual|strange odd peculiar unusual weird
stop cease halt end finish|quiet calm peaceful serene mild
scared terrified panicked fearful frightened afraid|old aged archaic|love like adore favor
kill murder assassinate|keep retain preserve sustain maintain|hide conceal camouflage|water
hate despise loathe detest dislike|funny humorous amusing comical laughable
fat fleshy plump chubby|stupid dumb dull unwise|delicious savory delectable appetizing
cut slice carve chop|brave courageous fearless|begin start initiate launch
answer reply response|television televisions TV TVs|house home houses homes
fire flame fires flames|pig pork swine|rabbit rabbits bunny bunnies
car cars automobile automobiles vehicle vehicles"""
_ALIKE = [set(line.split()) for line in re.split(r"[|\n]", _SYNONYMS)]


async def the_button(case: Case) -> None:
    """Click the one button there is."""
    case.click("button", case.names("button")[0])


async def quoted_button(case: Case) -> None:
    """Click the button that the goal quotes; of several alike any will do."""
    [name] = case.quoted()
    alike = case.names("button").count(name)
    case.click("button", name, nth=1 if alike > 1 else 0)


async def buttons_in_capitals(case: Case) -> None:
    """Click the buttons that the goal names, in its order."""
    for name in re.findall(r"button ([A-Z]+)", case.goal):
        case.click("button", name)


async def button_delay(case: Case) -> None:
    """Click ONE, and TWO so many seconds later."""
    seconds = float(re.search(r"wait (\d+)", case.goal)[1])  # type: ignore[index]
    case.click("button", "ONE")
    case.do("click", selector=target("button", "TWO"), wait_s=seconds - 0.05)


async def listed_boxes(case: Case) -> None:
    """Tick the boxes (or the one radio button) that the goal lists, and submit."""
    listed = re.fullmatch(r"Select (.+) and click Submit\.", case.goal)
    wanted = listed[1].split(", ") if listed else []
    for name in wanted:
        if name != "nothing":
            [role] = {node.role for node in case.nodes if node.name == name and node.ref}
            case.click(role, name)
    case.click(*SUBMIT)


async def similar_boxes(case: Case) -> None:
    """Tick the boxes whose word means the same as one that the goal lists."""
    listed = re.fullmatch(r"Select words similar to (.+) and click Submit\.", case.goal)
    assert listed is not None
    for word in listed[1].split(", "):
        alike = next(words for words in _ALIKE if word in words)
        for name in case.names("checkbox"):
            if name in alike:
                case.click("checkbox", name)
    case.click(*SUBMIT)


async def choose_list(case: Case) -> None:
    """Choose one option of a list."""
    [option] = re.findall(r"Select (.+) from the list", case.goal)
    case.select("combobox", option)
    case.click(*SUBMIT)


async def widget(case: Case) -> None:
    """Click the first widget of the kind that the goal quotes."""
    [kind] = case.quoted()
    role = _WIDGET_ROLES.get(kind, "textbox")
    case.click(role, case.names(role)[0], nth=1)


async def link_in_text(case: Case) -> None:
    """Click the link that the goal quotes."""
    [word] = case.quoted()
    _click_word(case, word)


async def link_in_sections(case: Case) -> None:
    """Open the sections one by one until the link shows, and click it."""
    [word] = case.quoted()
    for section in case.names("tab"):
        case.click("tab", section)
        await case.look()
        if _words(case, word):
            break
    _click_word(case, word)


async def link_in_tabs(case: Case) -> None:
    """Open the tabs one by one until the link shows, and click it."""
    [word] = case.quoted()
    for tab in case.names("tab"):
        if _words(case, word):
            break
        case.click("link", tab)
        await case.look()
    if _words(case, word):  # click-tab-2-medium: the last tab itself may be what is wanted
        _click_word(case, word)


def _words(case: Case, word: str) -> list[str]:
    return [node.role for node in case.nodes if node.name == word and node.ref]


def _click_word(case: Case, word: str) -> None:
    roles = _words(case, word)
    case.click(roles[0], word, nth=1 if len(roles) > 1 else 0)


async def expand_and_submit(case: Case) -> None:
    """Open the one section, and submit."""
    section = next(name for name in case.names("tab") if name.startswith("Section"))
    case.click("tab", section)
    case.click(*SUBMIT)


async def named_tab(case: Case) -> None:
    """Open the tab that the goal names."""
    [name] = re.findall(r"Click on (Tab #\d+)", case.goal)
    case.click("link", name)


async def close_dialog(case: Case) -> None:
    """Close the dialog."""
    case.click("button", "Close")


async def dialog_button(case: Case) -> None:
    """Press the button of the dialog that the goal quotes; the x is named Close."""
    [name] = case.quoted()
    case.click("button", {"x": "Close"}.get(name, name))


async def menu_with_icons(case: Case) -> None:
    """Open the menu and choose the entry that the goal names."""
    case.click("button", "Menu")
    await case.look()
    [wanted] = case.quoted()[1:]
    if wanted not in case.names("menuitem"):
        case.click("menuitem", "Playback")
    case.click("menuitem", wanted)


CLICKS = {
    "button-delay": button_delay,
    "choose-list": choose_list,
    "click-button": quoted_button,
    "click-button-sequence": buttons_in_capitals,
    "click-checkboxes": listed_boxes,
    "click-checkboxes-large": listed_boxes,
    "click-checkboxes-soft": similar_boxes,
    "click-checkboxes-transfer": listed_boxes,
    "click-collapsible": expand_and_submit,
    "click-collapsible-2": link_in_sections,
    "click-collapsible-2-nodelay": link_in_sections,
    "click-collapsible-nodelay": expand_and_submit,
    "click-dialog": close_dialog,
    "click-dialog-2": dialog_button,
    "click-link": link_in_text,
    "click-menu-2": menu_with_icons,
    "click-option": listed_boxes,
    "click-tab": named_tab,
    "click-tab-2": link_in_tabs,
    "click-tab-2-easy": link_in_tabs,
    "click-tab-2-hard": link_in_tabs,
    "click-tab-2-medium": link_in_tabs,
    "click-test": the_button,
    "click-test-2": buttons_in_capitals,
    "click-test-transfer": buttons_in_capitals,
    "click-widget": widget,
    "unicode-test": quoted_button,
}
