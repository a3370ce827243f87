"""Fitting what a target needs on texts: a transform, a vocabulary, token counts. On which texts, and whether they are scored."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from workbench.core.calls import read_call, write_call
from workbench.core.errors import NotAccepted
from workbench.core.progress import Progress, named, part
from workbench.targets.baselines import BASELINES, Encode
from workbench.targets.opening import pooled
from workbench.targets.target import FEW, ON, WITHOUT, Target

if TYPE_CHECKING:
    from workbench.models.encoder import Encoder
    from workbench.transforms import Transform

MOST_TEXTS = 20_000
"""The most distinct texts to fit on; of larger sets, this many are drawn evenly."""
DEMO = "the demo sentences"
SCORED = "the sentences it is scored on (transductive)"
FITTING = 0.5
"""The share of the progress that is for a transform to be fitted: its texts are often those that are asked about."""
ASKED = "the texts themselves (transductive)"


Precision = Literal["fp32", "bf16"]


class Models(Protocol):
    """The holder of the models that targets are fitted and encoded with; see `compute.model_cache`."""

    @property
    def lock(self) -> AbstractContextManager[object]:
        """Held while torch computes."""

    def model(self, target: Target) -> "Encoder":
        """The encoder of a target, with its own pooling."""

    def encoded(self, fitted: "Fitted", texts: list[str], on_progress: Progress, precision: Precision) -> np.ndarray:
        """float32 (texts, dim), before any transform."""


@dataclass(frozen=True)
class FitSet:
    """Distinct texts to fit on, and their description beside a score."""

    texts: list[str]
    words: str
    notices: list[str] = field(default_factory=list)


def named_set(on: str, scored: Sequence[str]) -> FitSet:
    """The texts that a target names with `on`, described as transductive if one of `scored` is among them.

    Raises:
        BadData: they cannot be read.
    """
    from workbench.core.seeds import numpy_rng
    from workbench.data.corpora import load_corpus
    from workbench.data.pairs import load_pairs
    from workbench.targets.target import is_pairs

    if is_pairs(on):
        name = on.partition("@")[0]
        every, notices = load_pairs(on).texts(), list[str]()
    else:
        corpus, name = load_corpus(on, max_texts=MOST_TEXTS), DEMO if on == "demo" else Path(on).name
        every, notices = list(corpus.texts), [f"{name}: {note}" for note in corpus.notices]
    texts = list(dict.fromkeys(every))
    if len(texts) > MOST_TEXTS:
        notices.append(f"Fitted on {MOST_TEXTS:,} of the {len(texts):,} texts of {name}.")
        rows = np.sort(numpy_rng(0, "fit", name).choice(len(texts), MOST_TEXTS, replace=False))
        texts = [texts[row] for row in rows]
    known = set(texts)
    if common := sum(text in known for text in scored):
        notices.append(f"{common:,} of the {len(scored):,} scored sentences are among those of {name}.")
    return FitSet(texts, f"{name} (transductive)" if common else name, notices)


class Fitted:
    """A target that is ready to encode. Made by `ModelCache.fit`, which keeps it."""

    def __init__(
        self, models: Models, target: Target, default: FitSet | None, scored: Sequence[str], on_progress: Progress
    ) -> None:
        """Fit what `target` needs: on the texts that it names, else on `default`, else on the demo sentences.

        Raises:
            NotAccepted: a transform would be fitted on no more texts than dimensions, and the target does not accept that.
        """
        self.models, self.target = models, target
        self.default, self.scored = default, scored
        self.sets: dict[str, FitSet] = {}
        self.notices: list[str] = []
        self.left_out: np.ndarray | None = None
        self.baseline: Encode | None = None
        self.transform: Transform | None = None
        if target.baseline:
            name, settings = read_call(target.baseline)
            fitted = "fitted" in BASELINES[name].tags
            fit_set = self._set(str(settings.pop(ON, "")), on_progress) if fitted else FitSet([], "")
            on_progress(0.0, f"Preparing {target.label}")
            self.baseline = BASELINES[name].fn(fit_set.texts, **settings)
        elif target.pooling:
            self._count(on_progress)
        if target.transform:
            self._learn(on_progress)
        self.notices += [note for fit_set in self.sets.values() for note in fit_set.notices]

    @property
    def on(self) -> str:
        """The texts that it was fitted on, described; empty if nothing was fitted."""
        return " and ".join(dict.fromkeys(fit_set.words for fit_set in self.sets.values()))

    def _set(self, on: str, on_progress: Progress) -> FitSet:
        if on not in self.sets:
            on_progress(0.0, "Reading the texts to fit on")
            self.sets[on] = named_set(on, self.scored) if on else self.default or named_set("demo", ())
        return self.sets[on]

    def _count(self, on_progress: Progress) -> None:
        from workbench.models.frequent_tokens import frequent_ids

        settings = read_call(self.target.pooling)[1]
        if settings.get(WITHOUT):
            texts = self._set(str(settings.get(ON, "")), on_progress).texts
            on_progress(0.0, "Counting tokens")
            with self.models.lock:
                self.left_out = frequent_ids(self.models.model(self.target).tokenise(texts), int(settings[WITHOUT]))

    def _learn(self, on_progress: Progress) -> None:
        from workbench.transforms import fit

        name, settings = read_call(self.target.transform)
        fit_set, accepted = self._set(str(settings.pop(ON, "")), on_progress), settings.pop(FEW, False)
        doing = f"Fitting {name} on {fit_set.words}"
        on_progress(0.0, doing)
        raw = self.raw(fit_set.texts, part(on_progress, 0.0, 0.8 * FITTING))
        with self.models.lock:
            self.transform = fit(
                name, raw, on_progress=named(part(on_progress, 0.8 * FITTING, FITTING), doing), **settings
            )
        few = getattr(self.transform, "few_", "")
        if few and len(raw) <= raw.shape[1] and not accepted:
            raise NotAccepted(
                f"{self.target.label} is refused: {few}",
                way_out=f"Name more texts with {ON}, such as {ON}=demo, or accept it with {FEW}=true, as in "
                f"{write_call(name, {**settings, FEW: True})}.",
            )
        self.notices += [few] if few else []

    def encoder(self) -> "Encoder":
        """The encoder with the pooling of the target."""
        return pooled(self.models.model(self.target), self.target, self.left_out)

    def raw(self, texts: list[str], on_progress: Progress, precision: Precision = "fp32") -> np.ndarray:
        """float32 (texts, dim) before the transform."""
        if self.baseline is not None:
            on_progress(0.0, f"Encoding with {self.target.label}")
            return np.asarray(self.baseline(texts), np.float32)
        return self.models.encoded(self, texts, on_progress, precision)

    def vectors(self, texts: list[str], on_progress: Progress, precision: Precision = "fp32") -> np.ndarray:
        """float32 (texts, dim), transform applied."""
        return self.after(self.raw(texts, self.after_fitting(on_progress), precision))

    def after_fitting(self, on_progress: Progress) -> Progress:
        """The progress of encoding, by a callback that was told of the fitting before."""
        return part(on_progress, FITTING, 1.0) if self.transform else on_progress

    def after(self, raw: np.ndarray) -> np.ndarray:
        """Vectors (..., dim) of the target's encoder, transformed; returns (..., dim of the transform)."""
        if self.transform is None:
            return raw
        from workbench.transforms import transformed

        with self.models.lock:
            name = read_call(self.target.transform)[0]
            flat = transformed(name, self.transform, raw.reshape(-1, raw.shape[-1]))
        return np.asarray(flat.reshape(*raw.shape[:-1], flat.shape[-1]))

    def notices_for(self, texts: list[str]) -> list[str]:
        """Notices about the vectors of these texts: those of the fit, and how many texts kept all their tokens."""
        if self.left_out is None:
            return self.notices
        from workbench.models.frequent_tokens import left_whole

        distinct = list(dict.fromkeys(texts))
        with self.models.lock:
            whole = left_whole(self.models.model(self.target).tokenise(distinct), self.left_out)
        kept = f"{whole:,} of {len(distinct):,} texts consist of left-out tokens only and kept them all."
        return [*self.notices, *([kept] if whole else [])]
