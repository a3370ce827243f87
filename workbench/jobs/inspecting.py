"""Inside one batch: which texts are pushed apart and how strongly, and whether augmentations pull the encoder apart."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.augmentations.resources import Resources
from workbench.core.config import Corpus, Evaluation, Probe, RunConfig, Selection, Settings, Term, View
from workbench.core.errors import BadData, BadSetting
from workbench.core.seeds import seeded
from workbench.data.near import letters
from workbench.losses import METHODS as LOSSES
from workbench.losses import needs
from workbench.objectives import encoded
from workbench.training.batches import batches
from workbench.training.views import Views, key, requests

if TYPE_CHECKING:
    from pandas import DataFrame
    from torch import Tensor, nn

    from workbench.data.corpora import CorpusTexts
    from workbench.models.encoder import Encoder

TEMPERATURE = 0.05
"""Where the loss has none."""
MOST_ROWS = 256
"""Rows of a batch that are looked at."""
PROBE_ROWS = 32
MOST_PIPELINES = 8
MOST_BYTES = 2_000_000_000
"""Of gradients held at once."""
ALONE, AGAIN = "", "again"
"""Names in the table of gradients: dropout alone, and dropout alone drawn a second time."""

Told = Callable[[float, str], None]


def bare(config: RunConfig) -> RunConfig:
    """What of a configuration decides about batches and views: equal ones are one question."""
    corpus = Corpus(config.corpus.source, sha256=config.corpus.sha256)
    return replace(
        config,
        corpus=corpus,
        selection=Selection(),
        probe=Probe(),
        evaluation=Evaluation(),
        origins={},
        name="",
    )


def rows_of(config: RunConfig, texts: "CorpusTexts", step: int) -> tuple[int, np.ndarray]:
    """(epoch, row numbers) of the batch of a step, counted from 1: those that the training takes.

    Raises:
        BadSetting: fewer texts than a batch.
    """
    training = config.training
    same_text = None
    if training.dedup_batch:
        numbers: dict[str, int] = {}
        column = next(iter(texts.columns.values()))
        same_text = [numbers.setdefault(" ".join(text.lower().split()), len(numbers)) for text in column]
    return next(batches(_count(texts), training.batch_size, seed=training.seed, start=step - 1, same_text=same_text))


def term_of(config: RunConfig, step: int) -> tuple[int, Term]:
    """The first term of a step that compares vectors, and its number.

    Raises:
        BadData: none does.
    """
    for number, term in enumerate(config.terms):
        if term.acts(step - 1) and encoded(term):
            return number, term
    raise BadData(
        f"No term of {config.recipe} compares vectors in step {step}.",
        rule="The similarity matrix is that of the vectors a loss is given.",
        way_out="Choose another step or another recipe.",
    )


def batch(
    encoder: "Encoder",
    head: "nn.Module | None",
    texts: "CorpusTexts",
    config: RunConfig,
    *,
    step: int,
    told: Told = lambda share, note: None,
    lock: AbstractContextManager[Any] | None = None,
) -> dict[str, Any]:
    """The batch of one step, through one encoder in training, with dropout.

    * `similarity`: fp32 (rows, candidates), the cosine of each row of the first view with each row of the second, and, to
      the right of these, with the rows of the term's negatives if it has them. The positive of row i is candidate i.
    * `rows`: DataFrame row, text, drawn: the original and what the first view shows of it.
    * `candidates`: DataFrame candidate, view, text, drawn.
    * `about`: plain: step, epoch, rows, batch_size, term, loss, temperature, views, dropout.
    """
    import torch

    epoch, rows = rows_of(config, texts, step)
    chosen = rows[:MOST_ROWS]
    number, term = term_of(config, step)
    names = encoded(term)
    first = "a" if "a" in names else names[0]
    second = "b" if "b" in names else names[1] if len(names) > 1 else first
    columns = [second, *(name for name in names if name not in (first, second) and name == "negatives")]
    told(0.2, "Drawing the views")
    with lock or nullcontext(), encoder.evaluating():
        views = _views(encoder, texts, chosen, config)
        acting = requests([own for own in config.terms if own.acts(step - 1)])
        told(0.5, "Encoding the batch")
        with torch.no_grad(), seeded(config.training.seed, step - 1, "dropout", 0, device=str(encoder.device)):
            vectors = _encoded(views, config, len(chosen), epoch, acting)
            vectors = _headed(head, vectors)
        shown = {
            name: views.show(term.views[name], np.arange(len(chosen)), epoch).texts()
            for name in dict.fromkeys([first, *columns])
        }
        units = {
            name: torch.nn.functional.normalize(vectors[key(term.views[name])].float(), dim=1).detach().cpu().numpy()
            for name in dict.fromkeys([first, *columns])
        }
    similarity = np.concatenate([units[first] @ units[name].T for name in columns], axis=1)
    originals = {name: [texts.columns[term.views[name].role][row] for row in chosen.tolist()] for name in shown}
    return {
        "similarity": similarity.astype(np.float32),
        "rows": _frame("row", [(first, originals[first], shown[first])]),
        "candidates": _frame("candidate", [(name, originals[name], shown[name]) for name in columns]),
        "about": {
            "step": step,
            "epoch": epoch,
            "rows": len(chosen),
            "batch_size": len(rows),
            "term": number,
            "loss": term.name,
            "temperature": float(term.settings.get("temperature", TEMPERATURE)),
            "own_temperature": "temperature" in term.settings,
            "views": [first, *columns],
            "dropout": config.training.dropout,
            "head": config.model.head,
        },
    }


def _frame(place: str, parts: Sequence[tuple[str, list[str], list[str]]]) -> "DataFrame":
    import pandas

    rows = [(name, text, drawn) for name, texts, shown in parts for text, drawn in zip(texts, shown, strict=True)]
    found = pandas.DataFrame(rows, columns=["view", "text", "drawn"])
    found.insert(0, place, range(len(found)))
    return found


def _views(encoder: "Encoder", texts: "CorpusTexts", rows: np.ndarray, config: RunConfig) -> Views:
    """Views of these rows alone; corpus statistics stay those of the whole corpus."""
    every = Resources(
        lambda: [text for column in texts.columns.values() for text in column], device=str(encoder.device)
    )
    return Views(
        encoder,
        config.terms,
        {role: [column[row] for row in rows.tolist()] for role, column in texts.columns.items()},
        max_length=config.training.max_length,
        seed=config.training.seed,
        pooling=config.model.pooling,
        augmenting=config.augmenting,
        resources=every,
    )


def _encoded(views: Views, config: RunConfig, count: int, epoch: int, wanted: Sequence[View]) -> "dict[Any, Tensor]":
    found = views.encode(
        np.arange(count),
        epoch=epoch,
        pooling=config.model.pooling,
        rate=config.training.dropout,
        parts=config.training.parts,
        views=wanted,
    )
    assert found is not None
    return found


def _headed(head: "nn.Module | None", vectors: "dict[Any, Tensor]") -> "dict[Any, Tensor]":
    """Vectors behind the head as in training; batch normalisation's counts are put back."""
    import torch

    if head is None or not vectors:
        return vectors
    kept = {name: tensor.clone() for name, tensor in head.state_dict().items()}
    head.train()
    try:
        joined = head(torch.cat(list(vectors.values())))
    finally:
        head.load_state_dict(kept)
        head.eval()
    return dict(zip(vectors, joined.split([len(tensor) for tensor in vectors.values()]), strict=True))


def gradients(
    encoder: "Encoder",
    head: "nn.Module | None",
    texts: "CorpusTexts",
    config: RunConfig,
    pipelines: Sequence[str],
    *,
    step: int,
    rows: int = PROBE_ROWS,
    seconds: float = 120.0,
    told: Told = lambda share, note: None,
    lock: AbstractContextManager[Any] | None = None,
) -> dict[str, Any]:
    """The gradient that each augmentation gives the backbone, as the second view of one and the same probe batch.

    * `cosines`: DataFrame first, second, cosine: between the gradients of all weights but those of the embedding tables,
      whose rows follow from the words of a text. The name of dropout alone is empty, and `again` is dropout alone with
      other masks: what two gradients of one and the same augmentation have in common here.
    * `norms`: DataFrame pipeline, norm, loss.
    * `about`: plain: rows, step, loss, weights, left_out (pipelines for which time was up).

    The loss is that of the first term if it takes two views and nothing else, else InfoNCE. It stops after `seconds`,
    with what it has.

    Raises:
        BadSetting: gradients that would not fit into memory together.
    """
    import pandas
    import torch

    epoch, chosen = rows_of(config, texts, step)
    chosen = chosen[: min(rows, MOST_ROWS)]
    _, term = term_of(config, step)
    first = term.views["a" if "a" in term.views else encoded(term)[0]]
    loss, settings = "infonce_nn", Settings(temperature=TEMPERATURE)
    if term.loss and set(needs(LOSSES[term.loss], term.settings)) == {"a", "b"}:
        loss, settings = term.loss, dict(term.settings)
    parameters = {
        name: parameter for name, parameter in encoder.backbone.named_parameters() if "embeddings" not in name
    }
    weights = sum(parameter.numel() for parameter in parameters.values())
    names = list(dict.fromkeys([ALONE, AGAIN, *pipelines]))
    if 4 * weights * len(names) > MOST_BYTES:
        most = max(1, MOST_BYTES // (4 * weights) - 2)
        raise BadSetting(
            f"The gradients of {len(pipelines)} augmentations do not fit into memory together.",
            rule=f"{weights:,} weights each; 2 GB in all.",
            way_out=f"Compare {most} at most, or take a smaller backbone.",
        )
    found: dict[str, np.ndarray] = {}
    norms, left_out, start = [], [], time.monotonic()
    before = [parameter.requires_grad for parameter in encoder.backbone.parameters()]
    for place, name in enumerate(names):
        if time.monotonic() - start > seconds:
            left_out.append(name)
            continue
        told(place / len(names), f"Gradient of {name or 'dropout alone'}")
        own = Term({"a": replace(first, copy=0), "b": _other(first, name)}, loss=loss, settings=settings)
        with lock or nullcontext(), encoder.evaluating(), torch.enable_grad():
            encoder.backbone.requires_grad_(True)
            try:
                value, gradient = _gradient(
                    encoder, head, texts, chosen, replace(config, terms=(own,)), epoch, parameters, name == AGAIN
                )
            finally:
                encoder.backbone.zero_grad(set_to_none=True)
                for parameter, mode in zip(encoder.backbone.parameters(), before, strict=True):
                    parameter.requires_grad_(mode)
        norm = float(np.linalg.norm(gradient))
        norms.append((name, norm, value))
        found[name] = gradient / max(norm, 1e-12)
    known = list(found)
    cosines = [(one, two, float(found[one] @ found[two])) for one in known for two in known]
    return {
        "cosines": pandas.DataFrame(cosines, columns=["first", "second", "cosine"]),
        "norms": pandas.DataFrame(norms, columns=["pipeline", "norm", "loss"]),
        "about": {"rows": len(chosen), "step": step, "loss": loss, "weights": weights, "left_out": left_out},
    }


def _other(first: View, name: str) -> View:
    """The second view: another draw of the first one's text, augmented; dropout alone without."""
    line = "" if name in (ALONE, AGAIN) else name
    return replace(first, draw=first.draw + 1, copy=1, augmentation=line)


def _gradient(
    encoder: "Encoder",
    head: "nn.Module | None",
    texts: "CorpusTexts",
    rows: np.ndarray,
    config: RunConfig,
    epoch: int,
    parameters: "Mapping[str, nn.Parameter]",
    again: bool,
) -> tuple[float, np.ndarray]:
    """(loss, gradient of the parameters as one vector)."""
    import torch

    (term,) = config.terms
    views = _views(encoder, texts, rows, config)
    encoder.backbone.zero_grad(set_to_none=True)
    with seeded(config.training.seed, "probe gradient", int(again), device=str(encoder.device)):
        vectors = _headed(head, _encoded(views, config, len(rows), epoch, requests([term])))
        value = LOSSES[term.loss].fn(a=vectors[key(term.views["a"])], b=vectors[key(term.views["b"])], **term.settings)
        value.backward()
        views.backward()
    if head is not None:
        head.zero_grad(set_to_none=True)
    pieces = [
        (torch.zeros_like(parameter) if parameter.grad is None else parameter.grad).detach().float().flatten().cpu()
        for parameter in parameters.values()
    ]
    return float(value.detach()), torch.cat(pieces).numpy()


def negatives(
    similarity: np.ndarray, rows: Sequence[str], candidates: Sequence[str], temperature: float
) -> "DataFrame":
    """Every negative of a batch with its part of the gradient, the strongest first.

    Columns row, candidate, cosine, positive (cosine of the row's own pair), weight, share, kind. InfoNCE moves row i away
    from candidate j with `weight` = softmax of cosine / temperature over all candidates; `share` is that among the
    negatives of row i alone. `kind` names likely false negatives: "equal" texts, "nearly equal" ones (80 % of their
    5-letter sequences common), or a negative "closer than the positive"; else it is empty.

    >>> import numpy as np
    >>> found = negatives(np.array([[1.0, 0.0], [0.0, 1.0]]), ["x", "y"], ["x", "y"], 1.0)
    >>> round(float(found["weight"][0]), 4)  # 1 / (1 + e)
    0.2689
    """
    import pandas

    count, width = similarity.shape
    scaled = similarity.astype(np.float64) / temperature
    scaled -= scaled.max(axis=1, keepdims=True)
    weight = np.exp(scaled)
    weight /= weight.sum(axis=1, keepdims=True)
    other = ~np.eye(count, width, dtype=bool)
    rest = np.maximum((weight * other).sum(axis=1, keepdims=True), 1e-300)
    row, candidate = np.nonzero(other)
    positive = np.diagonal(similarity)[row]
    cosine = similarity[row, candidate]
    kind = np.where(cosine > positive, CLOSER, "").astype(object)
    for place, one in enumerate(_alike(rows, candidates)[row, candidate].tolist()):
        if one:
            kind[place] = (EQUAL, NEARLY)[one - 1]
    found = pandas.DataFrame(
        {
            "row": row,
            "candidate": candidate,
            "cosine": cosine,
            "positive": positive,
            "weight": weight[row, candidate],
            "share": (weight / rest)[row, candidate],
            "kind": kind,
        }
    )
    return found.sort_values("weight", ascending=False, kind="stable", ignore_index=True)


EQUAL, NEARLY, CLOSER = "equal", "nearly equal", "closer than the positive"


def _alike(rows: Sequence[str], candidates: Sequence[str]) -> np.ndarray:
    """0 for different texts, 1 for equal ones but for case, punctuation and space, 2 for near copies: see data.near."""
    from workbench.data.near import SHINGLE, THRESHOLD

    names = list(dict.fromkeys(letters(text) for text in (*rows, *candidates)))
    place = {name: number for number, name in enumerate(names)}
    shingles: dict[str, int] = {}
    cells = [
        (number, shingles.setdefault(name[start : start + SHINGLE], len(shingles)))
        for number, name in enumerate(names)
        for start in range(max(1, len(name) - SHINGLE + 1))
    ]
    has = np.zeros((len(names), len(shingles)), dtype=np.float32)
    has[tuple(np.array(cells).T)] = 1
    common = has @ has.T
    sizes = has.sum(axis=1)
    jaccard = common / np.maximum(sizes[:, None] + sizes[None, :] - common, 1)
    kinds = np.where(jaccard >= THRESHOLD, 2, 0)
    np.fill_diagonal(kinds, 1)
    return np.asarray(
        kinds[np.ix_([place[letters(text)] for text in rows], [place[letters(text)] for text in candidates])]
    )


def rehearse(
    config: RunConfig, *, device: str, precision: str, told: Told = lambda share, note: None
) -> dict[str, Any]:
    """Plain dict: what a training needs, by a rehearsal of two steps, and what is to be known before it starts.

    needed_bytes, free_bytes, seconds_per_step, seconds, rows, sampled, device, precision, cautions, must_accept. Of a
    large corpus, or one that a model would rewrite, only some rows are taken.
    """
    from dataclasses import asdict

    from workbench.augmentations.pipeline import parse
    from workbench.jobs.cautions import cautions_of
    from workbench.models.load import load
    from workbench.recipes.fits import corpus_of
    from workbench.training.dryrun import estimate
    from workbench.training.loop import Loop
    from workbench.training.views import mentioned

    told(0.0, "Reading the corpus")
    texts = corpus_of(config, progress=lambda share, note: told(0.3 * share, note))
    modelled = any(parse(view.augmentation).modelled for view in mentioned(config.terms))
    most = _MODELLED_ROWS if modelled else max(_REHEARSED_ROWS, 2 * config.training.batch_size)
    rows = _some_rows(texts, most)
    told(0.4, "Loading the backbone")
    encoder = load(config.model.backbone, config.model.revision, device=device)
    told(0.5, "Two steps, for a trial")
    loop = Loop(
        encoder,
        {role: [column[row] for row in rows] for role, column in texts.columns.items()},
        config,
        precision=precision,
        numbers={name: np.asarray(values)[rows] for name, values in texts.numbers.items()},
    )
    found = estimate(loop)
    told(0.9, "Reading what came out")
    said = cautions_of(config, texts.columns, encoder)
    return {
        **asdict(found),
        "rows": _count(texts),
        "sampled": len(rows),
        "device": device,
        "precision": precision,
        "cautions": [one.text for one in said if not one.accept],
        "must_accept": [one.text for one in said if one.accept],
    }


_REHEARSED_ROWS = 5_000
_MODELLED_ROWS = 32


def _some_rows(texts: "CorpusTexts", most: int) -> list[int]:
    """All rows, or evenly spaced ones."""
    rows = _count(texts)
    return [int(row) for row in np.unique(np.linspace(0, rows - 1, min(most, rows)).round())]


def _count(texts: "CorpusTexts") -> int:
    """Rows of a corpus: of pairs, the pairs."""
    return len(next(iter(texts.columns.values())))
