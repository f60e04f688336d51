"""The page bundle with the policy's masks in it: they stand before anything is asked of a page."""

import json
import secrets

from states.policy import HostRule, Policy

_DEFAULT_PORT = {"https": 443, "http": 80}


def page_source(bundle: str, policy: Policy) -> str:
    """Return *bundle* followed by the call that gives it the masks of *policy*, by origin.

    With them goes a name that no page knows: under it the documents of one origin ask each other
    which fields held a password.
    """
    masks = {_origin(rule): list(rule.mask) for rule in policy.hosts if rule.mask}
    given = {"masks": masks, "witness": f"sg{secrets.token_hex(16)}"}
    return f"{bundle}\n;__sg.configure({json.dumps(given)});\n"


def _origin(rule: HostRule) -> str:
    """Return the origin of *rule* as a document tells its own: without the scheme's own port."""
    port = rule.effective_port()
    shown = "" if port == _DEFAULT_PORT[rule.scheme] else f":{port}"
    return f"{rule.scheme}://{rule.host}{shown}"
