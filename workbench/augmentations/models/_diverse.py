"""Submodular selection of candidates that are close to the source and differ from each other."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from math import sqrt

_QUALITY = 0.4  # of the objective; the rest is diversity
_LONGEST = 3  # n-grams


def selected(candidates: Sequence[str], source: str, keep: int) -> list[str]:
    """At most `keep` of the candidates, chosen greedily by what each adds to the objective; ties go to the earlier one.

    The objective has the form of Kumar et al. 2019: .4 times fidelity, the root of the summed n-gram overlap with the source,
    plus .6 times diversity: the share of all candidates' distinct n-grams that is covered, plus the root of the summed
    word-level similarity of all candidates to the chosen ones. Each part is 1 for the whole set. The published fidelity is
    half n-gram overlap and half similarity of GloVe vectors: here it is the overlap alone, so that the result does not depend
    on whether vectors are installed.

    >>> selected(["a red dog ran", "a red dog ran off", "one day my cat slept"], "a red dog ran", 2)
    ['a red dog ran off', 'one day my cat slept']
    """
    split = [candidate.split() for candidate in candidates]
    grams = [_grams(words) for words in split]
    given = _grams(source.split())
    fidelity = [sum(len(those[n] & given[n]) / (_LONGEST - n) for n in range(_LONGEST)) for those in grams]
    alike = [sum(SequenceMatcher(None, one, other, autojunk=False).ratio() for one in split) for other in split]

    def value(chosen: Sequence[int]) -> tuple[float, float, float]:
        covered = sum(len(set().union(*(grams[row][n] for row in chosen))) / (n + 1) for n in range(_LONGEST))
        return sqrt(sum(fidelity[row] for row in chosen)), covered, sqrt(sum(alike[row] for row in chosen))

    everything = list(range(len(candidates)))
    whole = [part or 1.0 for part in value(everything)]

    def worth(chosen: Sequence[int]) -> float:
        overlap, covered, spread = (part / total for part, total in zip(value(chosen), whole, strict=True))
        return _QUALITY * overlap + (1 - _QUALITY) * (covered + spread)

    chosen: list[int] = []
    while len(chosen) < min(keep, len(candidates)):
        rest = [row for row in everything if row not in chosen]
        chosen.append(max(rest, key=lambda row: (worth([*chosen, row]), -row)))
    return [candidates[row] for row in chosen]


def _grams(words: Sequence[str]) -> list[set[tuple[str, ...]]]:
    return [{tuple(words[at : at + n]) for at in range(len(words) - n + 1)} for n in range(1, _LONGEST + 1)]
