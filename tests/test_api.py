import shlex
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.trial import TEXTS, config_of
from workbench import __main__ as command
from workbench import api
from workbench.core.config import Corpus, with_seed
from workbench.core.errors import BadData, BadRun, BadSetting, Diverged, UnknownName
from workbench.data import references
from workbench.preflight.corpora import with_corpus
from workbench.processes import liveness, service
from workbench.scheduler import following, launch
from workbench.store import events
from workbench.store.commands import command_line, python_line
from workbench.targets.target import parse
from workbench.verbs.list_methods import KINDS, OTHERS

HEAVY = "{'torch', 'transformers', 'umap', 'sklearn', 'sentence_transformers', 'accelerate', 'numba'}"


def settings(tiny, **more):
    config = config_of(tiny)
    pairs = config.probe.pairs
    own = {"steps": 6, "batch_size": 8, "precision": "fp32", "threads": 1, "probe.every": 3, "probe.pairs": pairs}
    own |= {"selection.every": 3, "selection.pairs": (pairs,), "evaluation.pairs": (pairs,), **more}
    return {"backbone": str(tiny / "bert"), "corpus": str(tiny / "corpus.txt"), **own}


def test_building_a_form_imports_nothing_heavy(tmp_path):
    script = f"""
import sys
from workbench import api
from workbench.__main__ import parser
parser().format_help()
for kind in {(*KINDS, *OTHERS)!r}:
    api.list_methods(kind)
api.settle(steps=20)
api.augment("eda_swap", "a b c", draws=3)
api.doctor(runs={str(tmp_path)!r})
api.runs({str(tmp_path)!r})
found = sorted({HEAVY} & set(sys.modules))
assert not found, found
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_question_is_asked_without_torch(tmp_path):
    script = f"""
import sys
from workbench import api
from workbench.processes import service
from workbench.verbs import project, score
service.Service.ensure = lambda self: None
asked = {{"texts": ["a b", "c d", "e f"], "target": "minilm-l3+centre", "method": "umap"}}
ticket = api.submit(project.VERB, runs={str(tmp_path)!r}, session="s", **asked)
assert ticket.poll().state == "queued"
api.submit(score.VERB, runs={str(tmp_path)!r}, target="minilm-l3", pairs="demo:dev")
run = api.train(runs={str(tmp_path)!r}, detach=True, steps=20)
assert api.stop(run).state == "stopped"
found = sorted({HEAVY} & set(sys.modules))
assert not found, found
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_draws_are_those_of_the_seed():
    table = api.augment("eda_swap", "all dogs like most cats", seed=3, draws=4)
    columns = ["sentence", "draw", "before", "text", "changed", "acted", "label", "again"]
    assert list(table.columns) == columns and table["changed"].all() and not table["acted"].any()
    assert table.equals(api.augment("eda_swap", "all dogs like most cats", seed=3, draws=4))
    with pytest.raises(UnknownName, match="eda_swap"):
        api.augment("eda_swop", "a b")
    with pytest.raises(UnknownName, match="setting"):
        api.augment("eda_swap", "a b", nope=1)


def test_every_kind_can_be_listed():
    assert "infonce_nn" in set(api.list_methods("losses")["id"])
    assert {"minilm-l3", "minilm-l6"} <= set(api.list_methods("backbones")["id"])
    assert "simcse_unsup" in set(api.list_methods("recipes")["id"])
    assert "sts" in set(api.list_methods("suites")["id"])
    for kind in (*KINDS, *OTHERS):
        assert list(api.list_methods(kind).columns) == ["id", "title", "summary", "source"]
    with pytest.raises(UnknownName, match="Did you mean losses"):
        api.list_methods("loses")


def test_doctor_finds_no_problem_here(tmp_path):
    table = api.doctor(runs=tmp_path)
    assert set(table["state"]) <= {"ok", "note"}, table
    assert {"Python", "Embedded weights", "Disk", "Supervisor"} <= set(table["check"])


def test_a_run_has_the_settled_configuration(folder, tiny):
    config = api.settle(name="mine", temperature=0.07, **settings(tiny))
    assert config.name == "mine" and config.origins["training.steps"] == "user"
    run = api.train(name="mine", temperature=0.07, runs=folder.path, detach=True, **settings(tiny))
    settled = with_corpus(references.absolute(config))
    assert run.config == settled and run.config.corpus.rows == len(TEXTS)
    api.stop(run)


def test_the_python_line_and_the_command_repeat_the_run(folder, tiny, monkeypatch):
    """Page, command line and script: three ways to one configuration."""
    monkeypatch.setattr(service.Service, "ensure", lambda _: None)
    made = []
    monkeypatch.setattr(
        launch, "submit", lambda _, config, on: made.append(with_corpus(references.absolute(config))) or run
    )
    run = api.Run(folder.path / "20300101-000000-x-y-s0-abcd")
    asked = settings(tiny, temperature=0.07, head="mlp", **{"training.clip": 2.0, "dedup_batch": True})
    config = with_corpus(references.absolute(api.settle(name="my run", **asked)))
    monkeypatch.setenv("WORKBENCH_RUNS", str(folder.path))
    eval(python_line(config).removeprefix("workbench.").removesuffix(")") + ", detach=True)")
    command.main([*shlex.split(command_line(config))[3:], "--detach"])
    assert made == [config, config]


def test_a_configuration_is_queued_unchanged_and_a_hashed_corpus_is_not_read(warm, tiny, monkeypatch):
    config = references.absolute(api.settle(name="known", **settings(tiny)))
    texts = api.training_texts(config.corpus.source, runs=warm.path)
    known = replace(config, corpus=Corpus(texts.source, texts.name, texts.sha256, texts.rows))
    assert known == with_corpus(config)
    with pytest.raises(BadData, match="cosent needs"):
        api.training_texts(config.corpus.source, roles=("text", "positive"), recipe="cosent", runs=warm.path)

    def read(*_, **__):
        raise AssertionError("read")

    monkeypatch.setattr(service.Service, "ensure", lambda _: None)
    monkeypatch.setattr("workbench.data.corpora.load_corpus", read)
    runs = api.submit_run([known, with_seed(known, 7)], runs=warm.path)
    assert [run.config for run in runs] == [known, with_seed(known, 7)]
    assert with_seed(known, 7).origins["training.seed"] == "user"
    one = api.submit_run(known, runs=warm.path)
    for run in (*runs, one):
        api.stop(run)
    with pytest.raises(BadSetting, match="steps"):
        api.submit_run(replace(known, training=replace(known.training, steps=0)), runs=warm.path)


def test_train_follows_to_the_end(warm, tiny):
    seen = []
    run = api.train(runs=warm.path, follow=lambda run: seen.append(run.state), **settings(tiny))
    assert run.state == "done" and seen[-1] == "done" and "queued" in seen
    assert set(run.scores["checkpoint"]) == {"step0", "best", "last"}
    listed = [other.id for other in api.runs(warm.path)]
    assert all(other[:15] == run.id[:15] for other in listed[: listed.index(run.id)]), "newest first, to the second"
    begun = next(
        run.id[:end] for end in range(len(run.id)) if sum(other.startswith(run.id[:end]) for other in listed) == 1
    )
    assert api.run(begun, runs=warm.path).id == run.id

    again = api.import_run(api.export_run(run, warm.path / "a.zip"), runs=warm.path / "other")
    assert again.state == "done" and list(again.steps["loss"]) == list(run.steps["loss"])
    api.delete(run, run.id)
    assert run.id not in [one.id for one in api.runs(warm.path)] and api.reindex(warm.path) == 0
    (warm.path / "a.zip").unlink()

    vectors = api.encode(TEXTS[:5], target=str(again.folder), runs=warm.path)
    before = api.encode(TEXTS[:5], target=f"{again.folder}@step0", runs=warm.path)
    untrained = api.encode(TEXTS[:5], target=str(tiny / "bert"), runs=warm.path)
    model = api.encode(TEXTS[:5], target=str(again.folder / "model"), runs=warm.path)
    np.testing.assert_array_equal(before, untrained)
    np.testing.assert_allclose(model, vectors, atol=1e-5)
    best = again.checkpoints["best"]["step"]
    assert (np.abs(vectors - before).max() > 1e-4) == (best > 0)


def test_an_interrupt_stops_the_run_and_keeps_its_checkpoint(warm, tiny):
    def interrupt(run):
        if run.state == "running" and run.progress.step >= 3 and not interrupted:
            interrupted.append(run.progress.step)
            raise KeyboardInterrupt

    interrupted = []
    run = api.train(
        runs=warm.path,
        follow=interrupt,
        **settings(tiny, steps=100_000, **{"probe.every": 100_000, "selection.every": 100_000}),
    )
    assert run.state == "stopped" and run.checkpoints["last"]["step"] >= 3


def test_a_failed_run_raises_its_own_message(folder, tiny, monkeypatch):
    monkeypatch.setattr(service.Service, "ensure", lambda _: None)
    run = api.train(runs=folder.path, detach=True, **settings(tiny))
    events.add(run.folder, events.STARTING, who={})
    events.add(run.folder, events.FAILED, kind="Diverged", message="The loss is nan at step 3.")
    with pytest.raises(Diverged, match="nan at step 3"):
        following.follow_run(run)
    run = api.train(runs=folder.path, detach=True, **settings(tiny))
    events.add(run.folder, events.STARTING, who={**liveness.identity(), "born": "1"})
    with pytest.raises(BadRun, match="was lost"):
        following.follow_run(run)


def test_bad_input_is_refused_at_once(folder, tiny, tmp_path):
    train = lambda **more: api.train(runs=folder.path, **more)  # noqa: E731
    with pytest.raises(UnknownName, match="Did you mean simcse_unsup"):
        train(recipe="simcse_unsupp")
    with pytest.raises(UnknownName, match="Did you mean minilm-l3"):
        train(backbone="minilm-l4")
    with pytest.raises(UnknownName, match="Did you mean temperature"):
        train(temprature=0.1)
    with pytest.raises(BadSetting, match="batch_size"):
        train(batch_size=1)
    with pytest.raises(BadData):
        train(corpus=str(tmp_path / "none.txt"))
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(BadData):
        train(corpus=str(tmp_path / "empty.txt"))
    with pytest.raises(BadData, match="list of targets"):
        api.compare("minilm-l3", runs=folder.path)
    with pytest.raises(UnknownName, match="suite"):
        api.evaluate("minilm-l3", suite="stss", data=tmp_path, runs=folder.path)
    assert folder.run_folders() == []


def test_what_is_named_may_be_a_path(tmp_path):
    texts = tmp_path / "texts.txt"
    texts.write_text("A dog.\nA cat.\n")
    config = api.settle(
        corpus=texts, **{"evaluation.pairs": [texts], "selection.pairs": "demo:dev", "probe.pairs": texts}
    )
    assert config.selection.pairs == ("demo:dev",)
    assert config.corpus.source == config.probe.pairs == str(texts) and config.evaluation.pairs == (str(texts),)
    assert not api.fits("simcse_unsup", texts) and "needs triplets" in api.fits("simcse_sup", texts)
    plan = api.plan_grid("simcse_unsup", {"temperature": [0.1]}, corpus=texts, batch_size=2, runs=tmp_path / "runs")
    assert [one.corpus.source for one in plan.configs.values()] == [str(texts)]
    with pytest.raises(
        BadSetting, match=r"The corpus is named by a text or a path\. Got: \['A dog\.'\].*one on each line"
    ):
        api.settle(corpus=["A dog."])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pairs", "told"),
    [
        (None, r"Got: None\.$"),
        (["demo:dev", "demo:test"], r"Got: \['demo:dev', 'demo:test'\]\. Ask for each set by itself\."),
        (pd.DataFrame({"a": [1]}), r"Got: a DataFrame\. Write the table to a file, as its to_csv does"),
    ],
    ids=["none", "several", "table"],
)
def test_pairs_are_named_by_a_text_or_a_path(tmp_path, pairs, told):
    told = rf"The pair set is named by a text or a path\. {told}"
    for ask in (
        lambda: api.compare(["minilm-l3"], pairs=pairs, runs=tmp_path),
        lambda: api.pair_texts(pairs=pairs, runs=tmp_path),
        lambda: api.compare_methods(["minilm-l3"], pairs=pairs, runs=tmp_path),
    ):
        with pytest.raises(BadSetting, match=told):
            ask()
    if hasattr(pairs, "columns"):
        for ask in (api.geometry, api.corpus_report):
            with pytest.raises(BadSetting, match=told):
                ask(pairs=pairs, runs=tmp_path)
    with pytest.raises(BadSetting, match="The pair set is named by a text or a path"):
        api.save_slice("mine", pairs, [0], runs=tmp_path)


def test_targets_may_be_written_as_text(folder, tiny):
    assert parse("minilm-l3", folder).backbone == "minilm-l3"
    assert parse("minilm-l3@step0", folder).backbone == "minilm-l3"
    found = parse(f"{tiny / 'bert'}+centre", folder)
    assert found.backbone == str(tiny / "bert") and found.transform == "centre" and found.label == "bert+centre"
    assert found.fingerprint != parse(tiny / "bert", folder).fingerprint
    odd = tiny / "a+b@c"
    if not odd.exists():
        odd.symlink_to(tiny / "bert")
    assert parse(str(odd), folder).backbone == str((tiny / "bert").resolve())
    assert parse("org/name@abc", folder).revision == "abc"
    with pytest.raises(BadRun, match="no checkpoint"):
        parse("minilm-l3@best", folder)
    with pytest.raises(UnknownName, match="backbone or run"):
        parse("20300101-000000-x", folder)


def test_sts_is_evaluated_on_the_tasks_present(warm, tiny, tmp_path):
    rows = [f"x\t{number % 6}\t{TEXTS[number]}\t{TEXTS[number + 7]}" for number in range(30)]
    for name in ("stsb-test.tsv", "sts12.tsv"):
        (tmp_path / name).write_text("subset\tscore\tsentence1\tsentence2\n" + "\n".join(rows) + "\n")
    table = api.evaluate(str(tiny / "bert"), data=tmp_path, runs=warm.path)
    assert list(table["task"]) == ["sts12", "stsb"]
    assert table.attrs["mean"]["label"] == "mean of sts12, stsb" and "sts13" in table.attrs["absent"]
    assert table.attrs["precision"] == "fp32" and table.attrs["max_length"] == 64
    assert (table["low"] <= table["all"]).all() and (table["fitted_on"] == "").all()
    coarse = api.evaluate(str(tiny / "bert"), data=tmp_path, precision="bf16", runs=warm.path)
    assert coarse.attrs["precision"] == "bf16" and table.attrs["precision"] == "fp32"
    assert {"all_bf16", "low_bf16", "high_bf16"} <= set(coarse) and not {"all", "low", "high"} & set(coarse)
    assert list(coarse["all_bf16"]) == pytest.approx(list(table["all"]), abs=0.05)
    flat = (row.split("\t", 2) for row in rows)
    (tmp_path / "sts15.tsv").write_text(
        "subset\tscore\tsentence1\tsentence2\n" + "".join(f"x\t3\t{row[2]}\n" for row in flat)
    )
    words = api.evaluate("tfidf", data=tmp_path, precision="bf16", runs=warm.path)
    assert words.attrs["precision"] == "fp32" and "all" in words, "a baseline has no encoder"
    assert words["fitted_on"].str.contains("transductive").all()
    said = "sts15: Spearman is undefined, as all cosines or all gold scores are equal. It counts as 0."
    assert said in words.attrs["notices"]
    with pytest.raises(BadData, match="folder"):
        api.evaluate(str(tiny / "bert"), runs=warm.path)


def test_transfer_is_evaluated_on_the_tasks_present(warm, tiny, tmp_path):
    lines = [f"{number % 2}\t{text} {'well' if number % 2 else 'badly'}" for number, text in enumerate(TEXTS[:60])]
    for name in ("mr.tsv", "trec-train.tsv", "trec-test.tsv"):
        (tmp_path / name).write_text("\n".join(["label\tsentence", *lines, ""]))
    (tmp_path / "cr.tsv").write_text("nothing of the kind\n")
    table = api.evaluate(str(tiny / "bert"), suite="transfer", data=tmp_path, settings={"folds": 3}, runs=warm.path)
    assert list(table["task"]) == ["mr", "trec"] and (table["n"] == 60).all() and not table["official"].any()
    assert (table["low"] <= table["accuracy"]).all() and table["accuracy"][1] > 0.7
    assert table.attrs["mean"]["label"] == "mean of mr, trec" and table.attrs["folds"] == 3
    assert table.attrs["precision"] == "fp32" and "cr" in table.attrs["absent"] and (table["fitted_on"] == "").all()
    assert any("cr could not be read and was not scored" in note for note in table.attrs["notices"])
    words = api.evaluate("tfidf", suite="transfer", data=tmp_path, settings={"folds": 3}, runs=warm.path)
    assert words["fitted_on"].str.contains("transductive").all()
    with pytest.raises(BadSetting, match="folds"):
        api.evaluate(str(tiny / "bert"), suite="transfer", data=tmp_path, settings={"folds": 1}, runs=warm.path)
    with pytest.raises(UnknownName, match="setting of sts"):
        api.evaluate(str(tiny / "bert"), data=tmp_path, settings={"folds": 3}, runs=warm.path)


def test_a_figure_is_saved_by_the_ending_of_its_path(tmp_path):
    from workbench.plots.spectrum import spectrum

    drawn = spectrum(pd.DataFrame({"component": [1, 2], "relative": [1.0, 0.5], "share": [0.8, 0.2]}))
    for name, start in (("a.PDF", b"%PDF"), ("a.svg", b"<?xml"), ("a.png", b"\x89PNG")):
        assert api.save_figure(drawn, tmp_path / name, width="full").read_bytes().startswith(start)
    with pytest.raises(BadSetting, match="svg, pdf, png"):
        api.save_figure(drawn, tmp_path / "a.tiff")
    assert not (tmp_path / "a.tiff").exists()


def test_every_argument_of_every_function_is_used():
    """An argument that is declared and dropped would be ignored without a word."""
    import ast
    from pathlib import Path

    for path in sorted(Path(api.__file__).parent.glob("*.py")):
        for function in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(function, ast.FunctionDef) or function.decorator_list:
                continue
            declared = {one.arg for one in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)}
            read = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
            assert not declared - read, f"{path.name}: {function.name}"


def test_an_empty_cell_among_texts_is_named_with_the_way_out(tmp_path):
    with pytest.raises(BadData, match=r"texts\[1\] is not a text. Got: nan. .*keep_default_na=False"):
        api.encode(["a good day", float("nan")], runs=tmp_path)


def test_doctor_looks_for_every_dependency():
    import re
    import tomllib
    from pathlib import Path

    from workbench.verbs.doctor import NEEDED

    about = tomllib.loads((Path(__file__).resolve().parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    assert sorted(NEEDED) == [re.split("[<>=]", one)[0] for one in about["project"]["dependencies"]]
