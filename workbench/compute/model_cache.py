"""What the compute process holds to answer with: models, fitted targets, and the vectors of the last questions."""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Sequence
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.core.calls import read_call
from workbench.core.progress import Progress
from workbench.store.names import RunsFolder
from workbench.targets.baselines import BASELINES
from workbench.targets.fitting import ASKED, SCORED, FitSet, Fitted
from workbench.targets.opening import open_target
from workbench.targets.target import Target

if TYPE_CHECKING:
    from workbench.models.encoder import Encoder

BLOCK_TEXTS = 4096
"""Texts encoded before another lane may have its turn with a model."""

RECENT_BYTES = 256_000_000
FITTED = 20
"""Targets that stay ready."""


class ModelCache:
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

    def fit(
        self, target: Target, on_progress: Progress, *, scored: Sequence[str] = (), asked: Sequence[str] = ()
    ) -> Fitted:
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
        found = Fitted(self, target, FitSet(texts, words) if texts else None, scored, on_progress)
        with self.lock:
            self.fitted[key] = found
            while len(self.fitted) > FITTED:
                self.fitted.popitem(last=False)
        return found

    def vectors(self, target: Target, texts: list[str], on_progress: Progress, precision: str = "fp32") -> np.ndarray:
        """Vectors in the order of the texts, nothing scored, transform applied."""
        return self.fit(target, on_progress, asked=texts).vectors(texts, on_progress, precision)

    def encoded(self, fitted: Fitted, texts: list[str], on_progress: Progress, precision: str) -> np.ndarray:
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
        on_progress(0.0, f"Loading {fitted.target.label}")
        blocks = []
        for start in range(0, max(1, len(distinct)), BLOCK_TEXTS):
            block = distinct[start : start + BLOCK_TEXTS]
            with self.lock:
                blocks.append(
                    fitted.encoder().encode(
                        block,
                        precision=precision,  # type: ignore[arg-type]
                        on_progress=lambda share, _, start=start, block=block: on_progress(  # type: ignore[misc]
                            (start + share * len(block)) / len(distinct), f"Encoding with {fitted.target.label}"
                        ),
                    )
                )
        found = np.concatenate(blocks)[rows]
        with self.lock:
            self.recent[key] = found
            while sum(kept.nbytes for kept in self.recent.values()) > RECENT_BYTES and len(self.recent) > 1:
                self.recent.popitem(last=False)
        return found

    def views(
        self, target: Target, texts: list[str], views: int, dropout: float, seed: int, on_progress: Progress
    ) -> np.ndarray:
        """(texts, views, dim), transform applied to each view."""
        fitted = self.fit(target, on_progress)
        on_progress(0.0, f"Loading {target.label}")
        with self.lock:
            encoder = fitted.encoder()
            on_progress(0.1, f"Encoding {views} dropout views")
            found = encoder.dropout_views(texts, views, dropout, seed)
        return fitted.after(found)

    def about(self, target: Target, fitted_on: str = "") -> dict[str, Any]:
        """What belongs beside every score. A baseline sees all words of a text."""
        longest = None if target.baseline else self.model(target).max_length
        return {"target": target.text, "precision": "fp32", "max_length": longest, "fitted_on": fitted_on}


def _content(texts: Sequence[str]) -> str:
    return hashlib.sha256(json.dumps(list(texts)).encode("utf-8", "surrogatepass")).hexdigest()
