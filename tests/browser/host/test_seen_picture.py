"""The picture goes with an answer where words do not tell the page, if it may and is wanted."""

from collections.abc import Mapping
from typing import Any

import pytest

from browser.host.host_log import MemoryHostLog, NumberedLog
from browser.host.outcome import Approve, Outcome, ResolvedCall
from browser.host.seen_picture import SeenPictures
from guards.policy import effect_of
from states.page import PageState
from states.policy import Policy
from states.settings import ModelLimits, Settings
from states.wire import ProviderSpec, WireError

PLAIN = PageState(
    url="https://erp.example.com/x", origin="https://erp.example.com", document_id="d1", total=10
)
DRAWN = PLAIN.model_copy(update={"missed": 9, "completeness": 0.1})
LAID_OUT = PLAIN.model_copy(update={"visual": True})
PICTURE = {"image_base64": "iVBOR", "som_labels": [{"id": 1, "role": "button", "name": "Go"}]}
CLAUDE = ProviderSpec(kind="claude")


class Camera:
    """An executor that takes the picture where the policy lets it; `asked` counts the tries."""

    def __init__(self, *allow: str, after: PageState | None = None) -> None:
        host = {"host": "erp.example.com", "allow": list(allow)}
        self.policy = Policy.model_validate({"version": 1, "hosts": [host]})
        self.after = after
        self.asked = 0

    async def execute(
        self, action: str, params: Mapping[str, Any], expected_domain: str, approve: Approve
    ) -> Outcome:
        self.asked += 1
        effect, verdict = effect_of(self.policy, expected_domain, action, dict(params))
        origin = "https://erp.example.com"
        call = ResolvedCall(action, dict(params), origin, "d1", None, effect, verdict.text())
        if approve(call).kind != "allow":
            refused = WireError(code="refused", message="no")
            return Outcome(success=False, data={}, error=refused, page=DRAWN)
        return Outcome(success=True, data=dict(PICTURE), error=None, page=self.after or DRAWN)


async def added(
    page: PageState, camera: Camera, provider: ProviderSpec = CLAUDE, **changes: Any
) -> dict[str, Any]:
    """Return the data of an answer on *page* after the picture was, or was not, added."""
    settings = Settings(model=ModelLimits(pictures=changes.pop("pictures", "auto")))
    pictures = SeenPictures(camera, settings, provider)  # type: ignore[arg-type]
    log = NumberedLog(MemoryHostLog(), 1)
    outcome = Outcome(success=True, data={"clicked": True}, error=None, page=page)
    return dict((await pictures.added(outcome._replace(**changes), log)).data)


@pytest.mark.parametrize("page", [DRAWN, LAID_OUT], ids=["incomplete", "visual"])
async def test_a_page_that_words_do_not_tell_is_shown(page: PageState) -> None:
    assert await added(page, Camera("*")) == {"clicked": True, **PICTURE}


async def test_a_page_that_words_tell_costs_no_picture() -> None:
    camera = Camera("*")
    assert await added(PLAIN, camera) == {"clicked": True}
    assert camera.asked == 0


@pytest.mark.parametrize(
    ("kind", "eyes"), [("offline", 0), ("scripted", 0), ("ollama", 0), ("openai", 1), ("claude", 1)]
)
async def test_who_has_no_eyes_gets_none_but_on_the_operators_word(kind: Any, eyes: int) -> None:
    camera = Camera("*")
    await added(DRAWN, camera, ProviderSpec(kind=kind))
    assert camera.asked == eyes
    await added(DRAWN, camera, ProviderSpec(kind=kind), pictures="on")
    assert camera.asked == eyes + 1


async def test_the_setting_switches_it_off() -> None:
    camera = Camera("*")
    await added(DRAWN, camera, pictures="off")
    assert camera.asked == 0


async def test_the_policy_may_forbid_it() -> None:
    camera = Camera("click")
    assert await added(DRAWN, camera) == {"clicked": True}
    assert camera.asked == 1


async def test_a_picture_of_another_page_is_not_shown() -> None:
    other = DRAWN.model_copy(update={"document_id": "d2"})
    assert await added(DRAWN, Camera("*", after=other)) == {"clicked": True}


@pytest.mark.parametrize("data", [{"image_base64": "own"}, {"dialog": {"message": "?"}}])
async def test_an_answer_with_a_picture_or_a_dialog_stays_as_it_is(data: dict[str, Any]) -> None:
    camera = Camera("*")
    assert await added(DRAWN, camera, data=data) == data
    assert camera.asked == 0
