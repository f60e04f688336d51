"""A server that takes OTLP spans over HTTP and keeps them as they came."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class OtlpServer:
    """What came, and what is answered."""

    def __init__(self) -> None:
        self.status = 200
        self.paths: list[str] = []
        self.bodies: list[bytes] = []
        self.url = ""

    @property
    def spans(self) -> list[Any]:
        """Return every span that came, in order."""
        requests = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        return [
            span
            for request in requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]


def facts_of(span: Any) -> dict[str, Any]:
    """Return the attributes of *span* by name."""
    return {a.key: value_of(a.value) for a in span.attributes}


def value_of(value: Any) -> Any:
    """Return what the protobuf *value* holds."""
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [value_of(each) for each in value.array_value.values]
    return getattr(value, kind)


@contextmanager
def otlp_server() -> Iterator[OtlpServer]:
    """Give a server that listens on this machine in the block."""
    kept = OtlpServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            kept.paths.append(self.path)
            kept.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(kept.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    kept.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield kept
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
