import errno
import json
from dataclasses import replace

import numpy as np
import pytest

from workbench import api, sweeps
from workbench.core.config import Corpus, to_toml
from workbench.core.errors import BadSetting, Refused, UnknownName
from workbench.core.writing import append_line, write_json
from workbench.processes import liveness
from workbench.runs import worker
from workbench.scheduler import launch
from workbench.store import events, names
from workbench.store.evaluations import SCORES
from workbench.store.run import Run
from workbench.sweeps.keys import _without_defaults
from workbench.sweeps.results import pair_sets, summarised


@pytest.fixture
def still(folder, monkeypatch):
    """Nothing is trained: runs stay in the queue."""
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    return folder.path


def finish(run, spearman, *, before=0.5, seconds=1.0):
    """A run as if a worker had ended it."""
    for event in ("starting", "running", "done"):
        events.add(run.folder, event)
    append_line(run.folder / names.STEPS, {"step": 1, "seconds": seconds, "time": 1.0})
    rows = [("step0", before), ("last", spearman - 0.01), ("best", spearman)]
    row = {"suite": "pairs", "pairs": "demo:dev", "alignment": 0.2, "uniformity": -2.0, "mean_cosine": 0.1}
    write_json(
        run.folder / names.EVALUATIONS / SCORES,
        [{"checkpoint": name, "spearman": score, **row} for name, score in rows],
    )


def test_a_sweep_is_live_while_a_vanished_run_may_be_queued_again_by_itself(still, folder, tmp_path, monkeypatch):
    (tmp_path / "clusters.toml").write_text('[hpc]\nkind = "slurm"\n')
    monkeypatch.setenv("WORKBENCH_CLUSTERS", str(tmp_path / "clusters.toml"))
    sweep = api.grid(over={"temperature": [0.03, 0.05]}, steps=2, on="hpc", runs=still)
    first, second = sweep.runs.values()
    finish(first, 0.6)
    events.add(second.folder, events.STARTING, who={**liveness.identity(), "born": "1"})
    assert sweep.states == {"done": 1, "lost": 1} and not sweep.live, "nobody looks after it"
    write_json(folder.jobs / "supervisor.json", {**liveness.identity()})
    (folder.jobs / "supervisor.heartbeat").touch()
    assert sweep.live
    events.add(second.folder, events.LOST)
    assert not sweep.live


def test_repeating_a_sweep_queues_what_is_missing(still):
    over = {"temperature": [0.03, 0.05], "augment_b": ["", "eda_swap"]}
    assert len(api.plan_grid(over=over, seeds=2, runs=still).missing) == 8
    first = api.grid(over=over, seeds=2, steps=2, runs=still)
    assert first.states == {"queued": 8} and len(api.runs(still)) == 8
    assert api.grid(over=over, seeds=2, steps=2, runs=still).id == first.id
    assert len(api.runs(still)) == 8
    wider = api.grid(over={**over, "temperature": [0.03, 0.05, 0.1]}, seeds=2, steps=2, runs=still)
    assert wider.id == first.id and len(api.runs(still)) == 12
    assert not api.plan_grid(over={"temperature": [0.1]}, augment_b="eda_swap", steps=2, runs=still).missing
    run = next(iter(wider.runs.values()))
    assert run.label.startswith("temperature 0.03 · augment_b none · seed 0")
    api.stop(run)
    api.delete(run, run.id, runs=still)
    assert api.sweep(first.id, runs=still).states == {"queued": 11, "missing": 1}
    assert api.grid(over={**over, "temperature": [0.03, 0.05, 0.1]}, seeds=2, steps=2, runs=still).states == {
        "queued": 12
    }


def test_stopped_runs_are_resumed_and_diverged_ones_are_not(still):
    sweep = api.grid(over={"temperature": [0.03, 0.05]}, steps=2, runs=still)
    stopped, diverged = sweep.runs.values()
    api.stop(stopped)
    events.add(diverged.folder, events.FAILED, kind="Diverged", message="The loss is no number.")
    assert api.grid(over={"temperature": [0.03, 0.05]}, steps=2, runs=still).states == {"queued": 1, "failed": 1}


def worked_on(run):
    """A run as if this process worked on it."""
    for event in (events.STARTING, events.RUNNING):
        events.add(run.folder, event, who=liveness.identity())


def test_a_sweep_is_stopped_its_waiting_runs_first(still, monkeypatch):
    sweep = api.grid(over={"temperature": [0.03, 0.05, 0.1]}, steps=2, runs=still)
    done, running, waiting = sweep.runs.values()
    finish(done, 0.7)
    worked_on(running)
    shared = api.grid(over={"steps": [2, 3]}, temperature=0.1, runs=still)
    stopped, stop = [], launch.stop
    monkeypatch.setattr(launch, "stop", lambda run: stopped.append(run.id) or stop(run))
    assert [run.id for run in api.stop_sweep(sweep.id, runs=still)] == [running.id, waiting.id]
    assert stopped == [waiting.id, running.id]
    assert sweep.states == {"done": 1, "stopping": 1, "stopped": 1} and shared.states == {"stopped": 1, "queued": 1}
    assert api.stop_sweep(sweep.id, runs=still) == [] and len(api.runs(still)) == 4


def test_a_run_that_cannot_be_stopped_keeps_no_other_from_it(still, monkeypatch):
    sweep = api.grid(over={"temperature": [0.03, 0.05]}, steps=2, runs=still)
    first, other = sweep.runs.values()
    add = events.add

    def ends(folder, event, **details):
        add(folder, event, **details)
        add(other.folder, events.FAILED)

    monkeypatch.setattr(events, "add", ends)
    assert [run.id for run in api.stop_sweep(sweep.id, runs=still)] == [first.id], "the other ended in between"
    monkeypatch.undo()
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    for run in (first, other):
        api.resume(run)

    def full(folder, event, **details):
        if folder.name == first.id:
            raise OSError(errno.ENOSPC, "No space left on device")
        add(folder, event, **details)

    monkeypatch.setattr(events, "add", full)
    with pytest.raises(Refused, match="full"):
        api.stop_sweep(sweep.id, runs=still)
    assert (first.state, other.state) == ("queued", "stopped")


def test_every_run_is_an_ordinary_run(still):
    sweep = api.grid(over={"temperature": [0.03, 0.05]}, seeds=2, seed=5, steps=2, runs=still)
    assert sweep.seeds == (5, 6)
    for cell, run in zip(sweep.cells, sweep.runs.values(), strict=True):
        plain = api.settle(temperature=cell.axes["temperature"], seed=cell.seed, steps=2)
        assert run.config.terms == plain.terms and run.config.training == plain.training
        assert run.config.origins["training.seed"] == "user"


def test_a_later_default_and_a_name_change_no_key():
    one, other = api.settle(steps=2, name="mine"), api.settle(steps=2)
    assert sweeps.key_of(one) == sweeps.key_of(other) != sweeps.key_of(api.settle(steps=3))
    assert "schema" not in json.dumps(_without_defaults(one))
    assert to_toml(one) != to_toml(other)


def test_another_text_under_the_same_path_is_another_run(tmp_path):
    file = tmp_path / "texts.txt"
    file.write_text("one\ntwo\n")
    before = sweeps.key_of(api.settle(corpus=str(file)))
    file.write_text("one\ntwo\nthree\n")
    assert sweeps.key_of(api.settle(corpus=str(file))) != before
    other = tmp_path / "others.txt"
    other.write_text("three\n")
    several = replace(api.settle(), corpus=Corpus(f"{file};{other}"))
    before = sweeps.key_of(several)
    other.write_text("three\nfour\n")
    assert sweeps.key_of(several) != before


def test_another_text_below_a_folder_with_a_hash_in_its_name_is_another_run(tmp_path):
    folder = tmp_path / "c# texts"
    folder.mkdir()
    file = folder / "texts.txt"
    for corpus in (str(file), f"{file}#documents"):
        file.write_text("one\n\ntwo\n")
        before = sweeps.key_of(replace(api.settle(), corpus=Corpus(corpus)))
        file.write_text("one\n\ntwo\n\nthree\n")
        assert sweeps.key_of(replace(api.settle(), corpus=Corpus(corpus))) != before


def test_other_scored_pairs_under_the_same_path_are_another_run(tmp_path):
    file = tmp_path / "rated.tsv"
    file.write_text("score\tsentence1\tsentence2\n1\ta\tb\n4\tc\td\n")
    plain = api.settle()
    for changes in (
        {"selection": replace(plain.selection, pairs=(str(file),))},
        {"evaluation": replace(plain.evaluation, pairs=("demo:test", str(file)))},
        {"evaluation": replace(plain.evaluation, sts_folder=str(tmp_path))},
    ):
        config = replace(plain, **changes)
        before = sweeps.key_of(config)
        assert sweeps.key_of(config) == before
        file.write_text(file.read_text() + "2\te\tf\n")
        assert sweeps.key_of(config) != before


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "one or 2 axes"),
        ({"over": {"temperature": []}}, "has no values"),
        ({"over": {"temperature": [0.05, 0.05]}}, "twice"),
        ({"over": {"temperature": list(np.linspace(0.02, 0.9, 41)), "dropout": [0.1]}, "seeds": 244}, "10,004 runs"),
        ({"over": {"temperature": [0.05], "terms.0.settings.temperature": [0.1]}}, "the same setting"),
        ({"over": {"dropout": None}}, "not a list"),
        ({"over": {"dropout": "0.1"}}, "not a list"),
        ({"over": {"seed": [1, 2]}}, "Repeat runs with seeds"),
        ({"over": {"temperature": [9.0]}}, "0.01 to 1"),
        ({"over": {"steps": [1], "batch_size": [4], "dropout": [0.1]}}, "one or 2 axes"),
        ({"over": {"recipe": ["simcse_unsup", "simcse_sup"]}}, "needs triplets"),
        ({"over": {"steps": [2]}, "seeds": 0}, "at least one seed"),
    ],
)
def test_mistakes_are_reported_before_anything_is_queued(asked, said, still):
    with pytest.raises(BadSetting, match=said):
        api.grid(**asked, runs=still)
    assert not api.runs(still) and not api.sweeps(runs=still)


def test_the_nearest_names_are_suggested(still):
    with pytest.raises(UnknownName, match="temperature"):
        api.grid(over={"temprature": [1]}, runs=still)
    with pytest.raises(UnknownName, match="role"):
        api.tournament(["eda_swap"], roles=["neutral"], runs=still)
    sweep = api.grid(over={"steps": [2]}, runs=still)
    with pytest.raises(UnknownName, match="spearman"):
        sweep.results("spearmann")
    with pytest.raises(UnknownName, match=sweep.id):
        api.sweep(sweep.id[1:], runs=still)


def test_no_room_on_the_disk_refuses_the_whole_sweep(still, monkeypatch):
    monkeypatch.setattr(sweeps.Plan, "size_bytes", 1e18)
    with pytest.raises(Refused, match="2 runs needs"):
        api.grid(over={"steps": [2, 3]}, runs=still)
    assert not api.runs(still)


def test_a_table_calls_ties_ties(still):
    sweep = api.grid(over={"temperature": [0.03, 0.05, 0.1]}, seeds=3, steps=2, runs=still)
    assert sweep.results()["value"].isna().all()
    level = {0.03: 0.80, 0.05: 0.801, 0.1: 0.6}
    noise = iter([0.0, 0.002, -0.001, 0.001, 0.0, 0.0, 0.0, 0.005, -0.01])
    for cell in sweep.cells[:-1]:
        finish(sweep.runs[cell.key], level[cell.axes["temperature"]] + next(noise))
    table = sweep.results()
    assert table.attrs == {"measure": "spearman", "pairs": "demo:dev", "checkpoint": "best"}
    assert list(table["state"]) == ["done"] * 8 + ["queued"] and np.isnan(table["value"].iloc[-1])
    assert (table["untrained"].dropna() == 0.5).all()
    summary = sweep.summary()
    assert list(summary["n"]) == [3, 3, 2] and list(summary["wanted"]) == [3, 3, 3]
    assert set(summary["standing"]) == {"reference", "tie", "worse"}
    assert sweep.results(checkpoint="last")["value"].iloc[0] == pytest.approx(0.79)
    assert list(sweep.results("seconds")["value"].dropna()) == [1.0] * 8
    plan = api.plan_grid(over={"temperature": [0.03, 0.05, 0.1, 0.2]}, seeds=3, steps=2, runs=still)
    assert len(plan.missing) == 3 and plan.seconds is not None and plan.size_bytes


def test_a_large_sweep_reads_each_corpus_and_kind_of_scores_once(still, monkeypatch):
    """Ten thousand runs are queued, and shown, in seconds."""
    loaded, load = [], launch.load_pairs
    monkeypatch.setattr(launch, "load_pairs", lambda ref: loaded.append(ref) or load(ref))
    sweep = api.grid(over={"temperature": [0.03, 0.05]}, seeds=3, steps=2, runs=still)
    assert sorted(loaded) == ["demo:dev", "demo:test"]
    for number, cell in enumerate(sweep.cells):
        finish(sweep.runs[cell.key], 0.7 + number / 100)
    read, config = [], type(next(iter(sweep.runs.values()))).config.func
    monkeypatch.setattr(Run, "config", property(lambda run: read.append(run.id) or config(run)))
    assert pair_sets(sweep) == ["demo:dev"] and len(set(read)) == 1
    table = sweep.results()
    assert len(set(read)) == 1 and table["value"].tolist() == pytest.approx([0.7, 0.71, 0.72, 0.73, 0.74, 0.75])
    assert not sweep.live and sweep.states == {"done": 6}


def test_values_of_different_types_are_different_cells():
    import pandas

    table = pandas.DataFrame(
        {"loss": ["x", "y", "x", "y"], "keep": [True, True, False, False], "seed": 0, "value": [1.0, 2.0, 3.0, 4.0]}
    )
    table.attrs = {"measure": "seconds"}
    found = summarised(table, ["loss", "keep"])
    assert list(found["mean"]) == [1.0, 2.0, 3.0, 4.0] and found["standing"].iloc[0] == "reference"


def test_a_tournament_gives_all_the_same_budget(still):
    sweep = api.tournament(["eda_swap", "eda_delete"], seeds=2, steps=7, batch_size=8, temperature=0.1, runs=still)
    assert len(sweep.cells) == 2 * (1 + 2 + 2) and sweep.states == {"queued": 10}
    plain, *others = [sweep.runs[cell.key].config for cell in sweep.cells if cell.seed == 0]
    assert plain.terms[0].views["b"].augmentation == ""
    for config in others:
        assert config.training == plain.training and config.model == plain.model
        assert config.augmenting == plain.augmenting and config.evaluation == plain.evaluation
        assert config.terms[0].settings["temperature"] == 0.1
    assert [config.recipe for config in others] == ["simcse_unsup"] * 2 + ["augcse_neg"] * 2
    assert others[2].terms[0].views["negatives"].augmentation.startswith("eda_swap")
    assert not others[2].terms[0].views["b"].augmentation


def test_a_tournament_is_compared_with_the_run_without_augmentation(still):
    sweep = api.tournament(["eda_swap", "eda_delete"], seeds=3, steps=2, runs=still)
    level = {"baseline": 0.7, "positive": 0.8, "negative": 0.6}
    for number, cell in enumerate(sweep.cells):
        finish(sweep.runs[cell.key], level[cell.axes["role"]] + 0.001 * cell.seed + 0.0001 * (number**2 % 5))
    summary = sweep.summary().set_index(["augmentation", "role"])
    assert summary.loc[("", "baseline"), "standing"] == "reference"
    assert summary.loc[("eda_swap", "positive"), "standing"] == "better"
    assert summary.loc[("eda_delete", "negative"), "standing"] == "worse"
    assert summary.loc[("eda_swap", "positive"), "delta"] == pytest.approx(0.1, abs=0.001)


def test_a_tournament_needs_a_second_view(still):
    alone = [
        name for name, recipe in api.recipes(runs=still).items() if not (recipe.terms and "b" in recipe.terms[0].views)
    ]
    for name in [*alone[:1], "mlm_continue"]:
        with pytest.raises(BadSetting, match="no view"):
            api.tournament(["eda_swap"], recipe=name, runs=still)
    with pytest.raises(BadSetting, match="empty"):
        api.tournament([""], runs=still)


def test_deleting_a_sweep_keeps_its_runs(still):
    sweep = api.grid(over={"temperature": [0.03, 0.05]}, steps=2, runs=still)
    api.delete_sweep(sweep.id, runs=still)
    assert not api.sweeps(runs=still) and len(api.runs(still)) == 2
    (still / ".sweeps" / "damaged.json").write_text("{")
    api.grid(over={"temperature": [0.03, 0.05]}, steps=2, runs=still)
    assert len(api.runs(still)) == 2 and len(api.sweeps(runs=still)) == 1


@pytest.mark.slow
def test_a_grid_is_trained_from_start_to_end(still, tiny, worker_here):
    pairs = str(tiny / "pairs.tsv")
    asked = {"selection.pairs": [pairs], "evaluation.pairs": [pairs], "probe.pairs": pairs, "threads": 1}
    asked |= {"precision": "fp32", "batch_size": 8, "steps": 2, "learning_rate": 1e-2, "backbone": str(tiny / "bert")}
    sweep = api.grid(
        over={"temperature": [0.03, 0.1], "dropout": [0.3]},
        corpus=str(tiny / "corpus.txt"),
        runs=still,
        **asked,
    )
    for run in api.runs(still):
        assert worker.main([str(run.folder), "--device", "cpu"]) == 0
    assert sweep.states == {"done": 2}
    table = sweep.results(checkpoint="last")
    assert table["value"].notna().all() and table["untrained"].nunique() == 1
    assert table["value"].nunique() > 1
    assert (sweep.results("seconds")["value"] > 0).all()
    assert sweep.results("isoscore")["value"].between(0, 1).all()
    assert (sweep.results("best_samples")["value"] == 8 * sweep.results("best_step")["value"]).all()


def test_a_setting_of_an_augmentation_is_an_axis(still):
    plan = api.plan_grid(over={"eda_delete.rate": [0.1, 0.3]}, augment_b="one_of(eda_delete, eda_swap)", runs=still)
    first, second = [config.terms[0].views["b"].augmentation for config in plan.configs.values()]
    assert "eda_delete(rate=0.1," in first and "eda_delete(rate=0.3," in second and "eda_swap(rate=0.1," in second
    plan = api.plan_grid("arccse", {"arc_masks.keep": [0.6, 0.7], "arc_masks.less": [0.1, 0.2]}, runs=still)
    assert len(plan.configs) == 4
    for config in plan.configs.values():
        used = [view.augmentation for view in config.terms[1].views.values() if view.augmentation]
        assert len(used) == 2 and len({line.partition("(")[2] for line in used}) == 1  # the two masks follow together
    with pytest.raises(BadSetting, match="No view uses"):
        api.plan_grid(over={"eda_delete.rate": [0.1]}, runs=still)


def test_an_axis_means_the_same_however_it_is_written(still):
    bare = api.plan_grid(over={"temperature": [0.03]}, runs=still)
    assert bare.sweep.id == api.plan_grid(over={"terms.0.settings.temperature": [0.03]}, runs=still).sweep.id


@pytest.mark.parametrize("named", ["terms.0.every", "terms.1.every"])
def test_terms_that_take_turns_are_one_axis(named, still):
    """UNA's every n, whatever the form said of each term before."""
    asked = {"terms.0.every": 7, "terms.1.every": 7}
    plan = api.plan_grid("una", {named: [0, 1, 3, 5]}, runs=still, **asked)
    found = [[term.every for term in config.terms] for config in plan.configs.values()]
    assert found == [[0, 0], [1, 1], [3, 3], [5, 5]]
    cell = next(iter(plan.configs.values()))
    assert cell.terms == api.settle("una", **{named: 0}).terms


def test_further_rows_of_one_text_are_one_axis(still):
    lines = ["una_negative", "none", "una_negative(select=random)"]
    plan = api.plan_grid("una", {"terms.0.more.a.augmentation": lines}, runs=still)
    for line, config in zip(lines, plan.configs.values(), strict=True):
        rows = {view.augmentation for view in config.terms[0].more.values()}
        assert len(rows) == 1 and rows.pop().startswith("" if line == "none" else "una_negative")
    plan = api.plan_grid("una", {"una_negative.select": ["tfidf", "random"], "una_negative.beta": [0.3]}, runs=still)
    for word, config in zip(["tfidf", "random"], plan.configs.values(), strict=True):
        for view in config.terms[0].more.values():
            assert f'select="{word}"' in view.augmentation and "beta=0.3" in view.augmentation


@pytest.mark.parametrize(
    ("recipe", "axis", "words", "meant"),
    [
        ("arccon_only", "beyond_pi", "none, hard, easy", ["none", "hard", "easy"]),
        ("simcse_unsup", "terms.0.views.b.dropout", "on, off, 0.3", ["on", "off", 0.3]),
        ("simcse_unsup", "terms.0.dropout", "on, mix", ["on", "mix"]),
        ("simcse_unsup", "masks", "own, same", ["own", "same"]),
        ("simcse_unsup", "dedup_batch", "on, off", [True, False]),
        ("simcse_unsup", "training.dedup_batch", "true, false", [True, False]),
        ("simcse_unsup", "head", "none, mlp", ["", "mlp"]),
        ("simcse_unsup", "augment_b", "none | eda_swap", ["", "eda_swap"]),
        ("simcse_unsup", "temperature", "0.03, 1", [0.03, 1]),
        ("una", "terms.1.skip", "on", [True]),
        ("una", "una_negative.select", "tfidf, random", ["tfidf", "random"]),
        ("simcse_unsup", "schedule", "linear, constant", ["linear", "constant"]),
    ],
)
def test_words_are_read_as_their_setting_takes_them(recipe, axis, words, meant, still):
    plan = api.plan_grid(recipe, {axis: sweeps.values_of(words)}, runs=still)
    assert list(plan.sweep.over[axis]) == meant and len(plan.configs) == len(meant)
    assert [type(value) for value in plan.sweep.over[axis]] == [type(value) for value in meant]


def test_two_words_for_one_value_are_one_value(still):
    with pytest.raises(BadSetting, match="twice"):
        api.plan_grid(over={"dedup_batch": ["on", True]}, runs=still)
    with pytest.raises(BadSetting, match="on, off, mix"):
        api.plan_grid(over={"terms.0.dropout": ["none"]}, runs=still)


def test_the_ablation_of_dropout_is_a_grid_of_two_words(still):
    """ArcCSE's table of on and off, mix and off, on and on, of pair and triplet."""
    over = {"terms.0.dropout": ["on", "mix"], "terms.1.dropout": ["off", "on"]}
    sweep = api.grid("arccse", over, steps=2, runs=still, **{"terms.0.views.b.dropout": 0.3})
    found = {
        tuple(cell.axes.values()): [
            [view.dropout for view in term.views.values()] for term in sweep.runs[cell.key].config.terms
        ]
        for cell in sweep.cells
    }
    assert found["on", "off"] == [["on", "on"], ["off", "off", "off"]]
    assert found["mix", "off"] == [["on", "off"], ["off", "off", "off"]]
    assert found["on", "on"] == [["on", "on"], ["on", "on", "on"]]
    assert found["on", "off"] == [[v.dropout for v in term.views.values()] for term in api.settle("arccse").terms]


def test_the_step_of_the_best_checkpoint_is_a_measure(still):
    sweep = api.grid(over={"batch_size": [8, 16]}, steps=9, runs=still, **{"selection.pairs": ["demo:dev"]})
    for cell, step in zip(sweep.cells, (3, 6), strict=True):
        run = sweep.runs[cell.key]
        finish(run, 0.7)
        best = {
            "step": step,
            "samples": step * cell.axes["batch_size"],
            "score": 0.7,
            "metric": "spearman",
            "waited": 0,
        }
        write_json(run.folder / names.CHECKPOINTS / "best" / names.STATE, best)
    assert list(sweep.results("best_step")["value"]) == [3, 6]
    assert list(sweep.results("best_samples")["value"]) == [24, 96]
    assert sweep.results("best_step", checkpoint="last").attrs["pairs"] == ""
    assert sweep.summary("best_samples")["standing"].iloc[0] == "reference"
    assert sweep.results("isoscore")["value"].isna().all()  # runs of before it was measured
