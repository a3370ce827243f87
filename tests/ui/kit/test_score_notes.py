"""Notes below tables of scores."""

import math

from streamlit.testing.v1 import AppTest


def lines_of(scores):
    def page(scores):
        from workbench.ui.kit.score_notes import say_notices

        say_notices(scores)

    app = AppTest.from_function(page, args=(scores,)).run()
    assert not app.exception
    return [one.proto.body.removeprefix('<p class="quiet">').removesuffix("</p>") for one in app.get("html")]


def test_a_notice_is_shown_once_with_the_names_it_is_about():
    scores = {
        "A": {"notices": ["seen"], "undefined": math.nan},
        "B": {"notices": ["own", "seen", "all"]},
        "C": {"notices": None, "negative": "all"},
    }
    scores["A"]["negative"] = "all"
    assert lines_of(scores) == ["all", "A and B: seen", "B: own"]
    many = {str(number): {"notices": ["seen"] if number else []} for number in range(10)}
    assert lines_of(many) == ["1, 2, 3, 4, 5, 6 and 3 more: seen"]
