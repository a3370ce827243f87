"""How each verb is answered, in the process that has torch."""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core.spelling import read_call
from workbench.jobs import altered, drawn, inspecting, judging, scanning
from workbench.jobs.baselines import BASELINES
from workbench.jobs.encoders import open_target, pooled
from workbench.jobs.fitting import ASKED, SCORED, FitSet, Fitted
from workbench.jobs.scoring import Scored
from workbench.jobs.targets import Target, parse
from workbench.store.names import RunsFolder

if TYPE_CHECKING:
    from pandas import DataFrame
    from torch import nn

    from workbench.core.config import RunConfig
    from workbench.data.corpora import CorpusTexts
    from workbench.models.encoder import Encoder

BLOCK_TEXTS = 4096
"""Texts encoded before another lane may have its turn with a model."""

RECENT_BYTES = 256_000_000
FITTED = 20
"""Targets that stay ready."""

Told = Callable[[float, str], None]
"""Progress, 0 to 1, and words; raises when the request was taken back."""


class Desk:
    """The models that are held, and what was computed with them. Two lanes share it; torch is used by one at a time."""

    def __init__(self, folder: RunsFolder, *, models: int = 3) -> None:
        self.folder, self.limit = folder, models
        self.lock = RLock()
        self.models: OrderedDict[str, Encoder] = OrderedDict()
        self.fitted: OrderedDict[str, Fitted] = OrderedDict()
        self.recent: OrderedDict[str, np.ndarray] = OrderedDict()

    @property
    def device(self) -> str:
        """Where the interactive models live."""
        from workbench.core.device import choose

        return choose("auto")

    def model(self, target: Target) -> "Encoder":
        """The encoder of a target, pooling as by itself; the least recently used one makes room."""
        target = target.encoder
        key = f"{target.run.id}@{target.checkpoint}" if target.run else f"{target.backbone}@{target.revision}"
        key = f"{key} {target.fingerprint}"
        with self.lock:
            if key not in self.models:
                while len(self.models) >= self.limit:
                    self.models.popitem(last=False)
                self.models[key] = open_target(target, device=self.device)
            self.models.move_to_end(key)
            return self.models[key]

    def precision(self, name: str) -> str:
        """What a precision means on this machine."""
        from workbench.models.timing import precision

        return precision(name, self.device, self.folder.cache)

    def fit(self, target: Target, told: Told, *, scored: Sequence[str] = (), asked: Sequence[str] = ()) -> Fitted:
        """The target with everything fitted that it fits, on the texts that it names.

        Where it names none and something is scored, these are the very sentences `scored`, as in the literature: that is
        transductive, and said beside the score. A mean taken from other texts would measure how far apart the two sets
        are: fitted on the demo sentences, centring `minilm-l3` loses five points on STS-B that it gains here. Elsewhere
        they are the demo sentences, and for a baseline that is fitted the texts `asked` about.
        """
        texts: list[str] = list(dict.fromkeys(scored))
        words = SCORED
        if not texts and "fitted" in (BASELINES[read_call(target.baseline)[0]].tags if target.baseline else ()):
            texts, words = list(dict.fromkeys(asked)), ASKED
        key = f"{target.fingerprint} {words} {_content(texts)}"
        with self.lock:
            known = self.fitted.get(key)
        if known is not None:
            return known
        found = Fitted(self, target, FitSet(texts, words) if texts else None, scored, told)
        with self.lock:
            self.fitted[key] = found
            while len(self.fitted) > FITTED:
                self.fitted.popitem(last=False)
        return found

    def vectors(self, target: Target, texts: list[str], told: Told, precision: str = "fp32") -> np.ndarray:
        """Vectors in the order of the texts, nothing scored, transform applied."""
        return self.fit(target, told, asked=texts).vectors(texts, told, precision)

    def encoded(self, fitted: Fitted, texts: list[str], told: Told, precision: str) -> np.ndarray:
        """Vectors of an encoder before any transform. Those of the last few questions are still at hand."""
        left_out = [] if fitted.left_out is None else fitted.left_out.tolist()
        key = f"{fitted.target.plain.fingerprint} {left_out} {precision} {_content(texts)}"
        with self.lock:
            known = self.recent.get(key)
        if known is not None:
            return known
        place: dict[str, int] = {}
        rows = np.array([place.setdefault(text, len(place)) for text in texts], dtype=np.int64)
        distinct = list(place)
        told(0.0, f"Loading {fitted.target.label}")
        blocks = []
        for start in range(0, max(1, len(distinct)), BLOCK_TEXTS):
            block = distinct[start : start + BLOCK_TEXTS]
            with self.lock:
                blocks.append(
                    fitted.encoder().encode(
                        block,
                        precision=precision,  # type: ignore[arg-type]
                        progress=lambda done, _, start=start: told(  # type: ignore[misc]
                            (start + done) / len(distinct), f"Encoding with {fitted.target.label}"
                        ),
                    )
                )
        found = np.concatenate(blocks)[rows]
        with self.lock:
            self.recent[key] = found
            while sum(kept.nbytes for kept in self.recent.values()) > RECENT_BYTES and len(self.recent) > 1:
                self.recent.popitem(last=False)
        return found

    def views(self, target: Target, texts: list[str], views: int, dropout: float, seed: int, told: Told) -> np.ndarray:
        """(texts, views, dim), transform applied to each view."""
        fitted = self.fit(target, told)
        told(0.0, f"Loading {target.label}")
        with self.lock:
            encoder = fitted.encoder()
            told(0.1, f"Encoding {views} dropout views")
            found = encoder.dropout_views(texts, views, dropout, seed)
        return fitted.after(found)

    def answer(self, verb: str, arguments: dict[str, Any], told: Told) -> Any:
        """The result of one request."""
        arguments = dict(arguments)
        if name := arguments.pop("texts_file", ""):
            path = self.folder.cache / "texts" / Path(name).name
            arguments["texts"] = json.loads(path.read_text(encoding="utf-8", errors="surrogatepass"))
        if "target" in arguments:
            arguments["target"] = parse(arguments["target"], self.folder)
        return ANSWERS[verb](self, told, **arguments)


def spanned(vectors: np.ndarray) -> np.ndarray:
    """The same vectors in as many dimensions as there are of them, at most: every length and angle stays.

    >>> spanned(np.array([[0.0, 3.0, 4.0]], np.float32)).round(4).tolist() in ([[5.0]], [[-5.0]])
    True
    """
    if vectors.shape[1] <= max(2, len(vectors)):
        return vectors
    corner = np.asarray(np.linalg.qr(vectors.T.astype(np.float64), mode="r"))
    return corner.T.astype(vectors.dtype)


def _content(texts: Sequence[str]) -> str:
    return hashlib.sha256(json.dumps(list(texts)).encode("utf-8", "surrogatepass")).hexdigest()


def encode(desk: Desk, told: Told, *, texts: list[str], target: Target, precision: str) -> np.ndarray:
    """See questions.encode."""
    if not texts:
        dim = 0 if target.baseline else pooled(desk.model(target), target).dim
        return np.zeros((0, dim), dtype=np.float32)
    return desk.vectors(target, texts, told, desk.precision(precision))


def dropout_views(
    desk: Desk, told: Told, *, texts: list[str], target: Target, views: int, dropout: float, seed: int
) -> np.ndarray:
    """See questions.dropout_views."""
    return desk.views(target, texts, views, dropout, seed, told)


def project(
    desk: Desk,
    told: Told,
    *,
    texts: list[str],
    target: Target,
    method: str,
    views: int,
    dropout: float,
    seed: int,
    neighbours: int,
) -> "DataFrame":
    """See questions.project."""
    from workbench.analysis.dropout_views import dropout_views as of_views
    from workbench.analysis.projection import projection

    settings: dict[str, Any] = {"method": method, "neighbours": neighbours, "seed": seed}
    if views:
        vectors = desk.views(target, texts, views, dropout, seed, told)
        told(0.6, "Projecting")
        table = of_views(vectors, **settings)
    else:
        vectors = spanned(desk.vectors(target, texts, told))
        told(0.6, "Projecting")
        table = projection(vectors, **settings)
        table.insert(1, "view", 0)
    attributes = table.attrs
    table = table.assign(text=[texts[row] for row in table["row"]])
    table.attrs = {
        **attributes,
        "target": target.text,
        "dropout": dropout if views else None,
        "fitted_on": desk.fit(target, told, asked=texts).on,
    }
    return table


def evaluate(desk: Desk, told: Told, *, target: Target, pairs: str) -> dict[str, Any]:
    """See questions.evaluate."""
    from workbench.data.pairs import load_pairs

    told(0.0, "Reading the pairs")
    found = load_pairs(pairs)
    scored = Scored([found])
    fitted = desk.fit(target, told, scored=scored.texts)
    rows, cosines = scored.tables(lambda texts: fitted.vectors(texts, told))
    cosines = cosines.rename(columns={"first": "sentence1", "second": "sentence2"})
    scores = {
        **rows[0],
        **_about(desk, target, fitted.on),
        "reference": pairs,
        "scale": list(found.scale),
        "notices": [*found.notices, *fitted.said_of(scored.texts)],
    }
    return {"scores": scores, "cosines": cosines}


def _about(desk: Desk, target: Target, fitted_on: str = "") -> dict[str, Any]:
    """What belongs beside every score. A baseline sees all words of a text."""
    longest = None if target.baseline else desk.model(target).max_length
    return {"target": target.text, "precision": "fp32", "max_length": longest, "fitted_on": fitted_on}


def sts(desk: Desk, told: Told, *, target: Target, data: str) -> "DataFrame":
    """See questions.sts."""
    import pandas

    from workbench.evaluation.sts import mean_over_tasks, pair_cosines, summarise
    from workbench.jobs.suites import sts_sets
    from workbench.statistics.bootstrap import spearman_interval

    told(0.0, "Reading the STS tasks")
    sets, absent = sts_sets(data)
    # One task at a time: what a transform is fitted on is that task's own sentences.
    parts, notices = [], [note for one in sets for note in one.notices]
    fitted_on: dict[str, str] = {}
    for one in sets:
        texts = list(dict.fromkeys(one.texts()))
        fitted = desk.fit(target, told, scored=texts)
        parts.append(pair_cosines(lambda texts, fitted=fitted: fitted.vectors(texts, told), [one]))  # type: ignore[misc]
        fitted_on[one.task] = fitted.on
        notices += [f"{one.name}: {note}" for note in fitted.said_of(texts)]
    pairs = pandas.concat(parts, ignore_index=True)
    table = summarise(pairs)
    told(0.95, "Intervals")
    intervals = {
        task: spearman_interval(own["cosine"].to_numpy(), own["gold"].to_numpy())
        for task, own in pairs.groupby("task", sort=False)
    }
    table["low"] = [intervals[task][0] for task in table["task"]]
    table["high"] = [intervals[task][1] for task in table["task"]]
    mean = mean_over_tasks(table)
    table.attrs = {
        **_about(desk, target, " / ".join(sorted(set(filter(None, fitted_on.values()))))),
        "absent": absent,
        "mean": {"label": mean.label, "value": mean.value, "tasks": list(mean.tasks)} if mean else None,
        "notices": notices,
    }
    return table


def geometry(desk: Desk, told: Told, *, texts: list[str], target: Target) -> dict[str, Any]:
    """See questions.geometry."""
    from workbench.analysis.spectrum import spectrum
    from workbench.core.errors import WorkbenchError
    from workbench.metrics import METHODS

    vectors = desk.vectors(target, list(dict.fromkeys(texts)), told)
    metrics: dict[str, Any] = {}
    for at, (name, method) in enumerate(METHODS.items()):
        told(at / len(METHODS), f"Measuring: {method.title}")
        if method.tags.get("inputs", "vectors") == "vectors":
            try:
                metrics[name] = method.fn(vectors)
            except WorkbenchError:  # not defined on so few texts, or on a collapsed space
                metrics[name] = None
    return {
        "metrics": {**metrics, **_about(desk, target, desk.fit(target, told, asked=texts).on), "n": len(vectors)},
        "spectrum": spectrum(vectors),
    }


def neighbours(desk: Desk, told: Told, *, texts: list[str], target: Target, count: int) -> "DataFrame":
    """See questions.neighbours."""
    from workbench.analysis.neighbours import neighbours as nearest

    return nearest(desk.vectors(target, texts, told), count=count)


def tokens(desk: Desk, told: Told, *, texts: list[str], target: Target, max_length: int) -> "DataFrame":
    """See questions.tokens."""
    import pandas

    told(0.0, f"Loading {target.label}")
    encoder = desk.model(target)
    rows = []
    for row, text in enumerate(texts):
        ids = iter(encoder.tokens.table([text], specials=False).ids.tolist())
        for position, token in enumerate(encoder.token_view(text, max_length or None)):
            own = -1 if token.kind == "special" else next(ids, -1)
            rows.append((row, position, token.text, token.kind, token.kind != "cut", own))
    return pandas.DataFrame(rows, columns=["text", "position", "token", "kind", "kept", "id"])


def corpus_report(
    desk: Desk, told: Told, *, target: Target, corpus: str, max_length: int, batch_size: int, references: list[str]
) -> dict[str, Any]:
    """See questions.corpus_report."""
    from workbench.data.corpora import load_corpus
    from workbench.data.pairs import load_pairs
    from workbench.jobs.reports import report
    from workbench.models.load import load_tokenizer

    told(0.0, "Reading the corpus")
    texts = load_corpus(corpus, progress=told)
    pairs = [load_pairs(ref) for ref in references]
    tokenizer = load_tokenizer(target.backbone, target.revision)
    return report(texts, tokenizer, max_length=max_length, batch_size=batch_size, pairs=pairs, progress=told)


def augment(
    desk: Desk,
    told: Told,
    *,
    texts: list[str],
    pipeline: str,
    seed: int,
    draws: int,
    protect: list[str],
    protect_pattern: str,
    corpus: str,
) -> "DataFrame":
    """See questions.augment."""
    from workbench.augmentations.protect import Protection

    told(0.0, "Preparing the augmentation")
    protection = Protection(tuple(protect), protect_pattern)
    resources = drawn.resources_of(corpus, drawn.stamp(corpus), desk.device)
    return drawn.table(pipeline, texts, seed=seed, draws=draws, protection=protection, resources=resources, told=told)


def scan(desk: Desk, told: Told, *, corpus: str, pipelines: list[str], stem: str, **asked: Any) -> dict[str, Any]:
    """See questions.scan."""
    target, common = _over_corpus(desk, told, corpus, asked)
    found = scanning.scan(
        corpus,
        pipelines,
        lambda texts, say: desk.vectors(target, texts, say),
        lambda texts, say: desk.views(target, texts, 2, scanning.DROPOUT_RATE, asked["seed"], say),
        told,
        n=asked["n"],
        kept=desk.folder.cache,
        stem=stem,
        **common,
    )
    return {**found, "about": {**found["about"], **_about(desk, target, desk.fit(target, told).on)}}


def cost(desk: Desk, told: Told, *, corpus: str, pipelines: list[str], **asked: Any) -> dict[str, Any]:
    """See questions.cost."""
    target, common = _over_corpus(desk, told, corpus, asked)

    def encode(texts: list[str]) -> np.ndarray:
        with desk.lock:
            return desk.model(target).encode(texts)

    found = scanning.cost(corpus, pipelines, encode, told, n=asked["n"], **common)
    return {**found, "about": {**found["about"], "target": target.text, "device": desk.device}}


def drawn_pairs(desk: Desk, told: Told, *, corpus: str, pipelines: list[str], count: int, **asked: Any) -> "DataFrame":
    """See questions.drawn_pairs."""
    target, common = _over_corpus(desk, told, corpus, asked)
    table = judging.drawn_pairs(
        corpus, pipelines, lambda texts, say: desk.vectors(target, texts, say), told, count=count, **common
    )
    table.attrs = _about(desk, target, desk.fit(target, told).on)
    return table


def _over_corpus(desk: Desk, told: Told, corpus: str, asked: dict[str, Any]) -> tuple[Target, dict[str, Any]]:
    """The target, and what the questions about a whole corpus share."""
    from workbench.augmentations.protect import Protection

    told(0.0, "Preparing")
    stamp = drawn.stamp(corpus)
    return asked["target"], {
        "seed": asked["seed"],
        "protection": Protection(tuple(asked["protect"]), asked["protect_pattern"]),
        "resources": drawn.resources_of(corpus, stamp, desk.device),
        "stamp": stamp,
    }


def sample(desk: Desk, told: Told, *, corpus: str, n: int, seed: int) -> "DataFrame":
    """See questions.sample."""
    told(0.0, "Reading the corpus")
    return drawn.sample(drawn.resources_of(corpus, drawn.stamp(corpus), desk.device).corpus, n, seed)


def states(
    desk: Desk, told: Told, *, texts: list[str], target: Target, pipeline: str, sentences: int, **asked: Any
) -> dict[str, Any]:
    """See questions.states."""
    told(0.0, f"Loading {target.label}")
    with desk.lock:
        fitted = desk.fit(target, told)
        found = altered.states(fitted.encoder(), texts[:sentences], texts[sentences:], pipeline, told=told, **asked)
    vectors, plain = found.pop("vectors"), found.pop("originals")
    return {"cosines": altered.cosines(fitted.after(plain), fitted.after(vectors)), **found}


def inspect(desk: Desk, told: Told, *, target: Target, config: str, step: int) -> dict[str, Any]:
    """See questions.inspect."""
    settled, texts, encoder, head = _in_training(desk, told, target, config)
    return inspecting.batch(encoder, head, texts, settled, step=step, told=told, lock=desk.lock)


def gradients(
    desk: Desk, told: Told, *, target: Target, config: str, step: int, pipelines: list[str], rows: int
) -> dict[str, Any]:
    """See questions.gradients."""
    settled, texts, encoder, head = _in_training(desk, told, target, config)
    return inspecting.gradients(
        encoder, head, texts, settled, pipelines, step=step, rows=rows, told=told, lock=desk.lock
    )


def _in_training(
    desk: Desk, told: Told, target: Target, config: str
) -> "tuple[RunConfig, CorpusTexts, Encoder, nn.Module | None]":
    """Configuration, corpus, and the encoder of a target with the head it is trained with."""
    from workbench.core.config import from_toml
    from workbench.core.errors import BadData
    from workbench.jobs import checkpoints
    from workbench.jobs.encoders import new_head
    from workbench.recipes.fits import corpus_of
    from workbench.store import names
    from workbench.training.loop import load_weights

    settled = from_toml(config)
    told(0.0, "Reading the corpus")
    texts = corpus_of(settled, progress=lambda share, note: told(0.2 * share, note))
    if settled.corpus.sha256 and settled.corpus.sha256 != texts.sha256:
        raise BadData(
            f"The corpus {settled.corpus.source} is not the one the run was trained on.",
            rule="Its batches are rows of that corpus.",
            way_out="Put the old file back.",
        )
    told(0.2, f"Loading {target.label}")
    with desk.lock:
        encoder = desk.model(target)
        head = new_head(settled, encoder)
        if head is not None and target.run and target.checkpoint != "step0":
            weights, _, _ = checkpoints.load(target.run.folder / names.CHECKPOINTS / target.checkpoint)
            if any(name.startswith("head.") for name in weights):
                load_weights(encoder, head, weights)
    return settled, texts, encoder, head


def dry_run(desk: Desk, told: Told, *, config: str) -> dict[str, Any]:
    """See questions.dry_run."""
    from workbench.core.config import from_toml
    from workbench.core.device import choose

    settled = from_toml(config)
    with desk.lock:
        device = choose(settled.training.device)
        return inspecting.rehearse(
            settled, device=device, precision=desk.precision(settled.training.precision), told=told
        )


def wordnet(desk: Desk, told: Told, *, asked: float) -> dict[str, Any]:
    """See questions.wordnet."""
    from workbench.augmentations import wordnet

    told(0.0, "Fetching WordNet, 11 MB")
    wordnet.fetch(desk.folder.cache / "nltk")
    return {"missing": wordnet.missing()}


def precision(desk: Desk, told: Told, *, target: Target) -> dict[str, Any]:
    """See questions.precision."""
    told(0.0, "Timing this machine")
    return {"precision": desk.precision("auto"), "device": desk.device, "target": target.text}


ANSWERS: dict[str, Callable[..., Any]] = {
    fn.__name__: fn
    for fn in (
        encode,
        augment,
        dropout_views,
        project,
        evaluate,
        sts,
        geometry,
        neighbours,
        tokens,
        corpus_report,
        scan,
        cost,
        drawn_pairs,
        sample,
        states,
        inspect,
        gradients,
        dry_run,
        wordnet,
        precision,
    )
}
