"""Property: calls come out one by one in order, and only what was asked before `return` counts."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from skills.errors import SkillParamsError
from skills.registry import load_library
from skills.sandbox import SkillAsked, SkillFinished, SkillSandbox
from skills.sandbox.child_end import _CHILD, _options
from states.skill import SkillResult
from tests.skills.sandbox.runner import LIMITS, Run, is_gone, skill_of


@pytest.fixture
async def sandbox() -> AsyncIterator[SkillSandbox]:
    made = SkillSandbox(LIMITS)
    yield made
    await made.close()


async def test_a_skill_calls_gets_answers_and_returns(sandbox: SkillSandbox) -> None:
    body = """
        const text = await browserAction('getText', '#a');
        const box = await browserAction('scrollTo', {x: 0, y: 10});
        console.log('seen', text, box);
        return {success: true, data: {text, box, month: params.month}, error: null}"""
    session = await sandbox.open(skill_of(body), {"month": "2026-03"})
    first = await session.next()
    assert first == SkillAsked(1, ["getText", "#a"])
    session.answer(1, "合计 12")
    second = await session.next()
    assert isinstance(second, SkillAsked)
    assert second.args == ["scrollTo", {"x": 0, "y": 10}]
    session.answer(second.id, {"x": 0, "y": 10})
    box = {"x": 0, "y": 10}
    data = {"text": "合计 12", "box": box, "month": "2026-03"}
    assert await session.next() == SkillFinished(SkillResult(success=True, data=data))
    assert session.logs == [("info", 'seen 合计 12 {"x":0,"y":10}')]
    await session.closed()
    assert is_gone(session.pid)


async def test_a_rejected_call_is_an_error_that_the_skill_may_handle(sandbox: SkillSandbox) -> None:
    body = """
        try { await browserAction('click', '#a') } catch (e) {
          return {success: false, error: `failed: ${e.message}`} }"""
    run = Run(await sandbox.open(skill_of(body), {}))
    result = await run.finish(lambda _: ValueError("未找到元素"))
    assert result == SkillResult(success=False, error="failed: 未找到元素")


async def test_parallel_calls_are_handed_out_one_after_the_other(sandbox: SkillSandbox) -> None:
    body = """
        const got = await Promise.all(['a', 'b', 'c'].map((s) => browserAction('getText', s)));
        return {success: true, data: got}"""
    session = await sandbox.open(skill_of(body), {})
    asked = []
    for _ in range(3):
        step = await session.next()
        assert isinstance(step, SkillAsked)
        with pytest.raises(RuntimeError):
            await session.next()
        with pytest.raises(RuntimeError):
            session.answer(step.id + 100, "for another call")
        asked.append(step.args[1])
        session.answer(step.id, step.args[1].upper())
    assert asked == ["a", "b", "c"]
    assert await session.next() == SkillFinished(SkillResult(success=True, data=["A", "B", "C"]))


async def test_a_call_that_was_not_awaited_is_answered_before_the_result_counts(
    sandbox: SkillSandbox,
) -> None:
    body = """
        browserAction('click', '#a').then(() => browserAction('click', '#late'));
        return {success: true}"""
    run = Run(await sandbox.open(skill_of(body), {}))
    assert (await run.finish()).success
    assert run.calls == [["click", "#a"]]


async def test_calls_after_the_return_are_refused_and_never_seen(sandbox: SkillSandbox) -> None:
    body = """
        setTimeout(() => browserAction('click', '#late'), 0);
        Promise.resolve().then(() => 0).then(() => 0).then(() => 0).then(() => 0).then(() => 0)
          .then(() => browserAction('click', '#late')).catch((e) => console.log(e.message));
        return {success: true}"""
    run = Run(await sandbox.open(skill_of(body), {}))
    assert (await run.finish()).success
    assert run.calls == []


async def test_timers_fire_in_order_and_can_be_taken_back(sandbox: SkillSandbox) -> None:
    body = """
        const seen = []; const wait = (ms) => new Promise((r) => setTimeout(r, ms));
        setTimeout((...more) => seen.push('b', ...more), 60, 1, 2);
        setTimeout(() => seen.push('a'), 20);
        clearTimeout(setTimeout(() => seen.push('never'), 10));
        const every = setInterval(() => { seen.push('i'); clearInterval(every) }, 1);
        setTimeout(() => { throw new Error('in a timer') }, 5);
        await wait(200);
        return {success: true, data: seen}"""
    run = Run(await sandbox.open(skill_of(body), {}))
    assert (await run.finish()).data == ["i", "a", "b", 1, 2]
    assert run.session.logs == [("error", "a timer callback failed: in a timer")]


async def test_a_timer_may_end_a_wait_while_calls_go_on(sandbox: SkillSandbox) -> None:
    body = """
        let over = false; setTimeout(() => { over = true }, 50);
        while (!over) await browserAction('getText', '#state');
        return {success: true}"""
    session = await sandbox.open(skill_of(body), {})
    while isinstance(step := await session.next(), SkillAsked):
        await asyncio.sleep(0.005)
        session.answer(step.id, "busy")
    assert step.result.success


async def test_an_answer_that_no_skill_should_get_becomes_an_error(sandbox: SkillSandbox) -> None:
    body = """
        const said = [];
        for (let i = 0; i < 3; i++) {
          const told = browserAction('getText', 'a');
          said.push(await told.then((text) => text.length, (e) => e.message));
        }
        return {success: true, data: said}"""
    answers = iter(["x" * 2_000_000, float("nan"), "ok"])
    run = Run(await sandbox.open(skill_of(body), {}))
    too_large, not_json, fine = (await run.finish(lambda _: next(answers))).data
    assert "larger than 1048576 bytes" in too_large
    assert "could not be passed" in not_json
    assert fine == 2


async def test_parameters_are_checked_before_a_child_is_used(sandbox: SkillSandbox) -> None:
    schema = {"type": "object", "required": ["month"]}
    with pytest.raises(SkillParamsError):
        await sandbox.open(skill_of("return {success: true}", schema), {})
    run = Run(await sandbox.open(skill_of("return {success: true}", schema), {"month": 1}))
    assert (await run.finish()).success


async def test_the_warm_spare_is_the_child_that_runs_next(sandbox: SkillSandbox) -> None:
    await sandbox.warm()
    await sandbox.warm()
    spare = sandbox._spare
    assert spare is not None
    session = await sandbox.open(skill_of("return {success: true}"), {})
    assert session.pid == spare.pid
    other = await sandbox.open(skill_of("return {success: true}"), {})
    assert other.pid != spare.pid


async def test_a_spare_that_died_while_it_waited_is_replaced(sandbox: SkillSandbox) -> None:
    await sandbox.warm()
    spare = sandbox._spare
    assert spare is not None
    os.kill(spare.pid, signal.SIGKILL)
    await spare.closed()
    run = Run(await sandbox.open(skill_of("return {success: true}"), {}))
    assert (await run.finish()).success


def proc_file(pid: int, name: str) -> str:
    """Return what the kernel says about *pid*."""
    return Path(f"/proc/{pid}/{name}").read_text(encoding="ascii")


async def test_the_child_limits_itself_before_it_reads_a_skill(sandbox: SkillSandbox) -> None:
    session = await sandbox.open(skill_of("return {success: true}"), {})
    limits = proc_file(session.pid, "limits")
    rows = {line[:26].strip(): line[26:47].strip() for line in limits.splitlines()}
    assert rows["Max open files"] == "0"
    assert rows["Max file size"] == "0"
    assert rows["Max core file size"] == "0"
    assert rows["Max data size"] == str(LIMITS.memory_bytes_max)
    assert rows["Max cpu time"] == str(LIMITS.cpu_seconds_max)
    assert "NoNewPrivs:\t1" in proc_file(session.pid, "status")


WITH_FLAGS = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("child", {path!r})
child = importlib.util.module_from_spec(spec)
spec.loader.exec_module(child)
child.V8_FLAGS = {flags!r} or child.V8_FLAGS
sys.exit(child.main())
"""


@pytest.mark.parametrize(
    ("flags", "greeting", "code"),
    [
        ((), {"t": "ready"}, 0),
        (("--single-threaded", "--jitless"), {"t": "unsafe", "what": "code from strings"}, 3),
        (
            ("--single-threaded", "--disallow-code-generation-from-strings"),
            {"t": "unsafe", "what": "WebAssembly"},
            3,
        ),
        (("--no-such-flag", "--jitless"), {"t": "unsafe", "what": "code from strings"}, 3),
    ],
)
def test_the_child_refuses_to_start_when_a_flag_was_not_taken(
    flags: tuple[str, ...], greeting: dict[str, str], code: int
) -> None:
    script = WITH_FLAGS.format(path=str(_CHILD), flags=flags)
    # With a just-in-time compiler V8 would not even start within the usual memory bound.
    roomy = LIMITS.model_copy(update={"memory_bytes_max": 4 << 30})
    command = [sys.executable, "-I", "-S", "-B", "-c", script, _options(roomy)]
    ended = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=50
    )
    assert json.loads(ended.stdout) == greeting
    assert ended.returncode == code


async def test_the_built_in_report_reads_every_page_and_says_what_was_exported(
    sandbox: SkillSandbox,
) -> None:
    state = {"page": 1}

    def answer(args: list[object]) -> object:
        if args == ["click", "#next-page"]:
            state["page"] += 1
        texts = {
            "#page-info": f"第 {state['page']} / 3 页",
            ".report-table tbody": "1001\t库存现金\n1002\t银行存款\n",
            ".export-result": " 已导出 3 份报表 ",
        }
        return texts.get(str(args[1]), "") if args[0] == "getText" else {}

    skill = load_library().get("erp-monthly-report")
    params = {"month": "2026-03", "department": '财务"]部'}
    run = Run(await sandbox.open(skill, params))
    result = await run.finish(answer)
    assert result.data == {
        "message": "已导出 3 份报表",
        "month": "2026-03",
        "department": '财务"]部',
        "format": "xlsx",
        "pages": 3,
        "rows": 6,
    }
    assert ["select", "#dept-selector", '财务"]部'] in run.calls
    assert [call for call in run.calls if '财务"]部' in str(call[1])] == []
    assert len(run.calls) < 30


async def test_the_built_in_report_passes_on_the_pages_own_words(sandbox: SkillSandbox) -> None:
    def answer(args: list[object]) -> object:
        if args[:2] == ["waitForSelector", '.report-table[data-state="ready"]']:
            return TimeoutError("timed out")
        return "2030-01 尚未开始" if args == ["getText", ".report-error"] else {}

    skill = load_library().get("erp-monthly-report")
    result = await Run(await sandbox.open(skill, {"month": "2030-01"})).finish(answer)
    assert result == SkillResult(success=False, error="导出报表失败: 2030-01 尚未开始")
