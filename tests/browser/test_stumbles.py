"""What newcomers stumbled over: each flow as they tried it."""

import re

from tests.trial import until


def at(page, pattern, heading):
    """Wait until the address and the page agree."""
    page.wait_for_url(re.compile(pattern))
    page.get_by_role("heading", name=heading, exact=True).first.wait_for()


def link(page, name):
    page.get_by_role("link", name=name, exact=True).first.click()


def test_back_leaves_one_page_for_the_other_with_its_own_address(reader, app):
    one = reader()
    page = one.open("compare?targets=minilm-l3&targets=tfidf&pairs=demo:traps")
    at(page, r"/compare\?targets=minilm-l3&targets=tfidf&pairs=demo", "Compare")
    for name in ("Train", "Compare", "Train"):
        link(page, name)
        at(page, f"/{name.lower()}", name)
        one.settled()
    page.go_back()
    at(page, r"/compare\?targets=minilm-l3&targets=tfidf&pairs=demo(:|%3A)traps$", "Compare")
    one.settled()
    page.go_back()
    at(page, r"/train$", "Train")
    one.settled()
    page.go_back()
    at(page, r"/compare\?targets=minilm-l3&targets=tfidf&pairs=demo(:|%3A)traps$", "Compare")
    one.settled()
    before = page.evaluate("history.length")
    assert before == 5, "the empty page, and one entry for each page opened"


def test_back_goes_through_the_tabs_of_explore(reader):
    one = reader()
    page = one.open("explore")
    one.settled()
    opened = ["Similarity and gold", "Worst pairs", "Neighbours"]

    def shown(name):
        return page.get_by_role("tab", name=name, exact=True).get_attribute("aria-selected") == "true"

    for name in opened[1:]:
        page.get_by_role("tab", name=name, exact=True).click()
        page.wait_for_url(f"**view={name.replace(' ', '+')}")
        one.settled()
    for name in opened[-2::-1]:
        page.go_back()
        until(lambda name=name: shown(name), 30)
        one.settled()
    assert page.url.endswith("/explore")
