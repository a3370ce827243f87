"""What the compute process keeps between requests: models, fitted targets, and the vectors of the last requests."""

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from workbench.compute.lanes import ModelLock
from workbench.core.calls import read_call
from workbench.core.progress import Progress, named, part
from workbench.models.prompts import said_of_prompt
from workbench.models.turns import Begun
from workbench.store.names import RunsFolder
from workbench.targets.baselines import BASELINES
from workbench.targets.fitting import ASKED, SCORED, FitSet, Fitted, Precision
from workbench.targets.opening import open_target, pooled
from workbench.targets.target import Target

if TYPE_CHECKING:
    from workbench.models.encoder import Encoder

BLOCK_TEXTS = 4096
"""Texts that are tokenised and encoded together."""

OTHERS = 1.5
"""So many times as many texts are encoded as were asked for, if that completes what others began."""

RECENT_BYTES = 256_000_000
FITTED = 20
"""Fitted targets that are kept."""


class AboutScores(TypedDict):
    """What belongs beside every score."""

    target: str
    precision: str
    max_length: int | None
    """Tokens kept of a text; None for a baseline, which reads all words."""
    fitted_on: str
    """What the target was fitted on, empty for nothing."""


@dataclass(frozen=True)
class Making:
    """The vectors in the making of distinct texts, and the row of each text."""

    rows: dict[str, int]
    blocks: list[Begun]
    """Those of each `BLOCK_TEXTS` texts."""

    @property
    def left(self) -> int:
        """The number of texts that are not encoded yet."""
        return len(self.rows) - sum(int(begun.done.sum()) for begun in self.blocks)

    @property
    def nbytes(self) -> int:
        """The size of the vectors."""
        return sum(begun.vectors.nbytes for begun in self.blocks)


class ModelCache:
    """Loaded models and what was computed with them, least recently used first to go.

    The lanes' threads share it; `lock` is held while torch computes, and may be waited for by the second.
    """

    def __init__(self, folder: RunsFolder, *, models: int = 3) -> None:
        self.folder, self.limit = folder, models
        self.lock = ModelLock()
        self.guard = threading.RLock()
        """Held for a moment, while something is looked up or kept."""
        self.models: OrderedDict[str, Encoder] = OrderedDict()
        self.fitted: OrderedDict[str, Fitted] = OrderedDict()
        self.recent: OrderedDict[str, np.ndarray] = OrderedDict()
        self.rows: dict[str, dict[str, int]] = {}
        self.making: OrderedDict[str, Making] = OrderedDict()

    @property
    def device(self) -> str:
        """The device that interactive models are loaded on."""
        from workbench.core.device import choose

        return choose("auto")

    def model(self, target: Target) -> "Encoder":
        """The encoder of a target with its own pooling; loads it if needed, dropping the least recently used one."""
        target = target.encoder
        key = f"{target.run.id}@{target.checkpoint}" if target.run else f"{target.backbone}@{target.revision}"
        key = f"{key} {target.fingerprint}"
        if (known := self._loaded(key)) is not None:
            return known
        with self.lock:
            if (known := self._loaded(key)) is not None:
                return known
            with self.guard:
                while len(self.models) >= self.limit:
                    self.models.popitem(last=False)
            encoder = open_target(target, device=self.device)
            with self.guard:
                self.models[key] = encoder
            return encoder

    def _loaded(self, key: str) -> "Encoder | None":
        with self.guard:
            if key in self.models:
                self.models.move_to_end(key)
            return self.models.get(key)

    def precision(self, name: str) -> Precision:
        """`fp32` or `bf16`: what a precision, such as `auto`, stands for on this machine."""
        from workbench.models.timing import precision

        return precision(name, self.device, self.folder.cache)

    def fit(
        self, target: Target, on_progress: Progress, *, scored: Sequence[str] = (), asked: Sequence[str] = ()
    ) -> Fitted:
        """The target with its transform, vocabulary or token counts fitted on the texts that it names.

        If it names none and something is scored, it is fitted on the sentences `scored`, as in the literature: that is
        transductive, and reported beside the score. A mean taken from other texts would measure the distance between the
        two sets: centred on the demo sentences, `minilm-l3` loses the five points on STS-B that it gains otherwise. If
        nothing is scored it is fitted on the demo sentences; a fitted baseline, and a transform of vectors that were made
        elsewhere, which has none of the demo sentences, on the texts `asked` about.
        """
        texts: list[str] = list(dict.fromkeys(scored))
        words = SCORED
        tags = BASELINES[read_call(target.baseline)[0]].tags if target.baseline else {}
        if not texts and not {"fitted", "elsewhere"}.isdisjoint(tags):
            texts, words = list(dict.fromkeys(asked)), ASKED
        key = f"{target.fingerprint} {words} {_content(texts)}"
        with self.guard:
            known = self.fitted.get(key)
        if known is not None:
            return known
        fitted = Fitted(self, target, FitSet(texts, words) if texts else None, scored, on_progress)
        with self.guard:
            self.fitted[key] = fitted
            while len(self.fitted) > FITTED:
                self.fitted.popitem(last=False)
        return fitted

    def vectors(
        self, target: Target, texts: list[str], on_progress: Progress, precision: Precision = "fp32"
    ) -> np.ndarray:
        """float32 (texts, dim), transform applied, for texts that are not scored."""
        return self.fit(target, on_progress, asked=texts).vectors(texts, on_progress, precision)

    def encoded(self, fitted: Fitted, texts: list[str], on_progress: Progress, precision: Precision) -> np.ndarray:
        """float32 (texts, dim) before any transform; equal texts are encoded once, and the last results are kept: texts that all
        occur in one of them, such as those of another suite on the same data, are not encoded again. What is stopped half way is
        kept too, for whoever asks for the same texts next.
        """
        left_out = [] if fitted.left_out is None else fitted.left_out.tolist()
        encoding = f"{fitted.target.plain.fingerprint} {left_out} {precision} "
        key = f"{encoding}{_content(texts)}"
        on_progress(0.0, f"Loading {fitted.target.label}")  # others may come first, and encode the same
        with self.guard:
            known = self.recent.get(key)
        if known is not None:
            return known
        if (known := self._among(encoding, texts)) is not None:
            return known
        making = self._making(encoding, key, texts)
        with self.lock:
            encoder = fitted.encoder()
        distinct, blocks = list(making.rows), []
        whole = max(1, len(distinct))
        for number, start in enumerate(range(0, whole, BLOCK_TEXTS)):
            block = distinct[start : start + BLOCK_TEXTS]
            share = part(on_progress, start / whole, (start + len(block)) / whole)
            progress = named(share, f"Encoding with {fitted.target.label}")
            begun = making.blocks[number]
            blocks.append(encoder.encode(block, precision=precision, on_progress=progress, lock=self.lock, begun=begun))
        vectors = np.concatenate(blocks)[np.array([making.rows[text] for text in texts], dtype=np.int64)]
        with self.guard:
            self.making = OrderedDict((name, one) for name, one in self.making.items() if one is not making)
            self.keep(key, vectors)
            self.rows[key] = {text: int(row) for row, text in enumerate(texts)}
        return vectors

    def layers(
        self, target: Target, texts: list[str], poolings: Sequence[str], on_progress: Progress
    ) -> dict[str, np.ndarray]:
        """For each pooling float32 (layers + 1, texts, width), see `layer_vectors`."""
        from workbench.models.layers import layer_vectors

        encoder = self.model(target)
        return layer_vectors(encoder, texts, poolings, on_progress=on_progress, lock=self.lock)

    def _among(self, encoding: str, texts: Sequence[str]) -> np.ndarray | None:
        """The vectors of texts that all occur in one of the last results of the same encoding; None if there is no such."""
        with self.guard:
            for key in list(self.rows):
                if key not in self.recent:
                    del self.rows[key]  # its vectors had to go
                elif key.startswith(encoding) and all(text in self.rows[key] for text in texts):
                    return self.recent[key][[self.rows[key][text] for text in texts]]
        return None

    def views(
        self, target: Target, texts: list[str], views: int, dropout: float, seed: int, on_progress: Progress
    ) -> np.ndarray:
        """float32 (texts, views, dim): encodings with dropout on, transform applied to each."""
        fitted = self.fit(target, on_progress)
        on_progress = fitted.after_fitting(on_progress)
        left_out = [] if fitted.left_out is None else fitted.left_out.tolist()
        key = f"{target.plain.fingerprint} {left_out} {views} {dropout} {seed} {_content(texts)}"
        on_progress(0.0, f"Loading {target.label}")
        with self.guard:
            known = self.recent.get(key)
        if known is not None:
            return fitted.after(known)
        with self.lock:
            encoder = fitted.encoder()
        share = part(on_progress, 0.1, 1.0)
        vectors = encoder.dropout_views(texts, views, dropout, seed, on_progress=share, lock=self.lock)
        self.keep(key, vectors)
        return fitted.after(vectors)

    def _making(self, encoding: str, key: str, texts: Sequence[str]) -> Making:
        """Vectors in the making of these texts, also among others if not many more are left of them: those of requests that wait
        for their turn or were withdrawn. Whoever computes next goes on with them.
        """
        rows: dict[str, int] = {}
        for text in texts:
            rows.setdefault(text, len(rows))
        with self.guard:
            for known, one in self.making.items():
                if known.startswith(encoding) and rows.keys() <= one.rows.keys() and one.left <= OTHERS * len(rows):
                    return one
            while sum(one.nbytes for one in self.making.values()) > RECENT_BYTES:
                self.making.popitem(last=False)
            self.making[key] = Making(rows, [Begun() for _ in range(0, max(1, len(rows)), BLOCK_TEXTS)])
            return self.making[key]

    def keep(self, key: str, vectors: np.ndarray) -> None:
        """Keep vectors for whoever asks for the same, dropping the oldest beyond the limit. Nobody can change them in place."""
        vectors.flags.writeable = False
        with self.guard:
            self.recent[key] = vectors
            while sum(array.nbytes for array in self.recent.values()) > RECENT_BYTES and len(self.recent) > 1:
                self.recent.popitem(last=False)

    def prompt_notices(self, target: Target) -> list[str]:
        """What belongs beside every score in words: the prompt that an encoder puts before each text."""
        prompt = None if target.baseline else pooled(self.model(target), target).prompt
        return said_of_prompt(target.label, prompt)

    def about(self, target: Target, fitted_on: str = "") -> AboutScores:
        """What belongs beside every score."""
        longest = None if target.baseline else self.model(target).max_length
        return {"target": target.text, "precision": "fp32", "max_length": longest, "fitted_on": fitted_on}


def _content(texts: Sequence[str]) -> str:
    return hashlib.sha256(json.dumps(list(texts)).encode("utf-8", "surrogatepass")).hexdigest()
