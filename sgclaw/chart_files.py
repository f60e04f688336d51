"""The charts as files for readers without the program: `python -m sgclaw.chart_files FOLDER`.

Every chart in every form and, where a form has words, in both languages. The files are committed;
a test compares them byte for byte with the charts, `--check` does the same by hand.
"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from engine.chart.declaration import Chart
from engine.chart.export.dot import dot
from engine.chart.export.mermaid import mermaid
from engine.chart.export.scxml import scxml
from engine.chart.export.svg import svg
from engine.chart.export.table import table
from engine.chart.export.xstate import xstate
from sgclaw.charts import load_named
from statecharts import chart_names
from states.catalogue import Lang

LANGUAGES: tuple[Lang, ...] = ("en", "zh-CN")
FORMS = {"md": table, "svg": svg, "mmd": mermaid, "dot": dot}
INDEX = "README.md"
_OPENING = """# Statecharts / 状态图

Written from `statecharts/*.yaml`; do not edit. A test fails when a file here is stale.
由 `statecharts/*.yaml` 生成，请勿手工修改；文件过期时测试会失败。

```
python -m sgclaw.chart_files docs/statecharts          # write / 生成
python -m sgclaw.chart_files --check docs/statecharts  # compare / 比较
```

| file / 文件 | what reads it / 用途 |
| --- | --- |
| `.md` | people: every state and row in order / 供人阅读：按顺序列出全部状态与行 |
| `.svg` | people: the picture / 供人阅读：图 |
| `.mmd` | Mermaid: wikis / 维基 |
| `.dot` | Graphviz: `dot -Tpdf` |
| `.scxml` | W3C SCXML: python-statemachine, Qt and others / 等工具 |
| `.xstate.json` | XState 5: Stately and `createMachine` |
"""


def chart_files(charts: Iterable[Chart]) -> dict[str, str]:
    """Return the text of every file of *charts* by its name, the index among them."""
    files: dict[str, str] = {}
    sections: list[str] = []
    for chart in charts:
        own: dict[str, str] = {}
        for lang in LANGUAGES:
            own |= {f"{chart.id}.{lang}.{end}": emit(chart, lang) for end, emit in FORMS.items()}
        own |= {f"{chart.id}.scxml": scxml(chart), f"{chart.id}.xstate.json": xstate(chart)}
        sections.append(_section(chart, own))
        files |= own
    return {INDEX: "\n".join([_OPENING, *sections]), **files}


def shipped_files() -> dict[str, str]:
    """Return the files of every chart of the product."""
    return chart_files(load_named(name) for name in chart_names())


def stale_files(folder: Path, wanted: dict[str, str]) -> list[str]:
    """Return the names in *folder* that are missing, differ from *wanted*, or are not wanted."""
    found = {path.name: path for path in folder.iterdir()} if folder.is_dir() else {}
    differing = [
        name
        for name, text in wanted.items()
        if name not in found or found[name].read_bytes() != text.encode()
    ]
    return sorted([*differing, *(found.keys() - wanted.keys())])


def write_files(folder: Path, wanted: dict[str, str]) -> None:
    """Write *wanted* into *folder* and remove what belongs to no chart any more."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in wanted.items():
        (folder / name).write_bytes(text.encode())
    for name in stale_files(folder, wanted):
        (folder / name).unlink()


def main(arguments: Sequence[str]) -> int:
    """Write or check the folder named in *arguments*; 0 when all is well, 1 when stale, 2 usage."""
    check, folders = "--check" in arguments, [a for a in arguments if not a.startswith("-")]
    if len(folders) != 1:
        sys.stderr.write("usage: python -m sgclaw.chart_files [--check] FOLDER\n")
        return 2
    folder, wanted = Path(folders[0]), shipped_files()
    if not check:
        write_files(folder, wanted)
        return 0
    stale = stale_files(folder, wanted)
    for name in stale:
        sys.stderr.write(f"stale: {name}; run python -m sgclaw.chart_files {folder}\n")
    return 1 if stale else 0


def _section(chart: Chart, names: Iterable[str]) -> str:
    links = " · ".join(f"[`{name.removeprefix(chart.id)}`]({name})" for name in sorted(names))
    told = " / ".join(text for text in (chart.description.en, chart.description.zh) if text)
    lines = [f"## {chart.id} v{chart.version}", "", told, "", links, ""]
    pictures = [f"![{chart.id} ({lang})]({chart.id}.{lang}.svg)" for lang in LANGUAGES]
    return "\n".join([*lines, *pictures, ""])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
