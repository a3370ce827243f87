"""What is done once with a checkpoint: its evaluation in fp32, its picture, and the model folder."""

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from workbench.core.schedule import evaluated_pairs
from workbench.core.writing import whole_folder, write_text
from workbench.evaluation import Tasks
from workbench.evaluation.sts import METHOD as STS
from workbench.models.tensors import check_tensors
from workbench.runs import first_vectors, measured_pairs, model_card
from workbench.runs.context import RunContext
from workbench.runs.kind import Kind
from workbench.scoring.pair_scores import Scored
from workbench.scoring.train_test_overlap import columns, overlaps_with
from workbench.store import checkpoints, evaluations, names
from workbench.store.names import RunsFolder
from workbench.store.openings import note as note_openings
from workbench.store.run import Run

if TYPE_CHECKING:
    from torch import Tensor

    from workbench.data.pair_sets import PairSet

_TITLES = {"step0": "step 0", "best": "the best step", "last": "the last step"}
MOST_DRAWN = 2000
"""Most sentences whose position in the plane is stored."""


class Finals:
    """The evaluations of one run."""

    def __init__(self, context: RunContext, kind: Kind) -> None:
        """Encoder, loop and pairs of the context are there."""
        self.context, self.kind, self.folder = context, kind, context.folder
        self.pairs = [context.pairs[ref] for ref in evaluated_pairs(context.config)]

    @cached_property
    def sts_tasks(self) -> Tasks:
        """The test split of every STS task in the folder, if one is named, and what could not be read of it."""
        folder = self.context.config.evaluation.sts_folder
        return STS.read(folder) if folder else Tasks([], [], [])

    @property
    def sts(self) -> "list[PairSet]":
        """The sets of `sts_tasks`."""
        return self.sts_tasks.sets

    def evaluate_step0(self) -> None:
        """The evaluation on the pairs that every later number is compared with, before the first step."""
        if self.pairs and not evaluations.has(self.folder, "pairs", "step0"):
            self.score("pairs", "step0", self.pairs, step=0)

    def evaluate_all(self, best_step: int, *, rival: str = "") -> None:
        """Step 0, best and last on all pair sets and the STS folder. The encoder holds the best weights afterwards.

        `rival` says that the best weights are not those of the encoder in training at that step.

        Raises:
            BadData: a task of the STS folder has other pairs than when it was first scored.
        """
        last_step = self.context.loop.step
        measured_pairs.keep_to(self.folder, {f"{STS.id} {tasks.name}": tasks for tasks in self.sts})
        suites = {suite: sets for suite, sets in (("pairs", self.pairs), (STS.id, self.sts)) if sets}
        for suite, sets in suites.items():
            self.score(suite, "last", sets, step=last_step)
        missing = [suite for suite in suites if not evaluations.has(self.folder, suite, "step0")]
        if missing:
            self.load("step0")
        for suite in missing:
            self.score(suite, "step0", suites[suite], step=0)
        twin = None if rival else {0: "step0", last_step: "last"}.get(best_step)
        self.load("best")
        for suite, sets in suites.items():
            if twin:
                evaluations.copy(self.folder, suite, twin, "best")
            else:
                self.score(suite, "best", sets, step=best_step)

    def score(self, suite: str, checkpoint: str, sets: "list[PairSet]", *, step: int) -> None:
        """Evaluate the encoder as it is now, in fp32, and write it down."""
        note, encoder, context = f"Evaluating {_TITLES[checkpoint]}", self.context.encoder, self.context
        context.say(note)
        note_openings(RunsFolder(self.folder.parent), sets, [f"{self.folder.name}@{checkpoint}"], "run")
        scored = Scored(sets)

        def on_progress(share: float, _: str) -> None:
            context.say(note, share)

        if checkpoint == "step0":
            vectors = first_vectors.encoded(context, scored.texts, "fp32", on_progress)
        else:
            vectors = encoder.encode(
                scored.texts, precision="fp32", cancelled=context.cancelled, on_progress=on_progress
            )
        rows, table = scored.tables(lambda _: vectors)
        about = {"step": step, "precision": "fp32", "max_length": encoder.max_length}
        overlaps = [columns(overlap) for overlap in overlaps_with(Run(self.folder), sets, trained=step > 0)]
        scores = [{**row, **about, **overlap} for row, overlap in zip(rows, overlaps, strict=True)]
        evaluations.write(self.folder, suite, checkpoint, table, scores)
        if suite == "pairs":
            self.draw(checkpoint, scored.texts, vectors)

    def draw(self, checkpoint: str, texts: list[str], vectors: np.ndarray) -> None:
        """The evaluated sentences in the plane, so that a shared run shows the same picture without its model."""
        from workbench.analysis.projection import projection

        for method in ("pca", "cone"):
            if len(texts) >= 3:
                table = projection(vectors[:MOST_DRAWN], method=method)
                evaluations.write_coordinates(self.folder, checkpoint, method, table.assign(text=texts[:MOST_DRAWN]))

    def load(self, checkpoint: str) -> None:
        """Put the weights of a checkpoint into the encoder."""
        self.kind.put(self.weights_of(checkpoint))

    def weights_of(self, checkpoint: str) -> "dict[str, Tensor]":
        """The tensors of a checkpoint; for step 0 those that training began with."""
        if checkpoint != "step0":
            weights, _, _ = checkpoints.load(self.context.checkpoints / checkpoint)
            if weights:  # otherwise it stands for step 0
                return weights
        return self.kind.step0()

    def export(self) -> str:
        """The model as it is now as a folder; only the backbone where a folder cannot express the rest. The folder's name."""
        backbone_only = bool(self.kind.no_model_folder())
        exported = names.BACKBONE if backbone_only else names.MODEL
        with whole_folder(self.folder / exported) as draft:
            (self.kind.save_backbone if backbone_only else self.kind.save)(draft)
            write_text(draft / model_card.FILE, model_card.model_card(Run(self.folder)))
            for path in draft.rglob("*.safetensors"):
                check_tensors(path)
        return exported
