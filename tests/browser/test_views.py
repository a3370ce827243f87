"""Every plot of a finished run."""

from urllib.parse import quote

import pytest

from tests.trial import until

VIEWS = {"The cone": 2, "Dropout views": 1}


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_of_explore_is_drawn(reader, finished, view):
    one = reader()
    one.open(f"explore?target={finished.id}&beside=minilm-l3&view={quote(view)}")
    one.page.locator(".takeaway").first.wait_for(timeout=120_000)
    one.settled(plots=VIEWS[view], seconds=240)
    # A figure has no box for a moment while it is redrawn.
    until(lambda: all(map(seen, one.page.locator("[data-testid=stPlotlyChart]").all())), 20)


def seen(plot):
    """Whether a figure stands on the page, large enough to be read."""
    box = plot.bounding_box()
    return box is not None and box["width"] > 250 and box["height"] > 200


def test_a_finished_run_shows_scores_curves_and_path(reader, finished):
    one = reader(theme="dark")
    page = one.open(f"runs?run={finished.id}")
    one.settled(plots=2)
    page.locator(".takeaway", has_text="It is finished, evaluated and saved.").first.wait_for()
    until(lambda: page.locator(".sheet").count() == 2, 20)  # demo:dev and demo:test, each in a table of its own
