"""The raw encoder of a target: what it was before it was fine-tuned, here or elsewhere."""

from workbench import api
from workbench.core import presets
from workbench.core.errors import WorkbenchError
from workbench.models.base_model import BaseModel
from workbench.models.cards import EMBEDDED, locate
from workbench.models.elsewhere import model_folder, stated_base
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
    found = stated_base(folder)
    try:
        return found if found is None or not found.here or model_inside(found.name) else None
    except WorkbenchError:
        return None


def original_backbone(run: api.Run) -> str:
    """The backbone that a run started from: that of the first stage if it continues another run. The app's default if that
    is not on this machine or lies where a page may not read: a page asks about it by itself, and an imported run may name any
    model of the Hub.
    """
    backbone = run.config.model.backbone
    while (first := first_of(backbone)) and not first.problem and first.folder != run.folder:
        run, backbone = first, first.config.model.backbone
    return backbone if on_this_machine(backbone) else presets.TARGET


def on_this_machine(backbone: str) -> bool:
    """Whether a page may open a backbone without a download: a folder that it may read, or a model that is here."""
    try:
        return locate(model_inside(backbone), download=False) is not None
    except WorkbenchError:
        return False


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
