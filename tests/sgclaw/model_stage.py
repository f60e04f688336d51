"""A task in this process whose model is a local server: see `task_stage` for the rest."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.sgclaw.task_stage import Answer, Request, TaskStage, done
from tests.support.byte_server import ByteServer, Played
from tests.support.model_lab import Reply, Wire

KEY = "canary_0f3e_of_the_key"


def does_all(request: Request) -> Answer:
    """Be a host that does what it is asked."""
    return done(request.seq)


def played(wire: Wire, *answers: Reply | Played) -> list[Played]:
    """Return *answers* as scripts of *wire*."""
    return [wire.script(a) if isinstance(a, Reply) else a for a in answers]


def provider_at(server: ByteServer, wire: Wire) -> dict[str, str]:
    """Return the provider's part of an init line."""
    return {"kind": wire.provider, "model": "test-model", "api_key": KEY,
            "base_url": server.url + wire.base}  # fmt: skip


def stage_at(
    data: Path,
    wire: Wire,
    server: ByteServer,
    resumed: str = "",
    model: Mapping[str, Any] = MappingProxyType({}),
) -> TaskStage:
    """Return a task that asks *server*; *model* are settings of its calls."""
    settings = {"model": {"retry_seconds": 0.01, **model}}
    return TaskStage(
        data, [], does_all, resumed, {"provider": provider_at(server, wire), "settings": settings}
    )
