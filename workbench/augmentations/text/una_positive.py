"""UNA reversed (its UDA mode): the least informative words are replaced, the most informative ones stay."""

from functools import partial
from random import Random

from workbench.augmentations.text import _tfidf as tfidf
from workbench.augmentations.text._una import replaced_each
from workbench.core.method import Method


def una_positive(
    statistics: tfidf.Statistics,
    text: str,
    *,
    beta: tfidf.Beta = 0.5,
    radius: tfidf.Radius = 4000,
    radius_share: tfidf.RadiusShare = 0.0,
    select: tfidf.Select = "tfidf",
    replace: tfidf.Replace = "tfidf",
    rng: Random,
) -> str:
    """`text` in lower case, its tokens separated by spaces, the least informative ones replaced by others of about their rank.

    The token with the lowest TF-IDF is always replaced; the one with the highest stays unless it is the only one. Full
    stops and articles are replaced first, so the topic stays and the grammar is lost.

    Prefer it over `eda_synonym` when texts are not English; it needs a corpus to count words in, and the new words
    are not chosen by meaning.

    >>> una_positive(tfidf.prepare(["a red bus .", "a blue car .", "a bus ."]), "A red car .", beta=0.0, radius=2, rng=Random(0))
    'bus red car .'
    """
    reach = tfidf.radius_of(statistics, radius, radius_share)
    return tfidf.replaced(statistics, text, beta, reach, select, replace, weakest=True, rng=rng)


METHOD = Method(
    una_positive,
    title="Replace the least informative words (UDA)",
    source="Xie et al. 2020, UDA, arXiv:1904.12848; an option of Shu and Lampos 2024, UNA, arXiv:2401.02594",
    prepare=tfidf.prepare,
    caution=tfidf.caution,
    each=partial(replaced_each, weakest=True),
    tags={"class": "possible", "role": "positive", "language": "any", "counts": "corpus"},
    formula=r"p_k = \min\!\left(\beta\,\frac{\max w - w_k}{\frac1n\sum_j (\max w - w_j)},\,1\right)",
)
