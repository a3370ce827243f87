"""A figure of the gallery that is drawn from one's own runs."""

import shutil

from tests.store.test_by_setting import run_with
from tests.trial import until


def test_the_discriminators_accuracy_is_drawn_over_epochs_with_a_line_at_chance(reader, runs):
    made = [
        run_with(runs, 90 + number, [0.1, 0.2, 0.3, 0.3], alpha=alpha, epochs=[0, 0, 1, 1])
        for number, alpha in enumerate((0.0, 2.0))
    ]
    try:
        one = reader()
        page = one.open("gallery")
        page.get_by_text("Drawn from your own runs").click()
        one.settled(plots=1)
        figure = page.locator(".js-plotly-plot")
        names = ["alpha 0", "alpha 2", "guessing evenly among its 10 classes"]
        until(lambda: [text.strip() for text in figure.locator(".legendtext").all_text_contents()] == names, 10)
        assert figure.locator(".xtitle").text_content() == "epoch"
    finally:
        for run in made:
            shutil.rmtree(run.folder)
