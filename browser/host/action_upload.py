"""Giving files to a field for them: only what the person handed over, and each time with a yes.

The rule: the names are looked up before the person is asked, the card shows name, size and SHA-256
of the copies, and exactly those copies are given. Copies that were not given are removed.
"""

import json
from types import TracebackType
from typing import Any, Self

from browser.host.action_click import named, unknown
from browser.host.errors import CdpTimeoutError, CommandError, ContextGoneError
from browser.host.turn import Turn
from browser.host.uploads import HandedFile
from guards.policy import upload_allowed


async def chooser_refused(turn: Turn) -> CommandError:
    """Return the error of a command whose element opened a file chooser, which was closed."""
    fields = (await turn.ask("file_fields", {"selector": turn.selector}))["refs"]
    frame = turn.place.name if turn.place is not None else ""
    refs = [f"@{frame}.{ref.removeprefix('@')}" if frame else ref for ref in fields]
    return CommandError("chooser_refused", name=named(turn), fields=", ".join(refs) or "-")


class HandOver:
    """The files of one command; what it did not give is removed."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._files: tuple[HandedFile, ...] = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if not self._turn.acted and self._turn.uploads is not None:
            self._turn.uploads.drop(self._files)

    async def prepare(self, found: dict[str, Any]) -> dict[str, Any]:
        """Return what an approval is bound to besides: the files, when *found* is a field for them.

        Raises:
            CommandError: a file cannot be taken.
        """
        turn = self._turn
        if found["target"]["input_type"] != "file":
            return {}
        if not upload_allowed(turn.policy, str(found["origin"])):
            return {}  # the policy's own sentence follows
        if turn.params.keys:
            raise CommandError("upload_keys", name=str(found["target"]["name"]))
        names = [line.strip() for line in turn.params.text.splitlines() if line.strip()]
        if not names:
            raise CommandError("upload_no_name", name=str(found["target"]["name"]))
        if turn.uploads is None:
            raise CommandError("upload_not_there", name=names[0][:120], names="-")
        self._files = await turn.uploads.take(names)
        return {"files": [file.as_data() for file in self._files]}

    async def give(self) -> dict[str, Any]:
        """Give the files to the field and return what it holds."""
        turn = self._turn
        asked = {"selector": turn.selector, "count": len(self._files)}
        await turn.ask_to_act("file_field", asked)
        place = await self._object_id()
        turn.acted = True
        try:
            paths = [str(file.path) for file in self._files]
            await turn.send("DOM.setFileInputFiles", {"files": paths, "objectId": place})
            held = await turn.ask("files_held", {"selector": turn.selector})
        except (ContextGoneError, CdpTimeoutError) as error:
            raise unknown(turn, error) from error
        given = [file.as_data() for file in self._files]
        if held["files"] and held["files"] != [[f.name, f.size] for f in self._files]:
            raise CommandError(
                "upload_did_not_stick", name=named(turn), got=str(held["files"])[:200]
            )
        return {"typed": turn.params.text, "files": given}

    async def _object_id(self) -> str:
        """Return the browser's name for the very field that was approved."""
        turn = self._turn
        world = turn.place.world if turn.place is not None else await turn.tab.top_world()
        serial = turn.met["target"]["serial"]
        arg = {"selector": turn.selector, "expected_target": {"serial": serial}, **turn.expected}
        asked = {
            "expression": f"__sg.file_node({json.dumps(arg)})",
            "uniqueContextId": world.context_id,
        }
        answer = await turn.send("Runtime.evaluate", asked)
        result = answer["result"]
        if "exceptionDetails" in answer or result.get("subtype") != "node":
            raise CommandError("stale_element", detail=named(turn))
        return str(result["objectId"])
