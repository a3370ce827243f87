"""Which folders of the app's machine a page may read from: whoever opens the app must not be able to read everything."""

import errno
import os
from pathlib import Path
from typing import Any

from workbench.core.config import Corpus
from workbench.core.errors import BadSetting
from workbench.core.paths import project, shipped
from workbench.data.files import split_source, split_task
from workbench.data.pair_texts import ALL
from workbench.jobs.perturbed import dropout_rate
from workbench.jobs.targets import is_pairs, sources_of, split
from workbench.store.names import runs_folder


def allowed_folders() -> list[Path]:
    """WORKBENCH_FOLDERS (separated as in PATH; `--folders` sets it), else the project's own folder, and Documents and Downloads
    of the home folder where they exist. Where no clone but a wheel is installed, its demo set stands for the project.

    The runs folder always belongs to them, and the uploads that it keeps, though no other folder of a name with a dot does;
    see `resolve_inside`.

    Raises:
        BadSetting: WORKBENCH_FOLDERS names the home folder of somebody who has none here.
    """
    try:
        named = [Path(name).expanduser() for name in os.environ.get("WORKBENCH_FOLDERS", "").split(os.pathsep) if name]
    except RuntimeError as error:
        raise BadSetting(
            f"WORKBENCH_FOLDERS cannot be used: {error}", way_out="Start the app with other folders."
        ) from None
    own = project() or shipped("assets", "demo")
    usual = [own, *(folder for name in ("Documents", "Downloads") if (folder := Path.home() / name).is_dir())]
    runs = runs_folder()
    return [*(named or usual), runs.path, runs.corpora]


def inside(path: str) -> str:
    """A typed path, with or without `#COLUMN`, an `hf:` data set, or the texts of pair sets, as it was typed. It is cut where
    its reader cuts it.

    Raises:
        OutsideFolders: it leads out of the allowed folders.
        BadData: an `hf:` that names no data set.
    """
    if Corpus(path).of_pairs:
        for pairs in Corpus(path).files:
            pairs_inside(pairs)
    elif path.startswith("hf:"):
        _hub_inside(path)
    elif path:
        split_source(path, allowed_folders())
    return path


def _hub_inside(ref: str) -> None:
    """What reads the Hub reads this machine too: a folder in place of the id, or any file with a format as the id, as in
    `hf:text:FILE.txt`.
    """
    from workbench.data.hub import parse

    name = parse(ref)
    here, file = _there(name.id), Path(name.data_file)
    if here:
        inside(name.id)
    if name.data_file and (here or "/" not in name.id or file.is_absolute() or ".." in file.parts):
        inside(str(Path(name.id if here else "", file)))


def pairs_inside(pairs: str) -> str:
    """A typed pair set, `TASK:SPLIT@FOLDER`, `sts@FOLDER`, `FILE` or `FILE#SPLIT`, as it was typed; see `inside` and
    `load_pairs`."""
    if pairs.startswith("demo:"):
        return pairs
    task = split_task(pairs)
    inside(task[2] if task else pairs.removeprefix(ALL))
    return pairs


def model_inside(name: str) -> str:
    """A typed model, a Hub id or a folder with what may stand behind it, as it was typed; see `inside`."""
    for bare in (name, split(name).name):
        if bare and _there(bare):
            inside(bare)
    return name


def _there(path: str) -> bool:
    """Whether a path exists; also where nobody can tell, such as in the home of a stranger: `inside` refuses that. Nothing
    exists under a name that is longer than names are.
    """
    try:
        return Path(path).expanduser().exists()
    except (OSError, RuntimeError) as error:
        return getattr(error, "errno", None) != errno.ENAMETOOLONG


def target_inside(target: str) -> str:
    """A target as it was typed; what its settings read is looked at as in `inside`.

    Raises:
        BadSetting: settings that cannot be read.
    """
    for source in sources_of(target):
        if source.startswith("backbone:"):
            model_inside(source.removeprefix("backbone:"))
        elif is_pairs(source):
            pairs_inside(source)
        else:
            inside(source)
    return target


def asked_inside(arguments: dict[str, Any]) -> None:
    """What a page is about to ask; every model and pipeline in it as in `inside`. Corpora and pairs were looked at where
    they were typed.
    """
    for name in ("target", "backbone"):
        model_inside(str(arguments.get(name, "")))
    lines = arguments.get("pipelines") or [arguments.get("pipeline", "")]
    for line in map(str, lines):
        if dropout_rate(line) is None:  # dropout names no file, and is no pipeline
            pipeline_inside(line)


def pipeline_inside(line: str) -> str:
    """A pipeline as it was typed; models and files that its settings name are looked at as in `inside`."""
    from workbench.augmentations.pipeline import parse

    for step in parse(line).all():
        for value in step.settings.values():
            if isinstance(value, str):
                model_inside(value.removeprefix("backbone:"))
    return line
