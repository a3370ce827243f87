"""Pretraining from the queue's side: what a run writes, how it goes on, and what it says when it cannot."""

import gzip
import lzma
import random
import shutil

import numpy as np
import pytest
import torch

from tests.objectives.trial import masked_model
from tests.runs.trial import crash, failed, full_disk_at, losses, stop_at, work, working
from workbench import api
from workbench.core.errors import BadData, BadRun, BadSetting
from workbench.data import demo, references
from workbench.models.encoder import Cancelled
from workbench.preflight import pretraining_dry_run
from workbench.preflight.corpora import with_corpus
from workbench.pretraining import articles
from workbench.pretraining.vocabulary import opened
from workbench.runs.finals import Finals
from workbench.scheduler import launch
from workbench.store import checkpoints, events, names
from workbench.store.create import create
from workbench.store.run import Run
from workbench.targets import pretrained
from workbench.targets.opening import open_target
from workbench.targets.target import parse

QUICK = {"steps": 20, "batch_size": 8, "sequence_length": 16, "precision": "fp32", "learning_rate": 3e-3}
QUICK |= {"probe.every": 5, "selection.every": 5, "evaluation.pairs": ("demo:dev",), "training.threads": 1}


pytestmark = pytest.mark.usefixtures("worker_here")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A tiny masked language model, and articles that it can spell."""
    folder = tmp_path_factory.mktemp("pretraining")
    masked_model(folder / "bert")
    # Sorted, as the library gives its pieces in another order in every process, and the loss falls for some more than others.
    pieces = sorted(piece for piece in opened(folder / "bert").get_vocab() if piece.isalpha() and len(piece) > 1)
    rng = random.Random(0)
    written = ["\n".join(" ".join(rng.choices(pieces, k=20)) for _ in range(4)) for _ in range(60)]
    (folder / "wiki.txt").write_text("\n\n".join(written))
    return folder


@pytest.fixture
def folder(tmp_path):
    return names.runs_folder(tmp_path / "runs")


def new(folder, place, recipe="mlm_continue", corpus=None, **changes):
    source = str(corpus or place / "wiki.txt")
    config = api.settle(recipe, backbone=str(place / "bert"), corpus=source, **{**QUICK, **changes})
    return create(folder, with_corpus(references.absolute(config)))


@pytest.fixture(scope="module")
def whole(place, tmp_path_factory):
    """An undisturbed run of 20 steps."""
    folder = names.runs_folder(tmp_path_factory.mktemp("whole"))
    with working():
        run = work(new(folder, place))
    assert run.state == "done", run.log()
    return run


def test_a_run_writes_everything_about_itself(whole):
    probes = whole.probes
    assert list(probes["step"]) == [0, 5, 10, 15, 20] and len(whole.steps) == 20
    assert probes["masked_loss"].iloc[-1] < probes["masked_loss"].iloc[0]
    assert probes["masked_accuracy"].between(0, 1).all() and probes["uniformity"].notna().all()
    assert whole.best["metric"] == "masked_loss" and whole.best["score"] == probes["masked_loss"].min()
    report = whole.corpus_report
    assert (report["articles"], report["held_out"], report["paragraphs"]) == (60, 2, 240)
    assert report["words"] == 60 * 80 and report["unknown"] == 0 and report["sha256"] == whole.config.corpus.sha256
    assert set(whole.scores["checkpoint"]) == {"step0", "best", "last"}
    assert whole.tokens_per_second > 0 and whole.progress.seconds_left == 0
    filled = probes["filled"].iloc[-1][0]
    assert filled["text"].count("[MASK]") == len(filled["covered"]) > 0
    assert all(0 < share <= 1 for mask in filled["covered"] for _, share in mask["named"])


def test_the_model_folder_is_a_masked_language_model_with_its_head(whole):
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    model, report = AutoModelForMaskedLM.from_pretrained(whole.folder / "model", output_loading_info=True)
    assert not report["missing_keys"] and not report["unexpected_keys"]
    kept, _, _ = checkpoints.load(whole.folder / "checkpoints" / "best")
    own = model.state_dict()
    for name, tensor in kept.items():
        full = name.replace("backbone.", "bert.", 1).removeprefix("language_head.")
        assert torch.equal(own[full], tensor), name
    assert len(AutoTokenizer.from_pretrained(whole.folder / "model")) == model.config.vocab_size
    from workbench.models.load import load

    texts = ["a woman plays the guitar", "the ball"]
    here = open_target(parse(whole.folder, names.RunsFolder(whole.folder.parent)))
    loaded = load(str(whole.folder / "model"))
    np.testing.assert_allclose(loaded.encode(texts), here.encode(texts), atol=1e-6)
    assert loaded.max_length == here.max_length == pretrained.longest(whole.config)


def test_the_model_card_says_that_the_masked_loss_chose_the_step(whole):
    card = (whole.folder / "model" / "README.md").read_text("utf-8")
    assert f"| Step | {whole.step_of('best')} of 20, chosen on masked loss |" in card


def test_stopped_and_resumed_is_bit_for_bit_the_same(whole, place, folder, monkeypatch):
    with monkeypatch.context() as patch:
        stop_at(patch, 10)
        run = work(new(folder, place))
    assert run.state == "stopped" and run.checkpoints["last"]["step"] == 10
    run = work(run, again=True)
    assert run.state == "done", run.log()
    assert losses(run) == losses(whole) and list(run.steps["accuracy"]) == list(whole.steps["accuracy"])
    assert list(run.probes["masked_loss"]) == list(whole.probes["masked_loss"])
    for checkpoint in ("best", "last"):
        mine, _, _ = checkpoints.load(run.folder / "checkpoints" / checkpoint)
        other, _, _ = checkpoints.load(whole.folder / "checkpoints" / checkpoint)
        assert all(torch.equal(mine[name], other[name]) for name in other)


def test_a_crash_costs_only_what_came_after_the_last_checkpoint(whole, place, folder, monkeypatch):
    run = new(folder, place)
    with monkeypatch.context() as patch:
        patch.setenv("WORKBENCH_CHECKPOINT_SECONDS", "0")
        crash(run, patch, 13)
    events.add(run.folder, events.LOST)
    assert Run(run.folder).checkpoints["last"]["step"] == 12
    run = work(run, again=True)
    assert run.state == "done" and losses(run) == losses(whole)


def test_a_checkpoint_cut_short_is_named_and_the_best_one_stays(place, folder, monkeypatch):
    with monkeypatch.context() as patch:
        stop_at(patch, 10)
        run = work(new(folder, place))
    (weights,) = (run.folder / "checkpoints" / "last").glob("model-*")
    weights.write_bytes(weights.read_bytes()[:500])
    run = failed(run, "BadRun", "cannot be read", "The best checkpoint of step", again=True)
    assert "checkpoint of step 10 is kept" not in run.failure[1] or run.best["step"] == 10
    assert checkpoints.load(run.folder / "checkpoints" / "best")[0]
    assert len(open_target(parse(f"{run.folder}@best", folder)).encode(["the ball"])) == 1
    with pytest.raises(BadRun, match="cannot be read"):
        open_target(parse(f"{run.folder}@last", folder))


@pytest.mark.parametrize("at", [10, 20])
@pytest.mark.parametrize("damage", ["cut", "deleted"])
def test_a_lost_best_checkpoint_is_reported_and_the_run_ends_well(place, folder, monkeypatch, at, damage):
    """Half-way, where looks are to come; and after the last step, where there is none."""

    def stopped(*_, **__):
        raise Cancelled

    run = new(folder, place)
    with monkeypatch.context() as patch:
        if at == 10:
            stop_at(patch, at)
        else:
            patch.setattr(Finals, "evaluate_all", stopped)
        work(run)
    best = run.folder / "checkpoints" / "best"
    assert run.checkpoints["last"]["step"] == at and run.best["step"] > 0
    if damage == "cut":
        (weights,) = best.glob("model-*")
        weights.write_bytes(weights.read_bytes()[:500])
    else:
        shutil.rmtree(best)
    run = work(run, again=True)
    assert run.state == "done", run.log()
    assert any("best checkpoint, of step" in one["message"] for one in events.read(run.folder) if "message" in one)
    assert checkpoints.load(best)[0] and (run.folder / "model" / "model.safetensors").is_file()
    assert run.best["step"] == (20 if at == 20 else run.best["step"]) > at - 1


def test_a_damaged_vocabulary_of_a_run_is_named_and_rebuilt_once_deleted(place, folder, monkeypatch):
    with monkeypatch.context() as patch:
        stop_at(patch, 10)
        run = work(new(folder, place, vocabulary="cut", vocabulary_size=300))
    assert run.state == "stopped", run.log()
    kept = run.folder / "vocabulary"
    whole = (kept / "tokenizer.json").read_bytes()
    (kept / "tokenizer.json").write_bytes(whole[: len(whole) // 2])
    failed(run, "BadRun", f"The vocabulary of the run, {kept}, cannot be read", "Delete that folder", again=True)
    (kept / "tokenizer.json").unlink()
    failed(run, "BadRun", "no tokenizer.json", again=True)
    shutil.rmtree(kept)
    assert work(run, again=True).state == "done"
    assert (kept / "tokenizer.json").read_bytes() == whole


def test_a_full_disk_at_saving_keeps_the_last_good_checkpoint(place, folder, monkeypatch):
    run = new(folder, place)
    with full_disk_at(monkeypatch, 5):
        run = failed(run, "DiskFull", "The disk of the runs folder is full", "checkpoint of step 4 is kept")
    assert work(run, again=True).state == "done"


def test_a_model_with_pieces_of_its_own_is_opened_without_its_corpus(place, folder, tmp_path):
    corpus = tmp_path / "demo.txt"
    texts = [text for _, text in demo.sentences()[:1500]]
    corpus.write_text("\n\n".join("\n".join(texts[row : row + 10]) for row in range(0, len(texts), 10)))
    run = work(new(folder, place, "mlm_fresh", corpus, vocabulary_size=400, whole_words=True, seed=3))
    assert run.state == "done", run.log()
    assert (run.folder / "vocabulary" / "tokenizer.json").is_file() and run.corpus_report["vocabulary"]["pieces"] == 400
    corpus.unlink()
    vectors = {
        at: open_target(parse(f"{run.folder}@{at}", folder)).encode(texts[:5]) for at in ("step0", "best", "last")
    }
    assert np.abs(vectors["step0"] - vectors["last"]).max() > 1e-3
    # The vocabulary is learnt in each run, and the best step depends on it, so it need not be the last.
    same = np.allclose(vectors["best"], vectors["last"], atol=1e-6)
    assert same == (run.best["step"] == len(run.steps))
    again = run.scores.set_index("checkpoint")
    assert again.loc["step0", "uniformity"] == pytest.approx(run.probes["uniformity"].iloc[0], abs=1e-5)
    assert pretrained.longest(run.config) == 16 == opened(run.folder / "model").model_max_length


def test_a_cut_vocabulary_keeps_what_was_learned(place, folder):
    run = work(new(folder, place, vocabulary="cut", vocabulary_size=300, layers=1, steps=2))
    assert run.state == "done", run.log()
    model = opened(run.folder / "model")
    assert len(model) < len(opened(place / "bert")) or len(model) <= 300
    assert run.corpus_report["unknown"] == 0


def test_several_files_packed_or_not_are_one_corpus(place, folder, tmp_path):
    text = (place / "wiki.txt").read_bytes()
    with lzma.open(tmp_path / "a.txt.xz", "wb") as file:
        file.write(text)
    with gzip.open(tmp_path / "b.txt.gz", "wb") as file:
        file.write(text)
    source = references.joined([tmp_path / "a.txt.xz", tmp_path / "b.txt.gz"])
    run = new(folder, place, corpus=source, steps=2)
    assert run.config.corpus.name == "a.txt.xz and 1 more"
    assert run.command_line.startswith("python -m workbench pretrain --recipe mlm_continue --corpus /")
    assert run.python_line.startswith("workbench.api.pretrain(['/")
    assert work(run).corpus_report["articles"] == 120
    found = articles.counted(source)
    assert (found["articles"], found["words"], found["whole"]) == (120, 2 * 60 * 80, True)
    assert not articles.counted(source, seconds=0.0)["whole"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("endless.txt", b"x" * 1_200_000, "longer than 1,000,000 characters"),
        ("binary.txt", b"PK\3\4\0\0\0\0", "not text"),
        ("latin.txt", "ein s\xfc\xdfes Wort\n".encode("latin-1"), "not UTF-8"),
        ("cut.txt.xz", lzma.compress(b"one\n\ntwo\n" * 5000)[:40], "cannot be unpacked"),
        ("table.csv", b"a,b\n", "needs articles"),
    ],
    ids=["endless", "binary", "latin", "cut", "table"],
)
def test_a_file_that_holds_no_articles_is_refused_before_it_waits(name, content, message, place, folder, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadData, match=message):
        new(folder, place, corpus=tmp_path / name)


def test_corpora_without_articles_are_refused(place, folder, tmp_path):
    assert api.fits("mlm_continue", "demo") == "mlm_continue needs articles; demo has sentences and pairs."
    assert "Hub" in api.fits("mlm_fresh", "hf:org/name")
    assert api.fits("mlm_fresh", str(tmp_path / "later.txt")) == ""
    with pytest.raises(BadData, match="no file"):
        new(folder, place, corpus=tmp_path / "later.txt")
    with pytest.raises(BadSetting, match="not a recipe for pretraining"):
        api.pretrain(place / "wiki.txt", recipe="simcse_unsup", runs=folder.path)
    with pytest.raises(BadSetting, match="Both minutes and steps or epochs"):
        api.steps_for(place / "wiki.txt", minutes=1, steps=5, runs=folder.path)


def test_settings_that_do_not_fit_the_data_end_with_one_message(place, folder, tmp_path):
    failed(
        new(folder, place, "mlm_fresh", vocabulary_size=5000), "BadData", "too small for a vocabulary of 5,000 pieces"
    )
    short = tmp_path / "short.txt"
    short.write_text("the ball\n\nthe guitar\n")
    failed(new(folder, place, corpus=short), "BadData", "too small")
    foreign = tmp_path / "foreign.txt"
    foreign.write_text("\n\n".join("これは長い文章です。" * 20 for _ in range(60)))
    failed(new(folder, place, corpus=foreign), "BadData", "does not know", "vocabulary = learn")
    failed(new(folder, place, layers=7), "BadModel", "has 2 layers")
    changed = tmp_path / "changed.txt"
    changed.write_bytes((place / "wiki.txt").read_bytes())
    run = new(folder, place, corpus=changed)
    changed.write_text("one\n\ntwo\n")
    failed(run, "BadData", "has changed")


def test_a_backbone_without_a_mask_token_cannot_be_pretrained(place, folder, tmp_path):
    from tests.tiny import tiny_model

    tiny_model(tmp_path / "plain")
    tokenizer = opened(tmp_path / "plain")
    tokenizer.mask_token = None
    tokenizer.save_pretrained(tmp_path / "plain")
    config = api.settle("mlm_continue", backbone=str(tmp_path / "plain"), corpus=str(place / "wiki.txt"), **QUICK)
    failed(create(folder, with_corpus(config)), "BadModel", "no mask token")


def test_a_trial_says_what_a_step_takes(place):
    config = api.settle("mlm_fresh", backbone=str(place / "bert"), corpus=str(place / "wiki.txt"), **QUICK)
    found = pretraining_dry_run.rehearse(config, device="cpu", precision="fp32")
    assert 0 < found["seconds_per_step"] < 5 and found["seconds"] == pytest.approx(20 * found["seconds_per_step"])
    assert 0 < found["needed_bytes"] < found["free_bytes"] and not found["must_accept"]


def test_a_trial_takes_a_corpus_whose_first_article_is_long(place, tmp_path, monkeypatch):
    monkeypatch.setattr(pretraining_dry_run, "HEAD_CHARACTERS", 100)
    corpus, text = tmp_path / "long.txt", (place / "wiki.txt").read_text()
    corpus.write_text(text.replace("\n\n", "\n") + "\n\nthe ball")
    config = api.settle("mlm_fresh", backbone=str(place / "bert"), corpus=str(corpus), **QUICK)
    assert pretraining_dry_run.rehearse(config, device="cpu", precision="fp32")["seconds_per_step"] > 0


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"processes": 2}, "one process"),
        ({"max_length": 9}, "Say sequence_length"),
        ({"memory_parts": 4}, "Say parts"),
        ({"dedup_batch": True}, "no negatives"),
    ],
)
def test_what_a_pretraining_does_not_read_is_refused(place, asked, said):
    with pytest.raises(BadSetting, match=said):
        api.settle("mlm_continue", backbone=str(place / "bert"), **asked)


def test_a_file_name_with_the_separator_of_files_is_refused(place, folder, tmp_path):
    (tmp_path / "a;b.txt").write_bytes((place / "wiki.txt").read_bytes())
    with pytest.raises(BadData, match=r"contains a ;.*Rename it"):
        api.pretrain([tmp_path / "a;b.txt"], backbone=str(place / "bert"), runs=folder.path, **QUICK)


def test_a_validation_that_a_stop_interrupted_is_repeated(whole, place, folder, monkeypatch):
    from workbench.pretraining.loop import MaskedLoop

    validate = MaskedLoop.validate

    def stopping(self):
        if self.step == 10:
            launch.stop(run)
        return validate(self)

    run = new(folder, place)
    with monkeypatch.context() as patch:
        patch.setattr(MaskedLoop, "validate", stopping)
        stopped = work(run)
    assert stopped.state == "stopped" and list(stopped.probes["step"]) == [0, 5]
    done = work(stopped, again=True)
    assert list(done.probes["masked_loss"]) == list(whole.probes["masked_loss"]) and losses(done) == losses(whole)
