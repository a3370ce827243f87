"""People rate pairs, and judge augmentations."""

from html import unescape

from tests.pages.trial import open_page, words_of
from workbench import api
from workbench.data.pairs import load_pairs

PAIRS = [(f"a cat number {row}", f"a dog number {row}") for row in range(3)]


def make(runs):
    import pandas

    return api.keep_gold("tickets", pandas.DataFrame(PAIRS, columns=["sentence1", "sentence2"]), runs=runs.path)


def press(app, score):
    app.button(key=f"gold.{score}").click().run()
    assert not app.exception and not app.error


def test_a_set_is_drawn_kept_and_rated(runs, answers):
    app = open_page("gold")
    assert not app.exception and "No name yet." in words_of(app)
    app.number_input(key="gold.count").set_value(12)
    app.text_input(key="gold.name").set_value("my first").run()
    assert not app.exception and "12 pairs are drawn" in words_of(app)
    assert answers.of("gold_pairs")[-1]["count"] == 12
    app.button(key="gold.keep").click().run()
    assert not app.exception and app.selectbox(key="gold.set").value == "my first"
    assert "Who rates?" in words_of(app)
    app.text_input(key="gold.rater").set_value("Ann").run()
    assert "0 of 12 pairs rated" in app.get("progress")[0].proto.text
    [kept] = api.gold_sets(runs=runs.path)
    first = kept.pairs[0]
    shown = words_of(app)
    assert first["sentence1"] in unescape(shown) and "similarity" not in shown.casefold(), (
        "blind to what encoders think"
    )
    press(app, 4)
    assert api.ratings("my first", runs=runs.path)[["rater", "pair", "score"]].to_numpy().tolist() == [
        ["Ann", first["pair"], 4.0]
    ]


def test_a_name_that_a_set_cannot_have_is_said_below_its_field(runs, answers):
    make(runs)
    app = open_page("gold", **{"gold.set": ""})
    for name, message in (
        ("for 😀", "A gold set needs a name."),
        ("Tickets", "There are pairs called Tickets already."),
    ):
        app.text_input(key="gold.name").set_value(name).run()
        assert not app.exception and app.error[0].value.startswith(message)
        assert not answers.of("gold_pairs") and not [button for button in app.button if button.key == "gold.keep"]
    app.text_input(key="gold.name").set_value("Tickets 2").run()
    assert not app.error and answers.of("gold_pairs") and app.button(key="gold.keep")


def test_texts_that_are_left_out_and_pairs_that_are_missing_are_said(runs, answers, tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path))
    file = tmp_path / "own.txt"
    file.write_text("\n".join([*(f"The harbour has {number} boats." for number in range(8)), "so long " * 600]))
    app = open_page("gold", source="path", corpus=str(file))
    app.text_input(key="gold.name").set_value("own").run()
    shown = words_of(app)
    assert not app.exception and "28 pairs are drawn" in shown
    assert "1 of 9 texts is longer than 400 characters and is left out." in shown and "8 texts give 28 pairs." in shown


def test_ratings_are_resumed_undone_and_used(runs, answers):
    kept = make(runs)
    app = open_page("gold", **{"gold.rater": "Ann", "gold.set": "tickets"})
    press(app, 5)
    app.toggle(key="gold.reveal").set_value(True).run()
    assert "One pair is rated. From two on" in words_of(app) and "a pair set like any other, tickets" not in words_of(
        app
    )
    press(app, 0)
    assert "2 pairs with their mean ratings are a pair set like any other, tickets.tsv" in words_of(app)
    app = open_page("gold", **{"gold.rater": "ann", "gold.set": "tickets"})
    assert "2 of 3 pairs rated" in app.get("progress")[0].proto.text and PAIRS[2][0] in words_of(app)
    app.button(key="gold.undo").click().run()
    press(app, 2)
    press(app, 3)
    assert "All pairs are rated." in words_of(app) and "Agreement is unknown" in words_of(app)
    assert load_pairs(kept.table).gold.tolist() == [5, 2, 3]
    assert open_page("compare", targets=["tfidf"]).selectbox(key="pairs").options[-1] == "tickets.tsv"
    boxes = [box for box in open_page("train").multiselect if str(box.key).endswith(".pairs")]
    assert boxes and all("tickets.tsv" in box.options for box in boxes)


def test_a_link_names_its_set_and_says_whose_name_it_has(runs, answers):
    make(runs)
    app = open_page("gold")
    app.text_input(key="gold.rater").set_value("Cem").run()
    assert app.query_params["gold.set"] in ("tickets", ["tickets"]), (
        "a set that is added must not replace it after a reload"
    )
    assert "the name in the link" not in words_of(app)
    reloaded = open_page("gold", **{"gold.rater": "Cem", "gold.set": "tickets"})
    assert "You rate as Cem, the name in the link. Somebody else?" in words_of(reloaded)
    reloaded.text_input(key="gold.rater").set_value("Dora").run()
    assert "the name in the link" not in words_of(reloaded) and not reloaded.exception


def test_agreement_is_the_ceiling(runs, answers):
    import pandas

    rows = [(f"cat {row}", f"dog {row}") for row in range(8)]
    kept = api.keep_gold("t", pandas.DataFrame(rows, columns=["sentence1", "sentence2"]), runs=runs.path)
    for rater, scores in (("Ann", [0, 1, 2, 3, 4, 5, 5, 0]), ("Ben", [0, 1, 2, 3, 4, 5, 4, 1])):
        for pair, score in zip(kept.pairs, scores, strict=True):
            api.rate("t", rater, pair, score, runs=runs.path)
    app = open_page("gold", **{"gold.rater": "Ann", "gold.set": "t"})
    shown = words_of(app)
    assert not app.exception and "One person agrees with the others by Spearman 96." in shown and "Ben" in shown


def test_augmentations_are_judged_on_the_other_tab(runs, answers):
    app = open_page("gold", **{"gold.tab": "blind"})
    assert not app.exception and "Who judges?" in words_of(app)
