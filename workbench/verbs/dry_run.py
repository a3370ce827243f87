"""What a training would need."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from workbench.core.config import RunConfig
from workbench.core.errors import BadSetting
from workbench.core.progress import Progress
from workbench.targets.target import Target
from workbench.verbs._fields import Configured
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class DryRun:
    """Time, memory and warnings of a training, by two steps that change nothing."""

    config: Annotated[RunConfig | None, Configured("The run's configuration.")]


def check(request: DryRun) -> None:
    """There is a configuration."""
    if request.config is None:
        raise BadSetting("A dry run needs a configuration.")


def run(request: DryRun, models: "ModelCache", on_progress: Progress) -> dict[str, Any]:
    """Plain dictionary, see `preflight.dry_run`."""
    from workbench.core.device import choose
    from workbench.preflight import dry_run, pretraining_dry_run

    config = request.config
    assert config is not None
    rehearse = pretraining_dry_run.rehearse if config.pretrains else dry_run.rehearse
    with models.lock:
        device = choose(config.training.device)
        precision = models.precision(config.training.precision)
        return rehearse(config, device=device, precision=precision, on_progress=on_progress)


def slow(request: DryRun) -> bool:
    """A corpus is read, and two steps are taken."""
    return True


def depends(request: DryRun) -> str:
    """The backbone's files."""
    assert request.config is not None
    return Target("", request.config.model.backbone, request.config.model.revision).fingerprint


VERB = Verb(DryRun, run, check=check, slow=slow, depends=depends, doing="Dry run of two steps")
