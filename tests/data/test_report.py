import json
import re
import time

import numpy as np
import pytest

from workbench.data.pair_sets import PairSet
from workbench.data.report import corpus_report


def tokenise(texts):
    """Words are tokens, two specials are added, and words in capitals are unknown."""
    lengths = np.array([len(text.split()) + 2 for text in texts])
    return lengths, np.array([sum(word.isupper() for word in text.split()) for text in texts])


def pairs(split, first, second, task="stsb"):
    return PairSet(
        f"{task}:{split}", task, split, (0, 5), [""] * len(first), first, second, np.ones(len(first)), dropped=[]
    )


def report(texts, sets=(), max_length=32, batch_size=2, **more):
    return corpus_report(texts, tokenise, max_length=max_length, batch_size=batch_size, evaluation_pairs=sets, **more)


def test_a_report_of_a_sample_says_its_n_and_estimates_false_negatives_for_all(monkeypatch):
    from workbench.data import report as module
    from workbench.data.near import false_negatives

    texts = [f"text number {row % 900} of many" for row in range(1000)]
    whole = corpus_report(
        texts, lambda block: (np.full(len(block), 7), np.zeros(len(block))), max_length=8, batch_size=64
    )
    monkeypatch.setattr(module, "SAMPLE", 400)
    some = corpus_report(
        texts, lambda block: (np.full(len(block), 7), np.zeros(len(block))), max_length=8, batch_size=64
    )
    assert (whole["texts"], whole["sampled"]) == (1000, 1000) and (some["texts"], some["sampled"]) == (1000, 400)
    assert sum(some["tokens"]["histogram"]["counts"]) == 400
    pairs = some["copies"]["exact"]["copies"]
    by_hand = 64 * 63 * 2 * pairs / (400 * 399)
    assert some["copies"]["exact"]["false_negatives"] == pytest.approx(by_hand)
    assert by_hand == pytest.approx(false_negatives(np.array([2] * 100), 1000, 64), rel=0.5)


def test_figures_match_a_hand_calculation():
    texts = ["one two three", "ONE two", "ONE two", "a b c d e f"]
    found = report(texts, max_length=6)
    assert (found["texts"], found["distinct"], found["characters"]) == (4, 3, 13 + 7 + 7 + 11)
    tokens = found["tokens"]
    assert tokens["mean"] == (5 + 4 + 4 + 8) / 4
    assert tokens["truncated"] == 1 / 4
    assert tokens["unknown"] == 2 / 13  # of 3 + 2 + 2 + 6 tokens without specials
    assert tokens["texts_with_unknown"] == 2 / 4
    assert (tokens["quantiles"]["0"], tokens["quantiles"]["0.5"], tokens["quantiles"]["1"]) == (4, 4.5, 8)
    assert report(["a", "b c d"], max_length=6)["tokens"]["quantiles"]["0.5"] == (3 + 5) / 2
    assert report(["a", "b c d", "b c d e"], max_length=6)["tokens"]["quantiles"]["0.5"] == 5
    assert sum(tokens["histogram"]["counts"]) == 4
    exact = found["copies"]["exact"]
    assert (exact["copies"], exact["groups"], exact["share"]) == (1, 1, 0.25)
    assert exact["examples"] == [{"text": "one two", "count": 2}]
    assert exact["false_negatives"] == pytest.approx(2 * 2 / (4 * 3))  # B(B-1) sum m(m-1) / (n(n-1))


def test_copies_ignore_case_and_white_space():
    found = report(["A  dog runs.", "a dog RUNS.", "A cat sleeps."])
    assert found["distinct"] == 3 and found["copies"]["exact"]["copies"] == 1


def test_near_copies_and_their_false_negatives():
    long = "The district was added to the national register of historic places in "
    texts = [long + "1992.", long + "1993.", long + "1993.", "Something else entirely, on its own."]
    near = report(texts)["copies"]["near"]
    assert (near["texts"], near["groups"]) == (2, 1)
    assert near["false_negatives"] == pytest.approx(2 * (3 * 2) / (4 * 3))
    assert near["examples"][0]["similarity"] >= 0.8
    # In a batch of 2 each of the three meets one of its two copies among the 3 others: 1 - (1 - 1/3) ** 2.
    assert near["share_of_batch"] == pytest.approx(3 / 4 * (1 - (2 / 3) ** 2))


@pytest.mark.parametrize("dedup", [False, True])
def test_shares_stay_below_1_and_counts_are_plain_numbers(dedup):
    texts = ["The one and only long sentence here."] * 90 + ["The one and only long sentence here!"] * 90
    found = report([*texts, *map(str, range(20))], dedup_batch=dedup, batch_size=64)
    near, said = found["copies"]["near"], " ".join(found["warnings"])
    assert 0.85 < near["share_of_batch"] <= 1 and near["false_negatives"] > 64
    assert f"{near['false_negatives']:,.0f} false negatives on average" in said and "e+" not in said
    assert all(float(share) <= 100 for share in re.findall(r"([\d.]+) %", said)) and "90 % of its texts" in said


def test_copies_are_false_negatives_only_if_a_batch_pushes_them_apart():
    texts = ["The one and only long sentence here."] * 3 + ["The one and only long sentence here!", "Something else."]
    each = {dedup: report(texts, dedup_batch=dedup)["copies"] for dedup in (False, True)}
    assert each[False]["exact"]["false_negatives"] == pytest.approx(2 * (3 * 2) / (5 * 4))
    assert each[False]["near"]["false_negatives"] == pytest.approx(2 * (4 * 3) / (5 * 4))
    assert each[True]["exact"]["false_negatives"] == 0
    assert each[True]["near"]["false_negatives"] == pytest.approx(2 * (4 * 3 - 3 * 2) / (5 * 4))
    meet, never = (" ".join(report(texts, dedup_batch=dedup)["warnings"]) for dedup in (False, True))
    assert "(dedup_batch), or remove the copies" in meet and "nearly repeat" in meet
    assert "dedup_batch" not in never and "nearly repeat" in never
    beside = report(texts, apart=False)
    assert beside["warnings"] == [] and beside["copies"]["exact"]["copies"] == 2
    assert not any(beside["copies"][kind]["false_negatives"] for kind in ("exact", "near"))


def test_overlap():
    corpus = ["Isn't it a dog?", "A cat sleeps.", "Other."]
    test = pairs("test", ["is n't it a dog ?", "A cat sleeps."], ["a  CAT sleeps .", "Unseen one."])
    dev = pairs("dev", ["Never seen."], ["Nor this."])
    found = report(corpus, [test, dev])
    first, second = found["overlap"]
    assert (first["sentences"], first["common"], first["share"]) == (3, 2, pytest.approx(2 / 3))
    assert (first["pairs"], first["pairs_with_both"]) == (2, 1)
    assert second["common"] == 0 and not second["warn"]
    assert found["trained_on_test"]
    assert any("Trained on test texts: 2 of the 3 sentences of stsb:test (67 %)" in said for said in found["warnings"])
    assert not report(corpus, [dev])["trained_on_test"]


def test_warnings_are_sentences():
    said = report(["ABC DEF ghi"] * 5 + ["one two three four five six"] * 2, max_length=4, batch_size=64)["warnings"]
    for part in ("unknown to this backbone", "longer than 4 tokens", "are copies of others"):
        assert any(part in sentence for sentence in said), part
    assert report(["red apple", "green house", "blue river", "black stone"])["warnings"] == []


def test_plain_json():
    found = report(["one two", "three FOUR", "one two"], [pairs("dev", ["one two"], ["x"])])
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_progress_rises_and_input_is_untouched():
    seen = []
    texts = [f"text number {n}" for n in range(50)]
    before = list(texts)
    corpus_report(
        texts, tokenise, max_length=8, batch_size=4, on_progress=lambda share, message: seen.append((share, message))
    )
    assert texts == before
    assert [share for share, _ in seen] == sorted(share for share, _ in seen) and seen[-1][0] == 1


@pytest.mark.measure
def test_speed(shared_data):
    texts = (shared_data / "wiki" / "enwiki_sentences.txt").read_text("utf-8").splitlines()
    start = time.perf_counter()
    report(texts, batch_size=64)
    assert time.perf_counter() - start < 40
