"""The report on a corpus, which tells users about problems before they train on it. It is stored with the run."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NotRequired, TypedDict

import numpy as np

from workbench.core.progress import Progress, no_progress
from workbench.core.seeds import some_rows
from workbench.data.cleaning import LONG_WORDS
from workbench.data.marks import SHARE
from workbench.data.near import RULE, beside, false_negatives, letters, near_groups, plain
from workbench.data.pair_sets import PairSet

# texts -> (number of tokens of each before truncation, special tokens included; how many of these are [UNK])
Tokenise = Callable[[list[str]], tuple[np.ndarray, np.ndarray]]

UNKNOWN_SHARE = 0.05
TRUNCATED_SHARE = 0.10
COPIES_SHARE = 0.01
OVERLAP_SHARE = 0.01
SAMPLE = 50_000
"""Of a corpus with more texts, the report is of as many drawn at random, but for the overlap with evaluation sets."""
_COMPARING = 0.8
_BLOCK = 10_000


class Histogram(TypedDict):
    """Numbers of texts by length in tokens. The last bin also contains all longer texts."""

    edges: list[int]
    counts: list[int]


class Tokens(TypedDict):
    """Lengths in sub-word tokens, and the shares (0 to 1) of truncated texts, unknown tokens and texts with unknown
    tokens.
    """

    mean: float
    quantiles: dict[str, float]
    histogram: Histogram
    truncated: float
    unknown: float
    texts_with_unknown: NotRequired[float]


class Repeated(TypedDict):
    """A text and how often it occurs."""

    text: str
    count: int


class Exact(TypedDict):
    """Texts that are copies of others."""

    copies: int
    groups: int
    share: float
    examples: list[Repeated]
    false_negatives: float


class Similar(TypedDict):
    """Two texts that are near copies, with their Jaccard similarity (0 to 1)."""

    first: str
    second: str
    similarity: float


class Near(TypedDict):
    """Texts that nearly repeat others."""

    texts: int
    groups: int
    share: float
    examples: list[Similar]
    false_negatives: float
    share_of_batch: float
    """Of the texts of a batch, those that have an equal or near copy in it."""


class Copies(TypedDict):
    """Both kinds of copies, and the rule for near ones."""

    rule: str
    exact: Exact
    near: Near


class Overlap(TypedDict):
    """An evaluation set, and how many of its sentences and pairs are in the training data."""

    name: str
    task: str
    split: str
    sentences: int
    common: int
    share: float
    pairs: int
    pairs_with_both: int
    pairs_with_gold: int
    examples: list[str]
    warn: bool
    transductive: bool


class Report(TypedDict):
    """The result of `corpus_report`. Shares are 0 to 1. Counts are those among the `sampled` texts, but for `texts` and
    `overlap`, which are of the whole corpus; expected false negatives are estimates for the whole corpus.
    """

    texts: int
    sampled: int
    distinct: int
    characters: int
    long_texts: int
    max_length: int
    batch_size: int
    tokens: Tokens
    copies: Copies
    overlap: list[Overlap]
    trained_on_test: bool
    warnings: list[str]


def corpus_report(
    texts: Sequence[str],
    tokenise: Tokenise,
    *,
    max_length: int,
    batch_size: int,
    apart: bool = True,
    dedup_batch: bool = False,
    evaluation_pairs: Sequence[PairSet] = (),
    rated: Iterable[tuple[str, str]] = (),
    specials: int = 2,
    on_progress: Progress = no_progress,
) -> Report:
    """Lengths, unknown tokens, copies and the false negatives they cause, overlap with evaluation sets, and warnings.

    `tokenise` takes a list of texts and returns the number of sub-word tokens of each (before truncation, including
    `specials` special tokens) and the number of [UNK] among them. `apart`: whether the objective pushes the texts of a
    batch apart, so that equal texts become false negatives. `dedup_batch`: whether exact copies are kept out of the
    same batch. `rated` are the pairs that are trained on with a score. Of more than `SAMPLE` texts, as many are drawn; the
    overlap is always that of all. All values have plain JSON types.
    """
    on_progress(0.0, "Counting tokens")
    rows = some_rows(len(texts), SAMPLE, "corpus report")
    some = texts if len(rows) == len(texts) else [texts[row] for row in rows]
    distinct = Counter(some)
    names = list(distinct)
    weights = np.fromiter(distinct.values(), dtype=np.int64, count=len(names))
    lengths, unknown = _tokens(names, tokenise, on_progress)
    tokens = _token_part(lengths, unknown, weights, max_length, specials)
    on_progress(0.6, "Looking for copies")
    copies = _copies(some, batch_size, apart, dedup_batch)
    compared = names if some is texts else _announced(texts, on_progress)
    on_progress(_COMPARING, "Comparing with the evaluation sets")
    overlap = overlaps(compared, evaluation_pairs, rated)
    report: Report = {
        "texts": len(texts),
        "sampled": len(some),
        "distinct": len(names),
        "characters": int(sum(map(len, some))),
        "long_texts": sum(1 for text in some if len(text) >= 2 * LONG_WORDS - 1 and text.count(" ") >= LONG_WORDS - 1),
        "max_length": max_length,
        "batch_size": batch_size,
        "tokens": tokens,
        "copies": copies,
        "overlap": overlap,
        "trained_on_test": any(one["warn"] and one["split"] == "test" for one in overlap),
        "warnings": [],
    }
    report["warnings"] += _warnings(report)
    on_progress(1.0, "Done")
    return report


def _announced(texts: Sequence[str], on_progress: Progress) -> Iterator[str]:
    """The texts, with a progress report now and then."""
    for number, text in enumerate(texts):
        if not number % _BLOCK:
            on_progress(_COMPARING + (1 - _COMPARING) * number / len(texts), "Comparing with the evaluation sets")
        yield text


def _tokens(texts: list[str], tokenise: Tokenise, on_progress: Progress) -> tuple[np.ndarray, np.ndarray]:
    lengths = np.zeros(len(texts), dtype=np.int64)
    unknown = np.zeros(len(texts), dtype=np.int64)
    for start in range(0, len(texts), _BLOCK):
        block = texts[start : start + _BLOCK]
        lengths[start : start + len(block)], unknown[start : start + len(block)] = tokenise(block)
        on_progress(0.6 * min(1.0, (start + _BLOCK) / len(texts)), "Counting tokens")
    return lengths, unknown


def _token_part(
    lengths: np.ndarray, unknown: np.ndarray, weights: np.ndarray, max_length: int, specials: int
) -> Tokens:
    """Statistics over all texts. `lengths` and `unknown` have shape [distinct]; `weights` is how often each text
    occurs.
    """
    total = int(weights.sum())
    if not total:
        return {
            "mean": 0.0,
            "quantiles": {},
            "histogram": {"edges": [], "counts": []},
            "truncated": 0.0,
            "unknown": 0.0,
        }
    order = np.argsort(lengths)
    reached = np.cumsum(weights[order])
    quantiles: dict[str, float] = {
        f"{share:g}": int(lengths[order][np.searchsorted(reached, share * total, side="left")])
        for share in (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0)
    }
    # Of an even number of texts the mean of the two in the middle.
    middle = [np.searchsorted(reached, total / 2, side="left"), np.searchsorted(reached, total / 2, side="right")]
    quantiles["0.5"] = float(lengths[order][middle].mean())
    last = int(max(max_length, quantiles["0.99"])) + 1
    width = max(1, -(-last // 40))
    edges = np.arange(0, last + width, width)
    counts = np.histogram(np.minimum(lengths, edges[-1]), bins=edges, weights=weights)[0]
    words = int(((lengths - specials) * weights).sum())
    return {
        "mean": float((lengths * weights).sum() / total),
        "quantiles": quantiles,
        # The last bin also holds everything longer.
        "histogram": {"edges": edges.tolist(), "counts": [int(count) for count in counts]},
        "truncated": float(weights[lengths > max_length].sum() / total),
        "unknown": float((unknown * weights).sum() / words) if words > 0 else 0.0,
        "texts_with_unknown": float(weights[unknown > 0].sum() / total),
    }


def _copies(texts: Sequence[str], batch_size: int, apart: bool, dedup_batch: bool) -> Copies:
    """Exact copies (ignoring case and white space), near copies, and the false negatives of both if texts are pushed
    apart.
    """
    groups = Counter(map(plain, texts))
    exact = np.fromiter(groups.values(), dtype=np.int64, count=len(groups))
    names = list(groups)
    labels, pairs = near_groups(names)
    near = np.bincount(labels, weights=exact).astype(np.int64) if len(labels) else np.zeros(0, dtype=np.int64)
    members = np.bincount(labels) if len(labels) else np.zeros(0, dtype=np.int64)
    # Copies that a text can meet: the others of its group, without the exact ones where these are kept apart.
    met = near[labels] - (exact if dedup_batch else 1) if len(labels) else exact
    chances = beside(met, len(texts), batch_size)
    # The near figures include exact copies: all are false negatives if near copies mean the same.
    of_exact, of_near = (false_negatives(sizes, len(texts), batch_size) if apart else 0.0 for sizes in (exact, near))
    if dedup_batch:
        of_exact, of_near = 0.0, of_near - of_exact
    return {
        "rule": RULE,
        "exact": {
            "copies": int((exact - 1).sum()),
            "groups": int((exact > 1).sum()),
            "share": float((exact - 1).sum() / max(1, len(texts))),
            "examples": [{"text": text[:200], "count": count} for text, count in groups.most_common(5) if count > 1],
            "false_negatives": of_exact,
        },
        "near": {
            "texts": int(members[members > 1].sum()),
            "groups": int((members > 1).sum()),
            "share": float(members[members > 1].sum() / max(1, len(names))),
            "examples": [
                {"first": names[one][:200], "second": names[two][:200], "similarity": round(similarity, 3)}
                for one, two, similarity in pairs[:5]
            ],
            "false_negatives": of_near,
            "share_of_batch": float((chances * exact).sum() / max(1, len(texts))) if apart else 0.0,
        },
    }


def overlaps(
    texts: Iterable[str], evaluation_pairs: Sequence[PairSet], rated: Iterable[tuple[str, str]] = ()
) -> list[Overlap]:
    """For each evaluation set, the share of its distinct sentences that are in the corpus, whether that makes a score
    on it `transductive` (see `marks.SHARE`), and how many of its pairs are among the `rated` ones.

    Only letters and digits are compared, so that SentEval's tokenised texts match the raw ones.
    """
    if not evaluation_pairs:
        return []
    wanted = {letters(text) for pairs in evaluation_pairs for text in pairs.texts()}
    corpus = {key for key in map(letters, texts) if key in wanted}
    with_gold = {frozenset((letters(one), letters(two))) for one, two in rated}
    found: list[Overlap] = []
    for pairs in evaluation_pairs:
        sentences = {letters(text): text for text in reversed(pairs.texts())}
        common = [text for key, text in sentences.items() if key in corpus]
        share = len(common) / max(1, len(sentences))
        sides = [(letters(one), letters(two)) for one, two in zip(pairs.first, pairs.second, strict=True)]
        found.append(
            {
                "name": pairs.name,
                "task": pairs.task,
                "split": pairs.split,
                "sentences": len(sentences),
                "common": len(common),
                "share": share,
                "pairs": len(pairs),
                "pairs_with_both": sum(one in corpus and two in corpus for one, two in sides),
                "pairs_with_gold": sum(frozenset(pair) in with_gold for pair in sides),
                "examples": [text[:200] for text in common[:5]],
                "warn": share >= OVERLAP_SHARE,
                "transductive": share >= SHARE,
            }
        )
    return found


def mean_count(value: float) -> str:
    """A mean count in plain digits.

    >>> mean_count(0.004), mean_count(0.25), mean_count(1.26), mean_count(112.3), mean_count(2345.6)
    ('fewer than 0.01', '0.25', '1.3', '112', '2,346')
    """
    if value < 0.01:
        return "fewer than 0.01"
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def percent(share: float) -> str:
    """A share as a percentage in plain digits.

    >>> percent(0.0184), percent(0.1), percent(1)
    ('1.8 %', '10 %', '100 %')
    """
    return f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"


def _warnings(report: Report) -> list[str]:
    tokens, copies = report["tokens"], report["copies"]
    sampled = report["sampled"] < report["texts"]
    among = f" of {report['sampled']:,} drawn from {report['texts']:,}" if sampled else ""
    warnings = []
    if tokens["unknown"] > UNKNOWN_SHARE:
        warnings.append(
            f"{percent(tokens['unknown'])} of the tokens are unknown to this backbone ([UNK]): it cannot read these "
            "texts. Choose a backbone for their language."
        )
    if tokens["truncated"] > TRUNCATED_SHARE:
        warnings.append(
            f"{percent(tokens['truncated'])} of the texts are longer than {report['max_length']} tokens and will be "
            "cut. Raise “Maximum length, tokens” (max_length) to keep their ends."
        )
    exact, near = copies["exact"], copies["near"]
    if exact["false_negatives"] and (exact["share"] > COPIES_SHARE or exact["false_negatives"] >= 1):
        warnings.append(
            f"{exact['copies']:,} texts{among} ({percent(exact['share'])}) are copies of others. A batch of "
            f"{report['batch_size']} will contain {mean_count(exact['false_negatives'])} false negatives on average (pairs of "
            "equal texts that are pushed apart). Turn on “No duplicate texts in a batch” (dedup_batch), or remove the copies."
        )
    if near["false_negatives"] and near["share"] > COPIES_SHARE:
        warnings.append(
            f"{near['texts']:,} texts{among} ({percent(near['share'])}) nearly repeat another. With them, a batch of "
            f"{report['batch_size']} will contain {mean_count(near['false_negatives'])} false negatives on average, and "
            f"{percent(near['share_of_batch'])} of its texts have such a copy beside them."
        )
    for one in report["overlap"]:
        if one["warn"]:
            what = "Trained on test texts" if one["split"] == "test" else "The corpus contains evaluation texts"
            warnings.append(
                f"{what}: {one['common']:,} of the {one['sentences']:,} sentences of {one['name']} "
                f"({percent(one['share'])}) are in the corpus"
                + (f", {one['pairs_with_gold']:,} of its pairs with their scores." if one["pairs_with_gold"] else ".")
            )
    return warnings
