"""Find the skill that an instruction asks for, without a model (R8).

BM25 ranks the skills; how much of the instruction the best one covers decides whether it is
meant at all. In doubt the answer is no, with what is missing: this is a matcher, not a planner.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from typing import Any, NamedTuple

from skills.errors import SkillParamsError
from skills.params import check_params
from skills.slots import (
    plain,
    take_departments,
    take_english_departments,
    take_formats,
    take_months,
)
from states.catalogue import Lang, words
from states.errors import SgclawError
from states.skill import Skill

# Tuned on the phrases of tests/skills/test_search.py: those that ask for a skill reach 0.75 and
# more. A few others come close or pass, and are held back by the check for another intent.
COVERAGE_FLOOR = 0.7
INSTRUCTION_CHARS_MAX = 500
_PART_COVERED = 0.5
_ENGLISH = re.compile(r"[a-z]+(?:'[a-z]+)?")
_CHINESE = re.compile(r"[\u4e00-\u9fff]+")
_NEUTRAL_WORDS = """
请 请你 请您 帮 帮我 帮忙 麻烦 我 我们 我要 我想 想 想要 你 您 把 将 给 给我 的 了 一下 一个 一份
个 份 成 为 以 用 要 需要 吧 呢 吗 和 及 与 格式 文件 出来 下 来 去 并 能 可以 能否 现在 立即 马上
谢谢 公司 系统 里 中 从 到 在 所有 全部 整个 该 这 那
please can could would you i we want need like to the a an of for me my us our as in into from
with and this that it is are file format now just all by on at company system
"""
# Alone they say what to do, not with what: "export this month" names nothing to export.
_GENERIC_WORDS = """
导出 下载 生成 查询 保存 核对 部门 erp export download generate save month department
"""
# Half a fit is worst where the other half changes something: these must be the skill's own words.
_OTHER_INTENT_WORDS = """
删除 删掉 作废 取消 撤销 修改 更改 更新 提交 审批 批准 驳回 发送 发给 转发 上传 支付 付款 新建
创建 录入 登录 退出 清空 关闭 停止 打印 不要 别 不用 无需 不
delete remove void cancel revoke modify change edit update submit approve reject send email
forward upload pay create new add login logout clear close stop print don't not never without
"""


class Match(NamedTuple):
    """The skill that fits, with the parameters found; *score* is the share that it covers."""

    skill: Skill
    params: dict[str, Any]
    score: float


class NoMatch(NamedTuple):
    """Why no skill is run: a catalogue key with its facts, and the skills there are."""

    reason: str
    facts: Mapping[str, object]
    known: tuple[str, ...]

    def text(self, lang: Lang = "en") -> str:
        """Return the reason in *lang*."""
        told = {k: v.text(lang) if isinstance(v, SgclawError) else v for k, v in self.facts.items()}
        return words(self.reason, lang, **told)


def match(instruction: str, skills: Sequence[Skill], today: date) -> Match | NoMatch:
    """Return the skill that *instruction* asks for on the day *today*, or why there is none."""
    known = tuple(skill.header.skill for skill in skills)
    listed = ", ".join(known)
    if not skills:
        return NoMatch("match_no_skills", {}, known)
    if len(instruction) > INSTRUCTION_CHARS_MAX:  # no plain request is that long
        return NoMatch("match_none", {"known": listed}, known)
    months, rest = take_months(plain(instruction), today)
    formats, rest = take_formats(rest)
    english_departments, rest = take_english_departments(rest)
    departments, asked = take_departments(_words(rest))
    slots = {
        "month": months,
        "format": formats,
        "department": (*english_departments, *departments),
    }
    skill = _best(asked, skills)
    does = _document(skill)
    score = _coverage(asked, does)
    if score < COVERAGE_FLOOR:
        return NoMatch("match_none", {"known": listed}, known)
    other = _other_intent(asked, does)
    if other:
        facts = {"word": other, "skill": skill.header.skill, "known": listed}
        return NoMatch("match_other_intent", facts, known)
    return _with_params(skill, slots, score, known)


def _with_params(
    skill: Skill, slots: Mapping[str, tuple[str, ...]], score: float, known: tuple[str, ...]
) -> Match | NoMatch:
    name, schema = skill.header.skill, skill.header.params
    params: dict[str, Any] = {}
    for slot, values in slots.items():
        if slot not in schema.get("properties", {}) or not values:
            continue
        if len(values) > 1:
            facts = {"skill": name, "slot": slot, "values": ", ".join(values)}
            return NoMatch("match_ambiguous", facts, known)
        params[slot] = values[0]
    missing = [key for key in schema.get("required", []) if key not in params]
    if missing:
        rules = schema.get("properties", {})
        example = ", ".join(str(rules.get(key, {}).get("description", key)) for key in missing)
        facts = {"skill": name, "missing": ", ".join(missing), "example": example}
        return NoMatch("match_missing", facts, known)
    try:
        return Match(skill, check_params(skill.header, params), score)
    except SkillParamsError as error:
        return NoMatch("match_params", {"skill": name, "why": error}, known)


def _best(asked: Sequence[str], skills: Sequence[Skill]) -> Skill:
    """Return the skill that BM25 ranks first; BM25Plus keeps its sense with a single document."""
    from rank_bm25 import BM25Plus  # it brings numpy, which a run with a model never needs

    ranking = BM25Plus([_tokens(_words(_document(skill))) for skill in skills])
    scores = ranking.get_scores(_tokens(asked))
    return skills[int(scores.argmax())]


def _coverage(asked: Sequence[str], does: str) -> float:
    """Return which share of what is *asked* the text *does* covers, 0 when it names no thing."""
    weights = [
        (_covers(does, word), word in _set(_GENERIC_WORDS))
        for word in _joined(asked)
        if word not in _set(_NEUTRAL_WORDS)
    ]
    named = any(covered == 1 and not generic for covered, generic in weights)
    return sum(covered for covered, _ in weights) / len(weights) if named else 0.0


def _other_intent(asked: Sequence[str], does: str) -> str:
    """Return a word of *asked* that wants something changed which the text *does* never names."""
    for word in asked:
        for intent in sorted(_set(_OTHER_INTENT_WORDS)):
            inside = len(intent) > 1 and _CHINESE.match(intent) and intent in word  # 并打印
            if (word == intent or inside) and not _covers(does, intent):
                return intent
    return ""


def _covers(does: str, word: str) -> float:
    """Return 1 when *word* stands in *does*, or is made of words there; less for its characters."""
    if not _CHINESE.match(word):
        return float(word in _words(does))
    if len(word) > 1 and _made_of(word, does):
        return 1.0
    return _PART_COVERED if all(char in does for char in word) else 0.0


def _made_of(word: str, does: str) -> bool:
    """Return whether *word* splits into parts of two and more characters that stand in *does*."""
    if word in does:
        return True
    return any(word[:cut] in does and _made_of(word[cut:], does) for cut in range(2, len(word) - 1))


def _joined(segmented: Sequence[str]) -> list[str]:
    """Return the words with runs of single characters put together: 月 + 报 is one word."""
    neutral = _set(_NEUTRAL_WORDS)
    joined: list[str] = []
    run = False
    for word in segmented:
        single = len(word) == 1 and _CHINESE.match(word) is not None and word not in neutral
        if single and run:
            joined[-1] += word
        else:
            joined.append(word)
        run = single
    return joined


@cache
def _set(lines: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in lines.split())


def _document(skill: Skill) -> str:
    return plain(f"{skill.header.skill.replace('-', ' ')} {skill.header.description}")


def _tokens(segmented: Iterable[str]) -> list[str]:
    """Return the words and, for Chinese, their single characters: 财报 still meets 财务报表."""
    tokens: list[str] = []
    for word in segmented:
        tokens.append(word)
        if _CHINESE.match(word) and len(word) > 1:
            tokens.extend(word)
    return tokens


def _words(text: str) -> list[str]:
    """Return the words of the plain *text* in order; punctuation and digits fall away."""
    found: list[str] = []
    for piece in re.findall(r"[a-z]+(?:'[a-z]+)?|[\u4e00-\u9fff]+", text):
        if _ENGLISH.fullmatch(piece):
            found.append(_stem(piece))
        else:
            found.extend(_segmenter().lcut(piece))
    return found


def _stem(word: str) -> str:
    """Return *word* without the commonest English endings; both sides are treated alike."""
    word = word.removesuffix("'s")
    for ending, shortest in (("ing", 6), ("ed", 5), ("es", 6), ("s", 4), ("e", 5)):
        if word.endswith(ending) and len(word) >= shortest and not word.endswith("ss"):
            return word.removesuffix(ending)
    return word


@cache
def _segmenter() -> Any:
    """Return a jieba tokenizer that keeps no cache file.

    jieba would load its dictionary, with marshal, from a fixed name in the shared temporary
    folder, where anyone may have put it; building it takes half a second instead.
    """
    import logging
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own regular expressions and pkg_resources
        import jieba
    logging.getLogger("jieba").setLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return tokenizer
