"""Targets with what was fitted on texts: transform, vocabulary, counts of tokens. Which texts, and whether those scored."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from workbench.core.calls import read_call, write_call
from workbench.core.errors import NotAccepted
from workbench.core.progress import Progress
from workbench.targets.baselines import BASELINES
from workbench.targets.opening import pooled
from workbench.targets.target import FEW, ON, WITHOUT, Target

if TYPE_CHECKING:
    from workbench.models.encoder import Encoder

MOST_TEXTS = 20_000
"""Distinct texts that something is fitted on; of larger sets as many are drawn evenly."""
DEMO = "the demo sentences"
SCORED = "the sentences it is scored on (transductive)"
ASKED = "the texts themselves (transductive)"


class Models(Protocol):
    """Who holds the models that targets are fitted and encoded with."""

    @property
    def lock(self) -> AbstractContextManager[Any]:
        """Held while torch computes."""

    def model(self, target: Target) -> "Encoder":
        """The encoder of a target, pooling as by itself."""

    def encoded(self, fitted: "Fitted", texts: list[str], on_progress: Progress, precision: str) -> np.ndarray:
        """Vectors in the order of the texts, before any transform."""


@dataclass(frozen=True)
class FitSet:
    """Distinct texts to fit on, and what they are called beside a score."""

    texts: list[str]
    words: str
    notices: list[str] = field(default_factory=list)


def named_set(on: str, scored: Sequence[str]) -> FitSet:
    """The texts that a target's `on` names; they are said to be transductive if one of `scored` is among them.

    Raises:
        BadData: it cannot be read.
    """
    from workbench.core.seeds import numpy_rng
    from workbench.data.corpora import load_corpus
    from workbench.data.pairs import load_pairs
    from workbench.targets.target import is_pairs

    if is_pairs(on):
        name = on.partition("@")[0]
        every, said = load_pairs(on).texts(), []
    else:
        corpus, name = load_corpus(on, max_texts=MOST_TEXTS), DEMO if on == "demo" else Path(on).name
        every, said = corpus.texts, [f"{name}: {note}" for note in corpus.notices]
    texts = list(dict.fromkeys(every))
    if len(texts) > MOST_TEXTS:
        said.append(f"{MOST_TEXTS:,} of {len(texts):,} texts of {name} were drawn to fit on.")
        places = np.sort(numpy_rng(0, "fit", name).choice(len(texts), MOST_TEXTS, replace=False))
        texts = [texts[place] for place in places]
    known = set(texts)
    if common := sum(text in known for text in scored):
        said.append(f"{common:,} of the {len(scored):,} sentences scored are among those of {name}.")
    return FitSet(texts, f"{name} (transductive)" if common else name, said)


class Fitted:
    """A target ready to make vectors. Made by `ModelCache.fit`, which keeps it."""

    def __init__(
        self, models: Models, target: Target, default: FitSet | None, scored: Sequence[str], on_progress: Progress
    ) -> None:
        """Fit whatever `target` fits: on what it names, else on `default`, else on the demo sentences.

        Raises:
            NotAccepted: a transform has no more texts than dimensions to be fitted on, and the target does not say that
                this is accepted.
        """
        self.models, self.target = models, target
        self.default, self.scored = default, scored
        self.sets: dict[str, FitSet] = {}
        self.notices: list[str] = []
        self.left_out: np.ndarray | None = None
        self.words: Any = None
        self.transform: Any = None
        if target.baseline:
            name, settings = read_call(target.baseline)
            fitted = "fitted" in BASELINES[name].tags
            own = self._set(str(settings.pop(ON, "")), on_progress) if fitted else FitSet([], "")
            on_progress(0.0, f"Preparing {target.label}")
            self.words = BASELINES[name].fn(own.texts, **settings)
        elif target.pooling:
            self._count(on_progress)
        if target.transform:
            self._learn(on_progress)
        self.notices += [note for one in self.sets.values() for note in one.notices]

    @property
    def on(self) -> str:
        """What it was fitted on, empty where nothing was."""
        return " and ".join(dict.fromkeys(one.words for one in self.sets.values()))

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
            self.left_out = frequent_ids(self.models.model(self.target).tokenise(texts), int(settings[WITHOUT]))

    def _learn(self, on_progress: Progress) -> None:
        from workbench.transforms import fit

        name, settings = read_call(self.target.transform)
        own, accepted = self._set(str(settings.pop(ON, "")), on_progress), settings.pop(FEW, False)
        doing = f"Fitting {name} on {own.words}"
        on_progress(0.0, doing)
        raw = self.raw(own.texts, on_progress)
        with self.models.lock:
            self.transform = fit(name, raw, on_progress=lambda share, _: on_progress(share, doing), **settings)
        few = getattr(self.transform, "few_", "")
        if few and len(raw) <= raw.shape[1] and not accepted:
            raise NotAccepted(
                f"{self.target.label} is not shown: {few}",
                way_out=f"Name more texts with {ON}, such as {ON}=demo; or accept it with {FEW}=true, as in "
                f"{write_call(name, {**settings, FEW: True})}.",
            )
        self.notices += [few] if few else []

    def encoder(self) -> "Encoder":
        """The encoder, pooled as the target says."""
        return pooled(self.models.model(self.target), self.target, self.left_out)

    def raw(self, texts: list[str], on_progress: Progress, precision: str = "fp32") -> np.ndarray:
        """Vectors before the transform."""
        if self.words is not None:
            on_progress(0.0, f"Looking up the words for {self.target.label}")
            return np.asarray(self.words(texts), np.float32)
        return self.models.encoded(self, texts, on_progress, precision)

    def vectors(self, texts: list[str], on_progress: Progress, precision: str = "fp32") -> np.ndarray:
        """float32 (n, d) in the order of the texts, transform applied."""
        return self.after(self.raw(texts, on_progress, precision))

    def after(self, raw: np.ndarray) -> np.ndarray:
        """Vectors of this target's encoder, transformed; any number of axes before the last."""
        if self.transform is None:
            return raw
        with self.models.lock:
            flat = self.transform.transform(raw.reshape(-1, raw.shape[-1])).astype(np.float32)
        return np.asarray(flat.reshape(*raw.shape[:-1], flat.shape[-1]))

    def said_of(self, texts: list[str]) -> list[str]:
        """What must be known about these texts' vectors: what fitting said, and texts that kept all their tokens."""
        if self.left_out is None:
            return self.notices
        from workbench.models.frequent_tokens import left_whole

        distinct = list(dict.fromkeys(texts))
        whole = left_whole(self.models.model(self.target).tokenise(distinct), self.left_out)
        said = f"{whole:,} of {len(distinct):,} texts consist of left-out tokens only and kept them all."
        return [*self.notices, *([said] if whole else [])]
