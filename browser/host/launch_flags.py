"""How Chromium is started: its flags and its environment.

The rule: nothing of ours that the browser does not need reaches it, and no host outside the
policy has an address (defence in depth behind the gate).
"""

import base64
import json
import os
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from states.policy import Policy
from states.settings import BrowserLimits

# What a browser needs of the environment; API keys and proxies are not among it.
_ENV_KEPT = (
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR",
    "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE",
    "DBUS_SESSION_BUS_ADDRESS", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "LD_LIBRARY_PATH",
)  # fmt: skip

_QUIET = (
    "--no-first-run",
    "--no-default-browser-check",
    "--no-pings",
    "--no-service-autorun",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-hang-monitor",
    "--disable-popup-blocking",
    "--disable-quic",
    "--disable-renderer-backgrounding",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--metrics-recording-only",
    "--password-store=basic",
    "--use-mock-keychain",
    "--dns-prefetch-disable",
    # WebRTC would speak UDP past the gate.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)
_FEATURES_OFF = (
    "AutofillServerCommunication",
    "BackForwardCache",  # a page that comes back must be a new document
    "CertificateTransparencyComponentUpdater",
    "HttpsUpgrades",
    "InterestFeedContentSuggestions",
    "MediaRouter",
    "NetworkErrorLogging",
    "OptimizationHints",
    "Prerender2",
    "Reporting",
    "Translate",
    "FedCm",  # its requests pass no gate
    "IsolateSandboxedIframes",  # a frame's first requests must be its page's
)
# A proxy under a name without an address: what is sent there goes nowhere.
_NOWHERE = "nowhere.invalid:1"
_PROXY_SCRIPT = """function FindProxyForURL(url, host) {{
  const [, scheme, place] = /^(https?):..([^/]*)/.exec(url) || [];
  const port = /:[0-9]+$/.test(place) ? "" : scheme === "https" ? ":443" : ":80";
  return {places}.includes(place + port) ? "{proxy}" : "SOCKS5 {nowhere}";
}}"""


class LaunchOptions(BaseModel):
    """What one browser is started with.

    *host_map* gives hosts of the policy another address (`{"erp.example.com":
    "127.0.0.1:8443"}`), *spki* the base64 SHA-256 of the keys whose certificates are taken
    without a known issuer: both are for the demo company and for tests.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    policy: Policy
    profiles_root: Path
    browser: Path | None = None
    headed: bool = False
    host_map: Mapping[str, str] = {}
    spki: tuple[str, ...] = ()
    limits: BrowserLimits = BrowserLimits()


def browser_flags(options: LaunchOptions, profile: Path) -> list[str]:
    """Return the command line of the browser, without its path."""
    limits = options.limits
    flags = [
        "--remote-debugging-pipe",
        f"--user-data-dir={profile}",
        f"--window-size={limits.window_width_px},{limits.window_height_px}",
        f"--disable-features={','.join(_FEATURES_OFF)}",
        f"--host-resolver-rules={resolver_rules(options)}",
        *_QUIET,
    ]
    if not options.headed:
        flags += ["--headless=new", "--hide-scrollbars", "--mute-audio"]
    if os.geteuid() == 0:
        # Chromium's sandbox refuses to start as root.
        flags.append("--no-sandbox")
    if options.spki:
        flags.append(f"--ignore-certificate-errors-spki-list={','.join(options.spki)}")
    return [*flags, *_proxy_flags(options), "about:blank"]


def _proxy_flags(options: LaunchOptions) -> list[str]:
    """Return how the browser reaches servers: never by the desktop's proxy, never WebSocket.

    The desktop's proxy would resolve names past our rules. WebSockets pass no gate, from no
    page or worker, so they alone get the proxy of "everything else", which does not exist.
    """
    proxy = _proxy(options)
    if proxy:
        # A proxy resolves names itself, so only what the policy names is sent there.
        script = _PROXY_SCRIPT.format(
            places=json.dumps(list(_places(options))), proxy=_proxy_word(proxy), nowhere=_NOWHERE
        )
        encoded = base64.b64encode(script.encode()).decode()
        return [f"--proxy-pac-url=data:application/x-ns-proxy-autoconfig;base64,{encoded}"]
    return [
        f"--proxy-server=http=direct://;https=direct://;socks=socks5://{_NOWHERE}",
        # By default what is on this machine is exempt.
        "--proxy-bypass-list=<-loopback>",
    ]


def _proxy(options: LaunchOptions) -> str:
    # A mapped host exists on this machine only; no proxy can know it.
    return "" if options.host_map else options.limits.proxy_server


def _proxy_word(proxy: str) -> str:
    scheme, _, place = proxy.partition("://")
    return f"{'PROXY' if scheme == 'http' else scheme.upper()} {place}"


def _places(options: LaunchOptions) -> dict[str, str]:
    """Return `host:port` of all that the policy names, each with where it is to be found."""
    named: dict[str, str] = {}
    for rule in options.policy.hosts:
        if rule.allow or rule.confirm:
            place = f"{rule.host}:{rule.effective_port()}"
            named[place] = options.host_map.get(rule.host, place)
            for host in rule.resources:
                named.setdefault(f"{host}:443", options.host_map.get(host, f"{host}:443"))
    return named


def resolver_rules(options: LaunchOptions) -> str:
    """Return the resolver rules: the policy's hosts at their ports, and nothing else.

    A rule that maps a name and port to itself lets just that one through, which `EXCLUDE`
    (names only) cannot say: this is what a WebSocket to another port meets.
    """
    named = _places(options)
    if proxy := _proxy(options):
        place = proxy.partition("://")[2]
        named.setdefault(place, place)
    rules = [f"MAP {place} {address}" for place, address in named.items()]
    return ", ".join([*rules, "MAP * ~NOTFOUND"])


def browser_environment(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment of the browser: what it needs of *environ* and nothing else.

    In a locale without UTF-8 (cron, containers) it could not write a Chinese file name.
    """
    kept = {name: environ[name] for name in _ENV_KEPT if name in environ}
    return {"LANG": "C.UTF-8", **{name: v for name, v in kept.items() if not _narrow(name, v)}}


def _narrow(name: str, value: str) -> bool:
    return name in ("LANG", "LC_ALL", "LC_CTYPE") and "utf" not in value.lower()
