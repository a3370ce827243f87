"""Shared by the verbs about augmentations of a whole corpus."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypedDict

import numpy as np

from workbench.augmentations.protect import Protection
from workbench.core import presets
from workbench.core.progress import Progress
from workbench.previews import scan_lines
from workbench.targets.target import Target
from workbench.verbs._fields import Corpus, Encoded, Lines, Words, unparsed

if TYPE_CHECKING:
    from workbench.augmentations.resources import Resources
    from workbench.compute.model_cache import ModelCache
    from workbench.previews.perturbation import Inside


@dataclass(frozen=True)
class OverCorpus:
    """Pipelines, and the corpus that they are tried on."""

    corpus: Annotated[str, Corpus()] = "demo"
    pipelines: Annotated[tuple[str, ...], Lines("The pipelines; by default all that need no second model.")] = unparsed(
        None
    )
    target: Annotated[Target, Encoded(encoder="it has no dropout to compare with")] = unparsed(presets.TARGET)
    seed: Annotated[int, "Seed of the sample and of all draws."] = 0
    protect: Annotated[tuple[str, ...], Words("Terms that may not be changed.")] = ()
    protect_pattern: Annotated[str, "Text that matches this regular expression may not be changed."] = ""

    @property
    def protection(self) -> Protection:
        """The protected terms."""
        return Protection(self.protect, self.protect_pattern)


class Common(TypedDict):
    """The arguments that the functions of `previews` about a corpus share."""

    seed: int
    protection: Protection
    resources: "Resources"
    stamp: object


def common(request: OverCorpus, models: "ModelCache", on_progress: Progress) -> Common:
    """The shared arguments: the state of the corpus, and the resources of augmentations."""
    from workbench.previews import text_preview

    on_progress(0.0, "Preparing")
    stamp = text_preview.stamp(request.corpus)
    resources = text_preview.resources_of(request.corpus, stamp, models.device)
    return {"seed": request.seed, "protection": request.protection, "resources": resources, "stamp": stamp}


def inside(request: OverCorpus, models: "ModelCache", on_progress: Progress, texts: list[str]) -> "Inside":
    """The texts inside the encoder of the target, with its transform applied to vectors."""
    from workbench.compute.model_cache import BLOCK_TEXTS
    from workbench.previews.perturbation import Inside

    target, seed = request.target, request.seed
    fitted = models.fit(
        target, lambda _, note: on_progress(0.0, note)
    )  # in the midst of what `rising` keeps the share of

    def views(texts: list[str], rate: float, on_progress: Progress) -> np.ndarray:
        blocks = [texts[start : start + BLOCK_TEXTS] for start in range(0, len(texts), BLOCK_TEXTS)]
        return np.concatenate([models.views(target, block, 2, rate, seed, on_progress) for block in blocks])

    return Inside(fitted.encoder, texts, seed=seed, views=views, lock=models.lock, after=fitted.after)


def takes_long(lines: Sequence[str], corpus: str) -> bool:
    """Whether lines take long on a few texts: if a model writes them, or the corpus must be downloaded."""
    return corpus.startswith("hf:") or any(scan_lines.modelled(line) for line in lines)
