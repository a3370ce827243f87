"""Whether a linear classifier can tell from two vectors which augmentation lies between them."""

from dataclasses import dataclass

import numpy as np

from workbench.core.errors import BadData
from workbench.core.rows import unit_rows

FOLDS = 5
LEAST = 10
"""Fewest texts that an augmentation must have changed to be guessed at."""
RESAMPLES = 1000


@dataclass(frozen=True)
class Guessed:
    """How often an augmentation is guessed: mean over augmentations of the share of their texts (0..1), with a 95 % interval
    from resampling the original texts, and what guessing blindly would reach.
    """

    accuracy: float
    low: float
    high: float
    chance: float
    of_each: tuple[float, ...]
    """The share of each augmentation, in the order of its number."""


def guess(
    before: np.ndarray, after: np.ndarray, labels: np.ndarray, originals: np.ndarray, *, seed: int = 0
) -> Guessed:
    """Logistic regression on the difference of the unit vectors, in five folds; all of one original text are in one fold.

    `before` and `after` are (rows, dim): a text and what an augmentation made of it. `labels` are numbers of augmentations from 0
    and `originals` those of the texts, both (rows,). AugCSE's discriminator guesses from the two vectors as well; trained
    against it, an encoder should leave less to guess (Tang et al. 2022).

    Raises:
        BadData: fewer than two augmentations, or fewer original texts than folds.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    classes, texts = np.unique(labels), np.unique(originals)
    if len(classes) < 2 or len(texts) < FOLDS:
        raise BadData(
            f"There is nothing to guess with {len(classes)} augmentations of {len(texts)} texts.",
            rule=f"At least two augmentations and {FOLDS} texts are needed.",
            way_out="Choose more augmentations or a larger sample.",
        )
    difference = unit_rows(after.astype(np.float64)) - unit_rows(before.astype(np.float64))
    model = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced", max_iter=500))
    folds = GroupKFold(FOLDS, shuffle=True, random_state=seed)
    right = cross_val_predict(model, difference, labels, groups=originals, cv=folds) == labels
    # Counts of (text, augmentation): each resample weights the texts.
    place, kind = np.searchsorted(texts, originals), np.searchsorted(classes, labels)
    shape = (len(texts), len(classes))
    all_counts, right_counts = np.zeros(shape), np.zeros(shape)
    np.add.at(all_counts, (place, kind), 1)
    np.add.at(right_counts, (place, kind), right)
    of_each = right_counts.sum(axis=0) / all_counts.sum(axis=0)
    weights = np.random.default_rng(seed).multinomial(len(texts), np.full(len(texts), 1 / len(texts)), size=RESAMPLES)
    with np.errstate(invalid="ignore"):  # a resample may lack an augmentation
        resampled = np.nanmean(weights @ right_counts / (weights @ all_counts), axis=1)
    low, high = np.quantile(resampled, [0.025, 0.975])
    return Guessed(float(of_each.mean()), float(low), float(high), 1 / len(classes), tuple(map(float, of_each)))
