"""From what the page bundle refuses to the sentence a model can act upon."""

from collections.abc import Mapping
from typing import Any

from browser.host.errors import CommandError

# The bundle's code -> the catalogue's key; its detail becomes the fact `detail`.
_KEYS = {
    "not_found": "element_not_found",
    "enter_frame": "enter_frame",
    "frame_gone": "frame_gone",
    "ambiguous": "element_ambiguous",
    "bad_selector": "selector_invalid",
    "stale_ref": "stale_ref",
    "stale_cursor": "stale_cursor",
    "stale_document": "document_changed",
    "origin_changed": "document_changed",
    "stale_element": "stale_element",
    "password_shown": "picture_password",
    "bad_mask": "mask_unreadable",
    "not_editable": "element_not_editable",
    "not_a_select": "element_no_select",
    "no_such_option": "option_not_found",
    "several_options": "option_ambiguous",
    "one_line": "text_has_newline",
    "takes_no_keys": "takes_no_keys",
    "focus_moved": "focus_moved",
    "bad_value": "value_refused",
    "password_field": "password_field",
    "storage_disabled": "storage_disabled",
    "storage_full": "storage_full",
    "storage_too_large": "storage_too_large",
}
# What a wait that ended in vain was still waiting for -> the catalogue's key.
_WAITS = {
    "not_attached": "wait_not_attached",
    "not_visible": "wait_not_visible",
    "disabled": "wait_disabled",
    "readonly": "wait_readonly",
    "moving": "wait_moving",
    "out_of_view": "wait_out_of_view",
    "still_visible": "wait_still_visible",
}
_COVERED = "covered by "
_SHOWN_CHARS = 300


def refusal_of(error: Mapping[str, Any], asked: Mapping[str, Any]) -> CommandError:
    """Return the error for the bundle's *error* to a question with the argument *asked*."""
    code = str(error.get("code", "page_failed"))
    detail = str(error.get("detail", ""))[:_SHOWN_CHARS]
    selector = str(asked.get("selector") or "body")[:_SHOWN_CHARS]
    if code == "timeout":
        return _waited(detail, selector, int(asked.get("told_ms", asked.get("timeout_ms", 0))))
    key = _KEYS.get(code, "page_failed")
    return CommandError(key, detail=detail, selector=selector, name=selector)


def _waited(why: str, selector: str, timeout_ms: int) -> CommandError:
    facts: dict[str, object] = {"selector": selector, "seconds": round(timeout_ms / 1000, 1)}
    if why.startswith(_COVERED):
        return CommandError("wait_covered", by=why.removeprefix(_COVERED), **facts)
    return CommandError(_WAITS.get(why, "wait_not_attached"), **facts)
