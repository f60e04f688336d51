"""The site of the killed tasks: one list of orders per case, which counts what it is sent."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs

from tests.support.site import Asked, Page, Reply, Site, serve

_PAGE = """<!doctype html><html lang="en"><title>Orders</title><h1>Orders</h1>
<p id="count">{count} orders were sent</p>
<form method="post" action="/{case}/send">
<input id="what" name="what" value="paper" aria-label="what">
<button id="go">Go</button></form>
<button id="quick">Next</button><script>
document.getElementById("quick").onclick = () => {{
  const sent = new XMLHttpRequest();
  sent.open("POST", "/{case}/send", false);  // the click is not over before the site answered
  sent.setRequestHeader("Content-Type", "application/x-www-form-urlencoded");
  sent.send("what=paper");
}};
</script></html>"""


class Orders:
    """The orders of every case; `on_write` hears of one before it is answered."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.writes: Counter[str] = Counter()
        self.on_write: dict[str, Callable[[], object]] = {}

    def open(self, case: str) -> str:
        """Open the page of *case*; return its address."""
        pages: dict[str, Page] = {f"/{case}/orders": self._list, f"/{case}/send": self._send}
        self.site.pages.update(pages)
        return self.site.url(f"/{case}/orders")

    def _list(self, asked: Asked) -> Reply:
        case = asked.path.split("/")[1]
        return Reply(_PAGE.format(case=case, count=self.writes[case]))

    def _send(self, asked: Asked) -> Reply:
        case = asked.path.split("/")[1]
        if asked.method == "POST" and parse_qs(asked.body.decode()).get("what"):
            self.writes[case] += 1
            self.on_write.get(case, _nothing)()
        return Reply(status=303, headers={"Location": f"/{case}/orders"})


def _nothing() -> None:
    """What most cases do when their order comes."""


@contextmanager
def orders() -> Iterator[Orders]:
    """Serve the orders; the site outlives every process of every case."""
    with serve({}) as site:
        yield Orders(site)
