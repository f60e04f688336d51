"""Wherever the stream of a call is cut, the call is whole or there is none (R5)."""

from actions.llm.errors import NetworkFailedError, StreamBrokenError
from states.messages import ModelTurn
from tests.actions.llm.claude.lab import claude_at, tool
from tests.support.byte_server import Script, claude_end, claude_frames, stream

ARGUMENTS = {"action": "type", "text": "3000"}
PIECES = ('{"action":"type",', '"text":"30', '00"}')
EVENTS = ({"type": "message_start"}, *tool(0, *PIECES), *claude_end("tool_use"))
BODY = claude_frames(*EVENTS).replace(b'": ', b'":').replace(b'", "', b'","')


async def outcomes(scripts: list[Script]) -> list[ModelTurn | None]:
    """Return the turn of each script, None where there is none."""
    found: list[ModelTurn | None] = []
    async with claude_at(*scripts) as lab:
        for _ in scripts:
            try:
                found.append(await lab.turn())
            except (StreamBrokenError, NetworkFailedError):
                found.append(None)
    return found


def whole_or_none(turn: ModelTurn | None) -> bool:
    return turn is None or [call.input for call in turn.tool_calls] == [ARGUMENTS]


async def test_a_stream_that_ends_cleanly_at_any_byte_never_gives_part_of_a_call() -> None:
    cuts = range(len(BODY) + 1)
    turns = await outcomes([stream(BODY[:at]) for at in cuts])
    assert all(map(whole_or_none, turns))
    assert [at for at, turn in zip(cuts, turns, strict=True) if turn] == [len(BODY)]


async def test_a_connection_that_is_cut_at_any_place_never_gives_part_of_a_call() -> None:
    turns = await outcomes([stream(BODY[:at], ends=False) for at in range(0, len(BODY) + 1, 13)])
    assert all(map(whole_or_none, turns))
