"""The address of a model server: parsed as the product parses every URL, and narrow.

The rule: keys and prompts go there, so it is https, or plain http on this machine, and holds
neither a password nor anything that an address of an API has no use for.
"""

import ipaddress

import ada_url

from sgclaw.errors import UsageError

_CHARS_MAX = 2_000
_OLLAMA_API = "/v1"


def checked_base_url(text: str, kind: str, *, insecure_http: bool) -> str:
    """Return the address *text* of a server of *kind*, as it is used.

    Raises:
        UsageError: it is no address that a key may be sent to.
    """
    if len(text) > _CHARS_MAX or not text.isprintable() or any(c in text for c in " \\"):
        raise UsageError("base_url_unreadable")
    try:
        url = ada_url.URL(text)
    except ValueError as error:
        raise UsageError("base_url_unreadable") from error
    if url.username or url.password:
        raise UsageError("base_url_userinfo", host=url.host)
    if url.protocol not in ("https:", "http:"):
        raise UsageError("base_url_scheme", scheme=url.protocol.rstrip(":"))
    if "?" in text or "#" in text:
        raise UsageError("base_url_parts", host=url.host)
    if url.protocol == "http:" and not insecure_http and not _is_loopback(url.hostname):
        raise UsageError("base_url_insecure", host=url.host)
    address = str(url.href).rstrip("/")
    # People know Ollama by its host and port alone.
    return address + _OLLAMA_API if kind == "ollama" and url.pathname == "/" else address


def host_of(base_url: str) -> str:
    """Return host and port of *base_url*, for a sentence."""
    return str(ada_url.URL(base_url).host)


def _is_loopback(hostname: str) -> bool:
    if hostname == "localhost":
        return True
    try:
        return ipaddress.ip_address(hostname.strip("[]")).is_loopback
    except ValueError:
        return False
