"""A picture that an API would refuse the whole request for stays out of it."""

import base64
import struct

import pytest

from actions.llm.pictures import picture_to_send
from states.settings import ModelLimits

LIMITS = ModelLimits(picture_chars_max=1_000, picture_side_max=8_000)


def png(width: int, height: int, more: int = 0) -> str:
    head = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height)
    return base64.b64encode(head + bytes(more)).decode()


@pytest.mark.parametrize("picture", [png(1280, 900), png(8_000, 8_000), "/9j/4AAQSkZJRg==", ""])
def test_what_the_apis_take_is_sent(picture: str) -> None:
    assert picture_to_send(picture, LIMITS) == picture


@pytest.mark.parametrize("picture", [png(1280, 8_001), png(8_001, 1), png(10, 10, more=1_000)])
def test_what_is_too_large_is_not(picture: str) -> None:
    assert picture_to_send(picture, LIMITS) == ""


def test_a_picture_of_any_bearable_size_is_sent_on_the_operators_word() -> None:
    on = LIMITS.model_copy(update={"pictures": "on"})
    assert picture_to_send(png(10, 10), on) == png(10, 10)
    assert picture_to_send(png(8_001, 1), on) == ""


def test_a_model_without_eyes_gets_none() -> None:
    assert picture_to_send(png(10, 10), LIMITS.model_copy(update={"pictures": "off"})) == ""
