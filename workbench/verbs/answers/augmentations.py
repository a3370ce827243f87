"""Answers about what an augmentation does to some texts."""

from typing import TYPE_CHECKING, Any

from workbench.compute.model_cache import Desk, Told
from workbench.previews import states_preview, text_preview
from workbench.targets.target import Target

if TYPE_CHECKING:
    from pandas import DataFrame


def augment(
    desk: Desk,
    told: Told,
    *,
    texts: list[str],
    pipeline: str,
    seed: int,
    draws: int,
    protect: list[str],
    protect_pattern: str,
    corpus: str,
) -> "DataFrame":
    """See questions.augmentations.augment."""
    from workbench.augmentations.protect import Protection

    told(0.0, "Preparing the augmentation")
    protection = Protection(tuple(protect), protect_pattern)
    resources = text_preview.resources_of(corpus, text_preview.stamp(corpus), desk.device)
    return text_preview.table(
        pipeline, texts, seed=seed, draws=draws, protection=protection, resources=resources, told=told
    )


def states(
    desk: Desk, told: Told, *, texts: list[str], target: Target, pipeline: str, sentences: int, **asked: Any
) -> dict[str, Any]:
    """See questions.augmentations.states."""
    told(0.0, f"Loading {target.label}")
    with desk.lock:
        fitted = desk.fit(target, told)
        found = states_preview.states(
            fitted.encoder(), texts[:sentences], texts[sentences:], pipeline, told=told, **asked
        )
    vectors, plain = found.pop("vectors"), found.pop("originals")
    return {"cosines": states_preview.cosines(fitted.after(plain), fitted.after(vectors)), **found}
