"""Text as its reader understands it: one spelling for what looks or reads the same.

A button may say "Ｄｅｌｅｔｅ", "D e l e t e", "Dеlete" with a Cyrillic е, "deleteById" or 刪除:
all of them are read here as the plain words they are.
"""

import re
import unicodedata

# Letters of other scripts that look like Latin ones, after casefold.
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁһԛԝкмтнвгαεορτυνικχηβγıɑɡøłđ",
    "aeopcyxijsdhqwkmthbraeoptuvikxnbyiagold",
)
# The traditional characters of the listed words; Hong Kong and Taiwan both write 登入 for 登录.
_SIMPLIFIED = str.maketrans(
    "刪廢註銷儲確認審駁絕轉賬帳匯過記結沖終發佈傳簽蓋單購買權約離職錄歸檔凍啟",
    "删废注销储确认审驳绝转账账汇过记结冲终发布传签盖单购买权约离职录归档冻启",
)
# What a page may set between the characters of one word; a full stop or comma ends a word.
_BETWEEN = re.compile(r"[\s·•‧∙⋅・･.\-‐‑‒–—_*~^'\"]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_TOKEN = re.compile(r"[a-z]+|[0-9]+")


def plain(text: str) -> str:
    """Return *text* in one spelling: compatible, simplified, Latin, without marks and hidden signs.

    Case stays, since it may part words ("deleteById").
    """
    composed = unicodedata.normalize("NFKD", text)
    kept = (c for c in composed if unicodedata.category(c) not in {"Mn", "Me", "Cf"})
    return "".join(_as_latin(c) for c in kept).translate(_SIMPLIFIED)


def _as_latin(char: str) -> str:
    if char.isascii():
        return char
    latin = char.casefold().translate(_LOOKALIKES)
    # A capital keeps its case: it may begin a word.
    return latin.upper() if char.isupper() else latin


def english_words(text: str) -> str:
    """Return the English words of plain *text*, single letters joined, each between blanks."""
    return f" {' '.join(_joined(_TOKEN.findall(text.casefold())))} "


def parted_by_case(text: str) -> str:
    """Return *text* with the parts of a mixed word apart: "deleteById" is "delete By Id"."""
    return _CAMEL.sub(" ", text)


def _joined(words: list[str]) -> list[str]:
    """Return *words* with each run of single letters as one word ("D e l e t e")."""
    joined: list[str] = []
    run = ""
    for word in words:
        if len(word) == 1 and word.isalpha():
            run += word
            continue
        if run:
            joined.append(run)
        run = ""
        joined.append(word)
    return [*joined, run] if run else joined


def without_gaps(text: str) -> str:
    """Return plain *text* with what may stand between the characters of one word left out."""
    return _BETWEEN.sub("", text.casefold())
