"""The command that repeats a run, read as the command line reads it."""

import shlex

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from workbench.__main__ import parser
from workbench.commands._flags import changes
from workbench.core.errors import BadSetting, WorkbenchError
from workbench.recipes import settle
from workbench.store.commands import command_line, items_of, joined

PARSER = parser()
WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
"""Every text that can be a word of a command line."""
ODD = WORDS | st.sampled_from(["-fast", "--", "-1", "a, b", '"a', 'a"b"', "\r\n", "a\nb", " x ", "''", "$HOME", "\\"])
WHOLE = ODD.filter(lambda word: word != "--")
"""In some versions of Python, argparse does not accept `--` as the value of a flag."""


def again(line):
    """The configuration that a command line results in."""
    asked, extra = PARSER.parse_known_args(shlex.split(line)[3:])
    named = {"name": asked.name} if asked.name else {}
    said = {"backbone": asked.backbone, "corpus": asked.corpus, "official": asked.official}
    return settle(asked.recipe, **said, changes=named | changes(asked, extra))


@settings(max_examples=40)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "name": WHOLE.filter(bool),
            "protect": st.lists(ODD, max_size=4),
            "protect_pattern": ODD,
            "selection.pairs": st.lists(ODD, max_size=3),
            "evaluation.pairs": st.lists(ODD, max_size=3),
            "probe.pairs": ODD,
            "sts_folder": ODD,
            "temperature": st.floats(0.01, 1.0),
            "keep_head": st.just(False),
            "steps": st.integers(1, 100),
        },
    ),
    WHOLE,
)
def test_settings_survive_the_command_that_repeats_a_run(told, corpus):
    try:
        config = settle("simcse_unsup", backbone="minilm-l3", corpus=corpus, changes=told)
    except WorkbenchError:
        assume(False)  # a pattern that is not a regular expression
    assert again(command_line(config)) == config


@given(st.lists(ODD))
def test_joined_texts_can_be_split_again(items):
    assert items_of(joined(items)) == items


def test_simple_values_need_no_quotation_marks():
    told = {"selection.pairs": ["demo:dev", "data/my pairs.tsv#dev"], "protect": ["WHO", "Smith, John"], "steps": 5}
    said = command_line(settle("simcse_unsup", backbone="minilm-l3", changes=told))
    assert said == (
        "python -m workbench train --recipe simcse_unsup --backbone minilm-l3 --corpus demo "
        """--protect 'WHO,"Smith, John"' --selection.pairs 'demo:dev,data/my pairs.tsv#dev' --steps 5"""
    )
    told = {"name": "-fast", "protect_pattern": "-\\d+", "evaluation.pairs": []}
    said = command_line(settle("simcse_unsup", backbone="minilm-l3", changes=told))
    assert said.endswith("--name=-fast '--protect-pattern=-\\d+' --evaluation.pairs ''")


@pytest.mark.parametrize("word", ['"a', '"a" b', "a\nb"])
def test_a_word_that_cannot_be_split_gives_one_clear_error(word):
    with pytest.raises(BadSetting, match="double the quotation marks"):
        items_of(word)


def test_files_that_begin_with_a_dash_are_not_flags():
    config = settle("mlm_continue", backbone="minilm-l3", corpus="-a.txt;b c.txt")
    asked, extra = PARSER.parse_known_args(shlex.split(command_line(config))[3:])
    assert asked.corpus == ["./-a.txt", "b c.txt"] and not extra
