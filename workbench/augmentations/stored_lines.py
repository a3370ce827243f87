"""What models make of texts, stored line by line: made once, and continued after a stop."""

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
    """What models make of texts, stored line by line under `folder`: made once, and continued after a stop."""
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
