"""One cell of the evidence, computed in this process: a training or a fit, and its scores."""

import os
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.evidence.cells import BACKBONE, SCORED, Before, Cell, Row, as_computed
from workbench.core.calls import read_call
from workbench.core.errors import BadData
from workbench.data.texts import hash_texts
from workbench.recipes import RECIPES
from workbench.store.names import word

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

    from workbench.data.pair_sets import PairSet
    from workbench.data.texts import CorpusTexts
    from workbench.models.encoder import Encoder

MOST_TEXTS = 20_000
SETS = {"stsb_dev": ("stsb", "dev"), "sts12": ("sts12", "test"), "sts14": ("sts14", "test"), "sts15": ("sts15", "test")}
FILES = {
    "general": ("wiki/enwiki_sentences.txt",),
    "in_domain": ("sts/stsb-train.tsv",),
    "nli": ("nli/triplets.tsv", "nli/pairs.tsv"),
}
"""Corpora next to the folder of STS files; of several files the one with labels is used if labels are needed."""

Encode = Callable[[list[str]], "NDArray[np.float32]"]


class Stopped(Exception):
    """The time ran out during a cell, which is therefore not recorded."""


class Bench:
    """The pairs, the corpora and the untrained backbones, each read once."""

    def __init__(
        self,
        data: Path,
        out: Path,
        *,
        device: str = "cpu",
        most_texts: int = MOST_TEXTS,
        over: Callable[[], bool] = lambda: False,
    ) -> None:
        """`data` is the folder of STS files, next to folders wiki and nli; `over` returns whether the time is up.

        Raises:
            BadData: STS-B's dev set is not there.
        """
        from workbench.data.sts import load_task, present
        from workbench.models.timing import precision

        available = present(data)
        if "dev" not in available.get("stsb", {}):
            raise BadData("The evidence needs stsb-dev.tsv.", got=str(data), way_out="Name its folder: --data DIR.")
        self.base, self.out, self.device, self.most_texts, self.over = data.parent, out, device, most_texts, over
        self.sets: dict[str, PairSet] = {
            name: load_task(data, task, split)
            for name, (task, split) in SETS.items()
            if split in available.get(task, {})
        }
        positions: dict[str, int] = {}
        for pairs in self.sets.values():
            for text in pairs.texts():
                positions.setdefault(text, len(positions))
        self.positions, self.scored = positions, list(positions)
        self.precision = precision("auto", device, out)
        self._corpora: dict[str, CorpusTexts] = {}
        self._encoders: dict[str, Encoder] = {}
        self._raw: dict[tuple[str, str, str], NDArray[np.float32]] = {}

    # Texts

    def corpus(self, name: str, need: str = "sentences") -> "CorpusTexts":
        """The corpus of that name, with the columns that a recipe needs.

        Raises:
            BadData: its file is not there.
        """
        from workbench.data.corpora import load_corpus

        if name == "demo":
            source = f"demo:{need}"
        else:
            files = FILES[name]
            source = str(self.base / files[need == "labelled_pairs" and len(files) > 1])
        if source not in self._corpora:
            most = self.most_texts if name == "general" else None
            self._corpora[source] = load_corpus(source, max_texts=most)
        return self._corpora[source]

    # The untrained backbones

    def encoder(self, backbone: str) -> "Encoder":
        """A backbone as it comes."""
        from workbench.models.load import load

        if backbone not in self._encoders:
            self._encoders[backbone] = load(backbone, device=self.device)
        return self._encoders[backbone]

    def pooled(self, backbone: str, pooling: str, corpus: str = "") -> "Encoder":
        """A backbone with that pooling; a pooling that leaves frequent tokens out counts them over `corpus`."""
        import copy

        from workbench.models.frequent_tokens import frequent_ids

        name, settings = read_call(pooling)
        encoder = copy.copy(self.encoder(backbone))
        encoder.pooling, encoder.head, encoder.normalise = name, None, False
        encoder.check_pooling(name)
        if settings.get("without"):
            encoder.left_out = frequent_ids(
                self.encoder(backbone).tokenise(self.corpus(corpus).texts), int(settings["without"])
            )
        return encoder

    def raw(self, backbone: str, pooling: str, of: str) -> "NDArray[np.float32]":
        """The untrained vectors of a corpus, or of all sentences scored; kept, also for the next start."""
        from experiments.evidence.hashes import weights

        if (backbone, pooling, of) not in self._raw:
            texts = self.scored if of == SCORED else list(dict.fromkeys(self.corpus(of).texts))[: self.most_texts]
            whose = "" if backbone == BACKBONE else f"{word(backbone)}-{weights(backbone)}-"
            path = self.out / "vectors" / f"{whose}{pooling}-{of}-{hash_texts(texts)[:12]}.npy"
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                draft = path.with_suffix(f".{os.getpid()}.partial.npy")
                np.save(draft, self.pooled(backbone, pooling).encode(texts, cancelled=self.over))
                draft.replace(path)
            self._raw[backbone, pooling, of] = np.load(path)
        return self._raw[backbone, pooling, of]

    # Cells

    def compute(self, cell: Cell) -> "tuple[Row, dict[str, NDArray[np.float64]]]":
        """Compute a cell: the values to record, and the cosine of each pair of each set.

        Raises:
            WorkbenchError: it cannot be computed; the message says why.
            Stopped: time is up.
        """
        from workbench.models.encoder import Cancelled

        start, clock = time.perf_counter(), time.process_time()
        try:
            row, encodes = getattr(self, f"_{cell.kind}")(cell)
        except Cancelled:
            raise Stopped from None
        scores, cosines = self.evaluate(encodes)
        row = {"seconds": time.perf_counter() - start, "processor_seconds": time.process_time() - clock, **row}
        return {**row, **scores}, cosines

    def _baseline(self, cell: Cell) -> tuple[Row, dict[str, Encode]]:
        from workbench.targets.baselines import BASELINES

        if cell.name == "backbone":
            if cell.corpus:
                vectors = self.pooled(cell.backbone, cell.pooling, cell.corpus).encode(self.scored, cancelled=self.over)
            else:
                vectors = self.raw(cell.backbone, cell.pooling, SCORED)
            return {}, dict.fromkeys(self.sets, self._among(vectors))
        method = BASELINES[cell.name]
        if cell.corpus == SCORED:
            return {}, {name: method.fn(list(dict.fromkeys(pairs.texts()))) for name, pairs in self.sets.items()}
        return {}, dict.fromkeys(self.sets, method.fn(self.corpus(cell.corpus).texts if cell.corpus else ()))

    def _among(self, vectors: "NDArray[np.float32]") -> Encode:
        return lambda texts: vectors[[self.positions[text] for text in texts]]

    def _transform(self, cell: Cell) -> tuple[Row, dict[str, Encode]]:
        from workbench.transforms import FewTexts, fit

        name, settings = read_call(cell.name)
        scored = self.raw(cell.backbone, cell.pooling, SCORED)
        encodes: dict[str, Encode] = {}
        few = ""
        fitted: Any = None
        for task, pairs in self.sets.items():
            if fitted is None or cell.corpus == SCORED:
                rows = (
                    self._among(scored)(list(dict.fromkeys(pairs.texts())))
                    if cell.corpus == SCORED
                    else self.raw(cell.backbone, cell.pooling, cell.corpus)
                )
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", FewTexts)
                    fitted = fit(name, rows, on_progress=self._check_time, **settings)
                few = few or str(getattr(fitted, "few_", ""))
            made = fitted.transform(scored).astype(np.float32)
            encodes[task] = self._among(made)
        return {"note": few} if few else {}, encodes

    def _check_time(self, share: float, note: str) -> None:
        if self.over():
            raise Stopped

    def _recipe(self, cell: Cell) -> tuple[Row, dict[str, Encode]]:
        from workbench.models.load import load

        began = time.perf_counter()
        encoder = load(cell.backbone, device=self.device)
        loaded, first = time.perf_counter() - began, {}
        if cell.before:
            name, corpus, steps, rate = Before.read(cell.before)
            stage = replace(
                cell, name=name, corpus=corpus, steps=steps, learning_rate=rate, budget="steps", change="", before=""
            )
            weights, record = self._stage(stage)
            first = {f"before_{key}": record[key] for key in ("seconds", "processor_seconds", "last_loss", "config")}
            # Only the weights are carried over, as from a checkpoint.
            encoder.backbone.load_state_dict(weights)
        row = {**self._train(encoder, cell), **first}
        row["prepare_seconds"] += loaded
        vectors = encoder.encode(self.scored, cancelled=self.over)
        return row, dict.fromkeys(self.sets, self._among(vectors))

    def _stage(self, cell: Cell) -> "tuple[dict[str, Tensor], Row]":
        """The backbone's weights after a first stage, and what is recorded of it; kept for the cells that follow it."""
        from filelock import FileLock

        from experiments.evidence.hashes import code, made, made_of
        from workbench.core.reading import read_object
        from workbench.core.writing import write_json
        from workbench.models.load import load
        from workbench.store import checkpoints

        whole = replace(cell, made=made(made_of(RECIPES[cell.name], cell.backbone), code(), self.precision))
        folder = self.out / "stages" / made(whole.key)
        folder.mkdir(parents=True, exist_ok=True)
        # Two second stages may be computed at once: the other process waits for the first stage rather than train it too.
        with FileLock(folder / "lock"):
            if checkpoints.state(folder) is None:
                encoder = load(cell.backbone, device=self.device)
                record = self._train(encoder, cell)
                write_json(folder / "record.json", record)
                checkpoints.save(folder, encoder.backbone.state_dict(), {"step": cell.steps})
            weights, _, _ = checkpoints.load(folder)
        return weights, dict(read_object(folder / "record.json"))

    def _train(self, encoder: "Encoder", cell: Cell) -> Row:
        """Train an encoder as a cell specifies, and return the values to record.

        Raises:
            Stopped: time is up.
        """
        from experiments.evidence.claims import CHANGES
        from workbench.augmentations.resources import Resources
        from workbench.augmentations.stored_lines import stored_lines
        from workbench.recipes import settle
        from workbench.recipes.fits import wanted
        from workbench.targets.opening import as_evaluated
        from workbench.training.loop import Loop

        recipe = as_computed(RECIPES[cell.name])
        changes: Row = {
            "training.steps": cell.steps,
            "training.seed": cell.seed,
            "training.learning_rate": cell.learning_rate,
            "training.precision": self.precision,
            "selection.metric": "none",
        }
        if "pooling" not in recipe.model:
            changes |= {"model.pooling": cell.pooling, "model.eval_pooling": cell.pooling}
        if cell.change:
            changes |= CHANGES[cell.change]
        config = settle(recipe, backbone=cell.backbone, corpus=cell.corpus, changes=changes)
        texts = self.corpus(cell.corpus, recipe.needs).taking(*wanted(config.terms), by=recipe.id)
        began = time.perf_counter()
        lines = stored_lines(self.out / "augmentations", Resources(device=self.device), seed=cell.seed)
        loop = Loop(
            encoder,
            texts.columns,
            config,
            precision=self.precision,
            cancelled=self.over,
            lines=lines,
            numbers=texts.numbers,
        )
        prepared, start, clock = time.perf_counter() - began, time.perf_counter(), time.process_time()
        losses = [step.loss for step in loop.run()]
        if loop.step < cell.steps:
            raise Stopped
        row: Row = {
            "prepare_seconds": prepared,
            "seconds": time.perf_counter() - start,
            "processor_seconds": time.process_time() - clock,
            "first_loss": losses[0],
            "last_loss": losses[-1],
            "rows": loop.rows,
            "batch_size": config.training.batch_size,
            "precision": self.precision,
            "config": {**asdict(config), "origins": {}},
        }
        as_evaluated(encoder, config, loop.head)
        # The better one on the development set, as the run's own selection would have it.
        backbones = [encoder.backbone, *loop.rivals().values()]
        encoder.backbone = max(backbones, key=partial(self._on_dev, encoder)) if backbones[1:] else encoder.backbone
        return row

    def _on_dev(self, encoder: "Encoder", backbone: Any) -> float:
        """Spearman on STS-B dev of an encoder with this backbone in place of its own."""
        from workbench.evaluation.sts import pair_cosines, summarise

        before, encoder.backbone = encoder.backbone, backbone
        try:
            table = pair_cosines(lambda texts: encoder.encode(texts, cancelled=self.over), [self.sets["stsb_dev"]])
        finally:
            encoder.backbone = before
        return float(summarise(table)["all"].iloc[0])

    def evaluate(self, encodes: dict[str, Encode]) -> "tuple[Row, dict[str, NDArray[np.float64]]]":
        """Spearman (`all`) of each set, the geometry of STS-B dev, and every cosine."""
        from workbench.evaluation.sts import pair_cosines, summarise
        from workbench.metrics.isoscore import isoscore
        from workbench.scoring.pair_scores import geometry, positives

        scores: dict[str, float] = {}
        cosines = {}
        for name, pairs in self.sets.items():
            table = pair_cosines(encodes[name], [pairs])
            scores[name] = float(summarise(table)["all"].iloc[0])
            # In fp64, because [CLS] ranks by differences that fp32 rounds away near 1.
            cosines[name] = table["cosine"].to_numpy(np.float64)
        dev, encode = self.sets["stsb_dev"], encodes["stsb_dev"]
        near = np.flatnonzero(positives(dev)[0])
        vectors = np.asarray(encode(list(dict.fromkeys(dev.texts()))), np.float32)
        sides: Sequence[list[str]] = [[side[row] for row in near] for side in (dev.first, dev.second)]
        figures = geometry(vectors, encode(sides[0]), encode(sides[1]), "stsb:dev, gold > 4")
        shape = {name: figures[name] for name in ("alignment", "uniformity", "mean_cosine")}
        return {"scores": scores, **shape, "isoscore": isoscore(vectors)}, cosines
