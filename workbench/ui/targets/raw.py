"""The raw encoder of a target: what it was before it was fine-tuned, here or elsewhere."""

from functools import lru_cache
from pathlib import Path

from workbench import api
from workbench.core import presets
from workbench.core.errors import WorkbenchError
from workbench.core.paths import existing
from workbench.models.base_model import BaseModel, base_model, states_base
from workbench.models.cards import EMBEDDED, locate
from workbench.models.layout import CONFIG, read_layout
from workbench.store.stages import first_of
from workbench.targets.target import is_baseline, split
from workbench.ui.kit.folders import model_inside


def raw_encoder(target: str) -> BaseModel | None:
    """What a model folder, or a model of the Hub that is on this machine, was fine-tuned from, by its files; None if they do
    not tell, if a page may not read it, and for every other target.
    """
    folder = model_folder(split(target).name)
    if folder is None:
        return None
    found = _read(folder, _stamp(folder))[0]
    try:
        return found if found is None or not found.here or model_inside(found.name) else None
    except WorkbenchError:
        return None


def looks_raw(name: str) -> bool:
    """Whether a model folder or a model of the Hub is an encoder before any fine-tuning, as far as its files tell: it is a
    masked language model, they name no other model, and it has not the shape of a shipped one.
    """
    folder = model_folder(name)
    return folder is not None and _read(folder, _stamp(folder))[1]


def model_folder(name: str) -> Path | None:
    """The folder of a model that was made elsewhere: `name` itself, or what was downloaded for a Hub id. None for everything
    else, runs and embedded encoders among it.
    """
    if name in EMBEDDED or ("/" not in name and "\\" not in name):
        return None
    try:
        place = locate(str(existing(name) or name), download=False)
    except WorkbenchError:
        return None
    return place.folder if place and (_stamp(place.folder) or (place.folder / "modules.json").is_file()) else None


def original_backbone(run: api.Run) -> str:
    """The backbone that a run started from: that of the first stage if it continues another run. The app's default if that
    is gone or lies where a page may not read.
    """
    backbone = run.config.model.backbone
    while (first := first_of(backbone)) and not first.problem and first.folder != run.folder:
        run, backbone = first, first.config.model.backbone
    path = Path(backbone)
    try:
        return presets.TARGET if path.is_absolute() and not path.exists() else model_inside(backbone)
    except WorkbenchError:
        return presets.TARGET


def backbone_of(target: str) -> str:
    """The backbone that the run behind a target started from; empty for everything but runs."""
    name = split(target).name
    if name in EMBEDDED or is_baseline(name) or "/" in name or "\\" in name:
        return ""
    try:
        run = api.run(name)
        return "" if run.problem else original_backbone(run)
    except WorkbenchError:
        return ""


def _stamp(folder: Path) -> int:
    """When the configuration of the model in a folder was written; 0 if it has none."""
    try:
        return (folder / CONFIG).stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=256)
def _read(folder: Path, stamp: int) -> tuple[BaseModel | None, bool]:
    """What a folder says of where it comes from, and whether it looks raw; `stamp` makes a folder that changed a new one."""
    try:
        layout = read_layout(folder)
        base = base_model(folder, EMBEDDED)
        return base, layout.masked and not layout.sentence_transformers and not base and not states_base(folder)
    except WorkbenchError:
        return None, False
