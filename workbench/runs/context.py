"""What the parts of one attempt at a run share, made once and handed down: none of them knows the driver or the worker."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from workbench.core.config import RunConfig, to_toml
from workbench.core.progress import Progress
from workbench.core.schedule import probed_pairs
from workbench.core.writing import write_text
from workbench.store import events, names
from workbench.store.names import RunsFolder

if TYPE_CHECKING:
    from workbench.data.pair_sets import PairSet
    from workbench.models.encoder import Encoder
    from workbench.training.resumable import Resumable


class Report(Protocol):
    """Says what is being done, and its share (0 to 1) where that is known."""

    def __call__(self, note: str, share: float | None = None) -> None:
        """Say it."""


@dataclass
class RunContext:
    """One attempt at one run: where it is, what it does, on what, and who listens.

    The driver fills in what is known only later: first device, threads, precision and pairs, then encoder and loop.
    """

    folder: Path
    """Of the run."""
    config: RunConfig
    """As it is by now: complete once the corpus is read, with `change`."""
    given_devices: tuple[str, ...]
    """What the scheduler gave, a device a process; the first may be `auto`."""
    say: Report
    """Shows a note; raises `worker.Stopped` if the run was asked to stop."""
    show: Report
    """Shows a note, also to the end of a run that was asked to stop."""
    cancelled: Callable[[], bool]
    """Whether the run was asked to stop; cheap."""
    meeting: Path | None = None
    """Where the processes of the run meet that a cluster starts, maybe on several nodes; None where this one starts them."""
    device: str = "cpu"
    """Of this process."""
    threads: int = 1
    precision: Literal["fp32", "bf16"] = "fp32"
    """Of training and probes."""
    pairs: "dict[str, PairSet]" = field(default_factory=dict)
    """Every pair set that the configuration names."""
    saving: bool = False
    """Whether a checkpoint is being written, which may take its time even if a stop is asked for."""
    encoder: "Encoder" = field(init=False)
    loop: "Resumable" = field(init=False)

    @property
    def runs(self) -> RunsFolder:
        """The runs folder."""
        return RunsFolder(self.folder.parent)

    @property
    def checkpoints(self) -> Path:
        """The folder of the run's checkpoints."""
        return self.folder / names.CHECKPOINTS

    @property
    def probed_pairs(self) -> list[str]:
        """The pair sets that are evaluated on while training: the probe's first."""
        return probed_pairs(self.config)

    @contextmanager
    def saves(self) -> Iterator[None]:
        """See `saving`."""
        self.saving = True
        try:
            yield
        finally:
            self.saving = False

    def on_progress(self, prefix: str = "") -> Progress:
        """A callback that says each note after `prefix`."""
        return lambda share, note: self.say(f"{prefix}{note}", share)

    def notice(self, message: str) -> None:
        """Write down what the user should know, in the log too."""
        print(message, flush=True)
        events.add(self.folder, "notice", message=message)

    def change(self, config: RunConfig) -> None:
        """Complete the configuration, here and in the run's folder."""
        self.config = config
        write_text(self.folder / names.CONFIG, to_toml(config))
