"""What the verbs about augmentations of a whole corpus share."""

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
    """Pipelines, and the corpus they are looked at over."""

    corpus: Annotated[str, Corpus()] = "demo"
    pipelines: Annotated[tuple[str, ...], Lines("Default: all that need no second model.")] = unparsed(None)
    target: Annotated[Target, Encoded(encoder="it has no dropout to compare with")] = unparsed(presets.TARGET)
    seed: int = 0
    protect: Annotated[tuple[str, ...], Words("Terms that may not be changed.")] = ()
    protect_pattern: Annotated[str, "What this regular expression finds may not be changed."] = ""

    @property
    def protection(self) -> Protection:
        """What may not be changed."""
        return Protection(self.protect, self.protect_pattern)


class Common(TypedDict):
    """What the functions of `previews` about a corpus take alike."""

    seed: int
    protection: Protection
    resources: "Resources"
    stamp: object


def common(request: OverCorpus, models: "ModelCache", on_progress: Progress) -> Common:
    """The corpus as it is now, and what augmentations read of it."""
    from workbench.previews import text_preview

    on_progress(0.0, "Preparing")
    stamp = text_preview.stamp(request.corpus)
    resources = text_preview.resources_of(request.corpus, stamp, models.device)
    return {"seed": request.seed, "protection": request.protection, "resources": resources, "stamp": stamp}


def inside(request: OverCorpus, models: "ModelCache", on_progress: Progress, texts: list[str]) -> "Inside":
    """What the texts are inside the target's encoder, its transform after it."""
    from workbench.compute.model_cache import BLOCK_TEXTS
    from workbench.previews.perturbation import Inside

    target, seed = request.target, request.seed
    fitted = models.fit(target, on_progress)

    def views(texts: list[str], rate: float, on_progress: Progress) -> np.ndarray:
        blocks = [texts[start : start + BLOCK_TEXTS] for start in range(0, len(texts), BLOCK_TEXTS)]
        return np.concatenate([models.views(target, block, 2, rate, seed, on_progress) for block in blocks])

    return Inside(fitted.encoder, texts, seed=seed, views=views, lock=models.lock, after=fitted.after)


def takes_long(lines: Sequence[str], corpus: str) -> bool:
    """Nobody should wait behind a scan for a handful of draws, unless a model or a download makes them long."""
    return corpus.startswith("hf:") or any(scan_lines.modelled(line) for line in lines)
