"""Looks at a model in training: the probe for curves and plane, and the choice of the best step."""

import os
import shutil
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core.errors import BadData
from workbench.core.writing import append_line
from workbench.scoring.pair_scores import Scored, geometry
from workbench.store import checkpoints, events, names

if TYPE_CHECKING:
    from workbench.data.pair_sets import PairSet
    from workbench.models.backbone import Backbone
    from workbench.runs.driver import Driver
    from workbench.training.steps import Step

BEFORE = ".best"
"""In the folder of checkpoints: the best one as it was at the last one, where a better one has been found since."""
DROPOUT_TEXTS = 512
"""How many corpus texts stand in where no scored pairs are named."""
_SHOWN = ("alignment", "alignment_on", "uniformity", "mean_cosine", "spearman", "pairs", "collapsed", "n")


class Looks:
    """Probe and selection of one run, at the same moments and on the same vectors where both are due."""

    def __init__(self, driver: "Driver", pairs: "dict[str, PairSet]") -> None:
        """`pairs` has every pair set of `refs`."""
        self.driver, self.config, self.folder = driver, driver.config, driver.folder
        self.watched = Scored([pairs[ref] for ref in refs(driver)])
        self.best: dict[str, Any] = {}
        """Of the best step so far: step, samples, score, metric, how many looks brought nothing since (waited), and where
        it is not the encoder in training that was best then, which one it was (rival)."""
        self.place = self.folder / names.CHECKPOINTS / "best"
        self.before = self.place.with_name(BEFORE)

    @property
    def impatient(self) -> bool:
        """Whether selection has waited long enough."""
        patience = self.config.selection.patience
        return bool(patience and self.best.get("waited", 0) >= patience)

    def look(self, step: "Step | None") -> None:
        """Probe and selection where they are due; None is step 0.

        Raises:
            BadData: the selection metric cannot be measured on its pairs.
        """
        at = step.step if step else 0
        final = at == self.config.training.steps
        probing = final or at % self.config.probe.every == 0
        selecting = self.config.selection.metric != "none" and (final or at % self.config.selection.every == 0)
        if not (probing or selecting):
            return
        looks = self.watched.look(self.encode) if self.watched.pair_sets else []
        rows = dict(zip(refs(self.driver), looks, strict=True))
        record: dict[str, Any] = {"step": at, "time": time.time()}
        if step:
            record |= {"loss": step.loss, "accuracy": step.accuracy, "samples": step.samples}
        if self.config.probe.pairs:
            record |= {name: rows[self.config.probe.pairs][name] for name in _SHOWN}
        else:
            record |= self.on_dropout()
        record |= self.driver.kind.measured()
        if selecting:
            record["selection"] = self.select(record, rows, at, step.samples if step else 0)
        append_line(self.folder / names.PROBES, record)
        if record["collapsed"]:
            events.add(self.folder, "collapse", step=at, mean_cosine=record["mean_cosine"])

    def encode(self, texts: list[str]) -> np.ndarray:
        """Vectors as evaluation would have them, in the precision of the training."""
        driver = self.driver
        return driver.encoder.encode(texts, precision=driver.precision, cancelled=driver.worker.cancelled)

    def on_dropout(self) -> dict[str, Any]:
        """Geometry without gold pairs: two dropout views of a few corpus texts, under a name of its own."""
        from workbench.core.seeds import numpy_rng

        distinct = sorted(set(self.driver.kind.texts))
        training = self.config.training
        seed, rate, heads = training.seed, training.dropout, training.drophead
        picked = numpy_rng(seed, "probe texts").permutation(len(distinct))[:DROPOUT_TEXTS]
        texts = [distinct[at] for at in picked]
        views = self.driver.encoder.dropout_views(texts, 2, rate, seed, heads)
        said = f"dropout pairs of the corpus, rate {rate:g}" + (f", of heads {heads:g}" if heads else "")
        found = geometry(self.encode(texts), views[:, 0], views[:, 1], said)
        return {**found, "spearman": None, "pairs": "", "n": len(texts)}

    def select(self, record: dict[str, Any], rows: dict[str, dict[str, Any]], step: int, samples: int) -> float:
        """Keep the weights if the selection metric is the best so far; the metric's mean over the pair sets."""
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
            rows = dict(zip(refs(self.driver), self.watched.look(encode), strict=True))
            other = float(np.mean([rows[ref][selection.metric] for ref in selection.scored]))
            if sign * other > sign * score:
                score, rival = other, name
        if rival:
            record["rival"] = rival
        if not self.best or sign * score > sign * self.best["score"]:
            told = {"rival": rival} if rival else {}
            self.keep(
                {"step": step, "samples": samples, "score": score, "metric": selection.metric, "waited": 0, **told}
            )
        else:
            self.best["waited"] += 1
        return score

    def rivals(self) -> "dict[str, Callable[[list[str]], np.ndarray]]":
        """See `Kind.rivals`: each as a function from texts to vectors."""
        encoder = self.driver.encoder

        def instead(rival: "Backbone", texts: list[str]) -> np.ndarray:
            own, encoder.backbone = encoder.backbone, rival
            try:
                return self.encode(texts)
            finally:
                encoder.backbone = own

        if not self.config.selection.scored:
            return {}
        return {name: partial(instead, rival) for name, rival in self.driver.kind.rivals().items()}

    def keep(self, best: dict[str, Any]) -> None:
        """Write the best checkpoint: weights only; for step 0 a pointer to the backbone."""
        self.put_by()
        self.best = best
        if best["step"] == 0:
            checkpoints.point_to_backbone(self.place, best)
        else:
            weights = self.driver.loop.weights()
            if rival := best.get("rival"):
                own = self.driver.kind.rivals()[rival].state_dict()
                weights |= {f"backbone.{name}": tensor.detach().clone() for name, tensor in own.items()}
            checkpoints.save(self.place, weights, best)

    def put_by(self) -> None:
        """Keep the best checkpoint that belongs to the last one beside the one that will replace it."""
        if self.best and not self.before.exists() and checkpoints.state(self.place) is not None:
            draft = self.before.with_suffix(".tmp")
            shutil.rmtree(draft, ignore_errors=True)
            shutil.copytree(self.place, draft, copy_function=_link)
            draft.rename(self.before)

    def saved(self) -> None:
        """A last checkpoint was written that knows the best one: a resume goes back no further."""
        shutil.rmtree(self.before, ignore_errors=True)

    def go_back(self, best: dict[str, Any]) -> None:
        """Have as best what was so at the last checkpoint. A killed process may have found, and kept, a better one since.

        What it was, if it cannot be had any more, is what is there; and where nothing whole is there, the looks to come
        choose anew.
        """
        there = checkpoints.whole(self.place)
        if best and not _same(there, best) and _same(checkpoints.whole(self.before), best):
            shutil.rmtree(self.place, ignore_errors=True)
            self.before.rename(self.place)
        elif best and not _same(there, best):
            lost = f"The best checkpoint, of step {best.get('step')}, cannot be read any more"
            best = {name: value for name, value in (there or {}).items() if name != "files"}
            if not best:
                shutil.rmtree(self.place, ignore_errors=True)
                message = f"{lost}: the best one is chosen among the looks from here on, else it is the last."
                events.add(self.folder, "notice", message=message)
        self.saved()
        self.best = best


def _same(state: dict[str, Any] | None, best: dict[str, Any]) -> bool:
    """Whether a checkpoint is the best one of that description."""
    return state is not None and all(state.get(name) == best.get(name) for name in ("step", "score", "rival"))


def _link(source: str, target: str) -> None:
    """The same file under a second name, where the disk has such: a checkpoint's files are replaced, never written into."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def refs(driver: "Driver") -> list[str]:
    """The pair sets that are looked at while training: the probe's first."""
    probe, selection = driver.config.probe, driver.config.selection
    wanted = [probe.pairs] if probe.pairs else []
    return list(dict.fromkeys([*wanted, *selection.scored]))
