"""How Chromium is started: its flags and its environment.

The rule: nothing of ours that the browser does not need reaches it, and no host outside the
policy has an address (defence in depth behind the gate).
"""

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
)


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
    if options.host_map:
        # A mapped host exists on this machine only; a proxy of the desktop cannot know it.
        flags.append("--no-proxy-server")
    return [*flags, "about:blank"]


def resolver_rules(options: LaunchOptions) -> str:
    """Return the resolver rules: the policy's hosts at their ports, and nothing else.

    A rule that maps a name and port to itself lets just that one through, which `EXCLUDE`
    (names only) cannot say: this is what a WebSocket to another port meets.
    """
    named: dict[str, str] = {}
    for rule in options.policy.hosts:
        if rule.allow or rule.confirm:
            place = f"{rule.host}:{rule.effective_port()}"
            named[place] = options.host_map.get(rule.host, place)
            for host in rule.resources:
                named.setdefault(f"{host}:443", options.host_map.get(host, f"{host}:443"))
    rules = [f"MAP {place} {address}" for place, address in named.items()]
    return ", ".join([*rules, "MAP * ~NOTFOUND"])


def browser_environment(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment of the browser: what it needs of *environ* and nothing else."""
    return {name: environ[name] for name in _ENV_KEPT if name in environ}
