"""UNA's negatives: the most informative words are replaced by others of about the same weight."""

from functools import partial
from random import Random

from workbench.augmentations.text import _tfidf as tfidf
from workbench.augmentations.text._una import replaced_each
from workbench.core.method import Method


def una_negative(
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
    """`text` in lower case, its tokens separated by spaces, the informative ones replaced: alike in form, not in meaning.

    The token with the highest TF-IDF is always replaced and the one with the lowest, often the full stop, stays. Each
    replacement comes from the ranks around that of the word it replaces. In a small corpus this window covers much of
    the vocabulary: then set the radius as a share. The published code sometimes draws the word itself and replaces
    nothing if all scores are equal; this does neither.

    Prefer it over `augcse_antonym_substitute` when texts are not English or nearly every text must change; it needs
    a corpus to count words in.

    >>> una_negative(tfidf.prepare(["a red bus .", "a blue car .", "a bus ."]), "A red car .", beta=0.0, rng=Random(4))
    'a blue car .'
    """
    reach = tfidf.radius_of(statistics, radius, radius_share)
    return tfidf.replaced(statistics, text, beta, reach, select, replace, weakest=False, rng=rng)


METHOD = Method(
    una_negative,
    title="Replace the informative words (UNA)",
    source="Shu and Lampos 2024, UNA, arXiv:2401.02594",
    prepare=tfidf.prepare,
    caution=tfidf.caution,
    each=partial(replaced_each, weakest=False),
    tags={"class": "meaning_alteration", "role": "negative", "language": "any", "counts": "corpus"},
    formula=r"p_k = \min\!\left(\beta\,\frac{w_k - \min w}{\frac1n\sum_j (w_j - \min w)},\,1\right),\qquad"
    r" w_k = \ln\!\left(1 + \tfrac{n_k}{n}\right)\ln\tfrac{m}{m_k}",
)
