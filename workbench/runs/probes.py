"""What is measured of a model while it trains: probes for curves and plane, and the choice of the best step."""

import os
import shutil
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core.errors import BadData
from workbench.core.schedule import DROPOUT_TEXTS, probed_at, selects_at
from workbench.core.seeds import some_rows
from workbench.core.writing import append_line
from workbench.runs import first_vectors
from workbench.runs.context import RunContext
from workbench.runs.filming import Filming
from workbench.runs.kind import Kind
from workbench.scoring.pair_scores import PairScore, Scored, geometry
from workbench.store import checkpoints, events, names
from workbench.store.shapes import Best

if TYPE_CHECKING:
    from workbench.models.backbone import Backbone
    from workbench.training.steps import Step

PREVIOUS_BEST = ".best"
"""In the folder of checkpoints: the best one as of the last checkpoint, where a better one has been found since."""
LARGE = 100_000
"""Of a larger corpus, the texts that stand in are among as many drawn at random."""
_SHOWN = (
    "alignment",
    "alignment_on",
    "uniformity",
    "uniformity_error",
    "mean_cosine",
    "spearman",
    "pairs",
    "collapsed",
    "n",
)


class Probes:
    """Probe and selection of one run, at the same steps and on the same vectors where both are due."""

    def __init__(self, context: RunContext, kind: Kind) -> None:
        """Encoder, loop and pairs of the context are there."""
        self.context, self.kind, self.config = context, kind, context.config
        self.scored = Scored([context.pairs[ref] for ref in context.probed_pairs])
        self.film = Filming(context.folder, context.config)
        self.best: Best = {}
        self.best_folder = context.checkpoints / "best"
        self.previous_best = context.checkpoints / PREVIOUS_BEST

    @property
    def impatient(self) -> bool:
        """Whether selection has waited long enough."""
        patience = self.config.selection.patience
        return bool(patience and self.best.get("waited", 0) >= patience)

    def due(self, step: int) -> bool:
        """Whether there is anything to measure after this step."""
        return probed_at(self.config, step)

    def evaluate(self, step: "Step | None") -> None:
        """Probe, and selection where it is due; None is step 0. One of them is.

        Raises:
            BadData: the selection metric cannot be measured on its pairs.
        """
        at, began = step.step if step else 0, time.monotonic()
        texts, vectors, scores = self.scored.texts, np.empty((0, 0)), list[PairScore]()
        if self.scored.pair_sets:
            context = self.context
            vectors = self.encode(texts) if step else first_vectors.encoded(context, texts, context.precision)
            scores = self.scored.evaluate(lambda _: vectors)
        rows = dict(zip(self.context.probed_pairs, scores, strict=True))
        record: dict[str, Any] = {"step": at, "time": time.time()}
        if step:
            record |= {"loss": step.loss, "accuracy": step.accuracy, "samples": step.samples}
        if self.config.probe.pairs:
            record |= {name: value for name, value in rows[self.config.probe.pairs].items() if name in _SHOWN}
        else:
            figures, sampled, encoded = self.on_dropout()
            record |= figures
            if not self.scored.pair_sets:
                texts, vectors = sampled, encoded
        self.film.keep(at, texts, vectors, self.scored.pair_sets[0] if self.scored.pair_sets else None)
        record |= self.kind.measured()
        if selects_at(self.config, at):
            record["selection"] = self.select(record, rows, at, step.samples if step else 0)
        record["seconds"] = time.monotonic() - began
        append_line(self.context.folder / names.PROBES, record, flushed=False)
        if record["collapsed"]:
            events.add(self.context.folder, "collapse", step=at, mean_cosine=record["mean_cosine"])

    def encode(self, texts: list[str]) -> np.ndarray:
        """Vectors as evaluation would have them, in the precision of the training."""
        context = self.context
        return context.encoder.encode(texts, precision=context.precision, cancelled=context.cancelled)

    def on_dropout(self) -> tuple[Mapping[str, object], list[str], np.ndarray]:
        """Geometry without gold pairs: two dropout views of a few corpus texts, under a name of its own; texts and vectors."""
        from workbench.core.seeds import numpy_rng

        training = self.config.training
        texts = self.kind.texts
        distinct = sorted({texts[row] for row in some_rows(len(texts), LARGE, training.seed, "probe rows")})
        seed, rate, heads = training.seed, training.dropout, training.drophead
        picked = numpy_rng(seed, "probe texts").permutation(len(distinct))[:DROPOUT_TEXTS]
        texts = [distinct[at] for at in picked]
        views = self.context.encoder.dropout_views(texts, 2, rate, seed, heads)
        name = f"dropout pairs of the corpus, rate {rate:g}" + (f", of heads {heads:g}" if heads else "")
        vectors = self.encode(texts)
        figures = geometry(vectors, views[:, 0], views[:, 1], name)
        return {**figures, "spearman": None, "pairs": "", "n": len(texts)}, texts, vectors

    def select(self, record: dict[str, Any], rows: Mapping[str, Mapping[str, Any]], step: int, samples: int) -> float:
        """Save the weights if the selection metric is the best so far; returns the metric's mean over the pair sets."""
        selection = self.config.selection
        values = [rows[ref][selection.metric] for ref in selection.scored] or [record[selection.metric]]
        if any(value is None for value in values):
            raise BadData(
                f"{selection.metric} cannot be measured on {', '.join(selection.pairs)}.",
                rule="Alignment needs pairs in the upper fifth of the scale.",
                way_out="Select on spearman, or on other pairs.",
            )
        score, rival = float(np.mean(values)), ""
        sign = 1 if selection.metric == "spearman" else -1
        for name, encode in self.rivals().items():
            rows = dict(zip(self.context.probed_pairs, self.scored.evaluate(encode), strict=True))
            other = float(np.mean([rows[ref][selection.metric] for ref in selection.scored]))
            if sign * other > sign * score:
                score, rival = other, name
        if rival:
            record["rival"] = rival
        so_far = self.best.get("score")
        if so_far is None or sign * score > sign * so_far:
            best: Best = {"step": step, "samples": samples, "score": score, "metric": selection.metric, "waited": 0}
            if rival:
                best["rival"] = rival
            self.save_best(best)
        else:
            self.best["waited"] += 1
        return score

    def rivals(self) -> "dict[str, Callable[[list[str]], np.ndarray]]":
        """See `Kind.rivals`: each as a function from texts to vectors."""
        encoder = self.context.encoder

        def encode_with(rival: "Backbone", texts: list[str]) -> np.ndarray:
            trained, encoder.backbone = encoder.backbone, rival
            try:
                return self.encode(texts)
            finally:
                encoder.backbone = trained

        if not self.config.selection.scored:
            return {}
        return {name: partial(encode_with, rival) for name, rival in self.kind.rivals().items()}

    def save_best(self, best: Best) -> None:
        """Write the best checkpoint: weights only; for step 0 a pointer to the backbone."""
        with self.context.saves():
            self._keep_previous_best()
            self.best = best
            if best["step"] == 0:
                checkpoints.point_to_backbone(self.best_folder, best)
            else:
                weights = self.context.loop.weights()
                if rival := best.get("rival"):
                    tensors = self.kind.rivals()[rival].state_dict()
                    weights |= {f"backbone.{name}": tensor.detach().clone() for name, tensor in tensors.items()}
                checkpoints.save(self.best_folder, weights, best)

    def _keep_previous_best(self) -> None:
        """Keep the best checkpoint that belongs to the last one beside the one that will replace it."""
        if self.best and not self.previous_best.exists() and checkpoints.state(self.best_folder) is not None:
            draft = self.previous_best.with_suffix(".tmp")
            shutil.rmtree(draft, ignore_errors=True)
            shutil.copytree(self.best_folder, draft, copy_function=_link)
            draft.rename(self.previous_best)

    def forget_previous_best(self) -> None:
        """A last checkpoint was written that knows the best one: a resume goes back no further."""
        shutil.rmtree(self.previous_best, ignore_errors=True)

    def restore(self, best: Best) -> None:
        """Make the best step what it was at the last checkpoint: a killed process may have found, and saved, a better one.

        Where that one is gone, the best is what is there; and where nothing whole is there, the probes to come choose
        again.
        """
        there = checkpoints.whole(self.best_folder)
        if best and not _same(there, best) and _same(checkpoints.whole(self.previous_best), best):
            shutil.rmtree(self.best_folder, ignore_errors=True)
            self.previous_best.rename(self.best_folder)
        elif best and not _same(there, best):
            lost = f"The best checkpoint, of step {best.get('step')}, cannot be read any more"
            best = _best_of(there) if there else {}
            if not there:
                shutil.rmtree(self.best_folder, ignore_errors=True)
                self.context.notice(
                    f"{lost}: the best one is chosen among the probes from here on, else it is the last."
                )
        self.forget_previous_best()
        self.best = best


def _best_of(state: Mapping[str, Any]) -> Best:
    """What the state of a best checkpoint says of it."""
    best: Best = {"step": state["step"], "samples": state.get("samples", 0), "score": state.get("score")}
    best |= {"metric": state.get("metric", "none"), "waited": state.get("waited", 0)}
    if rival := state.get("rival"):
        best["rival"] = rival
    return best


def _same(state: Mapping[str, object] | None, best: Best) -> bool:
    """Whether a checkpoint is the best one of that description."""
    return state is not None and all(state.get(name) == best.get(name) for name in ("step", "score", "rival"))


def _link(source: str, target: str) -> None:
    """The same file under a second name, where the disk has such: a checkpoint's files are replaced, never written into."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
