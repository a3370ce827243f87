"""Explore's linked views: the panels and rows that they are given."""

import numpy as np
import pytest
from scipy.spatial import procrustes
from scipy.stats import rankdata

from tests.pages.explored import categories, few_pairs, selecting, shown_scene, without_transform
from tests.pages.trial import open_page, words_of
from workbench.commands.figure import FIGURES
from workbench.data.demo import pairs
from workbench.ui.canvas import Chosen
from workbench.ui.explore import linked
from workbench.ui.explore.planes import offered
from workbench.verbs import VERBS


def test_neighbours_of_the_selected_sentence_stand_side_by_side_and_what_both_find_is_marked(
    runs, answers, monkeypatch, tmp_path
):
    file = few_pairs(tmp_path, monkeypatch, 12)
    app = open_page("explore", target="minilm-l3", beside="minilm-l3:cls", pairs=file)
    assert not app.exception and "Select a sentence to see its nearest ones by each encoder" in words_of(app)
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


def test_neighbours_of_three_encoders_are_near_for_all(runs, answers, monkeypatch, tmp_path):
    file = few_pairs(tmp_path, monkeypatch, 12)
    app = open_page("explore", target="minilm-l3", beside="minilm-l3:cls", further=["mini-mlm"], pairs=file)
    header, _ = shown_scene(app)
    texts = header["rows"][1]["n"]
    app.session_state["linked.before"] = Chosen("sentences", np.arange(texts) == 3).written(header["identity"])
    app.run()
    said = words_of(app)
    assert not app.exception and "near for all" in said and "near for both" not in said


def test_of_too_many_sentences_no_pair_is_shown_with_those_of_another(runs, answers, monkeypatch, tmp_path):
    file = few_pairs(tmp_path, monkeypatch, 12)
    monkeypatch.setattr(linked, "MOST_SENTENCES", 10)
    app = open_page("explore", target="minilm-l3", beside="", pairs=file)
    assert not app.exception and not app.error and not app.get("bidi_component")
    assert "few.tsv has more than 10 different sentences." in words_of(app)


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
    app.button(key="figure.table.spectrum.turn").click().run()
    (spectra,) = (frame.value for frame in app.dataframe)
    assert spectra.groupby("target")["share"].sum().tolist() == pytest.approx([1, 1])
    assert spectra.groupby("target")["relative"].first().tolist() == [1, 1]
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
    assert (
        f"share {100 * (1 - disparity):.0f}\u00a0% of their variance" in other["note"]
        and "Trustworthiness 0." in one["note"]
    )


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
