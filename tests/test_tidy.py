"""The shape of the code: small files, small functions, every public thing described."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 60
PARAMETERS_MAX = 6
FOLDERS = ("sgclaw", "engine", "states", "actions", "guards", "skills", "memory", "prompts",
           "statecharts", "browser", "benchmarks", "tools", "tests")  # fmt: skip
Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_files() -> list[Path]:
    found = [p for folder in FOLDERS for p in sorted((ROOT / folder).rglob("*.py"))]
    # What tools install stands in hidden folders.
    skipped = ("node_modules", ".rivals", ".miniwob", ".local_model", ".agentdojo")
    return [p for p in found if not set(skipped) & set(p.relative_to(ROOT).parts)]


@pytest.mark.parametrize("path", python_files(), ids=lambda p: str(p.relative_to(ROOT)))
def test_a_file_is_small_and_described(path: Path) -> None:
    assert list(violations(path)) == []


def violations(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    if text.count("\n") > FILE_LINES_MAX:
        yield f"{path.name}: {text.count(chr(10))} lines"
    tree = ast.parse(text)
    if not ast.get_docstring(tree):
        yield f"{path.name}: no module docstring"
    for node in ast.walk(tree):
        if isinstance(node, Function):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LINES_MAX:
                yield f"{path.name}:{node.lineno} {node.name}: {length} lines"
            arguments = node.args
            count = len(arguments.args) + len(arguments.kwonlyargs) + len(arguments.posonlyargs)
            named = {a.arg for a in arguments.args[:1]} & {"self", "cls"}
            if count - len(named) > PARAMETERS_MAX:
                yield f"{path.name}:{node.lineno} {node.name}: {count} parameters"


def test_a_long_function_is_found(tmp_path: Path) -> None:
    body = "\n".join(f"    x{i} = {i}" for i in range(FUNCTION_LINES_MAX + 1))
    path = tmp_path / "long.py"
    path.write_text(f'"""Doc."""\ndef f():\n{body}\n', encoding="utf-8")
    assert any("f: 62 lines" in found for found in violations(path))


def test_the_repository_names_no_address_of_a_registry() -> None:
    locks = ("browser/page/package-lock.json", "tools/oracles/package-lock.json",
             "tools/mcp_servers/package-lock.json")  # fmt: skip
    for name in ("requirements.lock", *locks, "pyproject.toml"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert "https://" not in text.replace("https://erp.example.com", "")
        assert "http://" not in text
