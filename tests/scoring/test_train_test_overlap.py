"""Which scores are of sentences that were trained on."""

import importlib

import pytest

from tests.run_folders import make_run
from workbench import api
from workbench.core.config import to_toml
from workbench.core.writing import write_json, write_text
from workbench.data.marks import GOLD, TRANSDUCTIVE, of_overlap, of_scores
from workbench.data.pairs import load_pairs
from workbench.data.references import absolute, absolute_corpus
from workbench.data.report import letters, overlaps
from workbench.preflight.corpora import with_corpus
from workbench.preflight.refusals import refusal
from workbench.scoring import train_test_overlap
from workbench.store import names
from workbench.store.summary import mark_of_probes
from workbench.sweeps.keys import key_of
from workbench.targets.target import parse


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    return names.runs_folder(tmp_path / "runs")


def trained_on(folder, source, number=0, backbone="minilm-l3", recipe="simcse_unsup"):
    """A finished run with this corpus."""
    run = make_run(folder, number)
    config = with_corpus(api.settle(recipe, backbone=backbone, corpus=source))
    write_text(run.folder / names.CONFIG, to_toml(config))
    return api.Run(run.folder)


def test_the_share_of_seen_sentences_decides_about_the_mark():
    sets = [load_pairs("demo:dev")]
    texts = list(dict.fromkeys(sets[0].texts()))
    half = len(texts) // 2
    for count, transductive in ((0, False), (3, False), (half - 1, False), (half, True), (len(texts), True)):
        [row] = overlaps(texts[:count], sets)
        assert (row["common"], row["transductive"]) == (count, transductive)


def test_the_overlap_of_a_run_that_was_trained_on_the_test_texts(folder):
    run = trained_on(folder, "texts:demo:test")
    dev, test = train_test_overlap.overlaps_with(run, [load_pairs("demo:dev"), load_pairs("demo:test")])
    assert dev["common"] == 0 and not dev["transductive"] and train_test_overlap.notices(dev) == []
    assert test["share"] == 1 and train_test_overlap.columns(test)["transductive"]
    assert train_test_overlap.notices(test) == [
        "All 2,400 sentences of demo:test were among the training texts: the score is transductive."
    ]
    assert train_test_overlap.overlaps_with(run, [load_pairs("demo:test")], trained=False) == [None]
    assert train_test_overlap.columns(None) == {} and train_test_overlap.notices(None) == []


def test_gold_scores_that_were_trained_on_are_marked_differently_from_sentences(folder, tmp_path):
    pairs = load_pairs("demo:test")
    rows = list(zip(pairs.gold, pairs.second, pairs.first, strict=True))  # the other way round: it is the same pair
    lines = ["score\tsentence1\tsentence2", *(f"{gold}\t{one}\t{two}" for gold, one, two in rows)]
    (tmp_path / "all.tsv").write_text("\n".join(lines))
    few = len(rows) // 2 - 1
    other = [f"3\t{one}\t{rows[place - 1][2]}" for place, (_, one, _) in enumerate(rows)]
    (tmp_path / "few.tsv").write_text("\n".join([*lines[: few + 1], *other[few + 1 :]]))
    for number, (recipe, name, rated, meant) in enumerate(
        (
            ("simcse_unsup", "all.tsv", 0, TRANSDUCTIVE),  # it takes no scores
            ("sup_scores", "all.tsv", len(rows), GOLD),
            ("sup_scores", "few.tsv", few, TRANSDUCTIVE),
        )
    ):
        run = trained_on(folder, str(tmp_path / name), number, recipe=recipe)
        [found] = train_test_overlap.overlaps_with(run, [pairs])
        assert (found["pairs_with_gold"], of_overlap(found)) == (rated, meant)
        assert of_scores({**train_test_overlap.columns(found), "n": len(pairs)}) == meant
        [said] = train_test_overlap.notices(found)
        assert (f"{rated:,} of its pairs with their scores" in said) == bool(rated)
        write_json(run.folder / names.CORPUS, {"overlap": [found]})
        assert mark_of_probes(run) == meant
        half = sum(one in {row[2] for row in rows[:few]} for one in pairs.first)
        assert found["pairs_with_both"] == train_test_overlap.columns(found)["pairs_seen"] >= half
    before = {name: value for name, value in found.items() if name != "pairs_with_gold"}
    assert train_test_overlap.columns(before)["gold_seen"] == 0, "a report of before they were counted"


def test_step_0_has_no_overlap(folder):
    run = trained_on(folder, "texts:demo:test")
    sets = [load_pairs("demo:test")]
    assert train_test_overlap.overlaps_of(parse(run.id, folder), sets)[0]["transductive"]
    assert (
        train_test_overlap.overlaps_of(parse(f"{run.id}@step0", folder), sets)
        == train_test_overlap.overlaps_of(parse("minilm-l3", folder), sets)
        == [None]
    )
    write_json(run.folder / names.CHECKPOINTS / "best" / names.STATE, {"step": 0, "samples": 0, "score": 0.5})
    assert train_test_overlap.overlaps_of(parse(run.id, folder), sets) == [None], (
        "its best step is the one before the first"
    )


def test_the_report_is_used_where_the_corpus_is_gone(folder, tmp_path):
    texts = load_pairs("demo:test").texts()
    (tmp_path / "own.txt").write_text("\n".join(texts))
    run = trained_on(folder, str(tmp_path / "own.txt"))
    sets = [load_pairs("demo:test")]
    assert train_test_overlap.overlaps_with(run, sets)[0]["transductive"], "told by reading the corpus"
    write_json(run.folder / names.CORPUS, {"overlap": overlaps(texts, sets)})
    (tmp_path / "own.txt").write_text("Other texts.\nAre there now.")
    assert train_test_overlap.overlaps_with(run, sets)[0]["transductive"]
    assert train_test_overlap.overlaps_with(run, [load_pairs("demo:dev")]) == [None], (
        "the file is not the one that was trained on"
    )


def test_the_corpus_of_several_runs_is_read_once_until_it_changes(folder, tmp_path, monkeypatch):
    read, fits = [], importlib.import_module("workbench.recipes.fits")
    original = fits.texts_for
    monkeypatch.setattr(fits, "texts_for", lambda *given, **named: read.append(given) or original(*given, **named))
    file, test, dev = tmp_path / "corpus.txt", load_pairs("demo:test"), load_pairs("demo:dev")
    file.write_text("\n".join(test.texts()), "utf-8")
    runs = [trained_on(folder, str(file), number) for number in range(3)]
    read.clear()
    shares = [train_test_overlap.overlaps_with(run, [test])[0]["share"] for run in runs]
    assert shares == [1, 1, 1] and len(read) == 1
    assert train_test_overlap.overlaps_with(runs[0], [dev])[0]["common"] == 0 and len(read) == 2
    file.write_text("Something else.\nAnd more of it.\n", "utf-8")
    assert train_test_overlap.overlaps_with(runs[0], [test]) == [None] and len(read) == 3


def test_a_second_stage_inherits_the_overlap_of_the_first(folder):
    first = trained_on(folder, "texts:demo:test")
    (first.folder / names.MODEL).mkdir()
    later = make_run(folder, 1)
    config = with_corpus(api.settle(backbone="minilm-l3", corpus="demo"))
    text = to_toml(config).replace('backbone = "minilm-l3"', f'backbone = "{first.folder / names.MODEL}"')
    write_text(later.folder / names.CONFIG, text)
    [found] = train_test_overlap.overlaps_with(api.Run(later.folder), [load_pairs("demo:test")])
    assert found["transductive"]


def test_the_corpus_as_it_waits(tmp_path, monkeypatch):
    """Paths from any folder, what is wrong said before it waits, and other texts under the same path another run."""
    place = tmp_path / "sts"
    place.mkdir()
    (place / "stsb-test.tsv").write_text("score\tsentence1\tsentence2\n1\ta b\tc d\n2\te f\tg h\n")
    monkeypatch.chdir(tmp_path)
    source = absolute_corpus("texts:sts@sts,stsb:test@sts,demo:dev")
    assert source == f"texts:sts@{place},stsb:test@{place},demo:dev"
    config = absolute(api.settle(corpus="texts:sts@sts"))
    assert not refusal(config) and with_corpus(config).corpus.rows == 4
    key = key_of(config)
    (place / "stsb-test.tsv").write_text("score\tsentence1\tsentence2\n1\ta b\tc d\n2\te f\tg hi\n")
    assert key_of(config) != key
    for wrong, said in (
        ("texts:", "texts: followed by pair sets"),
        ("texts:demo:train", "split of the demo pairs"),
        ("texts:sts@nowhere", "no folder"),
        (f"texts:sts@{tmp_path}", "no STS task"),
        ("texts:stsb:test@nowhere", "no folder"),
        ("texts:nothing.tsv", "no pair file"),
    ):
        assert said in refusal(absolute(api.settle(corpus=wrong)))
    assert "triplets" in api.fits("simcse_sup", "texts:demo:dev", api.settle("simcse_sup", corpus="texts:demo:dev"))
    assert "articles" in api.fits("mlm_continue", "texts:demo:dev", api.settle("mlm_continue", corpus="texts:demo:dev"))


def test_half_of_sts14_is_in_the_training_set_of_stsb(shared_data):
    """A published set with scores in another: the count that every score on STS14 needs beside it."""
    scored, trained = (load_pairs(f"{name}@{shared_data / 'sts'}") for name in ("sts14:test", "stsb:train"))
    [row] = overlaps(trained.texts(), [scored], zip(trained.first, trained.second, strict=True))
    assert (row["pairs"], row["pairs_with_gold"], row["pairs_with_both"]) == (3750, 1861, 1900)
    keys = {frozenset(map(letters, pair)) for pair in zip(trained.first, trained.second, strict=True)}
    distinct = {frozenset(map(letters, pair)) for pair in zip(scored.first, scored.second, strict=True)}
    assert len(distinct & keys) == 1822, "as counted in the literature, where a pair that is scored twice counts once"
