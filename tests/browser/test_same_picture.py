"""A link shows everyone the same picture: in a second browser, and after a restart."""

import shutil

import pytest

from tests.browser.reader import Reader, served

LINK = "explore?target=minilm-l3&beside=&plane=umap"
CIRCLES = "nodes => nodes.map(node => [node.getAttribute('cx'), node.getAttribute('cy')].join(' '))"


def picture(context, app):
    """Where the sentences are drawn, once UMAP has replaced PCA."""
    one = Reader(context, app)
    page = one.open(LINK)
    panel = page.locator('.panel[aria-label="Sentences, UMAP"]')
    panel.wait_for(timeout=180_000)
    one.settled()
    circles = panel.locator("svg.points circle").evaluate_all(CIRCLES)
    page.close()
    return circles


@pytest.fixture
def second(browser):
    fresh = browser.new_context(reduced_motion="reduce")
    yield fresh
    fresh.close()


def test_a_second_browser_and_a_restarted_app_show_the_same_coordinates(context, second, app, runs, tmp_path):
    shown = picture(context, app)
    assert len(shown) == 1200 and len(set(shown)) > 1000
    assert picture(second, app) == shown
    for answer in (runs.path / ".cache").glob("project-*"):  # as if they had been pruned
        shutil.rmtree(answer)
    with served(runs, tmp_path / "log.txt") as restarted:
        assert picture(second, restarted) == shown
