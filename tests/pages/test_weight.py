"""What a page costs before anybody has touched it: loose bounds, which a form made for nobody would break."""

import time

import pytest

from tests.pages.trial import open_page

PAGES = ["home", "learn", "augment", "train", "runs", "compare", "explore", "gold", "gallery"]
MOST_ELEMENTS = 110
"""Train with every part of its form made was 130, half a second of layout in a browser; it is 70 with them closed."""
SECONDS = 1.0
"""Of the processor; a run of a script takes hundredths of one."""


def elements(block):
    """How many there are below."""
    return sum(1 + elements(child) for child in getattr(block, "children", {}).values())


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_light_when_it_reruns(page, runs, answers):
    app = open_page(page)
    began = time.process_time()  # not the clock: others may be at work beside it
    app.run()
    assert not app.exception
    assert time.process_time() - began < SECONDS
    assert elements(app._tree) < MOST_ELEMENTS
