"""What is done once with a checkpoint: its evaluation in fp32, its picture, and the model folder."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core.writing import whole_folder
from workbench.evaluation.sts import METHOD as STS
from workbench.models.tensors import check_tensors
from workbench.scoring.pair_scores import Scored
from workbench.scoring.train_test_overlap import columns, overlaps_with
from workbench.store import checkpoints, evaluations, names
from workbench.store.run import Run

if TYPE_CHECKING:
    from workbench.data.pair_sets import PairSet
    from workbench.runs.driver import Driver

MOST_DRAWN = 2000
"""Sentences whose place in the plane is kept."""


class Finals:
    """The evaluations of one run."""

    def __init__(self, driver: "Driver", pairs: "dict[str, PairSet]") -> None:
        """`pairs` has every pair set that the configuration names."""
        self.driver, self.config, self.folder = driver, driver.config, driver.folder
        self.pairs = [pairs[ref] for ref in driver.config.evaluation.pairs]

    @cached_property
    def sts(self) -> "list[PairSet]":
        """The test split of every STS task in the folder, if one is named."""
        folder = self.config.evaluation.sts_folder
        return STS.read(folder).sets if folder else []

    def step0(self) -> None:
        """The evaluation on the pairs that every later number is compared with, before the first step."""
        if self.pairs and not evaluations.has(self.folder, "pairs", "step0"):
            self.score("pairs", "step0", self.pairs, step=0)

    def all(self, best_step: int, *, rival: str = "") -> None:
        """Step 0, best and last on all pair sets and the STS folder. The encoder holds the best weights afterwards.

        `rival` says that the best weights are not those of the encoder in training at that step.
        """
        last_step = self.driver.loop.step
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
        note, encoder, worker = f"Evaluating {checkpoint}", self.driver.encoder, self.driver.worker
        worker.say(note)
        scored = Scored(sets)
        vectors = encoder.encode(
            scored.texts,
            precision="fp32",
            cancelled=worker.cancelled,
            on_progress=lambda share, _: worker.say(note, share),
        )
        rows, table = scored.tables(lambda _: vectors)
        about = {"step": step, "precision": "fp32", "max_length": encoder.max_length}
        said = [columns(overlap) for overlap in overlaps_with(Run(self.folder), sets, trained=step > 0)]
        scores = [{**row, **about, **own} for row, own in zip(rows, said, strict=True)]
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
        self.driver.kind.put(self.weights_of(checkpoint))

    def weights_of(self, checkpoint: str) -> dict[str, Any]:
        """The tensors of a checkpoint; for step 0 those that training began with."""
        if checkpoint != "step0":
            weights, _, state = checkpoints.load(self.folder / names.CHECKPOINTS / checkpoint)
            if state["files"]:
                return weights
        return self.driver.kind.step0()

    def export(self) -> None:
        """The model as it is now as a folder; the backbone alone where a folder cannot express the rest."""
        kind = self.driver.kind
        alone = bool(kind.no_model_folder())
        with whole_folder(self.folder / (names.BACKBONE if alone else names.MODEL)) as draft:
            (kind.save_backbone if alone else kind.save)(draft)
            for path in draft.rglob("*.safetensors"):
                check_tensors(path)
