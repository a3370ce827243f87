"""What the page Augment draws, says and carries on."""

import re

import pytest

from tests.pages.trial import open_page, words_of
from workbench import api
from workbench.ui.kit.words import html
from workbench.verbs import sample


def test_draws_are_marked_and_escaped(runs, answers):
    app = open_page("augment", text="<script>alert(1)</script> one two three four", augment_a="eda_delete")
    assert not app.exception
    said = words_of(app)
    assert "<script" not in said and "&lt;script&gt;" in said
    assert "<del" in said


def test_the_lines_reproduce_what_is_shown(runs, answers):
    app = open_page("augment", protect="storm")
    app.slider(key="draws").set_value(7).run()
    app.number_input(key="seed").set_value(3).run()
    command, python = [block.value for block in app.code]
    assert len(eval(python.split("\n")[-1], {"api": api})) == 14
    assert "--draws=7" in command and "--protect=storm" in command and "'The old bridge" in command


def test_the_parts_of_the_page_have_headings(runs, answers):
    app = open_page("augment", augment_a="eda_swap + typo_noise")
    titles = re.findall("<h([23])[^>]*>([^<]*)<", words_of(app))
    steps = [("3", "1. Swap words"), ("3", "2. Typing errors")]
    assert titles == [("2", "Sentences"), ("2", "Pipeline"), *steps, ("2", "Draws")]


def test_an_encoder_is_asked_only_when_wanted(runs, answers):
    app = open_page("augment")
    assert not answers
    app.toggle(key="encoder").set_value(True).run()
    assert {verb for verb, _ in answers} == {"encode", "dropout_views", "tokens"}
    assert not app.exception
    said = words_of(app)
    assert "dropout alone" in said and "demo sentences, since fewer than 20 are shown" in said


def test_without_steps_nothing_is_said_that_holds_for_one_kind_of_view_alone(runs, answers):
    said = words_of(open_page("augment", **{"augment.view": "augment_negatives"}))
    assert "No steps: the text is not changed." in said and "a negative needs a step" in said


def test_each_choice_of_a_step_has_a_button_of_its_own_to_remove_it(runs, answers):
    app = open_page("augment", augment_a="one_of(eda_delete, eda_swap)")
    names = [button.label for button in app.button if button.label.startswith("Remove “")]
    assert len(names) == len(set(names)) == 2


def test_the_sentence_in_detail_is_one_that_is_there(runs, answers):
    def closely(app):
        return next(box for box in app.selectbox if box.label == "Sentence in detail")

    app = open_page("augment", encoder="true")
    closely(app).set_value(1).run()
    key = closely(app).key
    app.text_area(key="text").set_value("One.\nTwo.\nThree.").run()
    assert closely(app).key != key and closely(app).value == 1
    app.text_area(key="text").set_value("One.").run()
    assert not app.exception


def test_no_sentence_says_what_to_do(runs, answers):
    app = open_page("augment")
    app.text_area(key="text").set_value(" ").run()
    assert "No sentences yet" in words_of(app)


def test_steps_and_line_agree(runs, answers):
    app = open_page("augment")
    app.selectbox(key="augment.augment_a.add").set_value("typo_noise").run()
    assert app.text_input(key="augment.augment_a.line").value == "eda_swap + typo_noise"
    app.slider(key="augment.augment_a.2.rate").set_value(0.2).run()
    app.slider(key="augment.augment_a.2.probability").set_value(0.5).run()
    assert app.text_input(key="augment.augment_a.line").value == "eda_swap + typo_noise(rate=0.2)@0.5"
    app.button(key="augment.augment_a.2.Up").click().run()
    assert app.text_input(key="augment.augment_a.line").value == "typo_noise(rate=0.2)@0.5 + eda_swap"
    assert app.query_params["augment_a"] == "typo_noise(rate=0.2)@0.5 + eda_swap"
    assert app.button(key="augment.augment_a.1.remove").label == "Remove step 2: Swap words"
    app.button(key="augment.augment_a.1.remove").click().run()
    app.text_input(key="augment.augment_a.line").set_value("case_noise + one_of(typo_noise@0.5, eda_delete)").run()
    assert not app.exception
    assert app.query_params["augment_a"] == "case_noise + one_of(typo_noise@0.5, eda_delete)"
    assert [one.value for one in app.slider if one.label == "Probability"] == [1.0, 0.5, 1.0, 1.0]


def test_an_invalid_line_loses_nothing(runs, answers):
    app = open_page("augment", augment_a="typo_noise(rate=0.3)")
    field = app.text_input(key="augment.augment_a.line")
    field.set_value("typo_noise(rate=0.3) + eda_swop").run()
    assert not app.exception
    assert "eda" in app.error[0].value
    assert app.text_input(key="augment.augment_a.line").value == "typo_noise(rate=0.3) + eda_swop"
    assert app.query_params["augment_a"] == "typo_noise(rate=0.3)"
    assert "draws changed the text" in words_of(app)
    app.button(key="augment.augment_a.back").click().run()
    assert app.text_input(key="augment.augment_a.line").value == "typo_noise(rate=0.3)" and not app.error


def test_an_unknown_step_in_a_link_is_one_short_message(runs, answers):
    app = open_page("augment", augment_a="nonsense")
    [error] = app.error
    assert error.value.startswith("There is no augmentation named 'nonsense'. The steps above are unchanged.")
    assert error.value.endswith("Correct the line, or choose under “Add a step”.") and len(error.value) < 150
    next(button for button in app.button if button.label.startswith("Restore")).click().run()
    assert not app.exception and not app.error


def test_sentences_too_long_for_the_address_are_known_to_be_lost(runs, answers):
    app = open_page("augment")
    assert not [one for one in app.caption if "address" in one.value]
    app.text_area(key="text").set_value("\n".join(f"今天天气很好我们去公园散步吧。{n}" for n in range(60))).run()
    assert [one for one in app.caption if "a reload and a link to this page begin without" in one.value]
    app.text_area(key="text").set_value("A dog.").run()
    assert not [one for one in app.caption if "address" in one.value]


def test_a_pool_is_a_choice_whose_members_can_be_taken_away(runs, answers):
    app = open_page("augment", augment_a="one_of(typo_noise, eda_delete, case_noise)")
    app.button(key="augment.augment_a.2.choices.2.remove").click().run()
    assert app.query_params["augment_a"] == "one_of(typo_noise, case_noise)"
    assert '<span class="by">typo_noise' in words_of(app)


def test_the_other_views_keep_their_pipelines(runs, answers):
    app = open_page("augment", augment_a="eda_delete", augment_b="case_noise(rate=0.5)", augment_negatives="eda_swap")
    app.button_group(key="augment.view").set_value("augment_negatives").run()
    assert app.text_input(key="augment.augment_negatives.line").value == "eda_swap"
    assert "simcse_sup" in words_of(app)
    assert app.query_params["augment_b"] == "case_noise(rate=0.5)"


def test_the_views_of_augment_and_of_explore_do_not_know_each_other(runs, answers):
    app = open_page("augment")
    app.button_group(key="augment.view").set_value("augment_b").run()
    app.query_params.clear()
    answers.state = "running"
    app.switch_page("pages/explore.py").run()
    assert not app.exception and not app.warning
    app.query_params.clear()
    app.switch_page("pages/augment.py").run()
    assert not app.exception and app.button_group(key="augment.view").value == "augment_b"


def test_how_often_protection_acted_is_shown(runs, answers):
    app = open_page("augment", augment_a="eda_delete(rate=0.9)", protect="storm", draws="10")
    assert "Protection applied" in words_of(app) and "of 20 draws" in words_of(app)
    app.text_input(key="protect_pattern").set_value("(").run()
    assert "not a regular expression" in app.error[0].value and not app.exception


def test_a_missing_requirement_is_shown_instead_of_draws(runs, answers, monkeypatch):
    monkeypatch.setenv("WORKBENCH_WORDNET", "/nonexistent")
    app = open_page("augment", augment_a="eda_swap + eda_synonym")
    assert not app.exception and not app.error
    assert "Needs WordNet" in words_of(app) and "draws changed" not in words_of(app)


def test_what_is_for_english_is_named_where_a_text_is_in_another_script(runs, answers):
    app = open_page("augment", text="今天天气很好，我们去公园散步。", augment_a="augcse_numeric_to_word + eda_swap")
    assert not app.exception
    said = words_of(app)
    assert "is for English; 1 of 1 texts is in another script and stays as it is. For any language: " in said
    assert "eda_swap" in said
    assert "4 of 4 draws changed the text" in said
    assert "is for English" not in words_of(open_page("augment", augment_a="augcse_numeric_to_word + eda_swap"))


def test_models_are_downloaded_only_on_a_click(runs, answers, monkeypatch):
    app = open_page("augment", augment_a='paraphrase_t5(model="nobody/nothing") + augcse_casual2formal')
    assert "not on this machine" in words_of(app) and not answers
    answers.state = "failed"
    app.button(key="fetch").click().run()
    assert [arguments["fetch"] for verb, arguments in answers] == [True]
    assert "The model is gone" in app.error[0].value and not app.exception


def test_states_are_shown_as_a_matrix(runs, answers):
    app = open_page("augment", augment_a="token_cutoff + fgv", encoder="true")
    assert not app.exception
    asked = next(arguments for verb, arguments in answers if verb == "states")
    assert len(asked["texts"]) == 2 * (1 + 4) and asked["pipeline"] == "token_cutoff + fgv"
    assert len(app.get("plotly_chart")) == 2
    assert "gradient of the unsupervised SimCSE loss" in words_of(app)


def test_what_fails_in_two_places_can_be_tried_again_in_both(runs, answers):
    answers.states["states"] = "failed"
    app = open_page("augment", augment_a="token_cutoff", encoder="true", target="mini-mlm")
    assert not app.exception and [button.label for button in app.button].count("Try again") == 2
    answers.states.clear()
    next(button for button in app.button if button.label == "Try again").click().run()
    assert not app.exception and not app.error


def test_sentences_come_from_a_set(runs, answers):
    app = open_page("augment", **{"from": "set", "n": "3"})
    assert not app.exception
    asked = {"corpus": "demo", "n": 3, "seed": 0}
    assert ("sample", asked) in answers
    assert all(html(text) in words_of(app) for text in answers.answer(sample.VERB, **asked)["text"])


def test_the_pipelines_are_taken_to_train(runs, answers):
    app = open_page("augment", augment_a="eda_delete(rate=0.3)", augment_b="case_noise", protect="storm")
    app.session_state["train.said"] = "config.toml"  # the tab to be looked at there
    app.button(key="use").click().run()
    assert not app.exception and app.title[0].value == "Train"
    code = "\n".join(block.value for block in app.code)
    assert "eda_delete(rate=0.3" in code and "case_noise(rate" in code and "protect = [" in code


def test_a_view_that_was_emptied_is_emptied_on_train_too(runs, answers):
    both = {"augment_a": "eda_delete", "augment_b": "case_noise", "augment_negatives": "una_negative"}
    app = open_page("augment", **both)
    app.session_state["train.said"] = "config.toml"
    app.button(key="use").click().run()
    assert "case_noise" in "\n".join(block.value for block in app.code)
    app.query_params.clear()
    app.switch_page("pages/augment.py").run()
    app.button_group(key="augment.view").set_value("augment_b").run()
    app.text_input(key="augment.augment_b.line").set_value("").run()
    app.button(key="use").click().run()
    assert not app.exception and app.title[0].value == "Train"
    code = "\n".join(block.value for block in app.code)
    assert "eda_delete" in code and "case_noise" not in code


@pytest.mark.parametrize(("recipe", "said"), [("aug_single", "augment_b=''"), ("augcse_neg", "augment_a='eda_swap")])
def test_views_without_steps_are_not_those_of_the_recipe(runs, answers, recipe, said):
    app = open_page("train", recipe=recipe, augment_b="typo_noise")
    app.session_state["train.said"] = "config.toml"
    app.run()
    assert "typo_noise" in "\n".join(block.value for block in app.code)
    app.query_params.clear()
    app.switch_page("pages/augment.py").run()
    app.button(key="use").click().run()
    assert not app.exception and app.title[0].value == "Train"
    code = "\n".join(block.value for block in app.code)
    assert said in code and "typo_noise" not in code and "negatives" not in code, "no negative was made"


@pytest.mark.parametrize(
    ("page", "address"),
    [
        ("augment", {"encoder": "true"}),
        ("augment", {"tab": "corpus"}),
        ("gold", {"gold.tab": "blind", "judge.name": "Ann"}),
    ],
)
def test_a_target_that_cannot_be_read_is_one_message(runs, answers, page, address):
    app = open_page(page, target="minilm-l3+whitening(k=)", **address)
    assert not app.exception and [error for error in app.error if "cannot be read" in error.value]


def test_augmentations_in_the_space_of_encoders(runs, answers):
    app = open_page("augment", tab="space")
    app.number_input(key="space.n").set_value(40).run()
    assert not app.exception and not app.error
    asked = [arguments for verb, arguments in answers if verb == "augmentation_space"]
    assert str(asked[-1]["target"]) == "mini-mlm" and asked[-1]["n"] == 40
    assert "A probe guesses the augmentation" in words_of(app) and len(app.get("plotly_chart")) == 1
    app.multiselect(key="space.targets").set_value(["mini-mlm", "minilm-l3"]).run()
    assert not app.exception and len(app.get("plotly_chart")) == 2
    app.multiselect(key="space.pipelines").set_value([]).run()
    assert "Nothing to show yet." in words_of(app) and not app.exception


def test_beside_steps_on_the_text_those_inside_the_encoder_name_the_switch_that_shows_them(runs, answers):
    said = words_of(open_page("augment", augment_a="eda_swap + token_cutoff"))
    assert "token_cutoff acts inside the encoder" in said and "“Show an encoder” shows what it changes." in said
    assert "states</code> and" not in said
