"""Dividing scored pairs: what stays together, how scores are spread, and what is written."""

import json

import numpy as np
import pytest

from workbench.core.errors import BadData, BadSetting
from workbench.data.corpora import load_corpus
from workbench.data.pairs import load_pairs
from workbench.data.report import overlaps
from workbench.data.splitting import SPLITS, divide_file, divided


def pair_file(path, rows, header=("score", "sentence1", "sentence2", "source")):
    lines = ["\t".join(map(str, row)) for row in ([header] if header else []) + rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def apart(count):
    """Pairs with no sentence in common, half of them rated 0."""
    draw = np.random.default_rng(0)
    scores = np.where(draw.random(count) < 0.5, 0, draw.integers(1, 51, count) / 10)
    return [
        (score, f"a dog, number {row}", f"a cat, number {row}", f"{row:03d}")
        for row, score in enumerate(scores.tolist())
    ]


@pytest.fixture
def divide(tmp_path):
    def written(
        rows, name="out.tsv", *, dev=0.1, test=0.2, seed=0, header=("score", "sentence1", "sentence2", "source")
    ):
        out = tmp_path / name
        return divide_file(str(pair_file(tmp_path / "own.tsv", rows, header)), out, dev=dev, test=test, seed=seed), out

    return written


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_spread_evenly_over_splits_of_their_shares(seed, tmp_path):
    scores = np.random.default_rng(seed).choice(6, 400, p=(0.5, 0.05, 0.05, 0.1, 0.1, 0.2))
    rows = [(score, *texts) for score, (_, *texts) in zip(scores.tolist(), apart(400), strict=True)]
    pairs = load_pairs(pair_file(tmp_path / "own.tsv", rows))
    given = np.array(divided(pairs, dev=0.1, test=0.2, seed=seed))
    for name, share in (("train", 0.7), ("dev", 0.1), ("test", 0.2)):
        assert abs((given == name).sum() - 400 * share) <= 1
        for score in range(6):
            assert abs((scores[given == name] == score).sum() - share * (scores == score).sum()) < 2


def test_pairs_that_hang_together_stay_together(tmp_path):
    chain = [(1, f"link {row}", f"Link  {row + 1}", "") for row in range(20)]
    hub = [(4, "a sentence in many pairs", f"its partner {row}", "") for row in range(15)]
    pairs = load_pairs(pair_file(tmp_path / "own.tsv", [*apart(65), *chain, *hub]))
    seen = set()
    for seed in range(5):
        given = divided(pairs, dev=0.1, test=0.2, seed=seed)
        assert len({*given[65:85]}) == 1 and len({*given[85:]}) == 1
        assert [abs(given.count(name) - wanted) <= 2 for name, wanted in zip(SPLITS, (70, 10, 20), strict=True)] == [
            True
        ] * 3
        assert given == divided(pairs, dev=0.1, test=0.2, seed=seed)
        seen.add(tuple(given))
    assert len(seen) == 5


@pytest.mark.parametrize("seed", range(3))
def test_no_sentence_of_another_split_is_trained_on_by_the_rule_of_the_report(divide, tmp_path, seed):
    rows = [
        (row % 6, sentence, f"{other} {row}", "")
        for row in range(30)
        for sentence, other in ((f"A man, number {row}, sings.", "Somebody"), (f"a man number {row} sings", "A street"))
    ]
    parts, out = divide(rows, "out.csv", dev=0.2, test=0.3, seed=seed)
    assert [part.pairs for part in parts.parts] == [30, 12, 18]
    assert [part.sentences for part in parts.parts] == [45, 18, 27]
    report = overlaps(load_corpus(str(out)).texts, [load_pairs(f"{out}#dev"), load_pairs(f"{out}#test")])
    assert [one["common"] for one in report] == [0, 0]


def test_sentences_without_letters_are_one_only_where_they_are_written_alike(tmp_path):
    pairs = load_pairs(
        pair_file(tmp_path / "own.tsv", [(row % 6, "?" * (row + 1), "!" * (row + 1), "") for row in range(40)])
    )
    given = divided(pairs, dev=0.1, test=0.2, seed=0)
    assert [given.count(name) for name in SPLITS] == [28, 4, 8]


@pytest.mark.parametrize("name", ["out.tsv", "out.csv", "out.jsonl"])
def test_the_copy_has_all_columns_and_is_read_by_its_splits(divide, name):
    rows = apart(50)
    rows[7] = (3.5, 'He said "no, 7".', "a cat, number 7", "007")
    found, out = divide([*rows[:10], ("", "no score", "at all", "x"), *rows[10:]], name)
    assert [part.pairs for part in found.parts] == [35, 5, 10]
    assert [part.sentences for part in found.parts] == [70, 10, 20]
    assert any("1 row was left out" in notice for notice in found.notices)
    read = {split: load_pairs(f"{out}#{split}") for split in SPLITS}
    assert sum(map(len, read.values())) == 50
    back = {
        one: (gold, two)
        for part in read.values()
        for one, two, gold in zip(part.first, part.second, part.gold, strict=True)
    }
    assert back == {one: (score, two) for score, one, two, _ in rows}
    assert [part.gold_mean for part in found.parts] == pytest.approx([read[split].gold.mean() for split in SPLITS])
    assert load_pairs(str(out)).name.endswith("#test") and len(load_corpus(str(out)).texts) == 70
    if name == "out.jsonl":
        first = json.loads(out.read_text().splitlines()[0])
        assert first["score"] == rows[0][0] and first["source"] == "000" and first["split"] in SPLITS


def test_columns_may_be_named_or_have_no_names(divide, tmp_path):
    named = pair_file(tmp_path / "named.tsv", apart(50), ("alike", "left", "right", "source"))
    columns = "score=alike,sentence1=left,sentence2=right"
    divide_file(f"{named}#{columns}", tmp_path / "named.out.tsv", dev=0.0, test=0.2, seed=0)
    assert (tmp_path / "named.out.tsv").read_text().startswith("alike\tleft\tright\tsource\tsplit\n")
    assert len(load_pairs(f"{tmp_path / 'named.out.tsv'}#test,{columns}")) == 10
    found, out = divide([row[:3] for row in apart(50)], header=(), dev=0.0)
    assert out.read_text().startswith("score\tsentence1\tsentence2\tsplit\n")
    assert [part.split for part in found.parts] == ["train", "test"] and len(load_pairs(f"{out}#train")) == 40


def test_what_cannot_be_divided_is_refused(divide, tmp_path):
    with pytest.raises(BadData, match=r"has splits already: its column split"):
        divide([(*row[:3], "train") for row in apart(20)], header=("score", "sentence1", "sentence2", "split"))
    with pytest.raises(BadData, match=r"dev and test would have fewer than 2 pairs.* 30 of them are linked"):
        divide([(row % 5, "always the same", f"other {row}", "") for row in range(30)])
    with pytest.raises(BadData, match=r"dev and test would have fewer than 2 pairs.*Got: 8 pairs\. "):
        divide(apart(8))
    with pytest.raises(BadSetting, match="is the file itself"):
        divide(apart(20), "own.tsv")
    with pytest.raises(BadSetting, match=r"out\.xlsx cannot be written.*\.csv, \.tsv, \.jsonl"):
        divide(apart(20), "out.xlsx")
    for dev, test in ((0.0, 0.0), (0.5, 0.5), (-0.1, 0.3)):
        with pytest.raises(BadSetting, match="shares of dev and test"):
            divide(apart(20), dev=dev, test=test)
    for ref in ("demo:dev", "hf:org/name", f"stsb:dev@{tmp_path}"):
        with pytest.raises(BadData, match="is no file"):
            divide_file(ref, tmp_path / "out.tsv", dev=0.1, test=0.2, seed=0)
    assert not (tmp_path / "out.tsv").exists()
