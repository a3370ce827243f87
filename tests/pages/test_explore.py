"""The views of one or two spaces, one to a tab."""

import json
import os

import pandas
import pytest

from tests.pages.explored import (
    without_transform,
)
from tests.pages.trial import open_page, words_of
from tests.run_folders import make_run
from workbench.data.demo import pairs
from workbench.ui.explore.layers import _unranked

VIEWS = [
    "Linked views",
    "The cone",
    "Dropout views",
    "One cosine",
    "Margin",
    "Layers",
]


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_opens_from_its_address(runs, answers, forty, view):
    run = make_run(runs)
    app = open_page("explore", view=view, target=run.id, beside="minilm-l3", pairs=forty)
    assert not app.exception and not app.error
    assert app.get("bidi_component" if view == "Linked views" else "plotly_chart")
    assert "takeaway" in words_of(app)


@pytest.mark.parametrize("view", VIEWS)
def test_equal_sides_are_shown_once_and_reported(runs, answers, forty, view):
    app = open_page("explore", view=view, target="minilm-l3", beside="minilm-l3", pairs=forty)
    assert not app.exception and not app.error
    assert "Both sides are minilm-l3 · before fine-tuning, so it is shown once." in words_of(app)


def test_the_newest_run_is_shown_beside_its_backbone(runs, answers, forty):
    run = make_run(runs)
    app = open_page("explore", view="The cone", pairs=forty)
    assert not app.exception and run.id in app.query_params["target"]
    assert (app.selectbox(key="target").value, app.selectbox(key="beside").value) == (run.id, "minilm-l3")
    asked = [given["target"] for verb, given in answers if verb == "project"]
    assert asked == ["minilm-l3", run.id], "before, then after"
    app.selectbox(key="target").set_value("tfidf").run()
    assert app.selectbox(key="beside").value == "", "word counts have no backbone"
    app.selectbox(key="target").set_value(run.id).run()
    app.selectbox(key="beside").set_value("").run()
    assert app.query_params["beside"] in ("", [""]), "else a link would show the backbone again"
    again = open_page("explore", view="The cone", pairs=forty, target=run.id, beside="")
    assert again.selectbox(key="beside").value == ""


def test_choosing_the_other_side_as_first_shows_it_once(runs, answers, forty):
    app = open_page("explore", target=make_run(runs).id, beside="mini-mlm", pairs=forty)
    assert "shown once" not in words_of(app)
    app.selectbox(key="target").set_value("mini-mlm").run()
    assert not app.exception and "shown once" in words_of(app)


def test_a_file_of_pairs_is_read_once_and_again_when_it_changed(runs, answers, monkeypatch, tmp_path):
    from workbench.data import pairs as pair_sets

    read, load = [], pair_sets.load_pairs
    monkeypatch.setattr(pair_sets, "load_pairs", lambda *asked: read.append(asked) or load(*asked))
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path))
    file = tmp_path / "own.tsv"

    def write(word, later):
        rows = [f"{row}\t{word} one {row}\t{word} two {row}" for row in range(6)]
        file.write_text("score\tsentence1\tsentence2\n" + "\n".join(rows) + "\n")
        os.utime(file, (1e9 + later, 1e9 + later))

    def asked_texts():
        return [arguments["texts"][0] for verb, arguments in answers if verb == "project"]

    write("old", 0)
    app = open_page("explore", view="The cone", pairs=str(file))
    app.run()
    assert not app.exception and len(read) == 1 and set(asked_texts()) == {"old one 0"}
    write("new", 5)
    app.run()
    assert len(read) == 2 and asked_texts()[-1] == "new one 0"


def test_the_sentences_that_entail_each_other_name_their_source(runs, answers):
    app = open_page("explore", view="Dropout views")
    assert any("Zhang et al. 2022, ArcCSE" in one.value for one in app.caption)
    app.text_area(key="texts").set_value("One of my own.").run()
    assert not any("Zhang" in one.value for one in app.caption)


def test_a_variant_replaces_the_target(runs, answers, forty):
    without_transform(answers)
    app = open_page("explore", target="minilm-l3", pairs=forty)
    app.selectbox(key="target.variant.transform").set_value("standardise").run()
    app.button(key="target.variant.add").click().run()
    assert not app.exception and app.selectbox(key="target").value == "minilm-l3+standardise"
    assert "minilm-l3 · standardised" in words_of(app)


def test_the_cone_says_what_centred_pictures_hide(runs, answers, forty):
    app = open_page("explore", view="The cone", pairs=forty)
    assert "PCA and UMAP hide this" in words_of(app)


def test_the_example_is_three_sentences_that_entail_each_other(runs, answers):
    open_page("explore", view="Dropout views")
    asked = [arguments for verb, arguments in answers if verb == "project"]
    assert {arguments["method"] for arguments in asked} == {"pca", "umap"}
    assert all(len(arguments["texts"]) == 3 for arguments in asked)


def test_dropout_views_of_up_to_four_encoders_are_one_figure_and_a_second_seed_shows_what_is_chance(runs, answers):
    without_transform(answers)
    app = open_page("explore", view="Dropout views", target="minilm-l3", beside="mini-mlm", projection="pca")
    assert not app.exception and len(app.get("plotly_chart")) == 1 and "trustworthiness" in words_of(app)
    app.multiselect(key="further").set_value(["minilm-l3+centre", "tfidf"]).run()
    assert not app.exception and "not in this figure: TF-IDF." in words_of(app)
    app.multiselect(key="further").set_value(["minilm-l3+centre", "mini-mlm+centre"]).run()
    assert not app.exception and len(app.get("plotly_chart")) == 1
    figure = json.loads(app.get("plotly_chart")[0].proto.spec)
    titles = [note["text"] for note in figure["layout"]["annotations"]]
    assert len(titles) == 4 and len({trace.get("xaxis", "x") for trace in figure["data"]}) == 4
    assert sum(bool(trace.get("showlegend", True)) for trace in figure["data"]) == 3, "each sentence once"
    app.toggle(key="views.second").set_value(True).run()
    assert not app.exception
    figure = json.loads(app.get("plotly_chart")[0].proto.spec)
    assert len(figure["layout"]["annotations"]) == 8 and "With another seed the separation is" in words_of(app)
    asked = {
        (arguments["target"], arguments["seed"])
        for verb, arguments in answers
        if verb == "project" and arguments.get("views")
    }
    assert {seed for _, seed in asked} == {0, 1} and len(asked) == 8


def test_a_variant_is_of_the_encoder_chosen_not_of_the_newest_run(runs, answers, forty):
    without_transform(answers)
    make_run(runs)
    app = open_page("explore", target="minilm-l6:cls", beside="", pairs=forty)
    app.selectbox(key="target.variant.transform").set_value("standardise").run()
    assert "<code>minilm-l6+standardise</code>" in words_of(app)
    app.selectbox(key="beside.variant.transform").set_value("centre").run()
    app.button(key="beside.variant.add").click().run()
    assert app.selectbox(key="beside").value == "minilm-l6+centre", "beside nothing, the first encoder is varied"
    app.button(key="target.variant.add").click().run()
    assert not app.exception and app.selectbox(key="target").value == "minilm-l6+standardise"


def test_a_number_that_stands_for_something_else_is_shown_in_words(runs, answers, forty):
    app = open_page("explore", target="minilm-l3", pairs=forty)
    app.selectbox(key="target.variant.transform").set_value("all_but_the_top").run()
    slider = app.select_slider(key="target.variant.all_but_the_top.directions")
    assert slider.options[:3] == ["a hundredth of the dimensions", "0", "1"] and slider.value == -1
    slider.set_value(2).run()
    assert not app.exception and "<code>minilm-l3+all_but_the_top(directions=2)</code>" in words_of(app)
    app.selectbox(key="target.variant.transform").set_value("whitening").run()
    assert app.number_input(key="target.variant.whitening.k").label == "Directions kept (0: all)"


def test_layers_are_those_of_the_encoders_without_pooling_and_transform(runs, answers, forty):
    run = make_run(runs)
    app = open_page("explore", view="Layers", target=f"{run.id}:cls", beside="minilm-l3+centre", pairs=forty)
    assert not app.exception and not app.error
    assert {str(arguments["target"]) for verb, arguments in answers if verb == "layers"} == {run.id, "minilm-l3"}
    assert "the mean cosine is" in words_of(app)
    app.multiselect(key="layers.measures").set_value([]).run()
    assert "No measure is chosen." in words_of(app)


@pytest.mark.parametrize("target", ["tfidf", "tfidf(words=1000)"])
def test_word_counts_have_no_layers(runs, answers, target):
    app = open_page("explore", view="Layers", target=target)
    assert "No encoder is chosen." in words_of(app) and not app.exception


def test_word_embeddings_by_frequency_are_those_of_the_encoders_without_pooling(runs, answers):
    run = make_run(runs, backbone="mini-mlm")
    app = open_page(
        "explore", view="Word frequency", target=f"{run.id}:cls", beside="mini-mlm+centre", pairs="demo:dev"
    )
    assert not app.exception and not app.error
    asked = [arguments for verb, arguments in answers if verb == "frequency"]
    assert {str(arguments["target"]) for arguments in asked} == {run.id, "mini-mlm"}
    assert {arguments["corpus"] for arguments in asked} == {"demo"}
    assert "times as long as the most frequent ones" in words_of(app)
    first = json.loads(app.get("plotly_chart")[0].proto.spec)["data"][0]
    assert first["name"] == "BERT-base: Li et al. 2020, table 1", "published, and beneath"
    assert not any(verb == "score" for verb, _ in answers), "nothing is scored before somebody asks"
    app.text_input(key="frequency.corpus").set_value(" ").run()
    assert not app.exception and {arguments["corpus"] for _, arguments in answers if "corpus" in arguments} == {"demo"}


@pytest.mark.parametrize("target", ["tfidf", "tfidf(words=1000)"])
def test_word_counts_have_no_word_embeddings(runs, answers, target):
    app = open_page("explore", view="Word frequency", target=target)
    assert "No encoder is chosen." in words_of(app) and not app.exception


def test_the_most_frequent_tokens_are_left_out_of_the_mean(runs, answers, forty):
    app = open_page("explore", view="Word frequency", target="mini-mlm", pairs=forty)
    app.session_state["frequency.without.made"] = True
    app.run()
    assert not app.exception and not app.error
    scored = [str(arguments["target"]) for verb, arguments in answers if verb == "score"]
    assert scored == ["mini-mlm:mean", *(f"mini-mlm:mean(without={k})" for k in (1, 2, 5, 10, 20, 50, 100, 200))]
    assert len(app.get("plotly_chart")) == 2 and "the tuned model gains only 0.3" in words_of(app)
    assert "In mini-mlm · before fine-tuning Spearman is highest with" in words_of(app)


def test_a_cosine_is_explained_for_a_pair_of_the_set_or_for_own_sentences(runs, answers, forty):
    app = open_page("explore", view="One cosine", target="mini-mlm:mean", pairs=forty)
    app.selectbox(key=f"cosine.pair.{forty}").set_value(3).run()
    explained = [arguments for verb, arguments in answers if verb == "explain_cosine"]
    assert not app.exception and explained[-1]["first"] == pairs("dev").first[3]
    assert "equal tokens add" in words_of(app)
    app.segmented_control(key="cosine.source").set_value("own sentences").run()
    app.text_input(key="cosine.second").set_value("").run()
    assert not app.exception and "A sentence is missing." in words_of(app)


def test_a_cosine_that_cannot_be_shared_out_says_why(runs, answers, forty):
    without_transform(answers)
    app = open_page("explore", view="One cosine", target="mini-mlm:cls", beside="mini-mlm+whitening", pairs=forty)
    assert not app.exception
    said = words_of(app) + " ".join(error.value for error in app.error)
    assert "Only a mean over tokens is the sum of what each token adds" in said
    again = [button for button in app.button if button.label == "Try again"]
    assert len(again) <= 1, "a pooling that is refused is refused again"


def test_a_margin_is_moved_without_encoding_again(runs, answers, forty):
    app = open_page("explore", view="Margin", target="mini-mlm", pairs=forty)
    before = [arguments for verb, arguments in answers if verb == "angles"]
    app.slider(key="margin.degrees").set_value(25).run()
    assert not app.exception and "with a margin of 25°" in words_of(app)
    after = [arguments for verb, arguments in answers if verb == "angles"]
    assert all(arguments["dropout"] == 0.1 and arguments["texts"] == before[0]["texts"] for arguments in after)


@pytest.mark.parametrize("corpus", ["/etc/passwd", "hf:text:/etc/passwd.txt"])
def test_tokens_are_counted_in_no_file_outside_the_allowed_folders(runs, answers, corpus):
    app = open_page("explore", view="Word frequency", target="mini-mlm", beside="", **{"frequency.corpus": corpus})
    assert not app.exception and "may not be read" in app.error[0].value and not answers.of("frequency")


def test_why_a_layer_has_no_spearman_is_said_as_it_is():
    nothing, some = float("nan"), 0.5
    table = pandas.DataFrame({"layer": [0, 1, 2], "spearman": [nothing, some, some]})
    assert "Before the first layer all cosines are equal" in _unranked(table)
    assert "all cosines are equal (layer 1)" in _unranked(table.assign(layer=[1, 2, 3]))
    assert "different gold scores" in _unranked(table.assign(spearman=nothing))
    assert _unranked(table.assign(spearman=some)) == ""
