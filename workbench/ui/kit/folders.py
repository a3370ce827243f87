"""Which folders of the app's machine a page may read: whoever opens the app must not be able to read everything."""

import errno
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from workbench.core.config import Corpus
from workbench.core.errors import BadData, BadSetting, OutsideFolders
from workbench.core.paths import project, shipped
from workbench.data.demo import PAIR_SETS
from workbench.data.pair_texts import ALL
from workbench.data.pairs import check_named
from workbench.data.sources import resolve_inside, split_source, split_task
from workbench.previews.perturbation import dropout_rate
from workbench.store.names import CONFIG, runs_folder
from workbench.store.run import Run
from workbench.targets.target import is_pairs, sources_of, split


def allowed_folders() -> list[Path]:
    """WORKBENCH_FOLDERS (separated as in PATH; `--folders` sets it), or by default the project's own folder and the
    Documents and Downloads of the home folder if they exist.

    The runs folder and the uploads in it are always included, although other folders whose name begins with a dot are not;
    see `resolve_inside`.

    Raises:
        BadSetting: WORKBENCH_FOLDERS names the home folder of an unknown user.
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
    """Check a typed path (with or without `#COLUMN`), `hf:` data set or list of pair sets, and return it unchanged. It is
    split where its reader splits it.

    Raises:
        OutsideFolders: it leads out of the allowed folders.
        BadData: an `hf:` reference that does not name a data set.
    """
    if Corpus(path).of_pairs:
        for pairs in Corpus(path).files:
            pairs_inside(pairs)
    elif path.startswith("hf:"):
        _hub_inside(path)
    elif path:
        _links_inside(split_source(path, allowed_folders())[0])
    return path


def _links_inside(folder: Path) -> None:
    """Check that no link in a folder, which is read as a whole, leads out of the allowed folders."""
    allowed = allowed_folders()
    if folder.is_dir() and (link := _link_out(str(folder), tuple(map(str, allowed)), int(time.monotonic() // 60))):
        resolve_inside(link, allowed)


@lru_cache(maxsize=64)
def _link_out(folder: str, allowed: tuple[str, ...], minute: int) -> str:
    """The first link below a folder that leads out of the allowed ones; empty if none does. For a minute it is looked for once,
    since pages are drawn often, and folders may be large.
    """
    waiting, seen = [folder], set[str]()
    while waiting:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        with suppress(OSError), os.scandir(at) as entries:  # what cannot be listed is not read either
            for entry in entries:
                if entry.name.startswith("."):
                    continue  # never read, such as an environment, whose links lead to Python
                if entry.is_symlink():
                    try:
                        real = resolve_inside(entry.path, allowed)
                    except OutsideFolders:
                        return entry.path
                    waiting += [str(real)] * real.is_dir()
                elif entry.is_dir():
                    waiting.append(entry.path)
    return ""


def corpus_inside(source: str) -> str:
    """Check a typed corpus, of which those of the demo set are no files, and return it unchanged; see `inside`."""
    if source != "demo" and not source.startswith("demo:"):
        inside(source)
        if not Corpus(source).of_pairs:  # several files, or a single one with a ; in its name
            for file in Corpus(source).files:
                inside(file)
    return source


def _hub_inside(ref: str) -> None:
    """The Hub's reader also reads this machine: a folder in place of the id, and files by their path. Its own checks refuse a
    format as the id, as in `hf:text:FILE.txt`, and a file elsewhere; here such a path is refused as any other.
    """
    from workbench.data.hub import parse

    name = parse(ref)
    here, file = _there(name.id), Path(name.data_file)
    if here:
        inside(name.id)
    if name.data_file and (here or "/" not in name.id or file.is_absolute() or ".." in file.parts):
        inside(str(Path(name.id if here else "", file)))


def pairs_inside(pairs: str) -> str:
    """Check a typed pair set, `TASK:SPLIT@FOLDER`, `sts@FOLDER`, `FILE` or `FILE#SPLIT`, and return it unchanged; see
    `inside` and `load_pairs`.
    """
    if pairs.startswith("demo:"):
        return pairs
    task = split_task(pairs)
    inside(task[2] if task else pairs.removeprefix(ALL))
    return pairs


def readable_pairs(pairs: str) -> str:
    """Check that what a typed pair set names exists, and return it unchanged; see `pairs_inside`. The Hub is not asked.

    Raises:
        UnknownName: a set that does not exist.
        BadData: a file or folder that does not exist.
    """
    pairs_inside(pairs)
    task = split_task(pairs)
    if task and not Path(task[2]).expanduser().is_dir():
        raise BadData(f"There is no folder {task[2]!r}.", rule="The folder of the task's files follows the @.")
    if not task and pairs not in PAIR_SETS and not pairs.startswith("hf:"):
        check_named(pairs, allowed_folders())
    return pairs


def model_inside(name: str) -> str:
    """Check a typed model, a Hub id or a folder with an optional suffix, and return it unchanged; see `inside`. Of the folder of
    a run the backbone is checked too, since its first step is that.
    """
    for bare in (name, split(name).name):
        if bare and _there(bare):
            inside(bare)
            run = Run(Path(bare).expanduser())
            if (run.folder / CONFIG).is_file() and not run.problem and _there(run.config.model.backbone):
                inside(run.config.model.backbone)
    return name


def _there(path: str) -> bool:
    """Whether a path exists. True also where that cannot be told, such as in another user's home: `inside` refuses those.
    Nothing exists under a name that is too long for the file system.
    """
    try:
        return Path(path).expanduser().exists()
    except (OSError, RuntimeError) as error:
        return getattr(error, "errno", None) != errno.ENAMETOOLONG


def target_inside(target: str) -> str:
    """Check the model of a typed target and what its settings read, and return it unchanged; see `inside`.

    Raises:
        BadSetting: settings that cannot be parsed.
    """
    model_inside(target)
    for source in sources_of(target):
        if source.startswith("backbone:"):
            model_inside(source.removeprefix("backbone:"))
        elif is_pairs(source):
            pairs_inside(source)
        else:
            inside(source)
    return target


def asked_inside(arguments: Mapping[str, Any]) -> None:
    """Check every model, pipeline and corpus in a request; see `inside`. Pairs were checked where they were typed."""
    for name in ("target", "backbone", "before", "after"):
        model_inside(str(arguments.get(name, "")))
    for target in arguments.get("targets", ()):
        model_inside(str(target))
    corpus_inside(str(arguments.get("corpus", "")))
    lines = arguments.get("pipelines") or [arguments.get("pipeline", "")]
    for line in map(str, lines):
        if dropout_rate(line) is None:  # dropout is not a pipeline and names no file
            pipeline_inside(line)


def pipeline_inside(line: str) -> str:
    """Check the models and files named in a typed pipeline, and return it unchanged; see `inside`."""
    from workbench.augmentations.pipeline import parse

    for step in parse(line).all():
        for value in step.settings.values():
            if isinstance(value, str):
                model_inside(value.removeprefix("backbone:"))
    return line
