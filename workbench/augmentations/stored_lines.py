"""What models make of texts, stored line by line: made once, and continued after a stop."""

from collections.abc import Callable, Sequence
from pathlib import Path

from workbench.augmentations.draw import Lines
from workbench.augmentations.pipeline import Step
from workbench.augmentations.resources import Resources


def stored_lines(
    place: Path,
    resources: Resources,
    *,
    seed: int,
    told: Callable[[float, str], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Lines:
    """What models make of texts, kept line by line under `place`: made once, and gone on with after a stop."""
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
            folder=place,
            progress=told,
            cancelled=cancelled,
        )

    return lines
