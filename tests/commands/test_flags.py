import pytest

from workbench.__main__ import main, parser
from workbench.commands._flags import changes
from workbench.core.config import SECTIONS, section_settings


def test_every_knob_is_a_flag():
    words = "train --steps 20 --probe.every 5 --training.clip 0.5 --dedup-batch true --temperature 0.1 --pooling cls"
    words += " --selection.pairs demo:dev,demo:test --keep-head false --sts-folder x --schedule constant"
    asked, extra = parser().parse_known_args(words.split())
    assert changes(asked, extra) == {
        "training.steps": 20,
        "probe.every": 5,
        "training.clip": 0.5,
        "training.dedup_batch": True,
        "training.schedule": "constant",
        "temperature": 0.1,
        "selection.pairs": ["demo:dev", "demo:test"],
        "model.pooling": "cls",
        "model.keep_head": False,
        "evaluation.sts_folder": "x",
    }
    verbs = next(a for a in parser()._actions if a.dest == "command").choices
    train, pretrain = verbs["train"].format_help(), verbs["pretrain"].format_help()
    for section, cls in SECTIONS.items():
        for name in section_settings(cls):
            assert (f"--{section}.{name}" in train) == (section != "pretraining")
            assert (f"--{section}.{name}" in pretrain) == (section != "augmenting")


def test_a_list_may_hold_commas_and_may_be_empty():
    words = ["train", "--protect", 'WHO,"Smith, John"', "--evaluation.pairs", "", "--selection.pairs", "demo:dev"]
    assert changes(*parser().parse_known_args(words)) == {
        "augmenting.protect": ["WHO", "Smith, John"],
        "evaluation.pairs": [],
        "selection.pairs": ["demo:dev"],
    }


def test_two_dashes_are_not_a_number(capsys):
    assert main(["train", "--steps=--"]) == 2
    assert "steps cannot be '--'" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["train", "pretrain", "sweep"])
def test_every_flag_of_a_run_has_help(verb):
    one = next(a for a in parser()._actions if a.dest == "command").choices[verb]
    sections = tuple(f"{section}." for section in SECTIONS)
    flags = {action.dest: action.help for action in one._actions if action.dest.startswith(sections)}
    assert len(flags) > 20 and [name for name, said in flags.items() if not said] == []
    assert "demo:triplets" in one.format_help() or verb == "pretrain"


def test_every_flag_has_help_and_names_its_default():
    for name, one in next(a for a in parser()._actions if a.dest == "command").choices.items():
        for action in one._actions:
            assert action.help or not action.option_strings, f"{name} {action.dest}"
            if action.option_strings and action.dest in ("target", "pairs", "corpus") and action.default:
                assert "default" in action.help, f"{name} {action.dest}"
