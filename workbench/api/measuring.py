"""What models make of texts, and how good that is. Every verb waits for its answer."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from workbench.api.asking import submit
from workbench.api.places import AnyRun, Folder
from workbench.compute.tickets import Answer
from workbench.core import presets
from workbench.core.errors import BadData, unknown

if TYPE_CHECKING:
    import numpy
    from pandas import DataFrame


def encode(
    texts: Sequence[str],
    *,
    backbone: str = "minilm-l3",
    precision: str = "fp32",
    runs: Folder = None,
    follow: Callable[[Answer], None] | None = None,
) -> "numpy.ndarray":
    """One float32 vector a text, shape (n, d), as the model gives them. Waits for the answer.

    `backbone` is any target: an embedded id, a Hub id, a model folder, a run id or folder (its best checkpoint),
    with `@step0`, `@best` or `@last`, `:pooling` and `+transform` behind it if wanted, or `tfidf` or `glove`. Settings
    stand in brackets: `minilm-l3:mean(without=10)+whitening(k=64, on=texts.txt)`; `workbench.targets.target` has the
    grammar. `follow` is told the progress.

    Raises:
        WorkbenchError: a name, a text or a model that cannot be used.
    """
    return submit("encode", runs=runs, texts=list(texts), target=backbone, precision=precision).wait(follow=follow)


def fill_mask(
    texts: str | Sequence[str],
    *,
    words: Sequence[str] | Sequence[Sequence[str]] = (),
    backbone: str = "mini-mlm",
    top: int = 10,
    runs: Folder = None,
    follow: Callable[[Answer], None] | None = None,
) -> "DataFrame":
    """What a masked language model writes at each `[MASK]` of the texts. Waits for the answer.

    `words` are the words that the masks of a text cover, a list for each text if there are several; "" where that is
    not known. Then the true word is in the table wherever it ranks, piece by piece if it has several. Columns: text,
    mask (both from 0), piece, pieces, rank (from 1), token, probability (over the whole vocabulary), true.

    Raises:
        BadModel: `backbone` (embedded id, Hub id, folder, or a run that pretrains) has no masked-language head or mask token.
        BadData: a text without [MASK], or with one behind the longest input of the model.
    """
    one = isinstance(texts, str)
    asked: dict[str, Any] = {"texts": [texts] if one else list(texts), "target": backbone, "top": top}
    if not one and any(isinstance(own, str) for own in words):
        raise BadData("words has a list of words for each of several texts.", got=repr(words)[:80])
    asked["words"] = ([list(words)] if one else [list(own) for own in words]) if words else []
    return submit("fill_mask", runs=runs, **asked).wait(follow=follow)


def evaluate(
    target: AnyRun,
    *,
    suite: str = presets.SUITE,
    data: Folder = None,
    runs: Folder = None,
    follow: Callable[[Answer], None] | None = None,
    **settings: Any,
) -> "DataFrame":
    """A row for each task of a suite in the folder `data`.

    `sts`: Spearman (-1..1): task, split, n, subsets, all, mean, wmean, official, low, high, fitted_on. `mean` and `wmean`
    are NaN where a file names no subsets. `transfer`: accuracy (0..1) of a classifier on frozen vectors: see
    `workbench.evaluation.transfer`; its setting is `folds`.

    `.attrs` has the names of `absent` tasks, `mean` (label, value; the label is `avg` only if all seven are there as
    published), precision, max_length and notices.

    Raises:
        WorkbenchError: no such suite, setting or target, or nothing to evaluate on.
    """
    from workbench.evaluation import METHODS

    if suite not in METHODS:
        raise unknown("suite", suite, METHODS)
    asked = METHODS[suite].check(settings)
    return submit(suite, runs=runs, target=target, data=data or "", **asked).wait(follow=follow)


def compare(
    targets: Sequence[AnyRun],
    *,
    pairs: str = "demo:dev",
    runs: Folder = None,
    follow: Callable[[Answer], None] | None = None,
) -> "DataFrame":
    """One row a target on one pair set: spearman with its 95 % interval, alignment, uniformity, mean_cosine and more.

    Columns: target, pairs, n, spearman, low, high, alignment, alignment_on, uniformity, mean_cosine, collapsed,
    precision, max_length, fitted_on. `.attrs` has the notices.

    Raises:
        WorkbenchError: a target or pair set that cannot be used.
    """
    import pandas

    if isinstance(targets, str) or not targets:
        raise BadData(
            "compare needs a list of targets.", got=repr(targets), way_out='Such as ["minilm-l3", "minilm-l3+centre"].'
        )
    tickets = [submit("evaluate", runs=runs, target=target, pairs=pairs) for target in targets]
    found = [ticket.wait(follow=follow)["scores"] for ticket in tickets]
    who: dict[str, list[str]] = {}
    for target, one in zip(targets, found, strict=True):
        for note in filter(None, (*one["notices"], one.get("undefined"))):
            who.setdefault(note, []).append(str(target))
    scores = ["target", "pairs", "n", "spearman", "low", "high"]
    space = ["alignment", "alignment_on", "uniformity", "mean_cosine", "collapsed"]
    table = pandas.DataFrame(found)[[*scores, *space, "precision", "max_length", "fitted_on"]]
    table.attrs["notices"] = [
        note if len(own) == len(found) else f"{', '.join(own)}: {note}" for note, own in who.items()
    ]
    return table


def project(
    texts: Sequence[str],
    *,
    backbone: str = "minilm-l3",
    method: Literal["pca", "umap", "cone"] = "pca",
    views: int = 0,
    dropout: float = 0.1,
    seed: int = 0,
    runs: Folder = None,
) -> "DataFrame":
    """Columns row, view, x, y, text: the texts in the plane, or `views` dropout views of each.

    `.attrs` says what the picture cannot show: see `workbench.analysis.projection`.

    Raises:
        WorkbenchError: a target, or too few texts.
    """
    asked: dict[str, Any] = {"method": method, "views": views, "dropout": dropout, "seed": seed}
    return submit("project", runs=runs, texts=list(texts), target=backbone, **asked).wait()
