"""Property: whatever a skill tries in its realm, nothing but its own JSON gets out.

The cases follow public escapes (vm2, Js2Py, isolated-vm, n8n, cohere-terrarium) as collected in
the project's research; each states the outcome a user cares about.
"""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from skills.errors import (
    SkillBudgetError,
    SkillFailedError,
    SkillProtocolError,
    SkillResultError,
    SkillRunError,
)
from skills.sandbox import SkillSandbox
from tests.skills.sandbox.runner import LIMITS, Run, is_gone, result_of, skill_from, skill_of


@pytest.fixture
async def sandbox() -> AsyncIterator[SkillSandbox]:
    made = SkillSandbox(LIMITS)
    yield made
    await made.close()


def tried(expression: str) -> str:
    """Return JavaScript that says what *expression* gave, or the name of what it threw."""
    return (
        "const tried = async () => { try { return String(await ("
        + expression
        + ")) } catch (e) { return e.name } };"
        " return {success: true, data: await tried()}"
    )


CODE_FROM_TEXT = [
    "browserAction.constructor('return 1')()",
    "browserAction.constructor.constructor('return this')()",
    "(async () => {}).constructor('return 1')()",
    "(function* () {}).constructor('return 1')()",
    "(async function* () {}).constructor('return 1')()",
    "Object.getPrototypeOf(() => {}).constructor('return 1')()",
    "setTimeout.constructor('return 1')()",
    "console.log.constructor('return 1')()",
    "(() => { try { (function f() { f() })() } "
    "catch (e) { return e.constructor.constructor('1')() } })()",
    "Reflect.construct(Object.getPrototypeOf(function () {}).constructor, ['return 1'])()",
    "[].map.constructor('return 1')()",
]


@pytest.mark.parametrize("expression", CODE_FROM_TEXT)
async def test_no_function_can_be_made_from_text(expression: str) -> None:
    assert await result_of(tried(expression)) == "EvalError"


async def test_the_way_these_cases_report_shows_a_value_that_does_come_back() -> None:
    assert await result_of(tried("(() => 'came back')()")) == "came back"


async def test_a_rejected_call_gives_no_way_to_the_host() -> None:
    body = """
        try { await browserAction('fail') } catch (e) {
          let made;
          try { made = e.constructor.constructor('return this')() } catch (x) { made = x.name }
          return {success: true, data: [e.message, made, e instanceof Error, Object.keys(e)]}
        }"""
    said = await result_of(body, answer=lambda _: ValueError("no element"))
    assert said == ["no element", "EvalError", True, []]


ABSENT = [
    *("eval", "Function", "WebAssembly", "SharedArrayBuffer", "Atomics", "FinalizationRegistry"),
    *("WeakRef", "ShadowRealm", "require", "process", "Deno", "fetch", "XMLHttpRequest", "gc"),
    *("WebSocket", "Worker", "importScripts", "std", "os", "__timer_manager", "queueMicrotask"),
]


async def test_what_a_skill_must_not_have_is_absent_and_what_it_may_use_is_there() -> None:
    present = ["browserAction", "console", "JSON", "Promise", "setTimeout", "clearInterval", "Map"]
    body = "return {success: true, data: params.names.map((n) => typeof globalThis[n])}"
    assert await result_of(body, {"names": ABSENT}) == ["undefined"] * len(ABSENT)
    assert "undefined" not in await result_of(body, {"names": present})


@pytest.mark.parametrize(
    "specifier", ["fs", "node:fs", "file:///etc/passwd", "data:text/javascript,1", "std", "./x.js"]
)
async def test_no_module_can_be_imported(specifier: str) -> None:
    assert await result_of(tried(f"import({json.dumps(specifier)})")) == "Error"


async def test_the_python_side_has_no_attributes_to_climb() -> None:
    names = [
        "__class__",
        "__globals__",
        "__subclasses__",
        "__builtins__",
        "__dict__",
        "func_globals",
    ]
    body = """
        const seen = [];
        for (const name of params.names)
          for (const o of [browserAction, console, params, setTimeout]) seen.push(typeof o[name]);
        return {success: true, data: [...new Set(seen)]}"""
    assert await result_of(body, {"names": names}) == ["undefined"]


async def test_the_hosts_end_cannot_be_listed() -> None:
    body = """
        const own = Reflect.ownKeys(globalThis).map(String);
        return {success: true, data: own.filter((n) => /host|drain|deliver|pump/i.test(n))}"""
    assert await result_of(body) == []


PROTOTYPES = [
    *(
        "Object.prototype",
        "Array.prototype",
        "Object.getPrototypeOf(() => {})",
        "Promise.prototype",
        "Map.prototype",
    ),
    *(
        "Error.prototype",
        "String.prototype",
        "JSON",
        "Promise",
        "Error",
        "Object",
        "Reflect",
        "Math",
    ),
    *("Object.getPrototypeOf(async () => {})", "Object.getPrototypeOf([].values())"),
    *(
        "Object.getPrototypeOf(Object.getPrototypeOf((function* () {})()))",
        "browserAction",
        "setTimeout",
        "console",
    ),
]


@pytest.mark.parametrize("what", PROTOTYPES)
async def test_intrinsics_are_frozen(what: str) -> None:
    body = f"""
        'use strict';
        const seen = [];
        const attempt = (change) => {{
          try {{ change(); seen.push('changed') }} catch (e) {{ seen.push(e.name) }}
        }};
        attempt(() => {{ {what}.polluted = 1 }});
        attempt(() => {{ Object.setPrototypeOf({what}, null) }});
        return {{success: true, data: seen}}"""
    # Object.prototype's own prototype is null by nature, so setting it to null changes nothing.
    second = "changed" if what == "Object.prototype" else "TypeError"
    assert await result_of(body) == ["TypeError", second]


async def test_a_skills_own_objects_can_be_changed() -> None:
    body = """
        'use strict';
        class Box { constructor() { this.size = 1 } }
        const box = new Box(); box.size = 2; Box.prototype.grow = () => 3;
        return {success: true, data: [box.size, box.grow()]}"""
    assert await result_of(body) == [2, 3]


POISONS = [
    'JSON.stringify = () => \'{"success":true,"data":"forged"}\'',
    "JSON = {stringify: () => 'forged', parse: () => 'forged'}",
    "Promise.prototype.then = function () { throw new Error('stolen') }",
    "Promise = class {}; Map = class {}; String = () => 'forged'",
    "Error = function () { this.message = 'forged' }; TypeError = Error",
    "Map.prototype.get = () => [() => {}, () => {}]",
    "Array.prototype.push = Array.prototype.map = () => 'forged'",
    "Object.prototype.toJSON = () => 'forged'",
    "Error.prepareStackTrace = (e, sites) => sites",
    "Object.defineProperty(Array.prototype, '0', {set() { throw 1 }})",
    "globalThis.Reflect = undefined; globalThis.Object = undefined",
    "globalThis.browserAction = () => 'forged'",
    "Symbol.species = 1; Promise[Symbol.species] = class {}",
]


@pytest.mark.parametrize("poison", POISONS)
async def test_poisoning_the_realm_neither_forges_a_result_nor_hides_a_call(
    sandbox: SkillSandbox, poison: str
) -> None:
    body = f"""
        try {{ {poison} }} catch (e) {{}}
        const got = await browserAction('getText', '#total');
        return {{success: true, data: got}}"""
    run = Run(await sandbox.open(skill_of(body), {}))
    result = await run.finish(lambda _: "真实")
    assert (result.data, run.calls) == ("真实", [["getText", "#total"]])


async def test_arguments_are_one_snapshot_however_often_they_are_read(
    sandbox: SkillSandbox,
) -> None:
    body = """
        let reads = 0;
        const action = {toJSON() { return reads++ ? 'DELETE' : 'getText' }};
        const target = {}; Object.defineProperty(target, 'selector', {
          enumerable: true, get() { return reads++ < 2 ? '#a' : '#b' }});
        return {success: true, data: await browserAction(action, target)}"""
    run = Run(await sandbox.open(skill_of(body), {}))
    await run.finish()
    assert run.calls == [["getText", {"selector": "#a"}]]


async def test_a_parameter_named_proto_pollutes_nothing() -> None:
    params = {"__proto__": {"isAdmin": True}, "constructor": {"prototype": {"isAdmin": True}}}
    body = (
        "return {success: true, data: [({}).isAdmin === undefined, params.isAdmin === undefined]}"
    )
    assert await result_of(body, params) == [True, True]


WRONG_RESULTS = [
    ("return Object.create({success: true, data: 'forged'})", "skill_result_success"),
    ("class R { get success() { return true } } return new R()", "skill_result_success"),
    ("return {success: 'yes'}", "skill_result_success"),
    ("return [true]", "skill_result_not_object"),
    ("return 'ok'", "skill_result_not_object"),
    ("return undefined", "skill_result_not_object"),
    ("return () => {}", "skill_result_not_object"),
    ("return {success: false, error: {message: 'x'}}", "skill_result_error"),
    ("return {success: true, approved: true}", "skill_result_key"),
    ("return {success: true, data: 'x'.repeat(300000)}", "skill_result_too_large"),
]


@pytest.mark.parametrize(("body", "code"), WRONG_RESULTS)
async def test_a_result_counts_only_in_exactly_the_agreed_form(
    sandbox: SkillSandbox, body: str, code: str
) -> None:
    session = await sandbox.open(skill_of(body), {})
    with pytest.raises(SkillResultError) as caught:
        await session.next()
    assert caught.value.code == code


async def test_a_result_is_one_snapshot_of_own_properties() -> None:
    body = """
        let reads = 0;
        const data = {n: 1, d: new Date(NaN), u: undefined, f() {}};
        return {get success() { return reads++ === 0 }, data}"""
    assert await result_of(body) == {"n": 1, "d": None}


async def test_a_thenable_is_waited_for() -> None:
    assert await result_of("return {then(done) { done({success: true, data: 7}) }}") == 7


FAILURES = [
    ("return {success: true, get data() { throw new Error('in a getter') }}", "in a getter"),
    ("const a = {success: true}; a.data = a; return a", "circular"),
    ("return {success: true, data: 10n}", "BigInt"),
    ("throw new Error('第一行\\nsecond line')", "第一行"),
    ("throw null", "null"),
    ("throw undefined", "undefined"),
    ("throw {get message() { throw 1 }, get stack() { throw 2 }, toString() { throw 3 }}", "?"),
    (
        "const e = Error('x'); Reflect.defineProperty(e, 'stack', {get() { throw 1 }}); throw e",
        "x",
    ),
    ("throw new Proxy({}, {get() { throw 1 }, getPrototypeOf() { throw 2 }})", "?"),
    ("throw Object.create(null)", "?"),
    ("await Promise.reject({get stack() { throw 1 }})", "[object Object]"),
    ("throw new Error('\\u001b[31mred\\u202e')", "[31mred"),
    (
        "const p = Promise.resolve(); return Object.defineProperty(p, 'constructor', "
        "{get() { throw new Error('species') }})",
        "species",
    ),
    ("throw 'y'.repeat(100000)", "yyy"),
]


@pytest.mark.parametrize(("body", "said"), FAILURES)
async def test_whatever_is_thrown_ends_in_one_short_clean_line(
    sandbox: SkillSandbox, body: str, said: str
) -> None:
    session = await sandbox.open(skill_of(body), {})
    with pytest.raises(SkillFailedError) as caught:
        await session.next()
    message = str(caught.value.facts["message"])
    assert said in message
    assert len(message) <= 300
    assert message.isprintable()


async def test_a_failure_names_the_line_of_the_skills_own_file(sandbox: SkillSandbox) -> None:
    session = await sandbox.open(skill_of("const x = null;\nx.click();"), {})
    with pytest.raises(SkillFailedError, match=r"test-skill\.js:3"):
        await session.next()


BROKEN_FILES = [
    ("function x( {", "SyntaxError"),
    ("const nothing = 1;", "no function named execute"),
    ("const execute = 5;", "no function named execute"),
    ("throw {get stack() { throw 1 }}", "Object"),
    ("async function execute() { return %GetHeapUsage() }", "SyntaxError"),
    ("async function execute() { return import.meta }", "SyntaxError"),
    ("Object.defineProperty(globalThis, 'execute', {get() { throw new Error('g') }})", "g"),
    ("function setTimeout() {}\nasync function execute() { return {success: true} }", "setTimeout"),
    ("const a = 10n; a", "no function named execute"),
]


@pytest.mark.parametrize(("source", "said"), BROKEN_FILES)
async def test_a_file_that_does_not_run_is_a_failure_not_a_crash(
    sandbox: SkillSandbox, source: str, said: str
) -> None:
    session = await sandbox.open(skill_from(source), {})
    with pytest.raises(SkillFailedError) as caught:
        await session.next()
    assert said in str(caught.value.facts["message"])


REFUSED_OUTPUT = [
    ("await browserAction('type', '#a', '\\ud800')", SkillProtocolError),
    ("return {success: true, data: '\\udfff'}", SkillProtocolError),
    ("let data = 1; for (let i = 0; i < 40; i++) data = [data]; return {data}", SkillProtocolError),
    ("let data = 1; for (let i = 0; i < 3000; i++) data = {data}; return {data}", SkillRunError),
    ("return {success: true, data: 'x'.repeat(2000000)}", SkillProtocolError),
    ("await browserAction('type', '#a', 'x'.repeat(2000000))", SkillProtocolError),
    ("for (let i = 0; i < 201; i++) browserAction('click', '#a')", SkillBudgetError),
    ("for (let i = 0; i < 501; i++) console.log(i); await 0; return {}", SkillBudgetError),
    ("for (;;) try { await browserAction('click', '#a') } catch {}", SkillBudgetError),
]


@pytest.mark.parametrize(("body", "error"), REFUSED_OUTPUT)
async def test_output_over_a_bound_ends_the_run_and_the_child(
    sandbox: SkillSandbox, body: str, error: type[SkillRunError]
) -> None:
    run = Run(await sandbox.open(skill_of(body), {}))
    pid = run.session.pid
    with pytest.raises(error):
        await run.finish()
    await run.session.closed()
    assert is_gone(pid)


async def test_output_within_the_bounds_passes(sandbox: SkillSandbox) -> None:
    body = """
        let d = '😀中文'; for (let i = 0; i < 20; i++) d = [d];
        for (let i = 0; i < 200; i++) { await browserAction('click', '#a'); console.log(i, {i}) }
        for (let i = 0; i < 290; i++) console.warn('w');
        return {success: true, data: d}"""
    run = Run(await sandbox.open(skill_of(body), {}))
    result = await run.finish()
    innermost: Any = result.data
    while isinstance(innermost, list):
        innermost = innermost[0]
    assert (innermost, len(run.calls), len(run.session.logs)) == ("😀中文", 200, 490)
    assert run.session.logs[1] == ("info", '1 {"i":1}')
