"""Models made elsewhere, by their folders: which name means one, what it was fine-tuned from, and whether it was at all."""

from functools import lru_cache
from pathlib import Path

from workbench.core.errors import WorkbenchError
from workbench.core.paths import existing
from workbench.models.base_model import BaseModel, base_model, states_base
from workbench.models.cards import EMBEDDED, locate
from workbench.models.layout import CONFIG, read_layout


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


def looks_raw(name: str) -> bool:
    """Whether a model folder or a model of the Hub is an encoder before any fine-tuning, as far as its files tell: it is a
    masked language model, they name no other model, and it has not the shape of a shipped one.
    """
    folder = model_folder(name)
    return folder is not None and _read(folder, _stamp(folder))[1]


def stated_base(folder: Path) -> BaseModel | None:
    """What the model in a folder was fine-tuned from; None if its files do not tell or cannot be read."""
    return _read(folder, _stamp(folder))[0]


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
