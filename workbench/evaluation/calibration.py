"""Calibration: how far a cosine, mapped to the scale of the gold scores on dev, is from them on test."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import BadData
from workbench.core.method import Knob
from workbench.core.progress import Progress, no_progress
from workbench.data import sts as data
from workbench.data.pair_sets import PairSet
from workbench.data.tasks import KNOWN, own_split
from workbench.evaluation._labelled import NO_LITERATURE
from workbench.evaluation._suite import Column, Encode, Suite
from workbench.evaluation._vectors import encoded
from workbench.metrics import checked_cosines
from workbench.statistics.means import mean_interval

if TYPE_CHECKING:
    from pandas import DataFrame

Floats = NDArray[np.float64]
BINS = 10


@dataclass(frozen=True)
class DevAndTest:
    """The pairs that the map is fitted on, and those that it is tested on."""

    dev: PairSet
    test: PairSet
    notices: list[str] = field(default_factory=list)

    @property
    def task(self) -> str:
        """Its id."""
        return self.test.task

    def texts(self) -> list[str]:
        """The texts of both."""
        return [*self.dev.texts(), *self.test.texts()]

    def as_pairs(self) -> PairSet:
        """The tested pairs."""
        return self.test


def present(folder: str | Path, *, folders: Sequence[str | Path] | None = None) -> dict[str, Callable[[], DevAndTest]]:
    """For each task with a dev and a test split in `folder`, a function that reads both.

    Raises:
        BadData: `folder` is not a folder.
        OutsideFolders: it is outside `folders`.
    """
    there = data.present(folder, folders=folders, tasks=KNOWN)
    return {
        task: partial(_both, splits[own_split(task, "dev")], splits["test"])
        for task, splits in there.items()
        if {own_split(task, "dev"), "test"} <= set(splits)
    }


def _both(dev: Callable[[], PairSet], test: Callable[[], PairSet]) -> DevAndTest:
    first, second = dev(), test()
    return DevAndTest(first, second, [*first.notices, *second.notices])


def calibration(
    encode: Encode,
    sets: Sequence[DevAndTest],
    *,
    fit: Annotated[
        Literal["isotonic", "linear"], Knob(help="The map: any rising one, or a straight line cut off at the ends.")
    ] = "isotonic",
    bins: Annotated[int, Knob(2, 50, 1, "Bins of equally many pairs for the binned error.")] = BINS,
    on_progress: Progress = no_progress,
) -> "DataFrame":
    """Mean absolute error in 0..1 of gold scores predicted from cosines: task, n, mae, low, high, binned, constant, official.

    Gold scores are divided by the length of their scale (SICK-R: from 1 to 5). The map from cosine to gold is fitted on dev.
    `low` and `high` are the 95 % bootstrap interval over test pairs. `binned` is the mean distance of mean prediction and mean
    gold in bins of equally many pairs, by prediction. `constant` is the error of always predicting the mean of dev. Lower is
    better.

    Prefer it over `sts` where the number itself is used, such as behind a threshold: a cosine is not a probability, and its
    rank correlation does not change if all cosines lie between .8 and .9.

    Raises:
        BadData: no set, or vectors that are not finite.
    """
    from pandas import DataFrame

    if not sets:
        raise BadData(
            "There are no pairs to calibrate on.", way_out="Choose a folder with stsb-dev.tsv and stsb-test.tsv."
        )
    rows = []
    for number, task in enumerate(sets):
        on_progress(number / len(sets), f"Calibrating on {task.task}")
        vectors = encoded(encode, task.texts(), task.task)
        dev, test = (checked_cosines(vectors(pairs.first), vectors(pairs.second)) for pairs in (task.dev, task.test))
        known, gold = scaled(task.dev), scaled(task.test)
        predicted = fitted(fit, dev, known)(test)
        errors = np.abs(predicted - gold)
        low, high = mean_interval(errors)
        rows.append(
            {
                "task": task.task,
                "n": len(gold),
                "mae": float(errors.mean()),
                "low": low,
                "high": high,
                "binned": binned_error(predicted, gold, bins),
                "constant": float(np.abs(known.mean() - gold).mean()),
                "official": False,
            }
        )
    return DataFrame(rows, columns=[column.name for column in COLUMNS])


def scaled(pairs: PairSet) -> Floats:
    """The gold scores on 0..1."""
    low, high = pairs.scale
    return np.asarray((pairs.gold - low) / (high - low), np.float64)


def fitted(fit: str, cosines: Floats, gold: Floats) -> Callable[[Floats], Floats]:
    """The map from cosines to 0..1 with the smallest squared error on these pairs."""
    if fit == "isotonic":
        from sklearn.isotonic import IsotonicRegression

        return IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(cosines, gold).predict
    spread = float(((cosines - cosines.mean()) ** 2).sum())
    slope = float((cosines - cosines.mean()) @ (gold - gold.mean())) / spread if spread > 0 else 0.0
    return lambda values: np.clip(gold.mean() + slope * (values - cosines.mean()), 0.0, 1.0)


def binned_error(predicted: Floats, gold: Floats, bins: int = BINS) -> float:
    """The mean over pairs of the distance of mean prediction and mean gold in the bin of each, with bins of equal numbers.

    >>> binned_error(np.array([0.1, 0.3, 0.8, 0.8]), np.array([0.2, 0.2, 0.9, 0.9]), bins=2)  # (0 + .1) / 2
    0.04999999999999999
    """
    order = np.argsort(predicted, kind="stable")
    parts = [part for part in np.array_split(order, bins) if len(part)]
    return float(sum(len(part) * abs(predicted[part].mean() - gold[part].mean()) for part in parts) / len(predicted))


COLUMNS = (
    Column("task", "The id of the task."),
    Column("n", "How many pairs are predicted."),
    Column("mae", "The mean absolute error, as a share of the scale.", share=True),
    Column("low", "The lower end of its 95 % bootstrap interval.", share=True),
    Column("high", "The upper end of it.", share=True),
    Column("binned", "The mean error of the means in bins of equally many pairs.", share=True),
    Column("constant", "The mean absolute error of always predicting the mean of dev.", share=True),
    Column("official", "Never: such scores are not published."),
)

METHOD = Suite(
    calibration,
    title="Calibration",
    source="Zadrozny and Elkan 2002, doi:10.1145/775047.775151, for the isotonic map; this file",
    formula=r"\frac{1}{N} \sum_i \left| m(\cos_i) - \mathrm{gold}_i \right|",
    tags={"direction": "lower is better"},
    tasks={
        name: task.title
        for name, task in KNOWN.items()
        if own_split(name, "dev") in task.splits and "test" in task.splits
    },
    present=present,
    files="dev and test of an STS task, such as stsb-dev.tsv and stsb-test.tsv",
    layouts="STS-B, SICK-R and Chinese STS-B with dev and test, in the layouts that the STS suite reads",
    columns=COLUMNS,
    score="mae",
    score_title="error",
    measure="Mean absolute error in per cent of the scale, after an {fit} fit on dev; lower is better",
    interval="bootstrap",
    doing="Calibrating cosines",
    offer="it shows how far a cosine is from the score that people would give, after one map for all pairs",
    beside={"binned": "binned"},
    baselines={"constant": "always the mean of dev"},
    unofficial=lambda table: [NO_LITERATURE],
)
