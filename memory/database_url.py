"""The address of a PostgreSQL database, shown without what is secret in it.

What libpq says of an address that it cannot read may quote any part of it, so an address is passed
on only in a form that has one reading; there the password has its place and is left out.
"""

import re

_FORM = re.compile(
    r"postgres(?:ql)?://"
    r"(?:(?P<user>[^\s:/?#@\[\]]*)(?::[^\s/?#@\[\]]*)?@)?"
    r"(?P<host>[A-Za-z0-9._%,:-]*|\[[0-9A-Fa-f:.]+\](?::[0-9]+)?)"
    r"(?P<name>/[^\s/?#@\[\]]*)?"
    r"(?:\?(?P<options>[^\s?#@]*))?"
)
_PLACE_OPTION = re.compile(r"(?:^|&)((?:host|port|dbname)=[^&]*)")
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})|%00")
_SCHEME = re.compile(r"[A-Za-z+]{1,20}://")


def shown_url(url: str) -> str | None:
    """Return *url* without its secrets, None when it is no address of a PostgreSQL database."""
    found = _FORM.fullmatch(url)
    if found is None or not url.isprintable() or _BAD_ESCAPE.search(url):
        return None
    user = f"{found['user']}@" if found["user"] else ""
    options = "&".join(_PLACE_OPTION.findall(found["options"] or ""))
    shown = f"postgresql://{user}{found['host']}{found['name'] or ''}"
    return f"{shown}?{options}" if options else shown


def kind_of(url: str) -> str:
    """Return of what is no such address only what it begins with: the rest may be a password."""
    found = _SCHEME.match(url)
    return f"{found[0]}…" if found else "…"
