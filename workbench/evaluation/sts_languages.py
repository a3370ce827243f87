"""Semantic textual similarity in Chinese and Japanese, by the protocol of `sts`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.progress import Progress, no_progress
from workbench.data import sts as data
from workbench.data.tasks import LANGUAGES
from workbench.evaluation._suite import Encode, Suite
from workbench.evaluation.sts import COLUMNS, sts, unofficial

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.data.pair_sets import PairSet


def present(folder: str | Path, *, folders: Sequence[str | Path] | None = None) -> dict[str, Callable[[], "PairSet"]]:
    """For each task whose tested split is in `folder`, a function that reads it; see `workbench.data.sts.present`.

    Raises:
        BadData: `folder` is not a folder.
        OutsideFolders: it is outside `folders`.
    """
    splits_of = data.present(folder, folders=folders, tasks=LANGUAGES)
    return {
        task: splits[LANGUAGES[task].tested] for task, splits in splits_of.items() if LANGUAGES[task].tested in splits
    }


def sts_languages(
    encode: Encode, pair_sets: "Sequence[PairSet]", *, on_progress: Progress = no_progress
) -> "DataFrame":
    """Spearman in -1..1 for Chinese STS-B and JSTS: the columns of `sts`, computed in the same way.

    Chinese STS-B is scored on its test split, JSTS on its validation split, as others do, because the labels of its test split
    are not public.

    Prefer it over `sts` for an encoder of these languages; scores of different languages are never averaged.

    Raises:
        BadData: no pair set, or vectors that are not finite.
    """
    return sts(encode, pair_sets, on_progress=on_progress)


METHOD = Suite(
    sts_languages,
    title="STS in Chinese and Japanese",
    source="Chinese STS-B: github.com/pluto-junzeng/CNSD; JSTS: Kurihara, Kawahara and Shibata 2022, JGLUE, "
    "https://aclanthology.org/2022.lrec-1.317",
    formula=r"\rho = \mathrm{Spearman}\left(\cos(f(s_1), f(s_2)),\ \mathrm{gold}\right)",
    tags={"direction": "higher is better", "noun": "Chinese or Japanese STS"},
    tasks={name: task.title for name, task in LANGUAGES.items()},
    present=present,
    files="files such as cnsd-stsb-test.tsv, stsb_zh-test.tsv, jsts-dev.tsv or JGLUE's valid-v1.3.json",
    layouts="Chinese STS-B and JSTS, as tables with score, sentence1 and sentence2, or in JGLUE's own files",
    columns=COLUMNS,
    score="all",
    score_title="Spearman",
    measure="Spearman x 100",
    interval="bootstrap",
    doing="Evaluating the STS tasks",
    offer="the usual headline score of sentence vectors, in two more languages",
    unofficial=unofficial,
)
