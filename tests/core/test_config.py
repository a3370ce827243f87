from dataclasses import replace

import pytest

from workbench.core.config import (
    Augmenting,
    Corpus,
    Model,
    RunConfig,
    Term,
    Training,
    View,
    check,
    from_toml,
    section_settings,
    to_toml,
)
from workbench.core.errors import BadSetting

CONFIG = RunConfig(
    "simcse_unsup",
    Model("minilm-l3", head="mlp", head_settings={"bias": True}),
    Corpus(name='Ünïcode "quoted"'),
    (Term({"a": View(), "b": View(draw=1, dropout=0.3)}, loss="infonce_nn", settings={"temperature": 0.05}),),
)


def test_a_file_gives_back_what_was_written():
    assert from_toml(to_toml(CONFIG)) == CONFIG


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("steps = 100", "steps = 0", "from 1 to"),
        ("steps = 100", 'steps = "100"', "steps"),
        ("steps = 100", "stebs = 100", "stebs"),
        ("steps = 100", "steps = ", "not valid TOML"),
        ("schema = 1", "schema = 99", "schema"),
        ('recipe = "simcse_unsup"', "", "recipe"),
        ('dropout = "on"', 'dropout = "sometimes"', "dropout"),
    ],
)
def test_an_error_in_a_hand_edited_file_is_named(old, new, message):
    text = to_toml(CONFIG)
    assert old in text
    with pytest.raises(BadSetting, match=message):
        from_toml(text.replace(old, new, 1))


@pytest.mark.parametrize(
    "text",
    ["a = " + "[" * 40_000, f"schema = 1\n{'.'.join('a' * 5000)} = 1", "a = " + "1" * 5000, "schema = 0x" + "f" * 5000],
    ids=["brackets", "dots", "digits", "hex digits"],
)
def test_a_file_without_end_is_one_message(text):
    with pytest.raises(BadSetting, match="not valid TOML"):
        from_toml(text)


@pytest.mark.parametrize(
    ("config", "place"),
    [
        (replace(CONFIG, name="run \udcff"), "name"),
        (replace(CONFIG, corpus=Corpus("\ud800.txt")), r"corpus\.source"),
        (replace(CONFIG, augmenting=Augmenting(protect=("é", "\udcff"))), r"augmenting\.protect\.1"),
        (replace(CONFIG, terms=(Term({"a": View(role="\udcff")}),)), r"terms\.0\.views\.a\.role"),
    ],
)
def test_a_text_that_no_file_can_hold_is_refused(config, place):
    with pytest.raises(BadSetting, match=f"{place} cannot be .* UTF-8"):
        check(config)
    assert check(replace(CONFIG, name="\U0001f642 é")).name == "\U0001f642 é"


def test_every_knob_of_a_section_is_a_setting():
    assert {"steps", "batch_size", "learning_rate", "seed"} <= section_settings(Training).keys()
    assert all(setting.knob.help for setting in section_settings(Training).values())
    assert replace(CONFIG.training, steps=5).steps == 5


@pytest.mark.parametrize("name", ["a, b", "two\nlines", "a\u202eb", "x" * 81])
def test_a_name_fits_into_a_list_of_names(name):
    with pytest.raises(BadSetting, match="without commas"):
        check(replace(CONFIG, name=name))
    assert check(replace(CONFIG, name="x" * 80)).name == "x" * 80
