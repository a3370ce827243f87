"""Drives the training of one run: prepares it, takes its steps, probes it, keeps checkpoints; and in the end evaluates it."""

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from workbench.core import device as devices
from workbench.core.collecting import rarely_collected
from workbench.core.config import Corpus, composition
from workbench.core.disk_errors import check_space
from workbench.core.errors import BadData, BadRun
from workbench.core.progress import Progress
from workbench.core.reading import cut_after, last_line
from workbench.core.writing import append_line, plain, sync, write_json
from workbench.data.report import SAMPLE
from workbench.preflight import acknowledgements
from workbench.runs import measured_pairs
from workbench.runs.context import RunContext
from workbench.runs.finals import Finals
from workbench.runs.kinds import kind_of
from workbench.runs.outcome import write_outcome
from workbench.runs.peers import Peers, process_devices
from workbench.runs.probes import Probes
from workbench.store import checkpoints, events, film, leftovers, names, shapes, shared_weights
from workbench.store.commands import origins
from workbench.store.environment import environment, moved, with_torch
from workbench.store.fitting import fitting
from workbench.store.run import Run
from workbench.store.shapes import Best
from workbench.targets.opening import as_evaluated
from workbench.training.batches import in_steps

if TYPE_CHECKING:
    from torch import Tensor

    from workbench.data.pair_sets import PairSet
    from workbench.training.steps import Step, Taken


class Driver:
    """One attempt at one run. `prepare`, `train`, then `evaluate` and `finish`, or `stop`."""

    probes: Probes
    finals: Finals
    devices: list[str]
    """Of each process."""

    def __init__(self, context: RunContext) -> None:
        self.context, self.folder = context, context.folder
        self.kind = kind_of(context)
        self.reached = 0
        """The last step that was taken."""
        self.peers = Peers()
        self.unread: list[Taken] = []
        """The steps that were taken, or are queued on a GPU, and are not in the file of steps yet."""
        self.latest: Step | None = None
        """The last step of that file in this attempt."""
        self.probed = True
        """Whether the probe of the step that was reached has been made: a stop may interrupt it."""
        self.reporting: Future[None] | None = None
        """The corpus report while it is being made beside the training."""
        self.must_accept: Mapping[str, str] = {}
        """The texts of the warnings that must be accepted, by name."""
        self.step0: dict[str, Tensor] | None = None
        """The weights of step 0 until `catch_up` has measured them; None in an attempt that begins later."""
        self.pause = devices.number("WORKBENCH_CHECKPOINT_SECONDS", checkpoints.LAST_SECONDS)
        self._saved, self._save_seconds = time.monotonic(), 0.0

    # Before step 1

    def prepare(self) -> None:
        """Everything that can fail for a reason the user can mend, before the first step.

        Raises:
            WorkbenchError: corpus, pairs, backbone, memory or disk.
        """
        from workbench.data.pairs import load_pairs
        from workbench.models.timing import precision

        context = self.context
        context.say("Loading torch")
        with rarely_collected(freeze=True):
            self.choose_device()
        context.say("Reading the corpus")
        corpus = self.kind.read()
        self.check_corpus(corpus)
        context.say("Reading the scored pairs")
        refs = dict.fromkeys([*context.probed_pairs, *context.config.evaluation.pairs])
        context.pairs = {ref: load_pairs(ref) for ref in refs}
        measured_pairs.check(self.folder, context.pairs)
        self.check_selection()
        context.say("Loading the backbone")
        with ThreadPoolExecutor(1) as beside:
            # Most of what loading waits for is imports, on one core; the timing takes the other.
            chosen = beside.submit(precision, context.config.training.precision, context.device, context.runs.cache)
            with rarely_collected(freeze=True):
                context.encoder = self.kind.load()
            context.precision = chosen.result()
        self.settle(corpus)
        self.meet()
        context.loop = self.kind.begin()
        as_evaluated(context.encoder, context.config, context.loop.head)
        self.probes, self.finals = Probes(context, self.kind), Finals(context, self.kind)
        self.warn()
        self.estimate()
        if reason := self.kind.no_model_folder():
            context.notice(f"There will be no model folder. {reason}")
        self.restore()
        if context.loop.step == 0:
            self.step0 = _copied(context.loop.weights())

    def check_selection(self) -> None:
        """Check that the best step can be chosen on its pair sets.

        Raises:
            BadData: the scores of one rank nothing.
        """
        selection, pairs = self.context.config.selection, self.context.pairs
        alike = [ref for ref in selection.scored if len({*pairs[ref].gold}) < 2]
        if alike and selection.metric == "spearman":
            raise BadData(
                f"No step can be chosen on {', '.join(alike)}: all gold scores are equal.",
                way_out="Choose on other pairs, or leave them out of selection.pairs.",
            )

    def meet(self) -> None:
        """Become the first of the processes that share the run.

        Raises:
            BadSetting: fewer accelerators than processes.
            Vanished: the others did not come.
        """
        context = self.context
        count = context.config.training.processes
        wait = partial(context.say, "Waiting for the other processes")
        if context.meeting:
            self.devices = [context.device] * count
            self.peers.await_others(context.meeting, count, context.device, wait)
        else:
            self.devices = process_devices([context.device, *context.given_devices[1:]], count)
            self.peers.start(self.folder, self.devices, threads=context.threads, wait=wait)

    def choose_device(self) -> None:
        """Device and threads of this process."""
        import torch

        context = self.context
        write_json(context.runs.cache / "devices.json", {"devices": devices.available()})
        given = context.given_devices[0]
        context.device = devices.choose(given if given != "auto" else context.config.training.device)
        context.threads = int(os.environ.get("OMP_NUM_THREADS", devices.threads()))
        if context.device == "cpu" and not context.meeting:  # the processes of the run share the cores
            context.threads = max(1, context.threads // context.config.training.processes)
        torch.set_num_threads(context.threads)
        devices.make_current(context.device)

    def check_corpus(self, corpus: Corpus) -> None:
        """Check that the texts are still those the run was submitted with.

        Raises:
            BadData: they are not.
        """
        submitted = self.context.config.corpus
        if submitted.sha256 and submitted.sha256 != corpus.sha256:
            raise BadData(
                f"The corpus {submitted.source} has changed since this run was submitted.",
                rule="A run keeps to the texts whose hash is in its configuration.",
                way_out="Put the old file back, or start a new run.",
            )

    def settle(self, corpus: Corpus) -> None:
        """Complete config.toml and environment.json: hash of the texts, device, precision. A pair set that is named twice
        is taken once."""
        context = self.context
        config = context.config
        training, set_by = config.training, dict(config.origins)
        if training.precision == "auto":
            set_by["training.precision"] = "machine"
        training = replace(training, precision=context.precision)
        selection = replace(config.selection, pairs=tuple(dict.fromkeys(config.selection.pairs)))
        evaluation = replace(config.evaluation, pairs=tuple(dict.fromkeys(config.evaluation.pairs)))
        config = in_steps(replace(config, corpus=corpus, training=training, origins=set_by))
        context.change(replace(config, selection=selection, evaluation=evaluation))
        about = {**environment(), **with_torch(context.device, context.threads, context.precision)}
        self.compare_environment(about)
        write_json(self.folder / names.ENVIRONMENT, about)
        print(origins(context.config), flush=True)

    def compare_environment(self, now: Mapping[str, object]) -> None:
        """Resuming elsewhere is allowed, but then the losses need not be those of an undisturbed run: say so."""
        before = Run(self.folder).environment
        if "torch_build" not in before:
            return
        parts = ("python", "packages", "processor", "threads", "device", "torch_build")
        changed = [name for name in parts if before.get(name) != plain(now[name])]
        if changed:
            where = f"Resumed in another environment ({', '.join(changed)} differ)"
            versions = [
                f"{name} {was or 'missing'}, now {is_now or 'missing'}" for name, was, is_now in moved(before, now)
            ]
            named = f" {'; '.join(versions)}." if versions else ""
            self.context.notice(f"{where}: losses need not be the same to the last bit.{named}")

    @property
    def scored(self) -> "list[PairSet]":
        """Every pair set that the run is evaluated on."""
        return [*self.context.pairs.values(), *self.finals.sts]

    def warn(self) -> None:
        """The warnings, once; whether they were accepted, at each attempt.

        Raises:
            NotAccepted: a warning that must be accepted was not.
        """
        if (self.folder / names.CORPUS).exists():
            self.must_accept = Run(self.folder).corpus_report.get("must_accept", {})
        else:
            warnings = self.kind.warnings()
            self.must_accept = acknowledgements.needed(warnings)
            notices = [notice for pair_set in self.scored for notice in pair_set.notices]
            notices += self.finals.sts_tasks.unreadable
            for text in (*notices, *(warning.text for warning in warnings)):
                self.context.notice(text)
                print(text, flush=True)
        if lacking := acknowledgements.lacking(self.must_accept, self.context.config.accept):
            self.report()
            acknowledgements.check(lacking)

    def report(self, on_progress: Progress | None = None) -> None:
        """The corpus report, once."""
        if not (self.folder / names.CORPUS).exists():
            report = self.kind.report(self.scored, on_progress or self.context.on_progress("Corpus report: "))
            write_json(self.folder / names.CORPUS, {**report, "must_accept": self.must_accept})

    def report_beside(self) -> None:
        """The corpus report; that of a large corpus is made in a thread, which `train` waits for in the end."""
        from workbench.models.encoder import Cancelled

        if self.context.config.corpus.rows <= SAMPLE:
            self.report()
            return

        def check(share: float, note: str) -> None:
            if self.context.cancelled():
                raise Cancelled

        self.reporting = ThreadPoolExecutor(1, "corpus report").submit(self.report, check)

    def estimate(self) -> None:
        """The dry run: memory and time, from a few rows.

        Raises:
            Refused: the batch cannot fit, and is never made smaller; or there is no room for the checkpoints.
        """
        from workbench.training.dryrun import refuse_if_too_large

        self.context.say("Dry run")
        estimate = self.kind.estimate()
        if self.context.device == "cpu":  # the copy of step 0 that `catch_up` measures
            estimate = replace(estimate, needed_bytes=estimate.needed_bytes + self.weight_bytes)
        events.add(self.folder, "estimate", **asdict(estimate))
        refuse_if_too_large(estimate, pretrains=self.context.config.pretrains)
        self.check_disk(estimate.seconds)

    def check_disk(self, seconds: float) -> None:
        """Room for the checkpoints of a run that is estimated to train for `seconds`, including those of an earlier attempt.

        Raises:
            Refused: there is not enough.
        """
        there = sum(path.stat().st_size for path in self.context.checkpoints.glob("*/*.safetensors"))
        again = there > 0 or checkpoints.written_again(seconds, self.pause)
        selects = self.context.config.selection.selects
        needed = checkpoints.most_bytes(self.weight_bytes, selects=selects, again=again)
        check_space(self.folder, needed - there, "Keeping the checkpoints of this run")

    @property
    def weight_bytes(self) -> int:
        """The size of everything that a checkpoint keeps."""
        return sum(tensor.numel() * tensor.element_size() for tensor in self.context.loop.weights().values())

    def restore(self) -> None:
        """Go on from the last complete checkpoint, if there is one; what was written after it is cut off.

        Raises:
            BadRun: the configuration is not the one of the checkpoint, or the checkpoint is damaged.
        """
        last, loop = self.context.checkpoints / "last", self.context.loop
        for checkpoint in (last, self.context.checkpoints / "best"):
            shared_weights.separate(checkpoint)  # an attempt that ended while it wrote the model, which is written anew
        if checkpoints.begun(last):
            way_out = f"Start a new run with the same settings; or delete {last}, and Resume starts over from step 0."
            weights, moments, state = checkpoints.load(last, way_out=way_out)
            if state.get("config") != self.mark:
                raise BadRun(
                    "The configuration was changed since the checkpoint was written.",
                    rule="A run keeps its model, corpus, losses and training settings.",
                    way_out="Undo the change in config.toml, or start a new run.",
                )
            loop.restore(weights, moments, state)
            self.probes.restore(state.get("selection", {}))
            self.probed = state.get("looked", True)
        else:
            self.probes.forget_previous_best()
        step = self.reached = loop.step
        if not step and last_line(self.folder / names.STEPS):
            self.context.notice("There is no checkpoint yet: training starts over from step 0.")
        # A probe that is to be repeated may have been made by an attempt that ended right after it.
        for name, shape, known in (
            (names.STEPS, shapes.Step, step),
            (names.PROBES, shapes.Probe, step if self.probed else step - 1),
        ):
            cut_after(self.folder / name, partial(_is_before, known if step else -1, shape))
        film.cut_after(self.folder, step)
        if step:
            print(f"Resumes from step {step}.", flush=True)

    @cached_property
    def mark(self) -> str:
        """A hash of what must not change between the attempts of a run."""
        config = asdict(self.context.config)
        pretraining = ("pretraining",) if self.context.config.pretrains else ()
        fixed = {name: config[name] for name in ("recipe", "model", "corpus", "training", *pretraining)}
        fixed["terms"] = composition(self.context.config.terms)
        return hashlib.sha256(json.dumps(plain(fixed), sort_keys=True).encode()).hexdigest()[:16]

    # Training

    def train(self) -> bool:
        """Steps until the end, the end of patience, or a stop; whether it came to its end."""
        from workbench.models.encoder import Cancelled

        context, loop = self.context, self.context.loop
        total = context.config.training.steps
        context.say("Training")
        self._saved = time.monotonic()
        try:
            if not self.probed:
                self.probe_again()
            while not self.probes.impatient:
                taken = next(self.steps, None)
                if taken is None:
                    break
                self.reached, self.probed = taken.step, False
                self.unread.append(taken)
                # A GPU computes this step while the next one is prepared, unless something has to wait for it.
                waits = (
                    not devices.queues(context.encoder.device) or self.step0 is not None or self.probes.due(taken.step)
                )
                self.read_steps(0 if waits else 1)
                context.show("Training", taken.step / total)
                self.catch_up()
                if not self.unread:
                    self.probe(self.latest)
                self.probed = True
                if taken.step < total and self.due():
                    self.save_last()
            self.read_steps()
        except Cancelled:  # during a probe, which the resume makes up for
            return False
        if self.probes.impatient and loop.step < total:
            patience = context.config.selection.patience
            context.notice(f"No evaluation was better for {patience} evaluations: ended at step {loop.step}.")
        finished = self.probes.impatient or loop.step >= total
        if finished:
            context.show("Saving the last checkpoint", loop.step / total)
            self.save_last()
        try:
            if finished:
                context.show("Corpus report", 1.0)
                self.reporting.result() if self.reporting else self.report()
        except Cancelled:
            return False
        return finished

    def read_steps(self, left: int = 0) -> None:
        """Write down what all steps but the last `left` did, waiting for them.

        Raises:
            Diverged: one is not finite.
        """
        while len(self.unread) > left:
            self.latest = self.unread.pop(0).read()
            append_line(self.folder / names.STEPS, {**asdict(self.latest), "time": time.time()}, flushed=False)

    def catch_up(self) -> None:
        """What would have delayed the first step: the corpus report, and evaluation and probe of step 0.

        A stop in the meantime keeps nothing: the run then begins anew, and loses a step.

        Raises:
            Stopped, Cancelled: the run was asked to stop.
        """
        if self.reporting is None:
            self.report_beside()
        if self.step0 is None:
            return
        measured_pairs.keep_to(self.folder, self.context.pairs)
        loop = self.context.loop
        now = _copied(loop.weights())
        loop.load_weights(self.step0)
        try:
            self.finals.evaluate_step0()
            self.context.say("Probing step 0")
            self.probe(None)
        finally:
            loop.load_weights(now)
        self.step0 = None
        self.context.show("Training", self.reached / self.context.config.training.steps)

    @cached_property
    def steps(self) -> "Iterator[Taken]":
        """The loop's steps, from where it stands."""
        return self.context.loop.queued()

    def probe(self, step: "Step | None") -> None:
        """Probe and selection, where they are due."""
        at = step.step if step else 0
        if self.probes.due(at):
            share = self.reached / self.context.config.training.steps
            self.context.show(f"Probing step {at:,}", share)
            self.probes.evaluate(step)
            self.context.show("Training", share)

    def probe_again(self) -> None:
        """The probe that a stop interrupted."""
        from workbench.training.steps import Step

        row = last_line(self.folder / names.STEPS) or {}
        if row.get("step") == self.context.loop.step:
            self.probe(Step(**{name: value for name, value in row.items() if name != "time"}))
        self.probed = True

    def due(self) -> bool:
        """Whether it is time for a checkpoint that a crash cannot take."""
        return time.monotonic() - self._saved >= max(self.pause, min(20 * self._save_seconds, 20 * self.pause))

    def save_last(self) -> None:
        """Weights, optimiser and numbers: all that is needed to go on bit for bit."""
        start, loop = time.monotonic(), self.context.loop
        self.read_steps()
        for name in (names.STEPS, names.PROBES):
            sync(self.folder / name)  # what they say of the steps before it
        state = {**loop.numbers(), "config": self.mark, "looked": self.probed, "selection": self.probes.best}
        with self.context.saves():
            checkpoints.save(self.context.checkpoints / "last", loop.weights(), state, loop.moments())
            self.probes.forget_previous_best()
        self._saved = time.monotonic()
        self._save_seconds = self._saved - start

    def stop(self) -> None:
        """Asked to stop: save what there is."""
        loop = self.context.loop
        last = checkpoints.state(self.context.checkpoints / "last")
        if self.step0 is None and loop.step and (last is None or last["step"] != loop.step):
            self.context.show("Saving", loop.step / self.context.config.training.steps)
            self.save_last()

    def whole_checkpoint(self) -> str:
        """Which checkpoint a failed run still has, in words: the last, or where that is damaged the best."""
        for name, which in (("last", ""), ("best", "best ")):
            if state := checkpoints.whole(self.context.checkpoints / name):
                return f"The {which}checkpoint of step {state['step']} is kept."
        return ""

    # After the last step

    def evaluate(self) -> None:
        """Step 0, best and last, in fp32. The encoder holds the best weights afterwards."""
        loop = self.context.loop
        if not self.probes.best:  # nothing was asked to choose, or what was chosen is lost
            best: Best = {"step": loop.step, "samples": loop.samples, "score": None, "metric": "none", "waited": 0}
            self.probes.save_best(best)
        self.finals.evaluate_all(self.probes.best["step"], rival=self.probes.best.get("rival", ""))
        self.context.say("Comparing with step 0")
        write_outcome(Run(self.folder), self.context.pairs, self.kind.texts)

    def finish(self) -> None:
        """Export the best weights, drop the optimiser's, and store weights once that are there twice."""
        self.context.show("Writing the model")
        model = self.finals.export()
        last, best = self.context.checkpoints / "last", self.context.checkpoints / "best"
        checkpoints.drop_optimizer(last)
        shared_weights.share_with_checkpoint(last, best)
        if self.context.config.storage.checkpoints == "best":
            checkpoints.drop_weights(best, "objectives.")
        for checkpoint in (best, last):
            shared_weights.share_with_model(checkpoint, model)

    def drop_last(self) -> None:
        """See `leftovers.drop_last`."""
        leftovers.drop_last(Run(self.folder))


def _copied(weights: "Mapping[str, Tensor]") -> "dict[str, Tensor]":
    """A copy in main memory, which on a GPU costs the training none of its own."""
    return {name: tensor.to("cpu", copy=True) for name, tensor in weights.items()}


def _is_before(step: int, shape: type, row: Mapping[str, object]) -> bool:
    """Whether a row is of no later step than `step`; a damaged one is not."""
    fits = fitting(shape, row)
    return fits is not None and bool(fits["step"] <= step)
