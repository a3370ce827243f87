"""Results of augmentations by a model, stored line by line: computed once, and resumed after a stop."""

from collections.abc import Callable, Sequence
from pathlib import Path

from workbench.augmentations.draw import Lines
from workbench.augmentations.pipeline import Step
from workbench.augmentations.resources import Resources
from workbench.core.progress import Progress, no_progress


def stored_lines(
    folder: Path,
    resources: Resources,
    *,
    seed: int,
    on_progress: Progress = no_progress,
    cancelled: Callable[[], bool] | None = None,
) -> Lines:
    """A function for `Drawer` that stores the results of models under `folder`: computed once, and resumed after a stop."""
    from workbench.augmentations.cache import augmented

    def lines(step: Step, stream: str, texts: Sequence[str], written: Sequence[str], draw: int) -> list[str]:
        return augmented(
            step.name,
            texts,
            seed=seed,
            stream=stream,
            written=written,
            draw=draw,
            settings=dict(step.settings),
            resource=lambda: resources.of(step.method, step.settings)[0],
            folder=folder,
            on_progress=on_progress,
            cancelled=cancelled,
        )

    return lines
