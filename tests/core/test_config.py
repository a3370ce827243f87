from dataclasses import replace

import pytest

from workbench.core.config import Corpus, Model, RunConfig, Term, Training, View, from_toml, section_settings, to_toml
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
def test_a_hand_edited_file_says_what_is_wrong(old, new, message):
    text = to_toml(CONFIG)
    assert old in text
    with pytest.raises(BadSetting, match=message):
        from_toml(text.replace(old, new, 1))


def test_every_knob_of_a_section_is_a_setting():
    assert {"steps", "batch_size", "learning_rate", "seed"} <= section_settings(Training).keys()
    assert all(setting.knob.help for setting in section_settings(Training).values())
    assert replace(CONFIG.training, steps=5).steps == 5
