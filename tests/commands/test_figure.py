"""The command that draws a figure into a file."""

import re
from types import SimpleNamespace

import pandas
import pytest

from tests.plugins.real_runs import end_processes
from tests.run_folders import film_run, make_run
from workbench import api
from workbench.__main__ import main
from workbench.commands.figure import FIGURES
from workbench.store import names as names_of_files

STARTS = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}
TRAPS = "demo:traps"


@pytest.fixture(scope="module")
def module_folder(tmp_path_factory):
    from workbench.store.names import runs_folder

    folder = runs_folder(tmp_path_factory.mktemp("figures") / "runs")
    yield folder
    end_processes(folder)


@pytest.mark.parametrize(
    ("figure", "targets", "kind"),
    [
        ("gold_scatter", ["mini-mlm"], "png"),
        ("gold_buckets", ["mini-mlm"], "pdf"),
        ("cosine_overlap", ["mini-mlm"], "svg"),
        ("residuals", ["mini-mlm", "mini-mlm:mean"], "svg"),
        ("gold_scores", ["mini-mlm"], "svg"),
        ("neighbours", ["mini-mlm", "mini-mlm:cls"], "svg"),
        ("cone", ["mini-mlm"], "svg"),
        ("pca", ["mini-mlm"], "png"),
        ("tsne", ["mini-mlm"], "svg"),
        ("spectrum", ["mini-mlm", "mini-mlm:mean"], "svg"),
        ("plane", ["mini-mlm", "mini-mlm:mean"], "svg"),
        ("forest", ["mini-mlm", "mini-mlm:mean"], "svg"),
    ],
)
def test_a_figure_of_targets_becomes_a_file(figure, targets, kind, module_folder, tmp_path, capsys):
    path = tmp_path / f"{figure}.{kind}"
    words = ["figure", figure, *targets, "--pairs", TRAPS, "--out", str(path), "--runs", str(module_folder.path)]
    assert main(words) == 0
    content = path.read_bytes()
    finding, where = capsys.readouterr().out.splitlines()
    assert content.startswith(STARTS[kind]) and where == str(path) and finding.endswith(".")
    if kind == "svg":
        assert finding.encode() in content


def test_a_run_is_a_baseline_and_goes_by_its_name(module_folder, tmp_path, capsys, monkeypatch):
    run = make_run(module_folder, name="Mine")
    rows = {"first": [f"{run.id}@{run.kept}"], "second": ["mini-mlm"], "delta": [0.1], "low": [0.0], "high": [0.2]}
    rows |= {"p_holm": [0.01]}
    rows |= {"verdict": ["better"], "detectable": [0.05]}
    answer = SimpleNamespace(differences=pandas.DataFrame(rows))
    monkeypatch.setattr(api, "compare_methods", lambda *_, **__: answer)
    path = tmp_path / "forest.svg"
    words = ["figure", "forest", "Mine", "mini-mlm", "--out", str(path), "--runs", str(module_folder.path)]
    assert main(words) == 0 and capsys.readouterr().out.startswith("Against Mine, mini-mlm: better")


def test_curves_are_those_of_runs(folder, tmp_path, capsys):
    names = [make_run(folder, number).id for number in (0, 1)]
    path = tmp_path / "curves.svg"
    assert main(["figure", "curves", *names, "--width", "full", "--out", str(path), "--runs", str(folder.path)]) == 0
    text = path.read_text(encoding="utf-8")
    assert all(words in text for words in ("loss", "Spearman", "step"))
    assert abs(float(re.search(r'width="([\d.]+)pt"', text)[1]) / 72 - 6.75) < 0.05
    queued = make_run(folder, 2, state="queued")
    for name in (names_of_files.STEPS, names_of_files.PROBES):
        (queued.folder / name).unlink()
    assert main(["figure", "curves", queued.id, "--out", str(path), "--runs", str(folder.path)]) == 2


def test_a_film_is_drawn_at_a_step(folder, tmp_path, capsys):
    run = film_run(make_run(folder))
    path = tmp_path / "cone.svg"
    words = ["figure", "film_cone", run.id, "--out", str(path), "--runs", str(folder.path)]
    assert main([*words, "--step", "10"]) == 0
    assert capsys.readouterr().out.startswith("Step 10 of 20: mean cosine ") and b"along the mean" in path.read_bytes()
    assert main([*words, "--step", "11"]) == 2 and "nearest is 10" in capsys.readouterr().err
    end_processes(folder)


def test_the_lesson_is_drawn_with_its_knobs(tmp_path, capsys):
    path = tmp_path / "mean.pdf"
    assert main(["figure", "lesson_mean", "--set", "share=0.5", "--set", "side=before", "--out", str(path)]) == 0
    assert capsys.readouterr().out.startswith("With 50 % of the mean subtracted, the mean cosine is ")
    assert path.read_bytes().startswith(STARTS["pdf"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["gold_scatter", "mini-mlm", "minilm-l3", "--out", "a.svg"], "drawn from one target"),
        (["residuals", *["mini-mlm"] * 5, "--out", "a.svg"], "up to 4 targets"),
        (["neighbours", "mini-mlm", "--out", "a.svg"], "two encoders"),
        (["plane", "mini-mlm", "--out", "a.tiff"], "no format"),
        (["plane", "mini-mlm", "--out", "a"], "no format"),
        (["plane", "mini-mlm", "--step", "10", "--out", "a.svg"], "has no steps"),
        (["plane", "mini-mlm", "--set", "side=after", "--out", "a.svg"], "has no knobs"),
        (["plane", "--out", "a.svg"], "up to 12 targets. Got: none"),
        (["lesson_mean", "mini-mlm", "--out", "a.svg"], "drawn from no target"),
        (["lesson_mean", "--set", "name=1", "--out", "a.svg"], "no setting of mean"),
        (["lesson_mean", "--set", "share", "--out", "a.svg"], "sets nothing"),
        (["lesson_mean", "--set", "share=0.55", "--out", "a.svg"], "numbers for 0, 0.1"),
    ],
)
def test_what_cannot_be_drawn_or_written_is_refused(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["figure", *words]) == 2
    assert message in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_the_help_names_every_figure(capsys):
    with pytest.raises(SystemExit):
        main(["figure", "--help"])
    text = capsys.readouterr().out
    assert all(name in text for name in FIGURES)


def test_a_plane_without_a_point_is_refused(module_folder, tmp_path, capsys, monkeypatch):
    table = pandas.DataFrame(
        {"target": ["mini-mlm"], "alignment": [None], "alignment_on": ["x, gold > 4"], "uniformity": [-1.0]}
    )
    monkeypatch.setattr(api, "compare", lambda *_, **__: table)
    out = tmp_path / "plane.svg"
    assert main(["figure", "plane", "mini-mlm", "--out", str(out), "--runs", str(module_folder.path)]) == 2
    assert (
        "nothing to draw. Alignment is of x, gold > 4: there are none." in capsys.readouterr().err and not out.exists()
    )
