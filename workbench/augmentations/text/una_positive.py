"""UNA turned round (UDA's mode): the words that carry the least are replaced, the telling ones stay."""

from random import Random

from workbench.augmentations.text._tfidf import (
    Beta,
    Radius,
    RadiusShare,
    Replace,
    Select,
    Statistics,
    caution,
    prepare,
    replaced,
)
from workbench.core.method import Method


def una_positive(
    statistics: Statistics,
    text: str,
    *,
    beta: Beta = 0.5,
    radius: Radius = 4000,
    radius_share: RadiusShare = 0.0,
    select: Select = "tfidf",
    replace: Replace = "tfidf",
    rng: Random,
) -> str:
    """`text` in lower case, its tokens between spaces, the least telling ones replaced by others of about their rank.

    The token with the lowest TF-IDF always differs, the one with the highest stays unless it is the only one. Full stops and
    articles go first, so it keeps the topic and loses the grammar.

    >>> una_positive(prepare(["a red bus .", "a blue car .", "a bus ."]), "A red car .", beta=0.0, radius=2, rng=Random(0))
    'bus red car .'
    """
    return replaced(
        statistics,
        text,
        weakest=True,
        beta=beta,
        radius=radius,
        radius_share=radius_share,
        select=select,
        replace=replace,
        rng=rng,
    )


METHOD = Method(
    una_positive,
    title="Replace the least telling words (UDA)",
    source="Xie et al. 2020, UDA, arXiv:1904.12848; an option of Shu and Lampos 2024, UNA, arXiv:2401.02594",
    prepare=prepare,
    caution=caution,
    tags={"class": "possible", "role": "positive", "language": "any", "counts": "corpus"},
    formula=r"p_k = \min\!\left(\beta\,\frac{\max w - w_k}{\frac1n\sum_j (\max w - w_j)},\,1\right)",
)
