"""What notebooks pass to functions: numbers of NumPy, tables, generators, and nothing."""

from types import SimpleNamespace

import numpy
import pandas
import pytest
import torch

from workbench import api
from workbench.api import measuring
from workbench.core.errors import BadData, BadSetting, UnknownName


@pytest.mark.parametrize(
    "number", [numpy.float64(0.07), numpy.linspace(0.07, 1, 3)[0], torch.tensor(0.07, dtype=torch.float64)]
)
def test_numbers_of_other_libraries_are_settings(number):
    config = api.settle("simcse_unsup", temperature=number, steps=numpy.int64(7), dedup_batch=numpy.bool_(True))
    assert config.terms[0].settings == {"temperature": 0.07} and type(config.terms[0].settings["temperature"]) is float
    assert type(config.training.steps) is int and config.training.dedup_batch is True
    assert config == api.settle("simcse_unsup", temperature=0.07, steps=7, dedup_batch=True)
    drawn = api.augment("eda_swap", "a b c d", rate=number)
    pandas.testing.assert_frame_equal(drawn, api.augment("eda_swap", "a b c d", rate=0.07))


def test_a_switch_is_no_number():
    with pytest.raises(BadSetting, match=r"steps cannot be True\. It is a whole number"):
        api.settle("simcse_unsup", steps=True)
    for score in (True, None, "high", [3]):
        with pytest.raises(BadSetting, match="A rating is a number from 0 to 5, or undo"):
            api.rate("tickets", "Ann", "0", score)


def test_a_table_is_not_taken_for_the_names_of_its_columns(tmp_path):
    table = pandas.DataFrame({"text": ["a b", "c d"], "label": [0, 1]})
    for ask in (
        lambda: api.encode(table, runs=tmp_path),
        lambda: api.augment("eda_swap", table, runs=tmp_path),
        lambda: api.search("cat", table, runs=tmp_path),
    ):
        with pytest.raises(BadData, match=r"texts is a table\. .* Got: columns text, label\. Choose a column"):
            ask()
    assert api.augment("eda_swap", table["text"], runs=tmp_path)["before"].tolist() == ["a b", "c d"]
    assert api.augment("eda_swap", (text for text in table["text"]), runs=tmp_path)["before"].tolist() == ["a b", "c d"]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"a": 1}, r"is not a list of texts\. Got: {'a': 1}\."),
        (None, r"is not a list of texts\. Got: None\."),
        (b"a", r"is not a list of texts\. Got: b'a'\."),
        ([b"a"], r"texts\[0\] is not a text\. Got: b'a'\. Decode it"),
        (["a", 3], r"texts\[1\] is not a text\. Got: 3\. Convert each to a text"),
        (["a", pandas.NA], r"texts\[1\] is not a text\. Got: <NA>\. .*dropna"),
    ],
)
def test_what_is_no_text_is_refused_with_its_way_out(tmp_path, texts, message):
    with pytest.raises(BadData, match=message):
        api.encode(texts, runs=tmp_path)


@pytest.mark.parametrize("give", [iter, pandas.Series, numpy.array])
def test_targets_may_come_from_a_generator_or_a_column(monkeypatch, give):
    row = dict.fromkeys(("alignment", "uniformity", "mean_cosine", "spearman", "low", "high"), 0.1) | {"max_length": 64}
    row |= {"pairs": "own", "n": 459, "alignment_on": "", "collapsed": False, "precision": "fp32", "fitted_on": ""}

    def submit(verb, *, target, **about):
        return SimpleNamespace(wait=lambda follow: SimpleNamespace(scores={**row, "notices": [], "target": target}))

    monkeypatch.setattr(measuring, "submit", submit)
    assert measuring.compare(give(["minilm-l3", "mini-mlm"]), pairs="own")["target"].tolist() == [
        "minilm-l3",
        "mini-mlm",
    ]


def test_nothing_in_place_of_a_name_is_said_to_be_none(tmp_path):
    for targets in (5, None, "minilm-l3", iter([])):
        with pytest.raises(BadData, match="compare needs a list of targets"):
            api.compare(targets)
    with pytest.raises(UnknownName, match="no recipe named 'None'"):
        api.settle(None)
    with pytest.raises(UnknownName, match="no run named 'None'"):
        api.run(None, runs=tmp_path)
    with pytest.raises(BadSetting, match=r"The pipeline cannot be None\. It is a line of text"):
        api.augment(None, ["a"])
    with pytest.raises(BadSetting, match=r"accept cannot be 5\. It is True, False, or the names of warnings"):
        api.settle(accept=5)
