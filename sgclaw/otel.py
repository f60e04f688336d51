"""Send runs as spans to a server that takes OTLP over HTTP (A3); needs the extra `otel`.

OpenTelemetry is loaded by this command alone. Headers and certificates are those of its own
variables, `OTEL_EXPORTER_OTLP_HEADERS` and so on.
"""

import contextlib
import logging
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from memory.database import Store
from memory.errors import LedgerError
from memory.raw_rows import raw_rows
from sgclaw import __version__
from sgclaw.errors import CliError, UsageError
from sgclaw.otel_spans import AGENT, SpanFacts, spans_of
from states.secrets import strike

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

SECONDS_MAX = 10.0
_SPANS_AT_ONCE = 256
_WHY_CHARS_MAX = 200
_LOGGER = "opentelemetry.exporter.otlp.proto.http"


def send_traces(
    url: str, store: Store, install: str, traces: Sequence[str], *, with_content: bool
) -> int:
    """Send the spans of *traces* to *url*; return how many there were.

    Raises:
        UsageError: the extra is not installed, or *url* is no address.
        CliError: the server is not there or does not take them.
        LedgerError: a run cannot be read.
    """
    endpoint = endpoint_of(url)
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import SpanExportResult
    except ImportError as error:
        raise UsageError("otel_missing", why=error) from error
    facts = [
        span
        for trace in traces
        for span in spans_of(
            install, trace, _rows(store, install, trace), with_content=with_content
        )
    ]
    sent = 0
    with _failures() as told:
        exporter: Any = OTLPSpanExporter(endpoint=endpoint, timeout=SECONDS_MAX)
        try:
            for start in range(0, len(facts), _SPANS_AT_ONCE):
                some = facts[start : start + _SPANS_AT_ONCE]
                if exporter.export(_readable(install, some)) is not SpanExportResult.SUCCESS:
                    why = strike(told[-1])[:_WHY_CHARS_MAX] if told else "no answer"
                    shown = strike(endpoint)
                    raise CliError("otel_failed", url=shown, why=why, sent=sent, spans=len(facts))
                sent += len(some)
        finally:
            exporter.shutdown()
    return sent


def _rows(store: Store, install: str, trace: str) -> list[dict[str, Any]]:
    """Return the rows of *trace* that are there: what retention dropped is no reason to fail.

    Raises:
        LedgerError: one is not what was written.
    """
    found = raw_rows(store, install, trace)
    for raw in found:
        if not raw.intact:
            raise LedgerError("ledger_changed", path=store.place, trace=trace, seq=raw.seq)
    return [raw.row for raw in found]


def endpoint_of(url: str) -> str:
    """Return where spans are sent for *url*: itself, or its /v1/traces when it has no path.

    Raises:
        UsageError: it is no address of a server.
    """
    try:
        parts = urlsplit(url)
        is_server = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError as error:
        raise UsageError("otel_url", url=strike(url)) from error
    if not is_server or any(char <= " " for char in url):
        raise UsageError("otel_url", url=strike(url))
    return f"{url.rstrip('/')}/v1/traces" if parts.path in ("", "/") else url


def _readable(install: str, spans: Sequence[SpanFacts]) -> "list[ReadableSpan]":
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import Event, ReadableSpan
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

    resource = Resource(
        {"service.name": AGENT, "service.version": __version__, "service.instance.id": install}
    )
    scope = InstrumentationScope(AGENT, __version__)

    def context(span: SpanFacts, span_id: int) -> SpanContext:
        flags = TraceFlags(TraceFlags.SAMPLED)
        return SpanContext(span.trace_id, span_id, is_remote=False, trace_flags=flags)

    return [
        ReadableSpan(
            name=span.name,
            context=context(span, span.span_id),
            parent=context(span, span.parent_id) if span.parent_id else None,
            resource=resource,
            attributes=dict(span.attributes),
            events=[Event(note.name, dict(note.attributes), note.at_ns) for note in span.notes],
            kind=SpanKind.CLIENT if span.name.startswith("chat") else SpanKind.INTERNAL,
            instrumentation_scope=scope,
            status=Status(StatusCode.ERROR if span.error else StatusCode.UNSET),
            start_time=span.start_ns,
            end_time=span.end_ns,
        )
        for span in spans
    ]


class _Kept(logging.Handler):
    """Keeps what the exporter says of itself: it tells a failure in no other way."""

    def __init__(self, told: list[str]) -> None:
        super().__init__(logging.WARNING)
        self._told = told

    def emit(self, record: logging.LogRecord) -> None:
        self._told.append(" ".join(record.getMessage().split()))


@contextlib.contextmanager
def _failures() -> Iterator[list[str]]:
    """Give the list that the exporter's warnings go to in the block, and nowhere else."""
    told: list[str] = []
    logger: Any = logging.getLogger(_LOGGER)
    handler, before = _Kept(told), logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield told
    finally:
        logger.removeHandler(handler)
        logger.propagate = before
