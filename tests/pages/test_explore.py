"""The views of one or two spaces."""

import json
import os

import numpy as np
import pytest
from scipy.spatial import procrustes
from scipy.stats import rankdata

from tests.pages.trial import open_page, words_of
from tests.run_folders import make_run
from workbench import api
from workbench.commands.figure import FIGURES
from workbench.data.demo import pairs
from workbench.ui.canvas import Chosen, Number, Rows, Scene
from workbench.ui.explore.planes import offered
from workbench.verbs import VERBS

VIEWS = [
    "Linked views",
    "The cone",
    "Dropout views",
    "One cosine",
    "Margin",
    "Layers",
]


def write_pairs(file, count):
    """The first pairs of the demo set as a table."""
    known = pairs("dev")
    rows = list(zip(known.gold, known.first, known.second, strict=True))[:count]
    lines = ["score\tsentence1\tsentence2", *("\t".join(map(str, row)) for row in rows)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(file)


def few_pairs(folder, monkeypatch, count):
    """A file of pairs that pages may read."""
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(folder))
    return write_pairs(folder / "few.tsv", count)


@pytest.fixture(scope="module")
def file_of_forty(tmp_path_factory):
    """One file, so that what is computed of it is computed once."""
    file = tmp_path_factory.mktemp("pairs") / "forty.tsv"
    write_pairs(file, 40)
    return file


@pytest.fixture
def forty(file_of_forty, monkeypatch):
    """Forty pairs, for what does not depend on which pairs they are."""
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(file_of_forty.parent))
    return str(file_of_forty)


def without_transform(answers):
    """Answers of encoders for those with a transform, which would first be fitted on a whole corpus."""
    for verb in ("project", "score", "spread", "clusters", "neighbours"):
        answers.instead[verb] = lambda given: {**given, "target": str(given["target"]).partition("+")[0]}


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


def test_neighbours_of_the_selected_sentence_stand_side_by_side_and_what_both_find_is_marked(
    runs, answers, monkeypatch, tmp_path
):
    file = few_pairs(tmp_path, monkeypatch, 12)
    app = open_page("explore", target="minilm-l3", beside="minilm-l3:cls", pairs=file)
    assert not app.exception and "Select a sentence, and its nearest ones by each encoder" in words_of(app)
    header, columns = shown_scene(app)
    texts = header["rows"][1]["n"]
    count = min(10, texts - 1)
    assert f"Of the {count} nearest neighbours of a sentence" in words_of(app)
    jaccard = columns["sentences", "jaccard 1"]
    assert len(jaccard) == texts and 0 < jaccard.mean() < 1
    assert f"(Jaccard {jaccard.mean():.2f})" in words_of(app)
    sentences = next(panel for panel in header["panels"] if panel["rows"] == "sentences" and panel["kind"] == "table")
    assert "jaccard 1" in sentences["columns"]
    assert "jaccard 1" in [colour["name"] for colour in header["colours"]]
    app.session_state["linked.before"] = Chosen("sentences", np.arange(texts) == 3).written(header["identity"])
    app.run()
    assert not app.exception and words_of(app).count("Nearest first") == 2
    assert words_of(app).count("near for both") == 2 * round(2 * count * jaccard[3] / (1 + jaccard[3]))
    before = words_of(app)
    app.slider(key="near").set_value(2).run()
    assert not app.exception and "Of the 2 nearest neighbours" in words_of(app) and words_of(app) != before
    assert "api.neighbours(texts, target='minilm-l3', count=2)" in app.code[-1].value
    selecting(app, [0, 5], n=12)
    assert app.selectbox(key="near.sentence").label == "Selected sentence of 4"
    assert not app.exception


def test_distributions_are_linked_views_too_and_of_those_selected_in_words(runs, answers, real_answers):
    targets = ["minilm-l3", "minilm-l3:cls"]
    app = open_page("explore", target=targets[0], beside=targets[1], pairs="demo:dev")
    assert not app.exception and not app.error
    assert len(app.get("plotly_chart")) == 1, "the spectrum of both"
    known = pairs("dev")
    header, columns = shown_scene(app)
    bucketed, over = (
        [panel for panel in header["panels"] if panel["title"].startswith(words)]
        for words in ("Cosines by gold", "Positives")
    )
    assert len(bucketed) == len(over) == 2 and len({str(panel["limits"]) for panel in over}) == 1
    (gold,) = (column for column in header["rows"][0]["columns"] if column["name"] == "bucket")
    assert gold["labels"] == ["0 to 1", "1 to 2", "2 to 3", "3 to 4", "4 to 5"]
    for number, target in enumerate(targets):
        cosines = real_answers.of(VERBS["score"], runs, {"target": target, "pairs": "demo:dev"}).cosines["cosine"]
        wins = [one > other for one in cosines[known.gold >= 4] for other in cosines[known.gold < 2]]
        assert f"(AUC {np.mean(wins):.2f})" in bucketed[number]["note"]
        positives = columns["pairs", f"positive {number}"]
        assert np.allclose(positives[known.gold > 4], cosines[known.gold > 4])
        assert np.isnan(positives[known.gold <= 4]).all() and over[number]["behind"]["values"]["length"] == 10_000
    asked = [arguments for verb, arguments in answers if verb == "spread"]
    assert [arguments["part"] for arguments in asked] == [[], []]
    app.toggle(key="spectrum.table").set_value(True).run()
    (shares,) = (frame.value for frame in app.dataframe)
    assert next(iter(shares)) == "Direction" and len(list(shares)) == 1 + 2 * 2
    assert shares.iloc[:, 2].sum() == pytest.approx(100) and shares.iloc[0, 1] == 1
    selecting(app, range(60), n=len(known))
    assert not app.exception and "Of the 60 selected pairs" in words_of(app) and "of them selected" in words_of(app)
    parts = [arguments["part"] for verb, arguments in answers if verb == "spread" and arguments["part"]]
    assert len(parts) == 2 and all(set(part) == {*known.first[:60], *known.second[:60]} for part in parts)
    selecting(app, [1], n=len(known))
    assert not app.exception, "two sentences have no spectrum, but a place among the pairs"


def test_one_encoder_has_its_neighbours_too_and_among_few_sentences_all_others(runs, answers, monkeypatch, tmp_path):
    app = open_page("explore", beside="", pairs=few_pairs(tmp_path, monkeypatch, 2))
    _, columns = shown_scene(app)
    assert ("sentences", "jaccard 1") not in columns
    selecting(app, [1], n=2)
    assert not app.exception and not app.error
    sheet = next(html for html in words_of(app).split("<div") if "Nearest first" in html)
    assert sheet.count("<tr>") == 1 + 3 and "near for both" not in words_of(app)


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


def test_word_counts_have_no_layers(runs, answers):
    app = open_page("explore", view="Layers", target="tfidf")
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


def test_word_counts_have_no_word_embeddings(runs, answers):
    app = open_page("explore", view="Word frequency", target="tfidf")
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
    app.selectbox(key="cosine.pair").set_value(3).run()
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


def shown_scene(app):
    """The header of what the linked views were given, and the name and values of each column of numbers."""
    (component,) = app.get("bidi_component")
    data = component.proto.bytes
    length = int.from_bytes(data[:4], "little")
    header = json.loads(data[4 : 4 + length])
    start = (4 + length + 7) // 8 * 8
    columns = {
        (kind["name"], column["name"]): np.frombuffer(
            data, "<f4", count=column["values"]["length"], offset=start + column["values"]["at"]
        )
        for kind in header["rows"]
        for column in kind["columns"]
        if column["type"] == "number"
    }
    return header, columns


def categories(app, rows, name):
    """The values of a column of categories."""
    (component,) = app.get("bidi_component")
    data = component.proto.bytes
    header, _ = shown_scene(app)
    start = (4 + int.from_bytes(data[:4], "little") + 7) // 8 * 8
    kind = next(kind for kind in header["rows"] if kind["name"] == rows)
    column = next(column for column in kind["columns"] if column["name"] == name)
    values = column["values"]
    codes = np.frombuffer(data, "<u2", count=values["length"], offset=start + values["at"])
    return [column["labels"][code] for code in codes]


def test_linked_views_show_all_pairs_and_sentences_of_both_encoders(runs, answers):
    app = open_page("explore", target="minilm-l3", beside="minilm-l3:cls", pairs="demo:dev")
    assert not app.exception and not app.error
    header, columns = shown_scene(app)
    known = pairs("dev")
    assert [(kind["name"], kind["n"]) for kind in header["rows"]] == [
        ("pairs", len(known)),
        ("sentences", len(set(known.texts()))),
    ]
    assert columns["pairs", "gold"].tolist() == known.gold.astype("f4").tolist()
    scatters = [panel for panel in header["panels"] if panel["kind"] == "scatter"]
    assert [panel["group"] for panel in scatters] == ["plane", "plane", "gold", "gold"]
    cosines = columns["pairs", "cosine 0"].astype(float)
    ranks = (rankdata(cosines) - rankdata(known.gold)) / (len(known) - 1)
    assert np.allclose(columns["pairs", "residual 0"], ranks, atol=1e-6)


def test_two_pictures_are_turned_onto_each_other_and_a_slider_leads_from_one_to_the_other(runs, answers, real_answers):
    targets = ["minilm-l3", "minilm-l3:cls"]
    app = open_page("explore", target=targets[0], beside=targets[1], pairs="demo:dev")
    header, columns = shown_scene(app)
    one, other = (panel for panel in header["panels"] if panel["kind"] == "scatter" and panel["group"] == "plane")
    assert [(stop["x"], stop["y"]) for stop in one["stops"]] == [("x 0", "y 0"), ("x 1", "y 1")] and not other["stops"]
    assert one["within"] == other["within"]
    texts = list(dict.fromkeys(pairs("dev").texts()))
    tables = [real_answers.of(VERBS["project"], runs, {"texts": texts, "target": target}) for target in targets]
    planes = [table[["x", "y"]].to_numpy() for table in tables]
    assert np.allclose(columns["sentences", "x 0"], planes[0][:, 0], atol=1e-5)
    _, second, disparity = procrustes(*planes)
    drawn = np.stack([columns["sentences", f"{axis} 1"] for axis in "xy"], axis=1)
    spread = np.linalg.norm(planes[0] - planes[0].mean(axis=0))
    # scipy scales the second set by the agreement, here it has the size of the first.
    assert np.allclose((drawn - drawn.mean(axis=0)) / spread, second / np.linalg.norm(second), atol=1e-4)
    assert f"share {1 - disparity:.0%} of their variance" in other["note"] and "Trustworthiness 0." in one["note"]


def test_up_to_four_encoders_stand_side_by_side_and_move_together(runs, answers, forty):
    without_transform(answers)
    targets = ["minilm-l3", "minilm-l3:cls", "minilm-l3+centre", "minilm-l3:cls+centre"]
    app = open_page("explore", target=targets[0], beside=targets[1], further=targets[2:], pairs=forty)
    assert not app.exception and not app.error
    header, columns = shown_scene(app)
    scatters = [panel for panel in header["panels"] if panel["kind"] == "scatter"]
    assert [panel["group"] for panel in scatters] == ["plane"] * 4 + ["gold"] * 4 and header["across"] == 4
    assert [stop["x"] for stop in scatters[0]["stops"]] == ["x 0", "x 1", "x 2", "x 3"]
    assert columns["pairs", "cosine 3"].shape == columns["pairs", "cosine 0"].shape
    assert app.multiselect(key="further").value == targets[2:]
    app = open_page("explore", target=targets[0], beside="", further=[*targets[1:], "tfidf"], pairs=forty)
    header, _ = shown_scene(app)
    assert header["across"] == 4 and not app.exception, "a link that names more shows the first ones"


def test_sentences_and_pairs_have_the_clusters_of_an_encoder_as_a_colour_and_a_column(runs, answers, real_answers):
    app = open_page("explore", target="minilm-l3", beside="minilm-l3:cls", clusters="4", clusters_of="minilm-l3:cls")
    assert not app.exception and app.number_input(key="clusters").value == 4
    assert app.selectbox(key="clusters_of").value == "minilm-l3:cls"
    header, _ = shown_scene(app)
    of_pairs, of_sentences = (
        next(column for column in kind["columns"] if column["name"] == "cluster") for kind in header["rows"]
    )
    known = pairs("dev")
    texts = list(dict.fromkeys(known.texts()))
    table = real_answers.of(VERBS["clusters"], runs, {"texts": texts, "target": "minilm-l3:cls", "count": 4})
    named = dict(zip(texts, table["name"], strict=True))
    assert categories(app, "sentences", "cluster") == list(named.values())
    both = [(named[one], named[other]) for one, other in zip(known.first, known.second, strict=True)]
    expected = [one if one == other else "in two clusters" for one, other in both]
    assert categories(app, "pairs", "cluster") == expected and len(set(expected)) == 5
    assert of_pairs["labels"] == of_sentences["labels"], "a cluster has one colour among pairs and among sentences"
    assert {"name": "cluster", "label": "cluster of minilm-l3 · cls pooling"} in header["colours"]
    for panel in (panel for panel in header["panels"] if panel["kind"] == "table"):
        assert "cluster" in panel["columns"]
        kind = next(kind for kind in header["rows"] if kind["name"] == panel["rows"])
        of = {column["name"]: column["of"] for column in kind["columns"]}
        owners = [of.get(name, "") for name in panel["columns"]]
        assert owners == sorted(owners, key=["", "minilm-l3 · before fine-tuning", "minilm-l3 · cls pooling"].index)
    assert "4 clusters of minilm-l3 · cls pooling, by k-means on whole vectors, silhouette" in words_of(app)
    assert any("api.clusters(texts, target='minilm-l3:cls', count=4)" in code.value for code in app.code)


def test_the_subsets_of_pairs_are_called_what_they_are(runs, answers):
    for name, word in (("demo:traps", "Kind"), ("demo:dev", "Genre")):
        header, _ = shown_scene(open_page("explore", target="minilm-l3", beside="", pairs=name))
        assert {"name": "subset", "label": word.lower()} == header["colours"][0]
        assert all(
            column["label"] == word
            for kind in header["rows"]
            for column in kind["columns"]
            if column["name"] == "subset"
        )


def test_a_cone_keeps_its_axes(runs, answers):
    app = open_page("explore", target="minilm-l3", beside="minilm-l3:cls", plane="cone")
    header, columns = shown_scene(app)
    one = next(panel for panel in header["panels"] if panel["kind"] == "scatter")
    assert [[mark["label"] for mark in stop["marks"]] for stop in one["stops"]] == [["origin", "mean"]] * 2
    for number in (0, 1):
        length = one["stops"][number]["marks"][1]["x"]
        assert columns["sentences", f"x {number}"].mean() == pytest.approx(length, abs=1e-5)
    assert (columns["sentences", "y 0"].astype(float) @ columns["sentences", "y 1"]) >= 0


def test_what_takes_long_is_offered_for_as_many_sentences_as_it_can_place():
    assert offered(1200) == ["pca", "cone", "umap", "tsne"] == offered(5) and offered(4) == ["pca", "cone"]
    assert offered(5001) == ["pca", "cone"]


def test_linked_views_count_the_pairs_that_the_second_encoder_mended_and_broke(runs, answers):
    app = open_page("explore", target="minilm-l3", beside="minilm-l3:cls", pairs="demo:dev")
    header, columns = shown_scene(app)
    change = columns["pairs", "change 1"]
    assert np.allclose(change, abs(columns["pairs", "residual 1"]) - abs(columns["pairs", "residual 0"]), atol=1e-6)
    mended, broken = int((change < -0.1).sum()), int((change > 0.1).sum())
    assert f"mended {mended} pairs and broke {broken}, compared with" in words_of(app)
    assert ("effect 1", "mended or broken: minilm-l3 · cls pooling") in [
        (colour["name"], colour["label"]) for colour in header["colours"]
    ]
    app.slider(key="changed").set_value(0.5).run()
    assert not app.exception and f"mended {int((change < -0.5).sum())} pair" in words_of(app)
    assert any("threshold=0.5)" in code.value for code in app.code)
    selecting(app, range(30), n=len(pairs("dev")))
    assert "Of the 30 selected: " in words_of(app)
    app = open_page("explore", target="minilm-l3", beside="")
    assert " mended " not in words_of(app) and "changed" not in [slider.key for slider in app.slider]


def test_linked_views_by_ranks_and_in_the_cone(runs, answers):
    app = open_page("explore", target="minilm-l3", beside="", plane="cone", scale="ranks")
    header, columns = shown_scene(app)
    plane, agreement = (panel for panel in header["panels"] if panel["kind"] == "scatter")
    assert [mark["label"] for mark in plane["marks"]] == ["origin", "mean"] and plane["marks"][1]["from"] == [0, 0]
    assert (agreement["x"], agreement["y"]) == ("gold rank", "cosine rank 0")
    assert agreement["hexagons"] == 5000 and agreement["marginals"] and not plane["hexagons"]
    assert columns["pairs", "cosine rank 0"].min() == 0 and columns["pairs", "cosine rank 0"].max() == 1


def selecting(app, rows, *, n, key="linked"):
    """Rerun the page as if the reader had selected those pairs."""
    header, _ = shown_scene(app)
    written = Chosen("pairs", np.isin(np.arange(n), rows)).written(header["identity"])
    app.session_state[f"{key}.before"] = written
    app.run()


def test_a_selection_becomes_a_slice_that_is_scored_renamed_and_deleted(runs, answers):
    app = open_page("explore", target="minilm-l3", beside="", pairs="demo:dev")
    n = len(pairs("dev"))
    assert "Select sentences or pairs to keep them" in words_of(app)
    selecting(app, range(0, 90, 2), n=n)
    assert "Selected pairs" in words_of(app)
    app.text_input(key="slice.name").set_value("every other")
    next(button for button in app.button if button.label == "Keep").click().run()
    assert not app.exception and not app.error
    (kept,) = api.slices(runs=runs.path)
    assert (kept.name, kept.rows) == ("every other", tuple(range(0, 90, 2)))
    assert app.query_params["slice"] == "every other"
    header, _ = shown_scene(app)
    assert Chosen.read(scene_like(header), header["selected"]).mask.nonzero()[0].tolist() == list(kept.rows)
    assert [given["targets"] for verb, given in answers if verb == "score_slice"][-1] == ["minilm-l3"]
    assert "45 of 600 pairs" in words_of(app)
    assert any("python -m workbench score_slice 'every other'" in code.value for code in app.code)
    app.text_input(key="slice.rename.every other").set_value("evens")
    app.button(key="slice.rename").click().run()
    assert app.query_params["slice"] == "evens" and "45 of 600 pairs" in words_of(app)
    app.button(key="slice.delete").click().run()
    assert not app.exception and api.slices(runs=runs.path) == [] and "slice" not in app.query_params


def test_a_link_to_a_slice_that_is_gone_says_so(runs, answers):
    api.save_slice("traps only", "demo:traps", [0, 1], runs=runs.path)
    app = open_page("explore", target="minilm-l3", beside="", pairs="demo:dev", slice="traps only")
    assert not app.exception and "There is no “traps only” here" in app.warning[0].value
    app = open_page("explore", target="minilm-l3", beside="", pairs="demo:traps", slice="traps only")
    assert not app.warning and "2 of" in words_of(app)


def scene_like(header):
    """An empty scene with the rows of a header."""
    kinds = tuple(
        Rows(kind["name"], "", "", (Number("n", "n", np.zeros(kind["n"])),), ("n",)) for kind in header["rows"]
    )
    return Scene(header["identity"], kinds, ())


def test_sentences_near_in_meaning_are_selected(runs, answers):
    app = open_page("explore", target="minilm-l3", beside="", pairs="demo:dev")
    app.text_input(key="meaning").set_value("Somebody is dancing.").run()
    assert not app.exception and not app.error
    header, _ = shown_scene(app)
    chosen = Chosen.read(scene_like(header), header["selected"])
    assert chosen.rows == "sentences" and chosen.mask.sum() == 20
    texts = list(dict.fromkeys(pairs("dev").texts()))
    assert any("danc" in texts[row] for row in chosen.mask.nonzero()[0])
    assert app.get("download_button")


def test_a_margin_is_moved_without_encoding_again(runs, answers, forty):
    app = open_page("explore", view="Margin", target="mini-mlm", pairs=forty)
    before = [arguments for verb, arguments in answers if verb == "angles"]
    app.slider(key="margin.degrees").set_value(25).run()
    assert not app.exception and "with a margin of 25°" in words_of(app)
    after = [arguments for verb, arguments in answers if verb == "angles"]
    assert all(arguments["dropout"] == 0.1 and arguments["texts"] == before[0]["texts"] for arguments in after)


def test_linked_views_of_few_pairs_are_drawn_or_say_why_not(runs, answers, monkeypatch, tmp_path):
    app = open_page("explore", beside="", pairs=few_pairs(tmp_path, monkeypatch, 2))
    assert not app.exception and not app.error
    header, _ = shown_scene(app)
    assert [kind["n"] for kind in header["rows"]] == [2, 4]
    app = open_page("explore", beside="", pairs=few_pairs(tmp_path, monkeypatch, 1))
    assert not app.exception and "At least two pairs" in " ".join(error.value for error in app.error)


def test_all_rows_of_linked_views_are_saved_and_each_panel_has_a_command_for_print(runs, answers, forty):
    app = open_page("explore", target="minilm-l3", beside="minilm-l3:cls", pairs=forty, plane="cone")
    assert not any(button.proto.label == "Data (Parquet)" and "linked" in button.key for button in saving(app))
    app.session_state["save.linked"] = True
    app.run()
    assert not app.exception
    names = [button.key for button in saving(app) if "linked" in button.key]
    assert names == [f"save.linked.{rows}.{kind}" for rows in ("pairs", "sentences") for kind in ("csv", "parquet")]
    (command,) = (code.value for code in app.code if "workbench figure" in code.value)
    drawn = [line.split()[4] for line in command.splitlines()]
    assert set(drawn) <= set(FIGURES) and {"cone", "residuals", "neighbours", "gold_buckets"} <= set(drawn)


def saving(app):
    """Its buttons that save something."""
    return app.get("download_button")


def at(app, view):
    """The page on another of its tabs, in the same session."""
    app.session_state["view"] = view
    app.run()
    assert not app.exception and not app.error


def last(answers, verb):
    """What was asked last of a verb."""
    return [arguments for name, arguments in answers if name == verb][-1]


def test_what_is_selected_in_linked_views_is_known_to_the_other_tabs(runs, answers, forty):
    app = open_page("explore", target="minilm-l3", beside="", pairs=forty)
    at(app, "The cone")
    assert "part" not in [box.key for box in app.selectbox], "there is nothing to choose from"
    at(app, "Linked views")
    selecting(app, range(3, 15), n=40)
    at(app, "The cone")
    assert list(app.selectbox(key="part").options) == ["All sentences", "The 12 selected pairs"]
    known = pairs("dev")
    sentences = {*known.first[3:15], *known.second[3:15]}
    rings = json.loads(app.get("plotly_chart")[0].proto.spec)["data"][-1]
    assert rings["name"] == f"selected, n = {len(sentences)}"
    app.selectbox(key="part").set_value("selected").run()
    assert set(last(answers, "project")["texts"]) == sentences and app.query_params["part"] == "selected"
    assert "the 12 selected pairs; unit vectors" in words_of(app)
    at(app, "Layers")
    assert list(last(answers, "layers")["rows"]) == list(
        range(3, 15)
    ) and "the 12 selected pairs, 12 pairs" in words_of(app)
    at(app, "Dropout views")
    assert set(last(answers, "project")["texts"]) <= sentences and len(last(answers, "project")["texts"]) == 12
    assert "The first 12 sentences, the 12 selected pairs." in words_of(app)
    at(app, "Word frequency")
    assert set(last(answers, "frequency")["texts"]) == sentences
    at(app, "Margin")
    assert set(last(answers, "angles")["texts"]) == sentences


def test_one_cosine_begins_with_the_first_selected_pair(runs, answers, forty):
    app = open_page("explore", target="mini-mlm:mean", beside="", pairs=forty)
    selecting(app, [7, 9], n=40)
    at(app, "One cosine")
    assert last(answers, "explain_cosine")["first"] == pairs("dev").first[7]
    assert "One of 2 pairs selected in the linked views" in words_of(app)
    app.selectbox(key="cosine.pair").set_value(0).run()
    assert last(answers, "explain_cosine")["first"] == pairs("dev").first[0], "another can be chosen"


def test_a_slice_is_a_part_too_and_one_too_small_says_how_many_are_needed(runs, answers, forty):
    api.save_slice("a Slice", forty, range(20, 32), runs=runs.path)
    api.save_slice("one", forty, [5], runs=runs.path)
    app = open_page("explore", view="Layers", target="mini-mlm", beside="", pairs=forty, part="slice: a Slice")
    assert not app.exception and list(last(answers, "layers")["rows"]) == list(range(20, 32))
    assert "Slice a Slice" in app.selectbox(key="part").options and "slice a Slice, 12 pairs" in words_of(app)
    app.selectbox(key="part").set_value("slice: one").run()
    assert "Too few pairs: slice one." in words_of(app) and "This figure needs 10 or more; there are 1." in words_of(
        app
    )
    at(app, "The cone")
    assert "This figure needs 3 or more; there are 2." in words_of(app) and not app.get("plotly_chart")
    app = open_page("explore", view="Margin", target="mini-mlm", beside="", pairs="demo:traps", part="selected")
    assert "There is no “selected” here; All sentences is used instead." in app.warning[0].value
    app = open_page("explore", view="Word frequency", target="mini-mlm", pairs=forty, part="slice: a Slice")
    app.session_state["frequency.without.made"] = True
    app.run()
    assert not app.exception and "n = 12, slice a Slice; tokens" in words_of(app)
