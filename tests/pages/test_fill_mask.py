import re

from tests.pages.trial import open_page, words_of
from workbench.verbs import fill_mask


def asked(answers):
    return [arguments for verb, arguments in answers if verb == "fill_mask"][-1]


def headed(app):
    """The words that have a figure; a tiny model knows them in pieces, which have one each."""
    titles = re.findall('<h2 class="of">([^<]*)</h2>', words_of(app))
    return list(dict.fromkeys(title.partition(", piece")[0] for title in titles))


def test_words_are_masked_by_clicking_and_by_typing(runs, answers, mini_mlm):
    app = open_page("augment", tab="fill")
    assert not app.exception and app.selectbox(key="masked").value == "mini-mlm"
    assert asked(answers)["texts"] == ["The old [MASK] was closed after the storm."]
    assert asked(answers)["words"] == [["bridge"]]
    guess = answers.answer(fill_mask.VERB, **asked(answers)).iloc[0]
    said = words_of(app)
    assert f"“{guess['token']}”" in said and f"{100 * guess['probability']:.1f} %." in said and "guess" in said
    app.button_group[-1].set_value([1, 2]).run()
    assert asked(answers)["words"] == [["old", "bridge"]]
    assert headed(app)[:2] == ["“old”", "“bridge”"]
    app.button_group[-1].set_value([1, 2, 4]).run()
    assert headed(app) == ["“old”", "“bridge”", "“closed”"]
    app.text_area(key="sentence").set_value("A [MASK] barks.").run()
    assert asked(answers)["texts"] == ["A [MASK] barks."] and asked(answers)["words"] == []
    assert not app.exception
    app.text_area(key="sentence").set_value("one two " * 90).run()
    assert "The first 120 of 180 words can be clicked" in words_of(app) and len(app.button_group[-1].options) == 120
    app.button_group[-1].set_value([]).run()
    assert "Click one on the left" in words_of(app)
    app.text_area(key="sentence").set_value("🙂 ...").run()
    assert "No word is masked." in words_of(app)
    assert "There is none to click" in words_of(app) and "Click one on the left" not in words_of(app)


def test_a_folder_outside_is_not_read(runs, answers, mini_mlm, monkeypatch, tmp_path):
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path))
    app = open_page("augment", tab="fill", masked="/etc")
    assert not app.exception and "/etc" in app.error[0].value
    assert not any(verb == "fill_mask" for verb, _ in answers)


def test_the_mask_tokens_of_other_models_are_accepted(runs, answers, mini_mlm):
    app = open_page("augment", tab="fill", sentence="a <mask> and [MASK]")
    assert not app.exception
    assert asked(answers)["texts"] == ["a [MASK] and [MASK]"] and asked(answers)["words"] == []
