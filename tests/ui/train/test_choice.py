"""The list of recipes on the Train page."""

from itertools import groupby

from tests.pages.trial import open_page
from workbench.recipes import RECIPES


def test_recipes_are_listed_by_what_they_need(runs):
    app = open_page("train")
    groups = [option.partition(": ")[0] for option in app.selectbox(key="recipe").options]
    assert len(groups) == len(RECIPES)
    assert groups[0] == "Sentences" and groups[-1] == "Pretraining"
    assert len([name for name, _ in groupby(groups)]) == len(set(groups)) >= 5
