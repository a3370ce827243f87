"""Drives the training loop of one run: prepares it, looks at it, keeps checkpoints; and in the end evaluates it."""

import hashlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from workbench.core import device as devices
from workbench.core.config import Corpus, composition, to_toml
from workbench.core.disk_errors import check_space
from workbench.core.errors import BadData, BadRun
from workbench.core.reading import cut_after, last_line
from workbench.core.writing import append_line, plain, write_json, write_text
from workbench.preflight import acknowledgements
from workbench.runs.finals import Finals
from workbench.runs.kinds import kind_of
from workbench.runs.peers import Peers, places
from workbench.runs.probes import Looks, refs
from workbench.store import checkpoints, events, names, shapes
from workbench.store.commands import origins
from workbench.store.environment import environment, with_torch
from workbench.store.run import Run
from workbench.targets.opening import as_evaluated
from workbench.training.batches import in_steps

if TYPE_CHECKING:
    from workbench.data.pair_sets import PairSet
    from workbench.models.encoder import Encoder
    from workbench.runs.worker import Worker
    from workbench.training.steps import Step

CHECKPOINT_SECONDS = 30.0
"""Least time between two `last` checkpoints; writing them never takes more than a twentieth of the time."""


class Driver:
    """One attempt at one run. `prepare`, `train`, then `evaluate` and `finish`, or `stop`."""

    encoder: "Encoder"
    loop: Any
    """A `training.loop.Loop`, or a `pretraining.loop.MaskedLoop`."""
    looks: Looks
    finals: Finals

    def __init__(self, worker: "Worker") -> None:
        self.worker, self.folder, self.config = worker, worker.folder, worker.run.config
        self.kind = kind_of(self)
        self.reached = 0
        self.peers = Peers()
        self.looked = True
        """Whether the look of the step that was reached has been made: a stop may break it off."""
        self.pause = devices.number("WORKBENCH_CHECKPOINT_SECONDS", CHECKPOINT_SECONDS)
        self._saved, self._save_seconds = time.monotonic(), 0.0

    # Before step 1

    def prepare(self) -> None:
        """Everything that can fail for a reason the user can mend, before the first step.

        Raises:
            WorkbenchError: corpus, pairs, backbone, memory or disk.
        """
        from workbench.data.pairs import load_pairs
        from workbench.models.timing import precision

        say = self.worker.say
        say("Loading torch")
        self.device = self._device()
        say("Reading the corpus")
        corpus = self.kind.read()
        say("Reading the scored pairs")
        pairs = {ref: load_pairs(ref) for ref in dict.fromkeys([*refs(self), *self.config.evaluation.pairs])}
        self.precision = precision(self.config.training.precision, self.device, self.worker.runs.cache)
        self.settle(corpus)
        say("Loading the backbone")
        self.encoder = self.kind.load()
        self.places = places([self.device, *self.worker.device.split()[1:]], self.config.training.processes)
        self.peers.start(self.folder, self.places, threads=self.threads)
        self.loop = self.kind.begin()
        as_evaluated(self.encoder, self.config, self.loop.head)
        self.looks, self.finals = Looks(self, pairs), Finals(self, pairs)
        self.report(list(pairs.values()))
        self.estimate()
        if reason := self.kind.no_model_folder():
            events.add(self.folder, "notice", message=f"There will be no model folder. {reason}")
        self.restore()
        if self.loop.step == 0:
            self.finals.step0()
            self.worker.say("Looking at step 0")
            self.look(None)

    def _device(self) -> str:
        import torch

        count = int(os.environ.get("OMP_NUM_THREADS", devices.threads()))
        torch.set_num_threads(count)
        self.threads = count
        write_json(self.worker.runs.cache / "devices.json", {"devices": devices.available()})
        given = self.worker.device.split()[0]
        return devices.choose(given if given != "auto" else self.config.training.device)

    def settle(self, corpus: Corpus) -> None:
        """Complete config.toml and environment.json: hash of the texts, device, precision. A pair set that is named twice
        is taken once.

        Raises:
            BadData: the texts are no longer those the run was submitted with.
        """
        before = self.config.corpus
        if before.sha256 and before.sha256 != corpus.sha256:
            raise BadData(
                f"The corpus {before.source} has changed since this run was submitted.",
                rule="A run keeps to the texts whose hash is in its configuration.",
                way_out="Put the old file back, or start a new run.",
            )
        training, told = self.config.training, dict(self.config.origins)
        if training.precision == "auto":
            told["training.precision"] = "machine"
        training = replace(training, precision=self.precision)
        selection, evaluation = self.config.selection, self.config.evaluation
        selection = replace(selection, pairs=tuple(dict.fromkeys(selection.pairs)))
        evaluation = replace(evaluation, pairs=tuple(dict.fromkeys(evaluation.pairs)))
        config = replace(self.config, corpus=corpus, training=training, origins=told)
        self.config = in_steps(replace(config, selection=selection, evaluation=evaluation))
        write_text(self.folder / names.CONFIG, to_toml(self.config))
        found = {**environment(), **with_torch(self.device, self.threads, self.precision)}
        self.compare_environment(found)
        write_json(self.folder / names.ENVIRONMENT, found)
        print(origins(self.config), flush=True)

    def compare_environment(self, found: dict[str, Any]) -> None:
        """Resuming elsewhere is allowed, but then the losses need not be those of an undisturbed run: say so."""
        before = Run(self.folder).environment
        if "torch_build" not in before:
            return
        parts = ("python", "packages", "processor", "threads", "device", "torch_build")
        changed = [name for name in parts if before.get(name) != plain(found[name])]
        if changed:
            where = f"Resumed in another environment ({', '.join(changed)} differ)"
            events.add(self.folder, "notice", message=f"{where}: losses need not be the same to the last bit.")

    def report(self, pairs: "list[PairSet]") -> None:
        """The corpus report, and what is to be known before the first step: once. Whether it was accepted: at each attempt.

        Raises:
            NotAccepted: a warning that must be accepted was not.
        """
        if not (self.folder / names.CORPUS).exists():
            scored, cautions = [*pairs, *self.finals.sts], self.kind.cautions()
            must = acknowledgements.needed(cautions)
            write_json(self.folder / names.CORPUS, {**self.kind.report(scored), "must_accept": must})
            said = [note for one in scored for note in one.notices]
            for text in (*said, *(caution.text for caution in cautions)):
                events.add(self.folder, "notice", message=text)
                print(text, flush=True)
        must = Run(self.folder).corpus_report.get("must_accept", {})
        acknowledgements.check(acknowledgements.lacking(must, self.config.accept))

    def estimate(self) -> None:
        """The dry run: memory and time, from a few rows.

        Raises:
            Refused: the batch cannot fit, and is never made smaller; or there is no room for the checkpoints.
        """
        from workbench.training.dryrun import refuse_if_too_large

        self.worker.say("Dry run")
        found = self.kind.estimate()
        events.add(self.folder, "estimate", **asdict(found))
        refuse_if_too_large(found, pretrains=self.config.pretrains)
        self.check_disk(found.seconds)

    def check_disk(self, seconds: float) -> None:
        """Room for the checkpoints of a run that is estimated to train so long, what is there of an attempt before included.

        Raises:
            Refused: there is not.
        """
        weights = sum(tensor.numel() * tensor.element_size() for tensor in self.loop.weights().values())
        there = sum(path.stat().st_size for path in (self.folder / names.CHECKPOINTS).glob("*/*.safetensors"))
        again = there > 0 or 2 * seconds > self.pause  # an estimate may be half of what it takes
        needed = checkpoints.most_bytes(weights, selects=self.config.selection.metric != "none", again=again)
        check_space(self.folder, needed - there, "Keeping the checkpoints of this run")

    def restore(self) -> None:
        """Go on from the last complete checkpoint, if there is one; what was written after it is cut off.

        Raises:
            BadRun: the configuration is not the one of the checkpoint, or the checkpoint is damaged.
        """
        place = self.folder / names.CHECKPOINTS / "last"
        if checkpoints.begun(place):
            way_out = f"Start a new run with the same settings; or delete {place}, and Resume begins again from step 0."
            weights, moments, state = checkpoints.load(place, way_out=way_out)
            if state.get("config") != self.mark:
                raise BadRun(
                    "The configuration was changed since the checkpoint was written.",
                    rule="A run keeps its model, corpus, losses and training settings.",
                    way_out="Undo the change in config.toml, or start a new run.",
                )
            self.loop.restore(weights, moments, state)
            self.looks.go_back(state.get("selection", {}))
            self.looked = state.get("looked", True)
        else:
            self.looks.saved()
        step = self.reached = self.loop.step
        if not step and last_line(self.folder / names.STEPS):
            events.add(self.folder, "notice", message="There is no checkpoint yet: it begins again from step 0.")
        for name, shape in ((names.STEPS, shapes.Step), (names.PROBES, shapes.Probe)):
            cut_after(self.folder / name, partial(_is_before, step, shape))
        if step:
            print(f"Goes on from step {step}.", flush=True)

    @cached_property
    def mark(self) -> str:
        """What must not change between the attempts of a run."""
        config = asdict(self.config)
        own = ("pretraining",) if self.config.pretrains else ()
        kept = {name: config[name] for name in ("recipe", "model", "corpus", "training", *own)}
        kept["terms"] = composition(self.config.terms)
        return hashlib.sha256(json.dumps(plain(kept), sort_keys=True).encode()).hexdigest()[:16]

    # Training

    def train(self) -> bool:
        """Steps until the end, the end of patience, or a stop; whether it came to its end."""
        from workbench.models.encoder import Cancelled

        self.worker.say("Training")
        self._saved = time.monotonic()
        try:
            if not self.looked:
                self.look_again()
            while not self.looks.impatient:
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
        if self.looks.impatient and self.loop.step < self.config.training.steps:
            message = f"No look was better for {self.config.selection.patience} looks: ended at step {self.loop.step}."
            events.add(self.folder, "notice", message=message)
        finished = self.looks.impatient or self.loop.step >= self.config.training.steps
        if finished:
            self.worker.note = "Saving the last checkpoint"
            self.save_last()
        return finished

    @cached_property
    def steps(self) -> "Iterator[Step]":
        """The loop's steps, from where it stands."""
        return self.loop.run()

    def look(self, step: "Step | None") -> None:
        """Probe and selection, where they are due."""
        self.looks.look(step)

    def look_again(self) -> None:
        """The look that a stop broke off."""
        from workbench.training.steps import Step

        row = last_line(self.folder / names.STEPS) or {}
        if row.get("step") == self.loop.step:
            self.look(Step(**{name: value for name, value in row.items() if name != "time"}))
        self.looked = True

    def due(self) -> bool:
        """Whether it is time for a checkpoint that a crash cannot take."""
        return time.monotonic() - self._saved >= max(self.pause, min(20 * self._save_seconds, 20 * self.pause))

    def save_last(self) -> None:
        """Weights, optimiser and numbers: all that is needed to go on bit for bit."""
        start = time.monotonic()
        state = {**self.loop.numbers(), "config": self.mark, "looked": self.looked, "selection": self.looks.best}
        checkpoints.save(self.folder / names.CHECKPOINTS / "last", self.loop.weights(), state, self.loop.moments())
        self.looks.saved()
        self._saved = time.monotonic()
        self._save_seconds = self._saved - start

    def stop(self) -> None:
        """Asked to stop: keep what there is."""
        last = checkpoints.state(self.folder / names.CHECKPOINTS / "last")
        if self.loop.step and (last is None or last["step"] != self.loop.step):
            self.worker.note = "Saving"
            self.save_last()

    def kept(self) -> str:
        """Which checkpoint a failed run still has, in words: the last, or where that is damaged the best."""
        for name, said in (("last", ""), ("best", "best ")):
            if found := checkpoints.whole(self.folder / names.CHECKPOINTS / name):
                return f"The {said}checkpoint of step {found['step']} is kept."
        return ""

    # After the last step

    def evaluate(self) -> None:
        """Step 0, best and last, in fp32. The encoder holds the best weights afterwards."""
        if not self.looks.best:  # nothing was asked to choose, or what was chosen is lost
            self.looks.keep({**self.loop.numbers(), "score": None, "metric": "none", "waited": 0})
        self.finals.all(int(self.looks.best["step"]), rival=self.looks.best.get("rival", ""))

    def finish(self) -> None:
        """Export the best weights, and drop what only a resume would need."""
        self.worker.note = "Writing the model"
        self.finals.export()
        checkpoints.drop_optimizer(self.folder / names.CHECKPOINTS / "last")


def _is_before(step: int, shape: type, row: dict[str, Any]) -> bool:
    """Whether a row is of a step that the checkpoint at `step` knows; a damaged one is not."""
    fits = shapes.fitting(shape, row)
    return fits is not None and 0 < step >= fits["step"]
