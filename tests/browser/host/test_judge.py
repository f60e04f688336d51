"""The verdict on one request: a document by where it goes, all else by everyone who may ask."""

import pytest

from browser.host.form_posts import FormPosts
from browser.host.frames import FrameDocuments
from browser.host.judge import Judge, PausedRequest
from states.policy import HostRule, Policy

POLICY = Policy(
    version=1,
    hosts=(
        HostRule(host="erp.example.com", allow=("*",), resources=("cdn.example.com",)),
        HostRule(host="other.example.com", allow=("*",)),
    ),
)
ERP, OTHER, EVIL = "https://erp.example.com/r", "https://other.example.com/", "https://evil.test/"
CDN = "https://cdn.example.com/x.js"


def request(url: str, *askers: str, method: str = "GET") -> PausedRequest:
    return PausedRequest("r1", url, method, "Script", "f1", "n1", "", askers)


def judge(frames: FrameDocuments | None = None) -> Judge:
    posts = FormPosts(person_present=False, late_s=10)
    return Judge(POLICY, frames or FrameDocuments(), posts)


def test_a_document_goes_to_places_of_the_policy_only() -> None:
    assert judge().document(request(ERP), top_frame=True)
    assert not judge().document(request(EVIL), top_frame=True)
    assert not judge().document(request(CDN), top_frame=False)


def test_a_form_that_nobody_approved_is_not_posted_in_the_top_frame() -> None:
    posted = request(ERP, method="POST")
    assert judge().document(posted, top_frame=True).reason == "form_submit_unapproved"
    assert judge().document(posted, top_frame=False)
    assert judge().document(request(EVIL, method="POST"), top_frame=True).reason != (
        "form_submit_unapproved"
    )


@pytest.mark.parametrize(
    ("url", "asker", "allowed"),
    [(CDN, ERP, True), (CDN, OTHER, False), (EVIL, ERP, False), (ERP, ERP, True),
     ("data:,x", EVIL, True), (ERP, EVIL, False)],
)  # fmt: skip
def test_a_resource_is_judged_by_the_document_that_asks(
    url: str, asker: str, allowed: bool
) -> None:
    verdict = judge().resource(request(url, asker), last=False)
    assert verdict is not None
    assert bool(verdict) is allowed


def test_while_several_may_ask_it_is_held_and_in_the_end_each_must_be_allowed() -> None:
    unsure = request(CDN, ERP, OTHER)
    assert judge().resource(unsure, last=False) is None
    verdict = judge().resource(unsure, last=True)
    assert verdict is not None
    assert not verdict
    sure = judge().resource(request(CDN, ERP, ERP), last=False)
    assert sure


def test_while_nobody_is_known_to_ask_it_is_held_and_refused_in_the_end() -> None:
    assert judge().resource(request(CDN), last=False) is None
    verdict = judge().resource(request(CDN), last=True)
    assert verdict is not None
    assert not verdict


def test_a_document_that_may_have_asked_stays_suspected_until_another_is_named() -> None:
    frames = FrameDocuments()
    frames.committed({"id": "f1", "url": ERP, "loaderId": "l1"})
    asked = judge(frames).asked_by(request(CDN, OTHER))
    assert set(asked.askers) == {OTHER, ERP}
    frames.asked("n1", "l1")
    assert judge(frames).asked_by(asked).askers == (ERP,)
