"""UNA's equations against a plain implementation, its guarantees, and its statistics."""

import json
import math
import subprocess
import sys
import time
from array import array
from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.augmentations.draw import Drawer
from workbench.augmentations.resources import Resources
from workbench.augmentations.text import _terms, _tfidf
from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._tfidf import (
    _ASCII,
    Statistics,
    _pattern,
    chances,
    prepare,
    tokens,
    window_share,
)
from workbench.augmentations.text._una import _near, _right_of
from workbench.augmentations.text.una_negative import METHOD as NEGATIVE
from workbench.augmentations.text.una_negative import una_negative
from workbench.augmentations.text.una_positive import METHOD as POSITIVE
from workbench.augmentations.text.una_positive import una_positive
from workbench.core.method import settings_of
from workbench.data.demo import sentences

TEN = [
    "A red bus waits at the station .",
    "The bus to the harbour is late , the driver says .",
    "Rain falls on the harbour .",
    "A driver reads the news at the station .",
    "The news is good , good and short .",
    "Rain , rain and more rain in the hills .",
    "The red hills are far away .",
    "A good driver waits .",
    "The station is closed today .",
    "More news at ten .",
]
BY_HAND = [text.lower().split() for text in TEN]
SENTENCE = "A good driver in the red bus says good news ."
SEEDS = st.integers(0, 10_000)
BETAS = st.floats(0, 1)
NEGATIVE_DEFAULTS = {name: setting.default for name, setting in settings_of(una_negative).items()}


@pytest.fixture(scope="module")
def ten():
    return prepare(TEN)


@pytest.fixture(scope="module")
def demo():
    return prepare([text for _, text in sentences()])


DEMO = [text for _, text in sentences()]


def idf_by_hand(term):
    holding = 0
    for words in BY_HAND:
        if term in words:
            holding += 1
    return math.log(10 / max(holding, 1))  # a term that occurs in no document counts as if it occurred in one


def tfidf_by_hand(term, words):
    count = 0
    for word in words:
        if word == term:
            count += 1
    return math.log(1 + count / len(words)) * idf_by_hand(term)


def largest_by_hand(term):
    best = 0.0
    for words in BY_HAND:
        value = tfidf_by_hand(term, words)
        if value > best:
            best = value
    return best


def p_by_hand(words, beta, weakest=False):
    """Equations 3 to 5 as printed, token by token."""
    scores = [tfidf_by_hand(word, words) for word in words]
    gaps = [max(scores) - score if weakest else score - min(scores) for score in scores]
    z = 0.0
    for gap in gaps:
        z += gap / len(gaps)
    found = []
    for gap in gaps:
        found.append(min(beta * gap / z, 1.0))
    top = 0
    for place, gap in enumerate(gaps):
        if gap > gaps[top]:
            top = place
    found[top] = 1.0
    return found


def test_statistics_of_ten_sentences_by_hand(ten):
    assert ten.documents == 10
    assert set(ten.terms) == {word for words in BY_HAND for word in words}
    # "rain": in 2 of 10, and 3 of the 10 tokens of one of them.
    assert ten.weights[ten.ranks["rain"]] == pytest.approx(math.log(5) * math.log(1.3))
    assert ten.weights[ten.ranks["rain"]] == pytest.approx(1.609438 * 0.262364, abs=1e-6)
    assert ten.weights[ten.ranks["."]] == 0
    for term, weight, rarity in zip(ten.terms, ten.weights, ten.rarities, strict=True):
        assert weight == pytest.approx(largest_by_hand(term))
        assert rarity == pytest.approx(idf_by_hand(term))
    order = sorted(ten.terms, key=lambda term: (-round(largest_by_hand(term), 12), term))
    assert ten.terms == order


@pytest.mark.parametrize("beta", [0.0, 0.3, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("weakest", [False, True])
@pytest.mark.parametrize("text", [*TEN, SENTENCE, "An unknown bus waits ."])
def test_p_by_hand(ten, text, beta, weakest):
    words = text.lower().split()
    scores = ten.scores(tokens(text))
    assert scores == pytest.approx([tfidf_by_hand(word, words) for word in words])
    assert chances(scores, beta, weakest=weakest) == pytest.approx(p_by_hand(words, beta, weakest))


def test_p_of_one_sentence(ten):
    # a good driver in the red bus says good news .  (11 tokens; "good" twice)
    scores = ten.scores(tokens(SENTENCE))
    one, two = math.log(12 / 11), math.log(13 / 11)
    in_ten = {"a": 3, "good": 2, "driver": 3, "in": 1, "the": 8, "red": 2, "bus": 2, "says": 1, "news": 3, ".": 10}
    for word, score in zip(tokens(SENTENCE), scores, strict=True):
        assert score == pytest.approx((two if word == "good" else one) * math.log(10 / in_ten[word]))
    found = chances(scores, 0.5)
    assert [round(p, 3) for p in found] == [0.371, 1.0, 0.371, 0.71, 0.069, 0.496, 0.496, 0.71, 0.953, 0.371, 0.0]


def share_replaced(resource, text, method=una_negative, **chosen):
    before = tokens(text)
    after = [tokens(method(resource, text, **chosen, rng=Random(seed))) for seed in range(400)]
    assert all(len(words) == len(before) for words in after)
    return [sum(words[k] != before[k] for words in after) / 400 for k in range(len(before))]


@pytest.mark.parametrize("method", [una_negative, una_positive])
def test_words_are_replaced_as_often_as_p_says(ten, method):
    expected = p_by_hand(SENTENCE.lower().split(), 0.5, weakest=method is una_positive)
    found = share_replaced(ten, SENTENCE, method)
    assert found == pytest.approx(expected, abs=0.1)
    assert [p == 1 for p in found] == [p == 1 for p in expected]
    assert [p == 0 for p in found] == [p == 0 for p in expected]


def test_replacements_are_drawn_from_the_window_by_weight(ten):
    rank, radius = ten.ranks["driver"], 4
    around = [k for k in range(max(0, rank - radius), min(len(ten.terms), rank + radius + 1)) if k != rank]
    mass = sum(ten.weights[k] for k in around)
    steps = 20_000
    drawn = Counter(ten.near("driver", 0.0, radius, (step + 0.5) / steps) for step in range(steps))
    assert set(drawn) == {ten.terms[k] for k in around}
    for k in around:
        assert drawn[ten.terms[k]] / steps == pytest.approx(ten.weights[k] / mass, abs=2e-4)


@given(row=st.integers(0, len(DEMO) - 1), seed=SEEDS, radius=st.integers(1, 300), beta=BETAS)
@settings(max_examples=100)
def test_properties_of_the_specification(demo, row, seed, radius, beta):
    before = tokens(DEMO[row])
    scores = demo.scores(before)
    after = tokens(una_negative(demo, DEMO[row], beta=beta, radius=radius, rng=Random(seed)))
    assert after == tokens(una_negative(demo, DEMO[row], beta=beta, radius=radius, rng=Random(seed)))
    assert len(after) == len(before)
    top = scores.index(max(scores))
    assert after[top] != before[top]
    odds = chances(scores, beta)
    assert all(0 <= p <= 1 for p in odds)
    for old, new, score, p in zip(before, after, scores, odds, strict=True):
        if score == min(scores) and len(set(scores)) > 1:
            assert new == old
        if p == 0:
            assert new == old
        if new != old:
            assert abs(demo.ranks[new] - demo.ranks[old]) <= radius


@given(row=st.integers(0, len(DEMO) - 1), seed=SEEDS)
@settings(max_examples=50)
def test_beta_0_changes_one_token_and_a_higher_beta_adds_to_it(demo, row, seed):
    before = tokens(DEMO[row])

    def changed(method, beta):
        after = tokens(method(demo, DEMO[row], beta=beta, rng=Random(seed)))
        return {(k, new) for k, (old, new) in enumerate(zip(before, after, strict=True)) if old != new}

    for method in (una_negative, una_positive):
        few = changed(method, 0.0)
        assert len(few) == 1
        for beta in (0.2, 0.5, 1.0):
            more = changed(method, beta)
            assert few <= more
            few = more


@given(scores=st.lists(st.floats(0, 10), min_size=1, max_size=40), beta=BETAS, weakest=st.booleans())
@settings(max_examples=200)
def test_p_is_a_probability_and_its_mean_at_most_beta(scores, beta, weakest):
    odds = chances(scores, beta, weakest=weakest)
    if not odds:
        assert max(scores) - min(scores) < 1e-300
        return
    assert all(0 <= p <= 1 for p in odds)
    gaps = [max(scores) - score if weakest else score - min(scores) for score in scores]
    first = gaps.index(max(gaps))
    assert odds[first] == 1
    capped = [*odds[:first], min(beta * gaps[first] / (sum(gaps) / len(gaps)), 1.0), *odds[first + 1 :]]
    assert sum(capped) / len(capped) <= beta + 1e-9


def test_the_mean_of_p_is_close_to_beta_up_to_one_half(demo):
    for beta, tolerance in ((0.3, 0.05), (0.5, 0.05)):
        means = [sum(odds) / len(odds) for text in DEMO if (odds := chances(demo.scores(tokens(text)), beta))]
        assert abs(sum(means) / len(means) - beta) < tolerance


def test_equal_scores_replace_one_token(ten):
    # Every token is in one of ten sentences and once here: 0/0 in the published code.
    text = "closed today ten far"
    assert len(set(ten.scores(tokens(text)))) == 1
    places = set()
    for seed in range(40):
        after = una_negative(ten, text, rng=Random(seed)).split()
        different = [k for k, (old, new) in enumerate(zip(text.split(), after, strict=True)) if old != new]
        assert len(different) == 1
        places.update(different)
    assert places == {0, 1, 2, 3}


@pytest.mark.parametrize("word", ["bus", "unheard"])
def test_one_word_becomes_another(ten, word):
    for seed in range(20):
        assert una_negative(ten, word, rng=Random(seed)) in set(ten.terms) - {word}


def test_unknown_words_get_the_rank_of_their_score(ten):
    text = "unheard bus"
    score = ten.scores(tokens(text))[0]
    assert score == pytest.approx(math.log(10) * math.log(1.5))
    place = sum(weight > score for weight in ten.weights)
    near = {ten.near("unheard", score, 3, step / 100) for step in range(100)}
    assert near == set(ten.terms[max(0, place - 3) : place + 3])


def test_statistics_of_tiny_corpora():
    for corpus in ([], [""], ["\ue000 \ue001"]):
        empty = prepare(corpus)
        assert empty.terms == [] and una_negative(empty, "A  bus .", rng=Random(0)) == "A bus ."
        assert una_positive(empty, "A bus .", replace="random", rng=Random(0)) == "A bus ."
    lone = prepare(["bus bus"])
    assert una_negative(lone, "Bus", rng=Random(0)) == "Bus"
    assert una_negative(lone, "Bus", replace="random", rng=Random(0)) == "Bus"
    # All weights are 0 in a corpus of one sentence: all other words are equally likely.
    same = prepare(["one two three"])
    assert {una_negative(same, "two", rng=Random(seed)) for seed in range(40)} == {"one", "three"}


def test_the_window_leaves_out_the_word_itself_and_widens(ten):
    for term in ten.terms:
        for step in range(50):
            assert ten.near(term, 0.0, 1, step / 50) != term


def test_random_ablation(ten):
    expected = [0.5 + 0.5 / 11] * 11
    assert share_replaced(ten, SENTENCE, select="random") == pytest.approx(expected, abs=0.1)
    before, drawn = tokens(SENTENCE), Counter()
    for seed in range(600):
        after = tokens(una_negative(ten, SENTENCE, radius=1, replace="random", rng=Random(seed)))
        drawn.update(new for old, new in zip(before, after, strict=True) if old != new)
    assert set(drawn) == set(ten.terms)
    assert max(drawn.values()) < 4 * min(drawn.values())


def test_documents_are_records_or_sentences():
    record = "The red bus waits. A driver reads! Rain falls on it?\nNews"
    assert prepare([record]).documents == 1
    assert prepare([record], document="sentence").documents == 4
    assert prepare(["今天很好。明天也好。"], document="sentence").documents == 2
    assert prepare(["J. Smith met 3.5 e.g. that."], document="sentence").documents == 1
    one, other = prepare(TEN), prepare(TEN, document="sentence")
    assert (one.terms, one.weights) == (other.terms, other.weights)


def test_a_corpus_is_read_as_a_stream():
    assert prepare(text for text in TEN).terms == prepare(TEN).terms


def test_window_share(ten):
    size = len(ten.terms)
    assert window_share(ten, 3) == 7 / size
    assert window_share(ten, 4000) == 1.0
    assert window_share(ten, 4000, 0.1) == (2 * round(0.1 * size) + 1) / size
    big = Statistics(1, [str(number) for number in range(16_600)], ten.rarities, ten.weights)
    assert window_share(big, 4000) == pytest.approx(0.48, abs=0.005)


def test_radius_as_a_share_of_the_vocabulary(demo):
    size = len(demo.terms)
    for row in range(20):
        one, other = (
            una_negative(demo, DEMO[row], rng=Random(1), **chosen)
            for chosen in ({"radius_share": 0.02}, {"radius": round(0.02 * size)})
        )
        assert one == other


@given(st.text(st.characters(max_codepoint=127), max_size=60))
def test_the_ascii_pattern_gives_the_same_tokens(text):
    assert _ASCII.findall(text.lower()) == _pattern().findall(text.lower())


@given(st.text(max_size=60))
def test_tokens_lose_nothing_but_white_space(text):
    assert "".join(tokens(text)) == "".join(text.lower().split())
    assert tokens(" ".join(tokens(text))) == tokens(text)


def test_tokens():
    assert tokens("हिन्दी में लिखो।") == ["हिन्दी", "में", "लिखो", "।"]
    assert tokens("👩‍👩‍👧 👍🏽❤️") == ["👩‍👩‍👧", "👍🏽", "❤️"]
    assert tokens("today 🇩🇪🇫🇷🇮🇹, 🇪 🏳️‍🌈") == ["today", "🇩🇪", "🇫🇷", "🇮🇹", ",", "🇪", "🏳️‍🌈"]
    assert tokens("café, naïve-looking 1,000.5 U.S.") == ["café", ",", "naïve-looking", "1,000.5", "u", ".", "s", "."]
    assert tokens("\ue000's \ue001.") == ["\ue000", "'", "s", "\ue001", "."]


def test_chinese_and_japanese():
    corpus = [
        "今天天气很好",
        "我们去公园散步",
        "他喜欢喝绿茶",
        "東京に行きました。",
        "雨が降っています。",
        "今天下雨了",
    ]
    resource = prepare(corpus)
    assert "天" in resource.ranks and "today" not in resource.ranks
    for text in corpus:
        for seed in range(10):
            after = una_negative(resource, text, rng=Random(seed))
            assert after != text and len(after) == len(text)


@given(seed=SEEDS, beta=BETAS, places=st.lists(st.integers(0, 10), min_size=1, max_size=11, unique=True))
@settings(max_examples=60)
def test_locked_words_stay_in_position(ten, seed, beta, places):
    words = SENTENCE.split()
    for place in places:
        words[place] = chr(0xE000 + place)
    text = " ".join(words)
    for method in (una_negative, una_positive):
        after = method(ten, text, beta=beta, rng=Random(seed)).split()
        assert len(after) == 11
        for place in range(11):
            assert (after[place] == words[place]) or place not in places
        assert sum(map("\ue000".__le__, after)) == len(places)
        if len(places) < 11:
            assert [word.lower() for word in words] != after  # the highest-scored of the others is always replaced


@given(text=st.text(max_size=80), seed=SEEDS)
@settings(max_examples=150)
def test_any_text(demo, text, seed):
    for method in (una_negative, una_positive):
        after = method(demo, text, rng=Random(seed))
        assert after == normalised(after)
        assert bool(after) == bool(text.strip())


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_other_processes_draw_the_same(ten, hash_seed):
    code = (
        "import json, sys\n"
        "from random import Random\n"
        "from workbench.augmentations.text._tfidf import prepare\n"
        "from workbench.augmentations.text.una_negative import una_negative\n"
        "corpus, text = json.loads(sys.argv[1])\n"
        "print(json.dumps([una_negative(prepare(corpus), text, rng=Random(seed)) for seed in range(10)]))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, json.dumps([TEN, SENTENCE])],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": "."},
    )
    assert json.loads(ran.stdout) == [una_negative(ten, SENTENCE, rng=Random(seed)) for seed in range(10)]


def test_speed(demo):
    start = time.process_time()
    for seed in range(2000):
        una_negative(demo, DEMO[seed % len(DEMO)], rng=Random(seed))
    assert time.process_time() - start < 2  # 2,000 take .08 s


def test_a_window_above_a_tenth_of_the_vocabulary_gets_a_warning():
    corpus = Resources([f"word{number} and more" for number in range(500)])
    assert "100 % of the 502 words" in Drawer("una_negative", seed=0, resources=corpus).cautions[0]
    assert not Drawer("una_negative(radius_share=0.02)", seed=0, resources=corpus).cautions


def test_statistics_do_not_depend_on_how_many_documents_are_counted_at_once(monkeypatch):
    whole = prepare(DEMO)
    monkeypatch.setattr(_tfidf, "_BATCH", 3)
    parts = prepare(iter(DEMO))
    assert (whole.documents, whole.terms) == (parts.documents, parts.terms)
    assert (whole.rarities, whole.weights) == (parts.rarities, parts.weights)


SMALL = [prepare([]), prepare(["bus bus"]), prepare(["one two three"])]
TEXTS = st.one_of(st.sampled_from([*DEMO[:200], *TEN, SENTENCE]), st.text(max_size=60))
CHOICES = st.sampled_from(["tfidf", "random"])


@given(
    texts=st.lists(TEXTS, max_size=12),
    seeds=st.lists(st.integers(0, 2**63 - 1), min_size=12, max_size=12),
    beta=BETAS,
    radius=st.integers(1, 5000),
    share=st.sampled_from([0.0, 0.02]),
    select=CHOICES,
    replace=CHOICES,
)
@settings(max_examples=60)
def test_many_texts_come_out_as_each_alone(demo, ten, texts, seeds, beta, radius, share, select, replace):
    chosen = {"beta": beta, "radius": radius, "radius_share": share, "select": select, "replace": replace}
    for resource in (demo, ten, *SMALL):
        for method in (una_negative, una_positive):
            alone = [
                method(resource, *pair[:1], **chosen, rng=Random(pair[1])) for pair in zip(texts, seeds, strict=False)
            ]
            each = {una_negative: NEGATIVE, una_positive: POSITIVE}[method].each
            assert each(resource, texts, **chosen, seeds=seeds[: len(texts)]) == alone
            assert [normalised(text) for text in alone] == alone


def test_a_draw_depends_on_no_other_text_of_its_batch(monkeypatch):
    drawer = Drawer("una_negative", seed=3, resources=Resources(DEMO))
    whole = drawer.many(DEMO, 2)  # enough texts for the streams to be drawn in columns
    assert [drawer(text, 2) for text in DEMO[:50]] == whole[:50]
    assert drawer.many(DEMO[::-1], 2) == whole[::-1]
    monkeypatch.setattr(_terms, "_CHARACTERS", 500)
    assert drawer.many(DEMO, 2) == whole


def test_statistics_and_draws_of_texts_in_any_script():
    texts = [
        "今天 天气很好",
        "Ärger  im\u3000Büro",
        "a\u00a0b\u2028c\x1fd \x85e",
        "\udc80 lone",
        "x" * 50 + " y",
        "İstanbul ΑΣ ΑΣ.",
        "",
        " ",
    ]
    resource = prepare(texts)
    counts = Counter(token for text in texts for token in set(tokens(text)))
    assert set(resource.terms) == set(counts) and resource.documents == 6
    for term, rarity in zip(resource.terms, resource.rarities, strict=True):
        assert rarity == math.log(6 / counts[term])


def test_locked_words_are_not_looked_up():
    # A piece with a lock has no rank for it, so it is read afresh.
    resource = prepare(["a bus \ue000s waits", "a red car"])
    texts = ["a bus \ue000s waits", "\ue000s", "car \ue000"]
    alone = [una_negative(resource, text, rng=Random(4)) for text in texts]
    assert NEGATIVE.each(resource, texts, **NEGATIVE_DEFAULTS, seeds=[4, 4, 4]) == alone


def test_very_many_short_texts():
    texts = ["a b a", "b"] * 1000 + ["a " * 260_000]
    short = ["b"] * 40_000
    resource = prepare(TEN)
    for some in (texts, short):
        drawn = NEGATIVE.each(resource, some, **NEGATIVE_DEFAULTS, seeds=range(len(some)))
        for row in (0, 1, 1999):
            assert drawn[row] == una_negative(resource, some[row], rng=Random(row))


@given(
    weights=st.lists(st.one_of(st.just(0.0), st.floats(0, 1e-9), st.floats(0, 10)), max_size=50),
    shares=st.lists(st.floats(0, 1.1), max_size=20),
)
def test_places_of_sums_are_those_of_a_search(weights, shares):
    falling = sorted(weights, reverse=True)
    terms = [str(number) for number in range(len(falling))]
    some = Statistics(1, terms, array("d", falling), array("d", falling))
    sums = np.frombuffer(some.sums)
    values = np.array([*(share * sums[-1] for share in shares), *sums])
    assert _right_of(sums, some.grid, values).tolist() == np.searchsorted(sums, values, side="right").tolist()


@given(
    weights=st.lists(
        st.one_of(st.just(0.0), st.floats(0, 1e-9), st.floats(0, 10), st.just(1e9)), min_size=1, max_size=50
    ),
    radius=st.integers(1, 60),
    picks=st.lists(
        st.tuples(
            st.integers(0, 50), st.floats(0, 12), st.one_of(st.floats(0, 1, exclude_max=True), st.just(1 - 2**-53))
        ),
        min_size=1,
        max_size=20,
    ),
)
@settings(max_examples=200)
def test_the_new_terms_of_many_tokens_are_those_of_each(weights, radius, picks):
    """Also where weights differ so much that a term is lost in the rounding of their sums."""
    falling = sorted(weights, reverse=True)
    terms = [str(number) for number in range(len(falling))]
    some = Statistics(1, terms, array("d", falling), array("d", falling))
    # Which term each token is, the last number for one of no document; its score, and a chance.
    old, scores, chances = (np.array(column) for column in zip(*picks, strict=True))
    old = old % (len(terms) + 1)
    named = [*terms, "of no document"]
    alone = [
        some.near(named[rank], score, radius, chance) for rank, score, chance in zip(old, scores, chances, strict=True)
    ]
    assert [named[rank] for rank in _near(some, old, scores, radius, chances)] == alone
    if len(terms) > 1:
        assert all(named[rank] != new for rank, new in zip(old, alone, strict=True))
