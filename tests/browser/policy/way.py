"""One way out of a page, and why some lead nowhere."""

from typing import NamedTuple


class Way(NamedTuple):
    """One way out of a page."""

    name: str
    body: str
    headers: tuple[tuple[str, str], ...] = ()
    status: int = 200
    top: bool = False
    kept_in: str = ""
    why_never: str = ""


PERSON = "a top-level POST needs a person"
OFF = "it passes no gate, so it is off"
AHEAD = "nothing is loaded ahead"
QUIET = "it is switched off by a flag of the browser"
HEADLESS = "a headless browser has no use for it"
NOT_HERE = "Chromium does not do it (any more)"
LOOKUP = "only a name is looked up: see the test of names"

HELPERS = """<script>
const add = (tag, fields, within) =>
  (within ?? document.body).appendChild(Object.assign(document.createElement(tag), fields));
const style = (css) => add('style', {textContent: css});
const script = (js) => URL.createObjectURL(new Blob([js], {type: 'text/javascript'}));
const press = (element) => element.dispatchEvent(new MouseEvent('click', {bubbles: true}));
</script>"""


def js(name: str, code: str, **more: object) -> Way:
    return Way(name, f"<script>{{ {code}; }}</script>", **more)  # type: ignore[arg-type]
