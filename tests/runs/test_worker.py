import errno
import gc
import shutil
import threading
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from filelock import FileLock

from tests.augmentations.standins import tiny_filler
from tests.runs.trial import at_step, failed, losses, new, work
from tests.trial import TEXTS, config_of, until
from workbench.core.collecting import RARELY
from workbench.models import timing
from workbench.preflight.corpora import with_corpus
from workbench.runs import finals, worker
from workbench.runs.driver import Driver
from workbench.runs.explaining import explain
from workbench.runs.fine_tuning import FineTuning
from workbench.runs.probes import Probes
from workbench.store import checkpoints, events, names
from workbench.store.create import create

pytestmark = pytest.mark.usefixtures("worker_here")


def test_cycles_are_rarely_collected_while_imports_and_weights_are_loaded_and_as_ever_in_training(
    folder, tiny, monkeypatch
):
    usual, noted = gc.get_threshold(), {}

    def note(owner, name):
        before = getattr(owner, name)

        def noting(self, *rest):
            noted[name] = gc.get_threshold()
            return before(self, *rest)

        monkeypatch.setattr(owner, name, noting)

    for owner, name in ((Driver, "choose_device"), (FineTuning, "load"), (Driver, "estimate"), (Driver, "train")):
        note(owner, name)
    assert work(new(folder, tiny, steps=1)).state == "done"
    assert noted == {"choose_device": RARELY, "load": RARELY, "estimate": usual, "train": usual}


def test_precision_is_timed_while_the_backbone_is_loaded(folder, tiny, monkeypatch):
    both = threading.Barrier(2, timeout=30)
    load = FineTuning.load

    def timed(device):
        both.wait()
        return 2.0

    def loading(self):
        monkeypatch.setattr(FineTuning, "load", load)  # step 0 is loaded again in the end
        both.wait()
        return load(self)

    monkeypatch.setattr(timing, "speedup", timed)
    monkeypatch.setattr(FineTuning, "load", loading)
    run = work(new(folder, tiny, steps=1, precision="auto"))
    assert run.state == "done" and run.config.training.precision == run.environment["precision"] == "bf16"


def test_pairs_of_one_score_choose_no_step(folder, tiny, tmp_path, monkeypatch):
    pairs = tmp_path / "alike.tsv"
    pairs.write_text("score\tsentence1\tsentence2\n3\tIt rains.\tIt pours.\n3\tA dog.\tA cat.\n")
    monkeypatch.setattr(FineTuning, "load", lambda self: pytest.fail("was loaded"))
    failed(new(folder, tiny, **{"selection.pairs": (str(pairs),)}), "BadData", "No step can be chosen on", "alike.tsv")


def test_other_texts_than_those_submitted_are_refused_before_anything_is_loaded(folder, tiny, tmp_path, monkeypatch):
    corpus = tmp_path / "corpus.txt"
    shutil.copyfile(tiny / "corpus.txt", corpus)
    config = config_of(tiny, steps=1)
    run = create(folder, with_corpus(replace(config, corpus=replace(config.corpus, source=str(corpus)))))
    corpus.write_text("".join(f"text {row}\n" for row in range(20)))
    monkeypatch.setattr(FineTuning, "load", lambda self: pytest.fail("was loaded"))
    failed(run, "BadData", "has changed since this run was submitted", "start a new run")


def test_a_run_writes_everything_about_itself(whole):
    run = whole
    assert [row["event"] for row in run.events if row["event"] in events.FOLLOWS] == [
        "queued",
        "starting",
        "running",
        "saving",
        "done",
    ]
    assert run.progress.step == 20 and run.progress.seconds_left == 0 and len(run.steps) == 20
    assert list(run.probes["step"]) == [0, 5, 10, 15, 20]
    assert set(run.probes["alignment_on"]) == {"pairs.tsv, gold > 4"}
    assert run.probes[["uniformity", "mean_cosine", "spearman"]].notna().all().all()
    assert run.corpus_report["texts"] == len(TEXTS) and run.corpus_report["overlap"]
    assert run.config.corpus.sha256 == run.corpus_report["sha256"] and run.config.corpus.rows == len(TEXTS)
    assert run.environment["device"] == "cpu" and run.environment["threads"] == 1
    assert run.environment["precision"] == run.config.training.precision == "fp32"
    assert not run.heartbeat.exists()


def test_the_evaluation_has_all_three_checkpoints(whole):
    scores, cosines = whole.scores, whole.cosines()
    assert set(scores["checkpoint"]) == {"step0", "best", "last"}
    assert (scores["precision"] == "fp32").all() and (scores["max_length"] == 64).all()
    assert ((scores["low"] <= scores["spearman"]) & (scores["spearman"] <= scores["high"])).all()
    assert cosines.groupby("checkpoint").size().to_dict() == {"best": 24, "last": 24, "step0": 24}
    for method in ("pca", "cone"):
        points = whole.coordinates(method)
        assert set(points["checkpoint"]) == {"step0", "best", "last"} and points.notna().all().all()
    assert whole.best["step"] == whole.checkpoints["best"]["step"] and whole.best["metric"] == "spearman"
    table = scores.set_index("checkpoint")
    first = whole.probes.iloc[0]
    assert table.loc["step0", "spearman"] == pytest.approx(first["spearman"], abs=1e-6)
    assert table.loc["step0", "uniformity"] == pytest.approx(first["uniformity"], abs=1e-5)


def test_the_best_step_has_the_best_probe(whole):
    looks = whole.probes.set_index("step")["selection"]
    best = whole.checkpoints["best"]
    assert best["score"] == looks.max() and best["step"] == looks.idxmax()
    assert best["samples"] == 8 * best["step"]
    assert whole.checkpoints["last"]["step"] == 20


def test_nothing_that_only_a_resume_needs_stays(whole):
    files = {path.name.split("-")[0] for path in (whole.folder / "checkpoints").rglob("*") if path.is_file()}
    assert files <= {"model", "state.json"}
    assert not [path for path in whole.folder.rglob("*") if path.suffix in (".pt", ".bin", ".pkl", ".tmp")]


def test_the_model_folder_is_the_best_checkpoint(whole):
    from sentence_transformers import SentenceTransformer

    from workbench.targets.opening import open_target
    from workbench.targets.target import parse

    theirs = SentenceTransformer(str(whole.folder / "model"), device="cpu").encode(TEXTS[:9], convert_to_numpy=True)
    ours = open_target(parse(whole.folder, names.RunsFolder(whole.folder.parent))).encode(TEXTS[:9])
    np.testing.assert_allclose(theirs, ours, atol=1e-5)
    step0 = open_target(parse(f"{whole.folder}@step0", names.RunsFolder(whole.folder.parent))).encode(TEXTS[:9])
    last = open_target(parse(f"{whole.folder}@last", names.RunsFolder(whole.folder.parent))).encode(TEXTS[:9])
    assert np.abs(last - step0).max() > 1e-3


def test_step_0_is_measured_after_step_1_on_the_weights_that_training_began_with(whole):
    from workbench.data.pairs import load_pairs
    from workbench.scoring.pair_scores import Scored
    from workbench.targets.opening import open_target
    from workbench.targets.target import parse

    first = whole.probes.iloc[0]
    assert whole.steps["time"].iloc[0] < first["time"] < whole.steps["time"].iloc[1] and first["step"] == 0
    pairs = [load_pairs(ref) for ref in whole.config.evaluation.pairs]
    step0, last = (
        Scored(pairs).evaluate(
            open_target(parse(f"{whole.folder}@{name}", names.RunsFolder(whole.folder.parent))).encode
        )[0]
        for name in ("step0", "last")
    )
    assert first["uniformity"] == pytest.approx(step0["uniformity"], abs=1e-6)
    assert abs(last["uniformity"] - step0["uniformity"]) > 1e-3


def test_training_is_the_same_whatever_is_measured_of_step_0(whole, folder, tiny):
    config = config_of(tiny, steps=20)
    bare = replace(
        config, selection=replace(config.selection, metric="none"), evaluation=replace(config.evaluation, pairs=())
    )
    run = work(create(folder, with_corpus(replace(bare, probe=replace(config.probe, pairs="", every=100)))))
    assert run.state == "done" and losses(run) == losses(whole)


def test_the_report_of_a_large_corpus_is_made_beside_the_training(whole, folder, tiny, monkeypatch):
    import threading

    from workbench.preflight import corpus_report

    threads, made = [], corpus_report.report

    def noted(*given, **named):
        threads.append(threading.current_thread())
        return made(*given, **named)

    monkeypatch.setattr("workbench.runs.driver.SAMPLE", 20)
    monkeypatch.setattr("workbench.data.report.SAMPLE", 20)
    monkeypatch.setattr(corpus_report, "report", noted)
    run = work(new(folder, tiny, steps=20))
    assert run.state == "done" and losses(run) == losses(whole)
    assert len(threads) == 1 and threads[0] is not threading.current_thread()
    report, all_of_it = run.corpus_report, whole.corpus_report
    assert (report["texts"], report["sampled"]) == (len(TEXTS), 20) and all_of_it["sampled"] == len(TEXTS)
    assert report["overlap"] == all_of_it["overlap"] and sum(report["tokens"]["histogram"]["counts"]) == 20


def test_a_pair_set_named_twice_is_taken_once(folder, tiny):
    pairs = str(tiny / "pairs.tsv")
    twice = {"selection.pairs": (pairs, pairs), "evaluation.pairs": (pairs, pairs)}
    run = work(new(folder, tiny, steps=2, **twice))
    assert list(run.scores["checkpoint"]) == ["step0", "last", "best"] and len(run.cosines()) == 72
    assert run.config.evaluation.pairs == run.config.selection.pairs == (pairs,)


@pytest.mark.parametrize(("pause", "metric"), [("0", "spearman"), ("0", "none"), ("60", "spearman"), ("60", "none")])
def test_the_room_that_is_asked_for_is_the_room_that_checkpoints_take(folder, tiny, monkeypatch, pause, metric):
    """To a few percent: as much as the folder holds in the moment before what was replaced is removed."""
    asked, held = [], []

    def noted(path, needed, what):
        asked.append(needed)

    sweep, replaced = checkpoints._sweep, finals.whole_folder

    def measured():
        files = {entry.stat().st_ino: entry.stat().st_size for entry in run.folder.rglob("*.safetensors")}
        held.append(sum(files.values()))

    def swept(*given):
        measured()
        sweep(*given)

    @contextmanager
    def exported(path):
        with replaced(path) as draft:
            yield draft
            measured()

    monkeypatch.setenv("WORKBENCH_CHECKPOINT_SECONDS", pause)
    monkeypatch.setattr("workbench.runs.driver.check_space", noted)
    monkeypatch.setattr(checkpoints, "_sweep", swept)
    monkeypatch.setattr(finals, "whole_folder", exported)
    save = (
        Probes.save_best
    )  # each evaluation is better than the last, so that the best one is replaced as often as it can be
    monkeypatch.setattr(
        Probes, "save_best", lambda probes, best: save(probes, {**best, "score": best["score"] and -9.0})
    )
    run = new(folder, tiny, **{"selection.metric": metric, "selection.every": 1, "probe.every": 1})
    assert work(run).state == "done"
    assert max(held) <= asked[0] * 1.05 and asked[0] <= max(held) * 1.05


def test_a_run_that_diverges_ends_with_what_to_do(folder, tiny, monkeypatch):
    at_step(monkeypatch, 6, lambda driver: next(driver.context.encoder.backbone.parameters()).data.fill_(float("nan")))
    run = failed(new(folder, tiny), "Diverged", "step 7", "lower learning rate")
    assert len(run.steps) == 6


def test_bad_beginnings_have_a_kind_and_a_message(folder, tiny, tmp_path):
    run = new(folder, tiny)
    (run.folder / "config.toml").write_text("schema = 1\n")
    events_of = failed(run, "BadSetting", "config.toml").events
    assert "Traceback" not in str(events_of)

    corpus = shutil.copy(tiny / "corpus.txt", tmp_path / "corpus.txt")
    config = with_corpus(replace(config_of(tiny), corpus=replace(config_of(tiny).corpus, source=str(corpus))))
    run = create(folder, config)
    (tmp_path / "corpus.txt").write_text("\n".join(TEXTS[1:]))
    failed(run, "BadData", "has changed")

    config = config_of(tiny, batch_size=80)
    failed(create(folder, config), "BadSetting", "fewer than one batch of 80")
    failed(create(folder, replace(config, model=replace(config.model, backbone=str(tmp_path / "none")))), "BadModel")


def test_without_pairs_alignment_is_on_dropout_pairs_and_says_so(folder, tiny):
    run = work(new(folder, tiny, **{"probe.pairs": "", "selection.metric": "none", "evaluation.pairs": ()}))
    assert run.state == "done", run.log()
    assert run.probes["alignment_on"].str.startswith("dropout pairs").all()
    assert run.probes["spearman"].isna().all() and run.probes["alignment"].notna().all()
    assert run.checkpoints["best"]["step"] == 10 and run.scores.empty


def test_patience_ends_a_run_early(folder, tiny):
    changes = {"steps": 100, "learning_rate": 1e-8, "selection.every": 1, "selection.patience": 2, "probe.every": 100}
    run = work(new(folder, tiny, **changes))
    assert run.state == "done" and run.progress.step < 100
    assert any("No evaluation was better" in row.get("message", "") for row in run.events)


def test_the_official_head_is_trained_and_left_behind(folder, tiny):
    config = config_of(tiny)
    model = replace(config.model, pooling="cls", eval_pooling="cls", head="mlp")
    run = work(create(folder, replace(config, model=model)))
    assert run.state == "done", run.log()
    weights, _, _ = checkpoints.load(run.folder / "checkpoints" / "last")
    assert any(name.startswith("head.") for name in weights)
    assert not list((run.folder / "model").glob("*Dense"))


def test_epochs_are_as_many_steps_as_the_corpus_has_batches(folder, tiny):
    config = config_of(tiny)
    config = replace(config, training=replace(config.training, epochs=2.0, batch_size=16))
    run = work(create(folder, config))
    assert run.state == "done", run.log()
    assert run.progress.step == run.config.training.steps == 2 * (run.config.corpus.rows // 16) != config.training.steps
    assert run.steps["epoch"].tolist() == sorted([0, 1] * (run.config.training.steps // 2))


def test_a_pooling_that_cannot_be_exported_is_announced_and_trained(folder, tiny):
    config = config_of(tiny)
    model = replace(config.model, pooling="static_last", eval_pooling="static")
    run = work(create(folder, replace(config, model=model)))
    assert run.state == "done", run.log()
    assert not (run.folder / "model").exists()
    assert any("static " in row.get("message", "") for row in run.events)


def test_a_second_worker_of_the_same_run_leaves(folder, tiny, capsys, monkeypatch):
    monkeypatch.setattr(worker, "LOCK_SECONDS", 0.1)
    run = new(folder, tiny)
    (folder.jobs / "locks").mkdir()
    with FileLock(folder.jobs / "locks" / f"{run.id}.lock"):
        assert worker.main([str(run.folder)]) == 0
    assert "Another worker" in capsys.readouterr().out
    assert run.state == "queued"
    events.add(run.folder, events.STOPPED)
    assert worker.main([str(run.folder)]) == 0


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (MemoryError(), "OutOfMemory"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"), "OutOfMemory"),
        (OSError(28, "No space left on device"), "DiskFull"),
        (KeyError("x"), "Unexpected"),
        (RuntimeError("modified by an in-place operation.\nHint: nothing."), "Unexpected"),
    ],
)
def test_every_end_has_a_kind(error, kind):
    found, message = explain(error)
    assert found == kind and message.endswith((".", "you.")) and "Traceback" not in message and ".." not in message


def test_a_view_that_a_model_writes_is_written_once(folder, tiny, tmp_path):
    """Kept line by line beside the runs: a second run of the same seed finds it all."""
    model = tiny_filler(tmp_path / "filler")
    line = f'contextual_word(model="{model}", rate=0.5) + typo_noise@0.5'
    runs = [work(new(folder, tiny, augment_b=line, steps=3)) for _ in range(2)]
    assert [run.state for run in runs] == ["done", "done"]
    assert losses(runs[0]) == losses(runs[1])
    (kept,) = (folder.cache / "augmentations").iterdir()
    assert len((kept / "entries.jsonl").read_text(encoding="utf-8").splitlines()) >= len(set(TEXTS))


def test_a_view_that_nothing_can_write_fails_with_one_line(folder, tiny):
    run = work(new(folder, tiny, augment_b="paraphrase_pegasus", steps=3))
    assert run.state == "failed" and "tuner007/pegasus_paraphrase" in run.failure[1]


def test_a_task_that_cannot_be_read_is_named_before_the_first_step(folder, tiny, tmp_path):
    (tmp_path / "SICK").mkdir()
    (tmp_path / "SICK" / "SICK_test.txt").write_text("pair_ID\tsentence_A\tsentence_B\n1\ta\tb\n")
    shutil.copy(tiny / "pairs.tsv", tmp_path / "stsb-test.tsv")
    run = work(new(folder, tiny, steps=2, **{"evaluation.sts_folder": str(tmp_path)}))
    assert run.state == "done", run.log()
    told = [row["event"] for row in run.events]
    said = [row["message"] for row in run.events if row["event"] == "notice"]
    assert any(text.startswith("sickr could not be read and was not scored: SICK_test.txt") for text in said)
    assert told.index("notice") < told.index("running")
    assert set(run.scores.query("suite == 'sts'")["task"]) == {"stsb"}


def test_a_disk_that_does_not_answer_once_ends_neither_heartbeat_nor_attention(folder, tiny, monkeypatch):
    run, calls, status = new(folder, tiny), [], events.status

    def stale(place):
        calls.append(place)
        if len(calls) == 1:
            raise OSError(errno.ESTALE, "Stale file handle")
        return status(place)

    monkeypatch.setattr(worker, "WATCH_SECONDS", 0.01)
    monkeypatch.setattr(worker, "HEARTBEAT_SECONDS", 0.01)
    monkeypatch.setattr(worker.events, "status", stale)
    with worker.Worker(run, "cpu") as watched:
        until(lambda: len(calls) >= 2)
        run.heartbeat.unlink()
        until(run.heartbeat.exists)
        events.add(run.folder, events.STOPPING)
        until(lambda: watched.asked.is_set())


def test_a_disk_that_does_not_answer_once_stops_no_run_and_one_without_the_folder_does(folder, tiny, monkeypatch):
    run, stat, stale = new(folder, tiny), worker.os.stat, []

    def answer(place, *given, **named):
        if stale and str(place).startswith(str(run.folder)):
            raise stale.pop()
        return stat(place, *given, **named)

    monkeypatch.setattr(worker.os, "stat", answer)
    watched = worker.Worker(run, "cpu")
    for error in (errno.ESTALE, errno.EIO):
        stale.append(OSError(error, "no answer"))
        assert not watched.cancelled() and not stale
    shutil.rmtree(run.folder)
    assert watched.cancelled()
