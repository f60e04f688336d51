"""Every address of the hostile corpus is refused, and what is the good host's passes."""

import pytest

from guards.policy import resource_verdict, url_verdict
from states.policy import Policy
from tests.browser.policy.url_corpus import ALLOWED, HOSTILE, Hostile, spelled

RULE = {"host": "good.test", "scheme": "http", "allow": ["*"], "resources": ["cdn.test"]}
POLICY = Policy.model_validate({"version": 1, "hosts": [RULE]})
PAGE = "http://good.test/"


@pytest.mark.parametrize("row", HOSTILE, ids=[row.name for row in HOSTILE])
def test_a_hostile_address_is_refused_in_one_printable_line(row: Hostile) -> None:
    url = spelled(row.url, "t")
    for verdict in (url_verdict(POLICY, url), resource_verdict(POLICY, PAGE, url)):
        assert not verdict
        assert verdict.text("en").isprintable()
        assert verdict.text("zh-CN").isprintable()


@pytest.mark.parametrize("url", ALLOWED, ids=[url[:40] for url in ALLOWED])
def test_a_good_address_passes_for_documents_and_resources(url: str) -> None:
    assert url_verdict(POLICY, spelled(url, "t"))
    assert resource_verdict(POLICY, PAGE, spelled(url, "t"))


@pytest.mark.parametrize("row", HOSTILE, ids=[row.name for row in HOSTILE])
def test_the_same_deceit_about_a_resource_host_is_refused(row: Hostile) -> None:
    url = spelled(row.url, "t").replace("good.test", "cdn.test").replace("http:", "https:")
    plain = {"https", "port of https"}  # with https nothing is wrong about these two
    assert bool(resource_verdict(POLICY, PAGE, url)) is (row.name in plain)


def test_a_resource_host_passes_when_it_is_written_plainly() -> None:
    assert resource_verdict(POLICY, PAGE, "https://cdn.test/app.js")
    assert not url_verdict(POLICY, "https://cdn.test/app.js")


def test_the_corpus_names_nothing_twice_and_most_of_it_is_real() -> None:
    assert len({row.name for row in HOSTILE}) == len(HOSTILE) >= 120
    assert sum(not row.why_never for row in HOSTILE) >= 70
