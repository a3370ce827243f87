"""Tables for a paper: `evaluate --format latex` and `compare_methods --format latex`."""

import pandas
import pytest

from tests.report.trial import material, several
from workbench import api
from workbench.__main__ import main
from workbench.verbs.compare_methods import ComparedMethods

STS = {
    "task": ["sts12", "stsb"],
    "split": ["test", "test"],
    "n": [10, 20],
    "all": [0.5, -0.25],
    "low": [0.4, -0.5],
    "high": [0.6, float("nan")],
    "official": [False, True],
    "linked_groups": [4, 20],
    "fitted_on": ["", ""],
}
ABOUT = {
    "target": "minilm_l3",
    "precision": "fp32",
    "max_length": 128,
    "fitted_on": "",
    "absent": ["sts13"],
    "notices": ["Somebody noticed."],
    "marks": {"stsb:test": "transductive"},
}


def rows_of(text):
    return [line.removesuffix(r" \\") for line in text.splitlines() if line.endswith(r"\\")]


def evaluated(monkeypatch, table, **more):
    table.attrs = {**ABOUT, **more}
    monkeypatch.setattr(api, "evaluate", lambda **_: table)


def test_a_suite_is_a_row_with_intervals_and_the_mean(monkeypatch, capsys):
    evaluated(monkeypatch, pandas.DataFrame(STS), mean={"label": "mean of sts12, stsb", "value": 0.125, "tasks": []})
    assert main(["evaluate", "x", "--data", ".", "--format", "latex"]) == 0
    out, err = capsys.readouterr()
    assert "Somebody noticed." in err and "Somebody" not in out
    head, row = rows_of(out)
    assert head == "Method & STS12 & STS-B & Mean"
    assert row == r"minilm\_l3 & 50.00 {\footnotesize (40.0 to 60.0)} & $-$25.00 & 12.50"
    assert r"\toprule" in out and r"\begin{tabular}{lrrr}" in out and "textbf" not in out and r"\usepackage" in out
    for part in ("Spearman x 100, 95~\\% bootstrap intervals; fp32, max\\_length 128", "mean of sts12, stsb"):
        assert part in out
    assert "official number of pairs" in out and "stsb:test: transductive" in out
    assert "sentences recur: 10 pairs of sts12 form 4 groups" in out


def test_the_precision_of_a_suite_is_said_and_baselines_have_rows(monkeypatch, capsys):
    columns = {"task": ["mr"], "n": [9], "accuracy_bf16": [0.75], "low_bf16": [0.7], "high_bf16": [0.8]}
    more = {"majority_bf16": [0.5], "official": [True], "fitted_on": ["the demo sentences"]}
    about = {
        "precision": "bf16",
        "mean": None,
        "fitted_on": "the demo sentences",
        "marks": {},
        "folds": 10,
        "epochs": 4,
    }
    evaluated(monkeypatch, pandas.DataFrame({**columns, **more}), **about)
    assert main(["evaluate", "x", "--suite", "transfer", "--data", ".", "--format", "latex"]) == 0
    out = capsys.readouterr().out
    assert rows_of(out)[1:] == [
        r"minilm\_l3 & 75.00 {\footnotesize (70.0 to 80.0)}",
        "always the most frequent class & 50.00",
    ]
    assert "; bf16, max" in out and "fitted on the demo sentences" in out


@pytest.fixture
def compared(monkeypatch):
    """Three encoders, of which one is better, by two groups of pairs."""
    gold, trainings = several()
    names = ("mini-mlm", "minilm-l3", "minilm-l6+centre")
    cosines = (trainings["base"], trainings["same"], trainings["good"][:1])
    about = material(dict(zip(names, cosines, strict=True)), gold, grouped=True)
    trained = pandas.DataFrame(
        {"method": names, "target": names, "seed": pandas.NA, "spearman": about.methods["mean"], "seen_of": pandas.NA}
    ).assign(fitted_on=["", "", "the sentences it is scored on (transductive)"])
    answer = ComparedMethods(
        about.methods,
        trained,
        about.differences,
        "demo:dev",
        len(gold),
        ["Somebody noticed."],
        "slice",
        about.groups,
        about.group_differences,
        linked_groups=7,
    )
    given = {}
    monkeypatch.setattr(api, "compare_methods", lambda targets, **words: given.update(words, targets=targets) or answer)
    return answer, given, names


def test_methods_have_the_tables_of_a_report(compared, capsys):
    answer, given, names = compared
    assert main(["compare_methods", *names, "--slices", "a", "b", "--format", "latex"]) == 0
    out, err = capsys.readouterr()
    assert given["targets"] == list(names) and given["slices"] == ["a", "b"] and "Somebody noticed." in err
    assert out.count(r"\toprule") == 3
    assert [f"tab:{name}" in out for name in ("methods", "every_two", "groups")] == [True] * 3
    methods = out.split("tab:every_two")[0]
    verdicts = answer.differences.query("first == 'mini-mlm'")["verdict"].tolist()
    assert "better" in verdicts and methods.count("baseline") == 2 and r"\textbf{+" in methods
    assert r"minilm-l6+centre {\footnotesize (transductive)}" in methods
    assert "pairs form 7 groups" in methods


def test_the_other_formats_of_methods_are_as_of_any_verb(monkeypatch, compared, capsys):
    monkeypatch.setattr(api, "answer", lambda verb, **_: compared[0])
    assert main(["compare_methods", *compared[2], "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("method,")
