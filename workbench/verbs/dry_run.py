"""The dry run of a training."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.core.config import RunConfig
from workbench.core.errors import BadSetting
from workbench.core.progress import Progress
from workbench.preflight.dry_run import DryRunResult
from workbench.preflight.refusals import refusal
from workbench.targets.target import Target
from workbench.verbs._fields import ConfiguredRun
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from workbench.compute.model_cache import ModelCache


@dataclass(frozen=True)
class DryRun:
    """Measure the time and memory of a training by a few steps whose result is discarded, and collect its warnings."""

    config: Annotated[RunConfig | None, ConfiguredRun("The configuration of the run.")]


def check(request: DryRun) -> None:
    """A configuration is required."""
    if request.config is None:
        raise BadSetting("A dry run needs a configuration.")


def run(request: DryRun, models: "ModelCache", on_progress: Progress) -> DryRunResult:
    """A dictionary with needed_bytes and free_bytes, fitting_parts, seconds_per_step and seconds (of all steps),
    evaluation_seconds (of all probes and evaluations; None for a pretraining), disk_bytes (the most that its checkpoints
    take), rows and sampled, device, precision, cautions (warnings) and must_accept (warnings that must be accepted, by name).
    """
    from workbench.core.device import choose, current
    from workbench.preflight import dry_run, pretraining_dry_run

    config = request.config
    assert config is not None
    if reason := refusal(config):
        raise BadSetting(reason)
    rehearse = pretraining_dry_run.rehearse if config.pretrains else dry_run.rehearse
    with models.lock:
        device = choose(config.training.device)
        precision = models.precision(config.training.precision)
    with current(device):
        return rehearse(config, device=device, precision=precision, on_progress=on_progress, lock=models.lock)


def slow(request: DryRun) -> bool:
    """It reads a corpus and runs a few steps."""
    return True


def depends(request: DryRun) -> str:
    """The files of the backbone."""
    assert request.config is not None
    return Target("", request.config.model.backbone, request.config.model.revision).fingerprint


VERB = Verb(DryRun, run, check=check, slow=slow, depends=depends, doing="Dry run of a few steps")
