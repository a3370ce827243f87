"""Parses columns of scores and of classes, and explains why one cannot be used."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from workbench.data.cells import is_number
from workbench.data.columns import NO_VALUE, PARAPHRASED
from workbench.data.scales import without_score

NLI = ("contradiction", "entailment", "neutral")
"""Classes of natural language inference, in SBERT's order."""
PARAPHRASES = ("no paraphrase", "paraphrase")
"""Classes 0 and 1 of a column whose name says which of them mean the same, as those of Quora and MRPC do."""
NOT_ENTAILED = ("not_entailment", "non-entailment", "none")
"""What stands beside entailment where there are two classes, as in RTE, HANS and ASSIN 2."""
_SCITAIL = {"entails": "entailment", "neutral": "neutral"}
"""SciTail's two classes by its words for them."""
MEAN_THE_SAME = {NLI: NLI.index("entailment"), PARAPHRASES: 1} | {
    ("entailment", other): 0 for other in (*NOT_ENTAILED, _SCITAIL["neutral"])
}
"""The class of pairs that mean the same, by classes."""
UNLABELLED = ("", "-", "-1", "none", "nan", "hidden")
_NLI = {word: NLI.index(name) for name in NLI for word in (name, name[0])} | {
    "contradictory": NLI.index("contradiction"),
    "entails": NLI.index("entailment"),
}
_ENTAILMENT = {word for word, number in _NLI.items() if number == NLI.index("entailment")}
_SAID = {"0": 0, "false": 0, "1": 1, "true": 1}
_CLASSES = 20
"""A column with more distinct values than this does not hold classes."""


def scores(cells: Sequence[str], title: str) -> tuple[np.ndarray, str]:
    """The scores, of shape [cells] with nan where a row has none, and why the column is unusable (empty if it is usable).

    A row has none if its cell is not a number, or the -1 of `without_score`.
    """
    values = np.array([float(cell.replace(",", ".")) if is_number(cell) else math.nan for cell in cells])
    values[~np.isfinite(values)] = math.nan
    values[without_score(values)] = math.nan
    there = values[np.isfinite(values)]
    if not len(there):
        return values, f"column {title} holds no numbers."
    if there.min() == there.max():
        return values, f"column {title} holds one score in all rows, {there[0]:g}: it cannot rank anything."
    return values, ""


def none_is_a_class(labels: Iterable[str]) -> bool:
    """Whether the word none is a class beside other labels, in lower case: these are words, other than the classes of inference
    with neutral or contradiction among them. Beside numbers, beside true and false, and beside those, it marks a row without a
    label.

    >>> none_is_a_class(["favor", "against", "none"]), none_is_a_class(["entailment", "none"])
    (True, True)
    >>> none_is_a_class(["0", "1", "none"]), none_is_a_class(["entailment", "neutral", "none"]), none_is_a_class(["none"])
    (False, False, False)
    >>> none_is_a_class(["true", "false", "none"]), none_is_a_class(["true", "false", "mixed", "none"])
    (False, True)
    """
    others = {*labels} - {*UNLABELLED, *NO_VALUE}
    of_three = others <= _NLI.keys() and not others <= _ENTAILMENT
    numbers = any(map(is_number, others)) or others <= _SAID.keys()
    return bool(others) and not numbers and not of_three


def _there(words: Sequence[str]) -> list[str]:
    """Those of the words that are labels."""
    unlabelled = {*UNLABELLED} - ({"none"} if none_is_a_class(words) else set())
    return [word for word in words if word not in unlabelled]


def of_inference(cells: Iterable[str]) -> bool:
    """Whether labels are classes of inference: at least half of those that are there, and at least one. Where entailment has
    only one class beside it, such as not_entailment or neutral beside SciTail's entails, the two are classes of their own.

    >>> of_inference(["neutral", "-", "entailment"]), of_inference(["e", "yes", "no"]), of_inference(["-"])
    (True, False, False)
    >>> of_inference(["entailment", "entailment", "not_entailment"]), of_inference(["entailment", "none"])
    (False, False)
    """
    there = _there([cell.strip().casefold() for cell in cells])
    if {*there} == _SCITAIL.keys():
        return False
    if {*there} & {*NOT_ENTAILED} and {*there} & _NLI.keys() <= _ENTAILMENT:
        return False
    known = sum(word in _NLI for word in there)
    return known > 0 and known >= 0.5 * len(there)


def are_classes(cells: Sequence[str]) -> bool:
    """Whether the cells of a column without a name are classes: those of inference, or at most `_CLASSES` words, each with a
    letter and without a space, of which some recur and not all are the same.

    >>> are_classes(["neutral", "neutral"]), are_classes(["aligned", "partial", "aligned"])
    (True, True)
    >>> are_classes(["en", "en"]), are_classes(["a.jpg", "b.jpg"]), are_classes(["1-0", "1-0", "2-0"])
    (False, False, False)
    """
    words = _there([cell.strip().casefold() for cell in cells])
    distinct = {*words}
    if distinct and (of_inference(words) or distinct <= {*NOT_ENTAILED, *_NLI}):
        return True
    some_recur = 2 <= len(distinct) <= _CLASSES and len(distinct) < len(words)
    return some_recur and all(" " not in word and any(map(str.isalpha, word)) for word in distinct)


def names_of_inference(names: object) -> list[str]:
    """The names that a data set of the Hub gives to classes it stores as numbers, if they are those of inference, three or two;
    none otherwise.

    >>> names_of_inference(["entailment", "neutral", "contradiction"]), names_of_inference(["no", "yes"])
    (['entailment', 'neutral', 'contradiction'], [])
    >>> names_of_inference(["not_entailment", "entailment"])
    ['not_entailment', 'entailment']
    """
    known = (NLI, *(("entailment", other) for other in NOT_ENTAILED))
    return names if isinstance(names, list) and tuple(sorted(map(str, names))) in known else []


def named(value: object, names: Sequence[str]) -> object:
    """A stored class by its name, and an empty text for a number without one, such as -1; anything else as it is."""
    return (names[value] if 0 <= value < len(names) else "") if names and isinstance(value, int) else value


def labels(cells: Sequence[str], title: str) -> tuple[np.ndarray, tuple[str, ...], str]:
    """Class numbers of shape [cells] (-1 where a cell has no label), the classes, and why the column is unusable (or
    empty).

    Entailment, neutral and contradiction, also written e, n and c, have fixed numbers, see `NLI`. All other words or numbers are
    classes in sorted order; see `none_is_a_class`. In a column called as Quora's or MRPC's, 0 and 1, or false and true, are
    those of `PARAPHRASES`.
    """
    words = [cell.strip().casefold() for cell in cells]
    there = _there(words)
    if of_inference(there):
        values = np.array([_NLI.get(word, -1) for word in words], dtype=np.int64)
        classes: tuple[str, ...] = NLI
        strange = sorted({word for word in there if word not in _NLI})
        if strange:
            return values, classes, f"column {title} has the unknown label {strange[0]!r} besides {', '.join(NLI)}."
    else:
        if {*there} == _SCITAIL.keys():
            words, there = ([_SCITAIL.get(word, word) for word in some] for some in (words, there))
        distinct = sorted(set(there), key=lambda word: (float(word) if word.isdecimal() else math.inf, word))
        if len(distinct) > _CLASSES:
            return (
                np.full(len(words), -1),
                (),
                f"column {title} has {len(distinct):,} different labels: too many for classes.",
            )
        place = {word: number for number, word in enumerate(distinct)}
        classes = tuple(distinct)
        if title.strip().casefold() in PARAPHRASED and {*distinct} <= _SAID.keys():
            classes, place = PARAPHRASES, _SAID
        values = np.array([place.get(word, -1) for word in words], dtype=np.int64)
    if len(set(values[values >= 0].tolist())) < 2:
        return values, classes, f"column {title} holds one label in all rows: there is nothing to distinguish."
    return values, classes, ""
