"""Lines that no honest end of the pipe writes; each names the code it is refused with."""

import json
from collections.abc import Callable, Mapping
from typing import Any

Document = dict[str, Any]
PONG = b'{"type":"pong","nonce":"1"}'


def line_of(document: Mapping[str, Any]) -> bytes:
    """Return *document* as one line of plain JSON."""
    return json.dumps(document, ensure_ascii=True).encode() + b"\n"


def nested(depth: int) -> bytes:
    """Return an object *depth* levels deep."""
    return b'{"type":"pong","nonce":' + b"[" * depth + b"]" * depth + b"}\n"


# Whoever writes them: they never become a document.
TORN: dict[str, tuple[bytes, str]] = {
    "empty line": (b"\n", "line_empty"),
    "blanks": (b" \t \r\n", "line_empty"),
    "byte order mark": (b"\xef\xbb\xbf" + PONG + b"\n", "line_bom"),
    "byte order mark alone": (b"\xef\xbb\xbf\n", "line_bom"),
    "not UTF-8": (b'{"type":"pong","nonce":"\xff"}\n', "line_not_utf8"),
    "surrogate in UTF-8": (b'{"type":"pong","nonce":"\xed\xa0\x80"}\n', "line_not_utf8"),
    "overlong slash": (b'{"type":"pong","nonce":"\xc0\xaf"}\n', "line_not_utf8"),
    "interleaved binary": (bytes(range(128, 256)) + PONG + b"\n", "line_not_utf8"),
    "native frame": (b"\x0d\x00\x00\x00" + PONG + b"\n", "line_not_json"),
    "null byte": (b"\x00" + PONG + b"\n", "line_not_json"),
    "words": (b"hello host\n", "line_not_json"),
    "half an object": (PONG[:-4] + b"\n", "line_not_json"),
    "two objects": (PONG + PONG + b"\n", "line_not_json"),
    "two lines joined by CR": (PONG + b"\r" + PONG + b"\n", "line_not_json"),
    "two lines joined by U+2028": (PONG + "\u2028".encode() + PONG + b"\n", "line_not_json"),
    "a comment": (b"/* x */" + PONG + b"\n", "line_not_json"),
    "trailing comma": (b'{"type":"pong","nonce":"1",}\n', "line_not_json"),
    "single quotes": (b"{'type':'pong'}\n", "line_not_json"),
    "raw control in a text": (b'{"type":"pong","nonce":"\x01"}\n', "line_not_json"),
    "a list": (b"[" + PONG + b"]\n", "line_not_object"),
    "a text": (b'"pong"\n', "line_not_object"),
    "a number": (b"1\n", "line_not_object"),
    "nothing": (b"null\n", "line_not_object"),
    "a key twice": (b'{"type":"pong","type":"task_completed"}\n', "line_duplicate_key"),
    "a key twice by escapes": (b'{"type":"pong","\\u0074ype":"pong"}\n', "line_duplicate_key"),
    "NaN": (b'{"type":"pong","nonce":NaN}\n', "line_not_finite"),
    "infinity": (b'{"type":"pong","nonce":-Infinity}\n', "line_not_finite"),
    "1e400": (b'{"type":"pong","nonce":1e400}\n', "line_not_finite"),
    "2^53": (b'{"type":"pong","seq":9007199254740992}\n', "line_int_out_of_range"),
    "ten thousand digits": (b'{"seq":' + b"9" * 10_000 + b"}\n", "line_int_out_of_range"),
    "lone surrogate": (b'{"type":"pong","nonce":"\\ud83d"}\n', "line_lone_surrogate"),
    "lone surrogate in a key": (b'{"\\udc00":1}\n', "line_lone_surrogate"),
    "seventy deep": (nested(70), "line_too_deep"),
    "a hundred thousand deep": (nested(100_000), "line_too_deep"),
    "giant": (b'{"type":"pong","nonce":"' + b"x" * 40_000_000 + b'"}\n', "line_too_long"),
}
# A document, but no message of the protocol.
MISSHAPEN: dict[str, Document] = {
    "no type": {},
    "empty type": {"type": ""},
    "unknown type": {"type": "fly"},
    "type of another case": {"type": "Pong"},
    "type is a number": {"type": 1},
    "type is a list": {"type": ["pong"]},
    "prototype": {"__proto__": {"type": "pong"}, "constructor": 1},
    "long name": {"type": "x" * 10_000},
    "terminal codes as type": {"type": "\x1b[2Jpong\r\n"},
}
# To a host: what only looks like a message of its agent.
TO_HOST: dict[str, Document] = {
    "unknown field": {"type": "pong", "nonce": "1", "more": 1},
    "nonce is a number": {"type": "pong", "nonce": 1},
    "nonce is nothing": {"type": "pong", "nonce": None},
    "ready again with a text as pid": {"type": "ready", "protocol": 1, "version": "1", "pid": "1"},
    "a state nobody knows": {"type": "state_changed", "state": 5, "event": "x", "step": 1},
    "a negative step": {"type": "state_changed", "state": "planning", "event": "x", "step": -1},
    "a message of the host": {"type": "ping", "nonce": "1"},
    "an abort": {"type": "abort", "reason": "x"},
    "a task": {"type": "submit_task", "instruction": "x"},
    "an approval": {"type": "confirm_response", "seq": 1, "digest": "", "decision": "approved"},
    "completed without a trace": {"type": "task_completed", "state": "completed"},
    "completed by another": {
        "type": "task_completed",
        "state": "completed",
        "trace_id": "sgclaw-1",
    },
}
# To an agent: the same from the other side.
TO_AGENT: dict[str, Document] = {
    "unknown field": {"type": "ping", "nonce": "1", "more": 1},
    "nonce is a number": {"type": "ping", "nonce": 1},
    "a message of the agent": {"type": "pong", "nonce": "1"},
    "ready": {"type": "ready", "protocol": 1, "version": "1", "pid": 1, "trace_id": "x"},
    "a command": {"type": "command", "seq": 1, "action": "click", "params": {}},
    "a reason that is no text": {"type": "abort", "reason": ["x"]},
    "an answer without proof": {"type": "response", "seq": 1, "success": True},
    "an answer with a text as seq": {"type": "response", "seq": "1", "success": True},
    "an approval without proof": {
        "type": "confirm_response", "seq": 1, "digest": "", "decision": "approved",
    },
    "an approval nobody knows": {
        "type": "confirm_response", "seq": 1, "digest": "", "decision": "maybe",
        "security": {"hmac": "0" * 64},
    },
}  # fmt: skip

Change = Callable[[Document], Document]


def _proof(document: Document, proof: object) -> Document:
    return {**document, "security": {**document["security"], "hmac": proof}}


# A sealed message, changed afterwards.
TAMPERED: dict[str, tuple[Change, str]] = {
    "other words": (lambda d: {**d, "extra": 1}, "message_schema"),
    "proof of zeros": (lambda d: _proof(d, "0" * 64), "bad_hmac"),
    "proof in capitals": (lambda d: _proof(d, d["security"]["hmac"].upper()), "message_schema"),
    "no proof": (lambda d: {**d, "security": {}}, "message_schema"),
    "proof is a number": (lambda d: _proof(d, 0), "message_schema"),
    "seq is true": (lambda d: {**d, "seq": True}, "message_schema"),
    "seq is a fraction": (lambda d: {**d, "seq": 1.5}, "message_schema"),
    "seq is negative": (lambda d: {**d, "seq": -1}, "message_schema"),
    "seq is zero": (lambda d: {**d, "seq": 0}, "message_schema"),
    "later seq": (lambda d: {**d, "seq": d["seq"] + 1}, "bad_hmac"),
}
