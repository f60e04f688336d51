"""Whether a picture can go to a model: the APIs refuse a whole request for one too large (O3)."""

import base64
import binascii
import struct

from states.settings import ModelLimits

_PNG = b"\x89PNG\r\n\x1a\n"
# The signature, the first chunk's length and name, then width and height.
_HEAD_BYTES = 24


def picture_to_send(picture: str, limits: ModelLimits) -> str:
    """Return *picture*, base64, or "" where the model has no eyes or its API would refuse it."""
    if limits.pictures == "off" or len(picture) > limits.picture_chars_max:
        return ""
    return picture if max(_sides(picture)) <= limits.picture_side_max else ""


def _sides(picture: str) -> tuple[int, int]:
    """Return width and height of a PNG in pixels; zeros for another kind, whose size is bounded."""
    try:
        head = base64.b64decode(picture[: _HEAD_BYTES // 3 * 4], validate=True)
    except (binascii.Error, ValueError):
        return 0, 0
    if len(head) < _HEAD_BYTES or not head.startswith(_PNG):
        return 0, 0
    width, height = struct.unpack(">II", head[16:_HEAD_BYTES])
    return width, height
