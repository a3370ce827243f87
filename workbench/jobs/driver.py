"""Drives the training loop of one run: prepares it, probes it, selects, keeps checkpoints, evaluates, exports."""

import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core import device as devices
from workbench.core.config import Corpus, RunConfig, to_toml
from workbench.core.errors import BadData, BadRun
from workbench.jobs import checkpoints
from workbench.jobs.encoders import as_evaluated
from workbench.jobs.peers import Peers
from workbench.jobs.scoring import Scored, geometry
from workbench.store import evaluations, events, names
from workbench.store.environment import environment, with_torch
from workbench.store.writing import (
    append_line,
    check_space,
    cut_after,
    last_line,
    plain,
    read_json,
    write_json,
    write_text,
)

if TYPE_CHECKING:
    from workbench.data.pairs import PairSet
    from workbench.jobs.worker import Worker
    from workbench.training.loop import Loop, Step

CHECKPOINT_SECONDS = 30.0
"""Least time between two `last` checkpoints; writing them never takes more than a twentieth of the time."""
MOST_DRAWN = 2000
DROPOUT_TEXTS = 512
"""How many corpus texts stand in where no scored pairs are named."""


class Driver:
    """One attempt at one run. `prepare`, `train`, then `evaluate` and `finish`, or `stop`."""

    loop: "Loop"

    def __init__(self, worker: "Worker") -> None:
        self.worker, self.folder, self.config = worker, worker.folder, worker.run.config
        self.reached = 0
        self.peers = Peers()
        self.best: dict[str, Any] = {}
        """Of the best step so far: step, samples, score; and how many looks brought nothing since."""
        self._saved, self._save_seconds = time.monotonic(), 0.0

    # Before step 1

    def prepare(self) -> None:
        """Everything that can fail for a reason the user can mend, before the first step.

        Raises:
            WorkbenchError: corpus, pairs, backbone, memory or disk.
        """
        from workbench.data.corpora import load_corpus
        from workbench.data.pairs import load_pairs
        from workbench.models.export import exportable
        from workbench.models.load import load
        from workbench.models.timing import precision
        from workbench.training.loop import Loop

        say = self.worker.say
        say("Loading torch")
        self.device = self._device()
        say("Reading the corpus")
        texts = load_corpus(self.config.corpus.source, progress=lambda share, note: say(note, share))
        self.texts = texts.texts
        say("Reading the scored pairs")
        self.pairs = {ref: load_pairs(ref) for ref in self._refs()}
        say("Loading the backbone")
        model = self.config.model
        encoder = load(model.backbone, model.revision, device=self.device)
        self.precision = precision(self.config.training.precision, self.device, self.worker.runs.cache)
        self.settle(texts)
        self.encoder = encoder
        self.peers.start(self.folder, self.config.training.processes, device=self.device, threads=self.threads)
        say("Tokenising the corpus")
        self.loop = Loop(
            encoder, {"text": self.texts}, self.config, precision=self.precision, cancelled=self.worker.cancelled
        )
        as_evaluated(encoder, self.config, self.loop.head)
        self.report(texts)
        self.check_disk()
        self.estimate()
        if reason := exportable(model.eval_pooling, model.head if model.keep_head else ""):
            events.add(self.folder, "notice", message=f"There will be no model folder. {reason}")
        self.watched = Scored([self.pairs[ref] for ref in self._watched_refs()])
        self.restore()
        if self.loop.step == 0:
            self.first_look()

    def _device(self) -> str:
        import torch

        count = int(os.environ.get("OMP_NUM_THREADS", devices.threads()))
        torch.set_num_threads(count)
        self.threads = count
        write_json(self.worker.runs.cache / "devices.json", {"devices": devices.available()})
        wish = self.worker.device if self.worker.device != "auto" else self.config.training.device
        return devices.choose(wish)

    def _watched_refs(self) -> list[str]:
        """Pair sets that are looked at while training."""
        selection = self.config.selection
        refs = [self.config.probe.pairs] if self.config.probe.pairs else []
        return list(dict.fromkeys([*refs, *(selection.pairs if selection.metric != "none" else ())]))

    def _refs(self) -> list[str]:
        return list(dict.fromkeys([*self._watched_refs(), *self.config.evaluation.pairs]))

    def settle(self, texts: Any) -> None:
        """Complete config.toml and environment.json: hash of the texts, device, precision.

        Raises:
            BadData: the texts are no longer those the run was submitted with.
        """
        corpus = self.config.corpus
        if corpus.sha256 and corpus.sha256 != texts.sha256:
            raise BadData(
                f"The corpus {corpus.source} has changed since this run was submitted.",
                rule="A run keeps to the texts whose hash is in its configuration.",
                way_out="Put the old file back, or start a new run.",
            )
        corpus = Corpus(corpus.source, texts.name, texts.sha256, len(texts.texts))
        training, origins = self.config.training, dict(self.config.origins)
        if training.precision == "auto":
            origins["training.precision"] = "machine"
        self.config = replace(
            self.config, corpus=corpus, training=replace(training, precision=self.precision), origins=origins
        )
        write_text(self.folder / names.CONFIG, to_toml(self.config))
        found = {**environment(), **with_torch(self.device, self.threads, self.precision)}
        self.compare_environment(found)
        write_json(self.folder / names.ENVIRONMENT, found)
        print(origins_table(self.config), flush=True)

    def compare_environment(self, found: dict[str, Any]) -> None:
        """Resuming elsewhere is allowed, but then the losses need not be those of an undisturbed run: say so."""
        before = read_json(self.folder / names.ENVIRONMENT) or {}
        if "torch_build" not in before:
            return
        told = ("python", "packages", "processor", "threads", "device", "torch_build")
        changed = [name for name in told if before.get(name) != plain(found[name])]
        if changed:
            where = f"Resumed in another environment ({', '.join(changed)} differ)"
            events.add(self.folder, "notice", message=f"{where}: losses need not be the same to the last bit.")

    def report(self, texts: Any) -> None:
        """The corpus report, once."""
        from workbench.jobs.reports import report

        if (self.folder / names.CORPUS).exists():
            return
        found = report(
            texts,
            self.encoder.tokens,
            max_length=self.config.training.max_length,
            batch_size=self.config.training.batch_size,
            pairs=[*self.pairs.values(), *self.sts_sets],
            progress=lambda share, note: self.worker.say(f"Corpus report: {note}", share),
        )
        write_json(self.folder / names.CORPUS, found)

    def check_disk(self) -> None:
        """Room for three copies of the largest checkpoint.

        Raises:
            Refused: there is not.
        """
        one = sum(tensor.numel() * tensor.element_size() for tensor in self.loop.weights().values())
        check_space(self.folder, 3 * 3 * one, "Three copies of the model with its optimiser")

    def estimate(self) -> None:
        """The dry run: memory and time, from a few rows.

        Raises:
            Refused: the batch cannot fit. It is never made smaller.
        """
        from workbench.training.dryrun import estimate, refuse_if_too_large

        self.worker.say("Dry run")
        before = (
            {name: tensor.clone() for name, tensor in self.loop.head.state_dict().items()} if self.loop.head else {}
        )
        found = estimate(self.loop)
        if self.loop.head:  # batch normalisation keeps count even in a dry run
            self.loop.head.load_state_dict(before)
        events.add(self.folder, "estimate", **asdict(found))
        refuse_if_too_large(found)

    def restore(self) -> None:
        """Go on from the last complete checkpoint, if there is one; what was written after it is cut off.

        Raises:
            BadRun: the configuration is not the one of the checkpoint.
        """
        place = self.folder / names.CHECKPOINTS / "last"
        self.looked = True
        if checkpoints.state(place) is not None:
            weights, moments, state = checkpoints.load(place)
            if state.get("config") != self.mark:
                raise BadRun(
                    "The configuration was changed since the checkpoint was written.",
                    rule="A run keeps its model, corpus, losses and training settings.",
                    way_out="Undo the change in config.toml, or start a new run.",
                )
            self.loop.restore(weights, moments, state)
            self.best, self.looked = state.get("selection", {}), state.get("looked", True)
        step = self.reached = self.loop.step
        for name in (names.STEPS, names.PROBES):
            cut_after(self.folder / name, lambda row: 0 < step >= row.get("step", 0))
        if step:
            print(f"Goes on from step {step}.", flush=True)

    @cached_property
    def mark(self) -> str:
        """What must not change between the attempts of a run."""
        config = asdict(self.config)
        kept = {name: config[name] for name in ("recipe", "model", "corpus", "terms", "training")}
        return hashlib.sha256(json.dumps(plain(kept), sort_keys=True).encode()).hexdigest()[:16]

    # Looks

    def encode(self, texts: list[str]) -> np.ndarray:
        """Vectors as evaluation would have them, in the precision of the training."""
        return self.encoder.encode(texts, precision=self.precision, cancelled=self.worker.cancelled)

    def exact(self, note: str) -> Callable[[list[str]], np.ndarray]:
        """Vectors in fp32: for everything that is kept."""

        def encode(texts: list[str]) -> np.ndarray:
            return self.encoder.encode(
                texts,
                precision="fp32",
                cancelled=self.worker.cancelled,
                progress=lambda done, total: self.worker.say(note, done / max(1, total)),
            )

        return encode

    def first_look(self) -> None:
        """Step 0: probe, selection, and the evaluation that every later number is compared with."""
        if self.config.evaluation.pairs and not evaluations.has(self.folder, "pairs", "step0"):
            self.score("pairs", "step0", self.evaluation_sets())
        self.worker.say("Looking at step 0")
        self.look(None)

    def look(self, step: "Step | None") -> None:
        """Probe and selection, where they are due."""
        at = step.step if step else 0
        final = at == self.config.training.steps
        probing = final or at % self.config.probe.every == 0
        selecting = self.config.selection.metric != "none" and (final or at % self.config.selection.every == 0)
        if not (probing or selecting):
            return
        looks = self.watched.look(self.encode) if self.watched.pair_sets else []
        rows = dict(zip(self._watched_refs(), looks, strict=True))
        record: dict[str, Any] = {"step": at, "time": time.time()}
        if step:
            record |= {"loss": step.loss, "accuracy": step.accuracy, "samples": step.samples}
        if self.config.probe.pairs:
            shown = ("alignment", "alignment_on", "uniformity", "mean_cosine", "spearman", "pairs", "collapsed", "n")
            record |= {name: rows[self.config.probe.pairs][name] for name in shown}
        else:
            record |= self.on_dropout()
        if selecting:
            record["selection"] = self.select(rows, at, step.samples if step else 0)
        append_line(self.folder / names.PROBES, record)
        if record["collapsed"]:
            events.add(self.folder, "collapse", step=at, mean_cosine=record["mean_cosine"])

    def on_dropout(self) -> dict[str, Any]:
        """Geometry without gold pairs: two dropout views of a few corpus texts, under a name of its own."""
        from workbench.core.seeds import numpy_rng

        distinct = sorted(set(self.texts))
        seed, rate = self.config.training.seed, self.config.training.dropout
        picked = numpy_rng(seed, "probe texts").permutation(len(distinct))[:DROPOUT_TEXTS]
        texts = [distinct[at] for at in picked]
        views = self.encoder.dropout_views(texts, 2, rate, seed)
        found = geometry(self.encode(texts), views[:, 0], views[:, 1], f"dropout pairs of the corpus, rate {rate:g}")
        return {**found, "spearman": None, "pairs": "", "n": len(texts)}

    def select(self, rows: dict[str, dict[str, Any]], step: int, samples: int) -> float:
        """Keep the weights if the selection metric is the best so far; the metric's mean over the pair sets."""
        selection = self.config.selection
        values = [rows[ref][selection.metric] for ref in selection.pairs]
        if any(value is None for value in values):
            raise BadData(
                f"{selection.metric} cannot be measured on {', '.join(selection.pairs)}.",
                rule="Alignment needs pairs in the upper fifth of the scale.",
                way_out="Select on spearman, or on other pairs.",
            )
        score = float(np.mean(values))
        better = score > self.best["score"] if self.best and selection.metric == "spearman" else True
        if self.best and selection.metric != "spearman":
            better = score < self.best["score"]
        if better:
            self.best = {"step": step, "samples": samples, "score": score, "metric": selection.metric, "waited": 0}
            self.keep_best()
        else:
            self.best["waited"] += 1
        return score

    def keep_best(self) -> None:
        """Write the best checkpoint: weights only; for step 0 a pointer to the backbone."""
        place = self.folder / names.CHECKPOINTS / "best"
        if self.best["step"] == 0:
            checkpoints.point_to_backbone(place, self.best)
        else:
            checkpoints.save(place, self.loop.weights(), self.best)

    # Training

    def train(self) -> bool:
        """Steps until the end, the end of patience, or a stop; whether it came to its end."""
        from workbench.models.encoder import Cancelled

        self.worker.say("Training")
        self._saved = time.monotonic()
        try:
            if not self.looked:
                self.look_again()
            while not self.impatient:
                step = next(self.steps, None)
                if step is None:
                    break
                self.reached, self.looked = step.step, False
                append_line(self.folder / names.STEPS, {**asdict(step), "time": time.time()})
                self.worker.share = step.step / self.config.training.steps
                self.look(step)
                self.looked = True
                if step.step < self.config.training.steps and self.due():
                    self.save_last()
        except Cancelled:  # in the middle of a look: it is made up for at the resume
            return False
        if self.impatient and self.loop.step < self.config.training.steps:
            message = f"No look was better for {self.config.selection.patience} looks: ended at step {self.loop.step}."
            events.add(self.folder, "notice", message=message)
        finished = self.impatient or self.loop.step >= self.config.training.steps
        if finished:
            self.worker.note = "Saving the last checkpoint"
            self.save_last()
        return finished

    @cached_property
    def steps(self) -> "Iterator[Step]":
        """The loop's steps, from where it stands."""
        return self.loop.run()

    @property
    def impatient(self) -> bool:
        """Whether selection has waited long enough."""
        patience = self.config.selection.patience
        return bool(patience and self.best.get("waited", 0) >= patience)

    def look_again(self) -> None:
        """The look that a stop broke off."""
        from workbench.training.loop import Step

        row = last_line(self.folder / names.STEPS) or {}
        if row.get("step") == self.loop.step:
            self.look(Step(**{name: value for name, value in row.items() if name != "time"}))
        self.looked = True

    def due(self) -> bool:
        """Whether it is time for a checkpoint that a crash cannot take."""
        pause = float(os.environ.get("WORKBENCH_CHECKPOINT_SECONDS", CHECKPOINT_SECONDS))
        return time.monotonic() - self._saved >= max(pause, min(20 * self._save_seconds, 20 * pause))

    def save_last(self) -> None:
        """Weights, optimiser and numbers: all that is needed to go on bit for bit."""
        start = time.monotonic()
        state = {**self.loop.numbers(), "config": self.mark, "looked": self.looked, "selection": self.best}
        checkpoints.save(self.folder / names.CHECKPOINTS / "last", self.loop.weights(), state, self.loop.moments())
        self._saved = time.monotonic()
        self._save_seconds = self._saved - start

    def stop(self) -> None:
        """Asked to stop: keep what there is."""
        last = checkpoints.state(self.folder / names.CHECKPOINTS / "last")
        if self.loop.step and (last is None or last["step"] != self.loop.step):
            self.worker.note = "Saving"
            self.save_last()

    def kept(self) -> str:
        """Which checkpoint a failed run still has, in words."""
        last = checkpoints.state(self.folder / names.CHECKPOINTS / "last")
        return f"The checkpoint of step {last['step']} is kept." if last else ""

    # After the last step

    def evaluation_sets(self) -> "list[PairSet]":
        """The pair sets that every checkpoint is evaluated on."""
        return [self.pairs[ref] for ref in self.config.evaluation.pairs]

    @cached_property
    def sts_sets(self) -> "list[PairSet]":
        """The test split of every STS task in the folder, if one is named."""
        if not self.config.evaluation.sts_folder:
            return []
        from workbench.jobs.suites import sts_sets

        return sts_sets(self.config.evaluation.sts_folder)[0]

    def score(self, suite: str, checkpoint: str, sets: "list[PairSet]") -> None:
        """Evaluate the encoder as it is now, in fp32, and write it down."""
        note = f"Evaluating {checkpoint}"
        self.worker.say(note)
        scored = Scored(sets)
        vectors = self.exact(note)(scored.texts)
        rows, table = scored.tables(lambda _: vectors)
        extra = {"step": self.loop_step(checkpoint), "precision": "fp32", "max_length": self.encoder.max_length}
        evaluations.write(self.folder, suite, checkpoint, table, [{**row, **extra} for row in rows])
        if suite == "pairs":
            self.draw(checkpoint, scored.texts, vectors)

    def draw(self, checkpoint: str, texts: list[str], vectors: np.ndarray) -> None:
        """The evaluated sentences in the plane, so that a shared run shows the same picture without its model."""
        from workbench.analysis.projection import projection

        for method in ("pca", "cone"):
            if len(texts) >= 3:
                table = projection(vectors[:MOST_DRAWN], method=method)
                evaluations.write_coordinates(self.folder, checkpoint, method, table.assign(text=texts[:MOST_DRAWN]))

    def loop_step(self, checkpoint: str) -> int:
        """The step that a checkpoint stands for."""
        return {"step0": 0, "best": int(self.best.get("step", self.loop.step)), "last": self.loop.step}[checkpoint]

    def evaluate(self) -> None:
        """Step 0, best and last on all pair sets and the STS folder. The encoder holds the best weights afterwards."""
        from workbench.training.loop import load_weights

        if self.config.selection.metric == "none":
            self.best = {**self.loop.numbers(), "score": None, "metric": "none", "waited": 0}
            self.keep_best()
        suites = {suite: sets for suite, sets in (("pairs", self.evaluation_sets()), ("sts", self.sts_sets)) if sets}
        head = self.loop.head if self.config.model.keep_head else None
        same = {"step0": 0, "last": self.loop.step}
        for checkpoint in ("last", "step0", "best"):
            twin = (
                next((name for name, step in same.items() if step == self.best["step"]), "")
                if checkpoint == "best"
                else ""
            )
            open_suites = [
                suite
                for suite in suites
                if not (checkpoint == "step0" and evaluations.has(self.folder, suite, checkpoint))
            ]
            if checkpoint == "best" or (checkpoint == "step0" and open_suites):
                load_weights(self.encoder, head, self.weights_of(checkpoint))
            for suite in open_suites:
                if twin:
                    evaluations.copy(self.folder, suite, twin, checkpoint)
                else:
                    self.score(suite, checkpoint, suites[suite])

    def weights_of(self, checkpoint: str) -> dict[str, Any]:
        """The tensors of a checkpoint; for step 0 those that training began with."""
        if checkpoint != "step0":
            weights, _, state = checkpoints.load(self.folder / names.CHECKPOINTS / checkpoint)
            if state["files"]:
                return weights
        from workbench.jobs.encoders import new_head
        from workbench.models.load import load

        fresh = load(self.config.model.backbone, self.config.model.revision, device=self.device)
        head = new_head(self.config, fresh)
        found = {f"backbone.{name}": tensor for name, tensor in fresh.backbone.state_dict().items()}
        return found | {f"head.{name}": tensor for name, tensor in (head.state_dict() if head else {}).items()}

    def finish(self) -> None:
        """Export the best weights for sentence-transformers, and drop what only a resume would need."""
        from workbench.models.export import exportable, save

        self.worker.note = "Writing the model"
        model = self.config.model
        if not exportable(model.eval_pooling, model.head if model.keep_head else ""):
            place, draft = self.folder / names.MODEL, self.folder / f".{names.MODEL}.tmp"
            shutil.rmtree(draft, ignore_errors=True)
            save(self.encoder, draft)
            shutil.rmtree(place, ignore_errors=True)
            draft.rename(place)
        checkpoints.drop_optimizer(self.folder / names.CHECKPOINTS / "last")


def origins_table(config: RunConfig) -> str:
    """Which values came from recipe, backbone, user, machine or default: one line each."""
    from workbench.store.commands import value

    lines = [f"{config.recipe} on {config.model.backbone}, {config.corpus.rows:,} texts of {config.corpus.name}"]
    order = ("user", "recipe", "backbone", "machine", "default")
    for origin in order:
        named = [f"{name} = {value(config, name)!r}" for name, source in config.origins.items() if source == origin]
        lines.extend(f"  {origin:<9} {line}" for line in named)
    return "\n".join(lines)
