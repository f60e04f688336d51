"""The verdict on one paused request: where a document goes, who asks for everything else."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from browser.host.form_posts import FormPosts
from browser.host.frames import FrameDocuments
from guards.policy import resource_verdict, url_verdict
from states.policy import Policy
from states.verdict import ALLOWED, Verdict

# These never leave the browser, whoever asks for them.
_LOCAL_SCHEMES = ("data:", "blob:", "about:")


class PausedRequest(NamedTuple):
    """One request that waits for its verdict; *askers* are the documents it may be from."""

    request_id: str
    url: str
    method: str
    kind: str
    frame_id: str
    network_id: str
    sent_from: str
    askers: tuple[str, ...] = ()

    @classmethod
    def of(cls, paused: Mapping[str, Any]) -> "PausedRequest":
        """Return what `Fetch.requestPaused` told."""
        request = paused["request"]
        headers = {str(name).lower(): str(value) for name, value in request["headers"].items()}
        return cls(
            request_id=str(paused["requestId"]),
            url=str(request["url"]) + str(request.get("urlFragment", "")),
            method=str(request.get("method", "")),
            kind=str(paused.get("resourceType", "Other")),
            frame_id=str(paused.get("frameId", "")),
            network_id=str(paused.get("networkId", "")),
            sent_from=headers.get("origin") or headers.get("referer", ""),
        )


class Judge:
    """Judges requests by the policy, by the documents in *frames* and the approved *posts*."""

    def __init__(self, policy: Policy, frames: FrameDocuments, posts: FormPosts) -> None:
        self._policy = policy
        self._frames = frames
        self._posts = posts

    def asked_by(self, request: PausedRequest) -> PausedRequest:
        """Return *request* with the documents that it may be from, as far as is known now.

        One that was possible before stays possible until another one is named.
        """
        named = self._frames.named(request.network_id)
        if named is None:
            possible = self._frames.possible(request.frame_id, request.sent_from)
            named = tuple(dict.fromkeys((*request.askers, *possible)))
        return request._replace(askers=named)

    def document(self, request: PausedRequest, *, top_frame: bool) -> Verdict:
        """Return the verdict on a document that is to be loaded."""
        verdict = url_verdict(self._policy, request.url)
        if verdict and top_frame and request.method == "POST":
            return self._posts.verdict(request.network_id, request.url)
        return verdict

    def resource(self, request: PausedRequest, *, last: bool) -> Verdict | None:
        """Return the verdict on anything else, or None while who asks makes the difference.

        The *last* time, each of the possible documents must be allowed to.
        """
        if request.url.startswith(_LOCAL_SCHEMES):
            return ALLOWED
        askers = request.askers or ("",)
        verdicts = [resource_verdict(self._policy, asker, request.url) for asker in askers]
        refusals = [verdict for verdict in verdicts if not verdict]
        unsure = bool(refusals) and (len(refusals) < len(verdicts) or not request.askers)
        if unsure and not last:
            return None
        return refusals[0] if refusals else ALLOWED
