import inspect
from typing import Annotated

import pytest

from workbench import api, evaluation, losses, objectives
from workbench.__main__ import main, parser
from workbench.augmentations import labels
from workbench.commands._flags import changes
from workbench.core import flag_names
from workbench.core.config import SECTIONS, section_settings
from workbench.core.method import Knob, Method
from workbench.objectives import GUIDE
from workbench.recipes import linked_settings, naming


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


def flags(*commands):
    """The names of the flags of commands, as a setting is named."""
    choices = next(a for a in parser()._actions if a.dest == "command").choices
    written = {flag for name in commands for a in choices[name]._actions for flag in a.option_strings}
    return {flag[2:].replace("-", "_") for flag in written if flag.startswith("--") and "." not in flag}


def arguments(*functions):
    """The names of the arguments of functions, besides the settings that they take by any name."""
    known = [argument for function in functions for argument in inspect.signature(function).parameters.values()]
    return {argument.name for argument in known if argument.kind is not argument.VAR_KEYWORD}


def test_the_names_that_settings_cannot_have_are_those_that_the_commands_have():
    of_training = flags("train", "sweep", "tune") | arguments(
        api.train, api.settle, api.steps_for, api.plan_grid, api.plan_tournament, api.tune
    )
    assert of_training - flag_names.OF_A_RUN == flag_names.TRAINING
    several = (*naming._ALIASES, GUIDE, linked_settings.MASKS.name, "every", "objective", "skip", "weight")
    assert set(several) == flag_names.OF_A_TERM
    assert flags("augment") | arguments(api.augment) == flag_names.AUGMENT
    assert flags("evaluate") == flag_names.EVALUATE


def fresh(a, b, *, runs: Annotated[int, Knob(1, 9, 1, "How often.")] = 1):
    """First line."""


@pytest.mark.parametrize(
    ("check", "command"),
    [
        (losses._lacks, "train"),
        (objectives._lacks, "train"),
        (evaluation._lacks, "evaluate"),
        (labels.lacks("a", of_texts=False, takes=2), "augment"),
    ],
)
def test_a_setting_cannot_be_called_like_a_flag(check, command):
    method = Method(fresh, title="T", source="S", tags={"class": "possible", "role": "positive"})
    assert check(method) == f"its setting runs needs another name: --runs of {command} already means something else."
