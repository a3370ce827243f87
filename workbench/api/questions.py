"""The verbs as functions, each of which waits for its answer. Written by `python -m workbench.verbs`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from workbench.api.asking import Follow, answer
from workbench.api.places import AnyRun, Folder
from workbench.core import presets
from workbench.core.config import RunConfig
from workbench.verbs import articles as _articles
from workbench.verbs import corpus_report as _corpus_report
from workbench.verbs import cost as _cost
from workbench.verbs import doctor as _doctor
from workbench.verbs import drawn_pairs as _drawn_pairs
from workbench.verbs import dropout_views as _dropout_views
from workbench.verbs import dry_run as _dry_run
from workbench.verbs import encode as _encode
from workbench.verbs import evaluate as _evaluate
from workbench.verbs import fill_mask as _fill_mask
from workbench.verbs import geometry as _geometry
from workbench.verbs import gradients as _gradients
from workbench.verbs import inspect as _inspect
from workbench.verbs import list_methods as _list_methods
from workbench.verbs import neighbours as _neighbours
from workbench.verbs import pair_texts as _pair_texts
from workbench.verbs import project as _project
from workbench.verbs import sample as _sample
from workbench.verbs import scan as _scan
from workbench.verbs import score as _score
from workbench.verbs import states as _states
from workbench.verbs import tokens as _tokens
from workbench.verbs import training_texts as _training_texts
from workbench.verbs import wordnet as _wordnet

if TYPE_CHECKING:
    import numpy
    from pandas import DataFrame


def articles(
    corpus: str | Path, *, backbone: AnyRun = presets.MASKED, runs: Folder = None, follow: Follow = None
) -> dict[str, Any]:
    """What the files of a pretraining hold, and what the backbone's vocabulary makes of them.

    Returns: Plain dictionary, see `pretraining.articles.counted`.

    * `corpus`: One file or several, with ; between them.
    * `backbone`: A backbone, a run, RUN@step0, NAME:cls, 'NAME+whitening(k=64)', tfidf, ...

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(_articles.VERB, runs=runs, follow=follow, corpus=corpus, backbone=backbone)


def corpus_report(
    corpus: str | Path = "demo",
    *,
    backbone: AnyRun = presets.TARGET,
    max_length: int = 32,
    batch_size: int = 64,
    apart: bool = True,
    dedup_batch: bool = False,
    pairs: str | Sequence[str] = ("demo:dev", "demo:test"),
    runs: Folder = None,
    follow: Follow = None,
) -> dict[str, Any]:
    """What a corpus holds: lengths, copies, overlap with pair sets, and what is worth a warning.

    Returns: Plain dictionary, see `data.report`.

    * `corpus`: demo, demo:triplets, ..., FILE, FILE#COLUMN, hf:ORG/NAME, or texts:demo:dev,stsb:test@FOLDER.
    * `backbone`: A backbone, a run, RUN@step0, NAME:cls, 'NAME+whitening(k=64)', tfidf, ...
    * `apart`: Whether the texts of a batch are to be pushed apart.
    * `dedup_batch`: Whether a batch has no text twice.
    * `pairs`: Pair sets that are looked for in the corpus.

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(
        _corpus_report.VERB,
        runs=runs,
        follow=follow,
        corpus=corpus,
        backbone=backbone,
        max_length=max_length,
        batch_size=batch_size,
        apart=apart,
        dedup_batch=dedup_batch,
        pairs=pairs,
    )


def cost(
    corpus: str | Path = "demo",
    *,
    pipelines: str | Sequence[str] | None = None,
    target: AnyRun = presets.TARGET,
    seed: int = 0,
    protect: str | Sequence[str] = (),
    protect_pattern: str = "",
    n: int = 2000,
    runs: Folder = None,
    follow: Follow = None,
) -> _cost.Costs:
    """What a scan of a corpus would take, judged from 50 texts.

    Returns: a table of all pipelines.

    * `corpus`: demo, demo:triplets, ..., FILE, FILE#COLUMN, hf:ORG/NAME, or texts:demo:dev,stsb:test@FOLDER.
    * `pipelines`: Default: all that need no second model.
    * `protect`: Terms that may not be changed.
    * `protect_pattern`: What this regular expression finds may not be changed.
    * `n`: Texts of the stratified sample.

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(
        _cost.VERB,
        runs=runs,
        follow=follow,
        corpus=corpus,
        pipelines=pipelines,
        target=target,
        seed=seed,
        protect=protect,
        protect_pattern=protect_pattern,
        n=n,
    )


def doctor(*, runs: Folder = None) -> "DataFrame":
    """Whether everything is here that is needed: packages, devices, weights, the runs folder and its processes.

    Returns: Columns check, state (ok, note, problem), finding, way_out.

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(_doctor.VERB, runs=runs)


def drawn_pairs(
    corpus: str | Path = "demo",
    *,
    pipelines: str | Sequence[str] | None = (),
    target: AnyRun = presets.TARGET,
    seed: int = 0,
    protect: str | Sequence[str] = (),
    protect_pattern: str = "",
    count: int = 50,
    runs: Folder = None,
    follow: Follow = None,
) -> "DataFrame":
    """Texts and what augmentations made of them, shuffled over the augmentations, for people to judge.

    Returns: Columns pair, pipeline, title, before, text, cosine, tried, see `previews.judging`.

    * `corpus`: demo, demo:triplets, ..., FILE, FILE#COLUMN, hf:ORG/NAME, or texts:demo:dev,stsb:test@FOLDER.
    * `pipelines`: The augmentations to judge.
    * `protect`: Terms that may not be changed.
    * `protect_pattern`: What this regular expression finds may not be changed.
    * `count`: Pairs of each pipeline.

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(
        _drawn_pairs.VERB,
        runs=runs,
        follow=follow,
        corpus=corpus,
        pipelines=pipelines,
        target=target,
        seed=seed,
        protect=protect,
        protect_pattern=protect_pattern,
        count=count,
    )


def dropout_views(
    texts: Sequence[str],
    *,
    target: AnyRun = presets.TARGET,
    views: int = 8,
    dropout: float = 0.1,
    seed: int = 0,
    runs: Folder = None,
    follow: Follow = None,
) -> "numpy.ndarray":
    """Each text encoded several times with dropout on: the two views of SimCSE, and more of them.

    Returns: float32 array (texts, views, dim).

    * `views`: Encodings of each text.
    * `dropout`: Rate of dropout in the backbone.

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(
        _dropout_views.VERB,
        runs=runs,
        follow=follow,
        texts=texts,
        target=target,
        views=views,
        dropout=dropout,
        seed=seed,
    )


def dry_run(config: RunConfig | str | None, *, runs: Folder = None, follow: Follow = None) -> dict[str, Any]:
    """Time, memory and warnings of a training, by two steps that change nothing.

    Returns: Plain dictionary, see `preflight.dry_run`.

    * `config`: The run's configuration.

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(_dry_run.VERB, runs=runs, follow=follow, config=config)


def encode(
    texts: Sequence[str],
    *,
    target: AnyRun = presets.TARGET,
    precision: Literal["auto", "fp32", "bf16"] = "fp32",
    runs: Folder = None,
    follow: Follow = None,
) -> "numpy.ndarray":
    """One vector a text, as a target gives it.

    Returns: float32 array (texts, dim).

    * `precision`: What the encoder computes in.

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(_encode.VERB, runs=runs, follow=follow, texts=texts, target=target, precision=precision)


def evaluate(
    target: AnyRun = presets.TARGET,
    *,
    suite: str = presets.SUITE,
    data: str | Path = "",
    settings: Mapping[str, Any] = {},
    runs: Folder = None,
    follow: Follow = None,
) -> "DataFrame":
    """The tasks of a suite that are present in a folder.

    Returns: a row for each task, with the columns of the suite and fitted_on.

    `.attrs` has the names of `absent` tasks, `mean` (label, value), the settings, precision, max_length, notices, and `marks`
    by task where it was trained on.

    * `suite`: The suite; `list suites` has them.
    * `data`: The folder with its tasks.
    * `settings`: Settings of the suite, such as folds.

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(_evaluate.VERB, runs=runs, follow=follow, target=target, suite=suite, data=data, settings=settings)


def fill_mask(
    texts: Sequence[str],
    *,
    words: Sequence[Sequence[str]] = (),
    target: AnyRun = presets.MASKED,
    top: int = 10,
    runs: Folder = None,
    follow: Follow = None,
) -> "DataFrame":
    """What a masked language model writes at each [MASK] of some texts.

    Returns: Columns text, mask, piece, pieces, rank, token, probability, true, see `previews.fill_mask`.

    * `words`: What the masks of each text cover.
    * `top`: Words shown for each mask.

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(_fill_mask.VERB, runs=runs, follow=follow, texts=texts, words=words, target=target, top=top)


def geometry(
    texts: Sequence[str], *, target: AnyRun = presets.TARGET, runs: Folder = None, follow: Follow = None
) -> _geometry.Space:
    """Metrics and spectrum of the space that some texts span.

    Returns: the metrics and the spectrum; each text counts once.

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(_geometry.VERB, runs=runs, follow=follow, texts=texts, target=target)


def gradients(
    target: AnyRun = presets.TARGET,
    *,
    config: RunConfig | str | None = None,
    step: int = 1,
    pipelines: str | Sequence[str] = (),
    rows: int = 32,
    runs: Folder = None,
    follow: Follow = None,
) -> _gradients.GradientCosines:
    """The gradients of a step under several augmentations, held against each other.

    Returns: the cosine of each two gradients, and the norm of each.

    * `config`: Its configuration; empty for that of the run.
    * `step`: The step, from 1.
    * `pipelines`: The augmentations, a line each.
    * `rows`: Rows of the batch.

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(
        _gradients.VERB,
        runs=runs,
        follow=follow,
        target=target,
        config=config,
        step=step,
        pipelines=pipelines,
        rows=rows,
    )


def inspect(
    target: AnyRun = presets.TARGET,
    *,
    config: RunConfig | str | None = None,
    step: int = 1,
    runs: Folder = None,
    follow: Follow = None,
) -> _inspect.Batch:
    """The batch of a step: its texts, their candidates, and the softmax of its loss.

    Returns: similarities and scores of all rows with all candidates.

    * `config`: Its configuration; empty for that of the run.
    * `step`: The step, from 1.

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(_inspect.VERB, runs=runs, follow=follow, target=target, config=config, step=step)


def list_methods(kind: str, *, runs: Folder = None) -> "DataFrame":
    """Everything of one kind: losses, augmentations, objectives, recipes, poolings, heads, transforms, metrics, suites,
    analyses or backbones.

    Returns: Columns id, title, summary, source.

    * `kind`: What is listed.

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(_list_methods.VERB, runs=runs, kind=kind)


def neighbours(
    texts: Sequence[str],
    *,
    target: AnyRun = presets.TARGET,
    count: int = 10,
    runs: Folder = None,
    follow: Follow = None,
) -> "DataFrame":
    """The nearest other texts of each text, by cosine.

    Returns: Columns row, rank (from 1), neighbour (its row), cosine.

    * `count`: Neighbours of each text.

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(_neighbours.VERB, runs=runs, follow=follow, texts=texts, target=target, count=count)


def pair_texts(
    pairs: str | Path = "demo:dev", *, most: int = 1000, runs: Folder = None, follow: Follow = None
) -> _pair_texts.Sentences:
    """The distinct sentences of a pair set, evenly thinned to at most so many.

    Returns: the sentences in the order of the set, and the step of the thinning.

    * `pairs`: demo:dev, TASK:SPLIT@FOLDER, sts@FOLDER, FILE or hf:ORG/NAME.
    * `most`: Most sentences; of more, every second, third, ... is taken.

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(_pair_texts.VERB, runs=runs, follow=follow, pairs=pairs, most=most)


def project(
    texts: Sequence[str],
    *,
    target: AnyRun = presets.TARGET,
    method: Literal["pca", "umap", "cone"] = "pca",
    views: int = 0,
    dropout: float = 0.1,
    neighbours: int = 15,
    seed: int = 0,
    runs: Folder = None,
    follow: Follow = None,
) -> "DataFrame":
    """Where texts lie in two dimensions, or `views` dropout views of each.

    Returns: Columns row, view, x, y, text, with views also mean_x, mean_y and silhouette.

    `.attrs` says what the picture cannot show, see `workbench.analysis.projection`.

    * `method`: How vectors become points.
    * `views`: Dropout views of each text; 0 shows each text once, without dropout.
    * `dropout`: Rate of dropout in the backbone.
    * `neighbours`: Neighbours that UMAP looks at.

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(
        _project.VERB,
        runs=runs,
        follow=follow,
        texts=texts,
        target=target,
        method=method,
        views=views,
        dropout=dropout,
        neighbours=neighbours,
        seed=seed,
    )


def sample(
    corpus: str | Path = "demo", *, n: int = 10, seed: int = 0, runs: Folder = None, follow: Follow = None
) -> "DataFrame":
    """Some texts of a corpus, drawn evenly.

    Returns: Columns row, text, in the order of the corpus.

    * `corpus`: demo, demo:triplets, ..., FILE, FILE#COLUMN, hf:ORG/NAME, or texts:demo:dev,stsb:test@FOLDER.
    * `n`: Texts drawn.

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(_sample.VERB, runs=runs, follow=follow, corpus=corpus, n=n, seed=seed)


def scan(
    corpus: str | Path = "demo",
    *,
    pipelines: str | Sequence[str] | None = None,
    target: AnyRun = presets.TARGET,
    seed: int = 0,
    protect: str | Sequence[str] = (),
    protect_pattern: str = "",
    n: int = 2000,
    runs: Folder = None,
    follow: Follow = None,
) -> _scan.Scanned:
    """What each augmentation does to a sample of a corpus, and what similarity it keeps.

    Returns: a table of all pipelines, the extremes, and what the similarity is held against.

    * `corpus`: demo, demo:triplets, ..., FILE, FILE#COLUMN, hf:ORG/NAME, or texts:demo:dev,stsb:test@FOLDER.
    * `pipelines`: Default: all that need no second model.
    * `protect`: Terms that may not be changed.
    * `protect_pattern`: What this regular expression finds may not be changed.
    * `n`: Texts of the stratified sample.

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(
        _scan.VERB,
        runs=runs,
        follow=follow,
        corpus=corpus,
        pipelines=pipelines,
        target=target,
        seed=seed,
        protect=protect,
        protect_pattern=protect_pattern,
        n=n,
    )


def score(
    target: AnyRun = presets.TARGET, *, pairs: str | Path = "demo:dev", runs: Folder = None, follow: Follow = None
) -> _score.PairScores:
    """How well a target ranks scored pairs, and what its space is like on the same sentences.

    Returns: the scores in fp32, and the cosine of each pair.

    * `pairs`: demo:dev, TASK:SPLIT@FOLDER, sts@FOLDER, FILE or hf:ORG/NAME.

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(_score.VERB, runs=runs, follow=follow, target=target, pairs=pairs)


def states(
    texts: Sequence[str],
    pipeline: str,
    sentences: int,
    *,
    target: AnyRun = presets.TARGET,
    seed: int = 0,
    max_length: int = 0,
    sentence: int = 0,
    draw: int = 0,
    dims: int = 48,
    runs: Folder = None,
    follow: Follow = None,
) -> _states.StateChanges:
    """What a pipeline does to token states, and how far that moves each sentence.

    Returns: See `previews.states_preview`.

    * `texts`: The originals, then those of each draw.
    * `pipeline`: An augmentation or several, such as 'eda_swap(rate=0.2) + typo_noise@0.5'.
    * `sentences`: How many of the texts are originals.
    * `max_length`: Tokens kept of a text; 0 for the encoder's own.
    * `sentence`: Whose matrix is wanted.
    * `draw`: In which draw.
    * `dims`: Dimensions of the matrix that are shown.

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(
        _states.VERB,
        runs=runs,
        follow=follow,
        texts=texts,
        pipeline=pipeline,
        sentences=sentences,
        target=target,
        seed=seed,
        max_length=max_length,
        sentence=sentence,
        draw=draw,
        dims=dims,
    )


def tokens(
    texts: Sequence[str],
    *,
    target: AnyRun = presets.TARGET,
    max_length: int = 0,
    runs: Folder = None,
    follow: Follow = None,
) -> "DataFrame":
    """The sub-words of some texts, and which of them the encoder keeps.

    Returns: Columns text (its row), position, token, kind, kept, id (-1 for special ones).

    * `max_length`: Tokens kept of a text; 0 for the encoder's own.

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(_tokens.VERB, runs=runs, follow=follow, texts=texts, target=target, max_length=max_length)


def training_texts(
    corpus: str | Path = "demo",
    *,
    roles: str | Sequence[str] = ("text",),
    numbers: str | Sequence[str] = (),
    recipe: str = presets.RECIPE,
    runs: Folder = None,
    follow: Follow = None,
) -> _training_texts.IdentifiedTexts:
    """Which texts a run would train on, identified by their hash, and whether the corpus has what the recipe needs.

    Returns: source, name, SHA-256 of the texts, and number of rows; refused where the corpus lacks a column.

    * `corpus`: As `train` and `pretrain` take it.
    * `roles`: Columns of texts: text, positive, negative, document, next, article.
    * `numbers`: Columns of numbers: gold, label.
    * `recipe`: Whose needs these are, for the message.

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(
        _training_texts.VERB, runs=runs, follow=follow, corpus=corpus, roles=roles, numbers=numbers, recipe=recipe
    )


def wordnet(asked: float = 0.0, *, runs: Folder = None, follow: Follow = None) -> _wordnet.Fetched:
    """Fetch WordNet, which some augmentations need.

    Returns: what is still lacking.

    * `asked`: Another number is another request.

    Raises:
        WorkbenchError: an argument that cannot be used.
    """
    return answer(_wordnet.VERB, runs=runs, follow=follow, asked=asked)
