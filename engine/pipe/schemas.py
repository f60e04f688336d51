"""The JSON Schemas of the protocol, generated from the wire models into docs/protocol.

`python -m engine.pipe.schemas docs/protocol` writes them; with `--check` it only tells which are
stale. The models are the truth, the files are for those who write another end.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel

from states.actions import PARAMS
from states.wire import PROTOCOL_VERSION, AgentMessage, HostMessage

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_files() -> dict[str, str]:
    """Return the text of every schema file by its path below docs/protocol."""
    files: dict[str, str] = {}
    for folder, union in (("host-to-agent", HostMessage), ("agent-to-host", AgentMessage)):
        for model in _members(union):
            kind = model.model_fields["type"].default
            files[f"{folder}/{kind}.json"] = _text(model, f"{folder}/{kind}")
    for action, params in PARAMS.items():
        files[f"params/{action}.json"] = _text(params, f"params/{action}")
    return files


def stale_files(folder: Path) -> list[str]:
    """Return the paths below *folder* that are missing, differ, or belong to no message."""
    wanted = schema_files()
    found = {path.relative_to(folder).as_posix(): path for path in folder.glob("*/*.json")}
    differing = [
        name
        for name, text in wanted.items()
        if name not in found or found[name].read_text("utf-8") != text
    ]
    return sorted([*differing, *(found.keys() - wanted.keys())])


def write_files(folder: Path) -> None:
    """Write every schema below *folder* and remove what belongs to no message any more."""
    wanted = schema_files()
    for name, text in wanted.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    for name in stale_files(folder):
        (folder / name).unlink()


def main(arguments: Sequence[str]) -> int:
    """Write or check the folder named in *arguments*; 0 when all is well, 1 when stale, 2 usage."""
    check, folders = "--check" in arguments, [a for a in arguments if not a.startswith("-")]
    if len(folders) != 1:
        sys.stderr.write("usage: python -m engine.pipe.schemas [--check] FOLDER\n")
        return 2
    folder = Path(folders[0])
    if not check:
        write_files(folder)
        return 0
    stale = stale_files(folder)
    for name in stale:
        sys.stderr.write(f"stale: {name}; run python -m engine.pipe.schemas {folder}\n")
    return 1 if stale else 0


def _members(union: Any) -> tuple[type[BaseModel], ...]:
    members: tuple[type[BaseModel], ...] = get_args(get_args(union)[0])
    return members


def _text(model: type[BaseModel], name: str) -> str:
    schema = model.model_json_schema()
    if "type" in model.model_fields:  # it has a default in code, and is what tells messages apart
        schema["required"] = ["type", *schema.get("required", ())]
    head = {"$schema": _DIALECT, "$id": f"urn:sgclaw:protocol:{PROTOCOL_VERSION}:{name}"}
    return json.dumps({**head, **schema}, ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
