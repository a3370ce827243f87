"""The views of one or two spaces."""

import pytest

from tests.pages.conftest import make_run, open_page, words_of

VIEWS = ["Similarity and gold", "The cone", "Dropout views", "Worst pairs", "Spectrum"]


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_opens_from_its_address(runs, answers, view):
    run = make_run(runs)
    app = open_page("explore", view=view, target=run.id, beside="minilm-l3")
    assert not app.exception and not app.error
    assert app.get("plotly_chart") or view == "Worst pairs"
    assert "takeaway" in words_of(app)


def test_a_variant_takes_the_place_of_the_target(runs, answers):
    app = open_page("explore")
    app.selectbox(key="target.variant.transform").set_value("standardise").run()
    app.button(key="target.variant.add").click().run()
    assert not app.exception and app.selectbox(key="target").value == "minilm-l3+standardise"
    assert "minilm-l3, standardised" in words_of(app)


def test_the_cone_says_what_centred_pictures_hide(runs, answers):
    app = open_page("explore", view="The cone")
    assert "PCA and UMAP hide this" in words_of(app)


def test_the_example_is_three_sentences_that_entail_each_other(runs, answers):
    open_page("explore", view="Dropout views")
    asked = [arguments for verb, arguments in answers if verb == "project"]
    assert {arguments["method"] for arguments in asked} == {"pca", "umap"}
    assert all(len(arguments["texts"]) == 3 for arguments in asked)
