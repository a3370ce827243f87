import re
from collections import Counter

import numpy as np
import pytest

from experiments.pairs.draw import shared_words, words
from tests.tiny import tiny_model
from workbench.core.errors import BadData, UnknownName
from workbench.data import demo
from workbench.data.corpora import load_corpus
from workbench.data.documents import sentences as sentences_of
from workbench.data.near import letters, near_groups
from workbench.data.pairs import load_pairs
from workbench.models.load import load
from workbench.recipes import settle
from workbench.recipes.fits import corpus_of, fits
from workbench.training.loop import Loop

HARD = {"same_words", "other_words", "negation", "numbers", "roles"}


def sharing(texts, limit):
    """Pairs of texts that share more than `limit` of the words of the shorter one."""
    return sorted(
        (texts[one], texts[two])
        for ones, twos, shares in shared_words(texts, texts)
        for one, two in zip(*(at[(ones < twos) & (shares > limit)] for at in (ones, twos)), strict=True)
    )


def common_sequences(texts, length, most):
    """Word sequences that occur in more than `most` texts."""
    counts = Counter()
    for text in texts:
        parts = words(text)
        counts.update({tuple(parts[at : at + length]) for at in range(len(parts) - length + 1)})
    return [(" ".join(sequence), count) for sequence, count in counts.items() if count > most]


def test_the_helpers_of_these_tests():
    texts = ["a b c d", "a b c x y", "q r s t", "A, b! c?"]
    assert sharing(texts, 0.7) == sorted([(texts[0], texts[1]), (texts[0], texts[3]), (texts[1], texts[3])])
    assert sharing(texts[:3], 0.75) == []
    assert common_sequences(["a b c d e f"] * 6 + ["a b c d e"], 5, 6) == [("a b c d e", 7)]


def test_sentences():
    rows = demo.sentences()
    texts = [text for _, text in rows]
    genres = Counter(genre for genre, _ in rows)
    assert len({letters(text) for text in texts}) == len(texts) >= 4000
    assert len(genres) >= 5 and min(genres.values()) >= 400, genres
    assert min(len(words(text)) for text in texts) >= 4
    assert common_sequences(texts, 5, 5) == []
    assert sharing(texts, 0.7) == []


def test_corpus():
    corpus = load_corpus("demo")
    assert corpus.texts == [text for _, text in demo.sentences()]
    assert not corpus.dropped and not corpus.notices


def test_files_are_clean():
    for name in ("sentences.tsv", "pairs.tsv", "traps.tsv", "paraphrases.tsv", "scored.tsv", "documents.tsv"):
        content = (demo.FOLDER / name).read_bytes()
        assert not content.startswith(b"\xef\xbb\xbf") and b"\r" not in content and content.endswith(b"\n")
        text = content.decode("utf-8")
        assert "\ufffd" not in text and not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)
        lines = text.removesuffix("\n").split("\n")
        assert len({line.count("\t") for line in lines}) == 1
        for cell in (cell for line in lines for cell in line.split("\t")):
            assert (cell or name == "paraphrases.tsv") and cell == " ".join(cell.split())


def all_pairs():
    return [row for split in demo.PAIR_FILES for row in demo.pair_rows(split).values()]


def texts_of(rows):
    return [text for row in rows for text in (row.sentence1, row.sentence2)]


def test_pairs():
    rows = all_pairs()
    assert {split: len(demo.pair_rows(split)) for split in demo.PAIR_FILES} == {"dev": 600, "test": 1200, "traps": 209}
    assert len({row.id for row in rows}) == len(rows)
    assert len({frozenset((letters(row.sentence1), letters(row.sentence2))) for row in rows}) == len(rows)
    assert all(letters(row.sentence1) != letters(row.sentence2) for row in rows)
    for row in rows:
        assert 0 <= row.score_a <= 5 and 0 <= row.score_b <= 5
        assert row.score == pytest.approx((row.score_a + row.score_b) / 2, abs=1e-9), row


def test_the_traps_are_of_five_kinds():
    kinds = Counter(row.subset for row in demo.pair_rows("traps").values())
    assert kinds.keys() == HARD and min(kinds.values()) >= 30, kinds
    assert load_pairs("demo:traps").subsets == [row.subset for row in demo.pair_rows("traps").values()]


def test_the_splits_share_no_sentence():
    splits = [{letters(text) for text in texts_of(demo.pair_rows(split).values())} for split in demo.PAIR_FILES]
    assert len(set().union(*splits)) == sum(map(len, splits))


@pytest.mark.parametrize(("split", "each"), [("dev", 24), ("test", 48)])
def test_every_genre_has_as_many_pairs_in_every_unit_of_the_scale(split, each):
    pairs = load_pairs(f"demo:{split}")
    assert (pairs.name, pairs.task, pairs.scale, pairs.dropped) == (f"demo:{split}", "demo", (0, 5), [])
    cells = Counter((genre, min(int(gold), 4)) for genre, gold in zip(pairs.subsets, pairs.gold, strict=True))
    assert len(cells) == 25 and set(cells.values()) == {each}
    assert set(pairs.subsets) == {genre for genre, _ in demo.sentences()}


def test_no_pair_is_among_the_sentences():
    corpus = {letters(text) for _, text in demo.sentences()}
    assert not [text for text in texts_of(all_pairs()) if letters(text) in corpus]


def test_the_two_rounds_of_scoring_differ():
    """The second round was scored, not copied; agreement is what two rounds with the same rubric should reach."""
    from scipy.stats import spearmanr

    rows = all_pairs()
    a, b = (np.array([getattr(row, name) for row in rows]) for name in ("score_a", "score_b"))
    assert (a != b).any() and spearmanr(a, b).statistic > 0.8


def test_paraphrases_and_triplets():
    pairs, triplets = load_corpus("demo:paraphrases"), load_corpus("demo:triplets")
    assert (pairs.kind, triplets.kind) == ("pairs", "triplets")
    assert pairs.rows == 330 and triplets.rows == 231 and not pairs.dropped and not triplets.dropped
    known = {text for _, text in demo.sentences()}
    assert set(pairs.columns["text"]) <= known and len(set(pairs.columns["text"])) == pairs.rows
    rows = list(zip(pairs.columns["text"], pairs.columns["positive"], strict=True))
    assert set(zip(triplets.columns["text"], triplets.columns["positive"], strict=True)) <= set(rows)
    # A paraphrase uses other words, not the same sentence with one word replaced; contradictions have no obvious cue.
    shared = [len(set(words(a)) & set(words(b))) / min(len(set(words(a))), len(set(words(b)))) for a, b in rows]
    assert max(shared) <= 0.75 and np.mean(shared) < 0.4
    assert all(one not in rows for one in zip(triplets.columns["text"], triplets.columns["negative"], strict=True))
    assert not any(text.endswith("?") for text in triplets.columns["text"])


def test_labelled_pairs():
    """Each premise with a sentence that follows from it, one that may be true, and one that contradicts it."""
    corpus, triplets = load_corpus("demo:labelled"), load_corpus("demo:triplets").columns
    assert corpus.kind == "labelled_pairs" and corpus.classes == ("contradiction", "entailment", "neutral")
    assert corpus.rows == 693 and not corpus.dropped and not corpus.notices
    rows = list(zip(corpus.columns["text"], corpus.columns["positive"], corpus.numbers["label"].tolist(), strict=True))
    assert [(a, b) for a, b, label in rows if label == 1] == list(
        zip(triplets["text"], triplets["positive"], strict=True)
    )
    assert [(a, b) for a, b, label in rows if label == 0] == list(
        zip(triplets["text"], triplets["negative"], strict=True)
    )
    neutral = [(a, b) for a, b, label in rows if label == 2]
    assert [text for text, _ in neutral] == triplets["text"]
    pairs = corpus.taking({"text", "positive"})
    assert pairs.rows == 231 and "231 of 693 rows are labelled entailment" in pairs.notices[0]


def test_how_well_simple_cues_predict_the_labels():
    """The figures in assets/demo/README.md: predicting the label from the second sentence alone, and from shared words
    and lengths.
    """
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline

    corpus = load_corpus("demo:labelled")
    hypotheses, labels = corpus.columns["positive"], corpus.numbers["label"]
    both = [(set(words(a)), set(words(b))) for a, b in zip(corpus.columns["text"], hypotheses, strict=True)]
    shape = np.array([(len(a & b) / min(len(a), len(b)), len(b)) for a, b in both])
    bag = make_pipeline(CountVectorizer(binary=True, token_pattern=r"\w+"), LogisticRegression(max_iter=1000))
    premises = np.arange(corpus.rows) // 3

    def accuracy(model, given):
        guessed = cross_val_predict(model, given, labels, groups=premises, cv=GroupKFold(10))
        return float(np.mean(guessed == labels))

    assert accuracy(bag, hypotheses) == pytest.approx(0.63, abs=0.02)
    assert accuracy(LogisticRegression(), shape) == pytest.approx(0.72, abs=0.02)


def test_scored_pairs():
    corpus = load_corpus("demo:scored")
    assert corpus.kind == "scored_pairs" and corpus.rows == 200 and not corpus.dropped and not corpus.notices
    scores = corpus.numbers["gold"]
    assert np.histogram(scores, bins=[0, 1, 2, 3, 4, 5])[0].tolist() == [40] * 5  # the last bin holds 5 too
    assert np.allclose(scores * 5, np.round(scores * 5))
    lines = (demo.FOLDER / "scored.tsv").read_text(encoding="utf-8").splitlines()
    rows = [dict(zip(lines[0].split("\t"), line.split("\t"), strict=True)) for line in lines[1:]]
    assert [row["id"] for row in rows] == [f"{number:03}" for number in range(200)]
    assert [float(row["score"]) for row in rows] == scores.tolist()
    kinds = Counter(row["kind"] for row in rows)
    assert kinds.keys() == {"plain", *HARD} and min(kinds.values()) >= 20, kinds
    cells = Counter((row["genre"], min(int(float(row["score"])), 4)) for row in rows)
    assert len(cells) == 25 and set(cells.values()) == {8}
    assert {row["genre"] for row in rows} == {genre for genre, _ in demo.sentences()}


def test_no_scored_pair_occurs_elsewhere_in_the_demo():
    """Neither as a copy nor as a near copy, especially not in the pairs that trainings on them are scored on."""
    new = load_corpus("demo:scored").texts
    triplets = load_corpus("demo:triplets").columns
    others = [text for _, text in demo.sentences()]
    others += texts_of(all_pairs())
    others += [*load_corpus("demo:paraphrases").columns["positive"], *triplets["negative"]]
    others += load_corpus("demo:labelled").columns["positive"][1::3]
    others += load_corpus("demo:documents").texts
    assert len({letters(text) for text in new}) == len(new) == 400
    assert not {letters(text) for text in new} & {letters(text) for text in others}
    texts = list(dict.fromkeys([*new, *others]))
    groups, _ = near_groups(texts)
    assert len(set(groups[: len(new)])) == len(new) and not set(groups[: len(new)]) & set(groups[len(new) :])
    own = set(new)
    plain = set(texts_of([*demo.pair_rows("dev").values(), *demo.pair_rows("test").values()]))
    assert not [pair for pair in sharing(texts, 0.7) if len(own & set(pair)) == 1 and not plain & set(pair)]
    assert not [pair for pair in sharing(texts, 0.85) if len(own & set(pair)) == 1]
    assert common_sequences([text for text in texts if text not in plain], 5, 5) == []
    assert common_sequences(texts, 5, 8) == []  # questions of the pairs begin alike: "what is the best way"


@pytest.mark.parametrize("recipe", ["cosent", "angle", "sup_scores"])
def test_recipes_on_scores_train_on_the_scored_pairs(recipe, tmp_path):
    """Training a tiny backbone orders cosines more like the scores; corpora without scores are refused."""
    folder = str(tiny_model(tmp_path / "bert"))
    assert not fits(recipe, "demo:scored") and "needs scored pairs" in fits(recipe, "demo:paraphrases")
    changes = {"batch_size": 20, "learning_rate": 1e-3, "steps": 30, "warmup": 0.0, "precision": "fp32", "dropout": 0.0}
    config = settle(recipe, backbone=folder, corpus="demo:scored", changes=changes)
    corpus = corpus_of(config)
    loop = Loop(load(folder), corpus.columns, config, numbers=corpus.numbers)

    def agreement():
        from scipy.stats import spearmanr

        one, two = (loop.encoder.encode(corpus.columns[role]) for role in ("text", "positive"))
        cosines = (one * two).sum(1) / np.linalg.norm(one, axis=1) / np.linalg.norm(two, axis=1)
        return spearmanr(cosines, corpus.numbers["gold"]).statistic

    before = agreement()
    assert all(np.isfinite(step.loss) for step in loop.run())
    assert agreement() > before + 0.1


def test_documents():
    corpus = load_corpus("demo:documents")
    assert corpus.kind == "documents" and corpus.rows == 62
    assert all(4 <= len(sentences_of(text)) <= 8 for text in corpus.columns["document"])
    assert corpus.taking(["text", "next"]).rows == len(corpus.texts) - corpus.rows


def test_the_smaller_files_contain_no_repetitions():
    triplets = load_corpus("demo:triplets").columns
    new = [*load_corpus("demo:paraphrases").columns["positive"], *triplets["negative"]]
    new += load_corpus("demo:labelled").columns["positive"][1::3]
    new += load_corpus("demo:documents").texts
    known = [text for _, text in demo.sentences()]
    pairs = texts_of(all_pairs())
    assert len({letters(text) for text in new}) == len(new)
    assert not {letters(text) for text in new} & {letters(text) for text in [*known, *pairs]}
    assert common_sequences([*known, *new], 5, 5) == []


def test_unknown_demo_corpora_suggest_the_nearest_name():
    with pytest.raises(UnknownName, match="demo:paraphrases"):
        load_corpus("demo:paraphrase")


def test_unknown_split_and_missing_files(tmp_path, monkeypatch):
    with pytest.raises(UnknownName, match="split of the demo pairs"):
        demo.pairs("train")
    monkeypatch.setattr(demo, "FOLDER", tmp_path)
    with pytest.raises(BadData, match=r"sentences\.tsv is missing"):
        demo.sentences()
    (tmp_path / "sentences.tsv").write_text("a\tb\n1\t2\n")
    with pytest.raises(BadData, match="was changed"):
        demo.sentences()
