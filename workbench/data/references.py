"""References to texts and pair sets: made absolute, so that any process finds them, and stamped to detect changed
files. Light to import, because every process that only keeps runs needs it: what reads texts is imported where it is used.
"""

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from os import stat_result
from pathlib import Path
from stat import S_ISDIR

from workbench.core import paths
from workbench.core.config import Corpus, RunConfig, Selection
from workbench.core.errors import BadData
from workbench.data.sources import split_source, split_task

Stamp = tuple[str, int, int]
"""The name of a file, its size in bytes and its time in nanoseconds."""
_MOST_STAMPED = 4_000
"""Entries of a folder that are looked at to stamp it."""


def joined(files: Iterable[str | Path]) -> str:
    """The reference to a corpus that consists of several files.

    Raises:
        BadData: the name of a file contains the separator.
    """
    names = list(map(str, files))
    for file in names:
        if ";" in file and paths.existing(file):
            raise BadData(
                f"The name of {file} contains a ;, which separates the files of a corpus.", way_out="Rename it."
            )
    return ";".join(names)


def absolute(config: RunConfig) -> RunConfig:
    """The configuration with absolute paths: the worker runs in another folder than the process that submits."""
    pairs = tuple(absolute_pairs(ref) for ref in config.evaluation.pairs)
    return replace(
        config,
        model=replace(config.model, backbone=absolute_path(config.model.backbone)),
        corpus=replace(config.corpus, source=absolute_corpus(config.corpus.source)),
        selection=replace(config.selection, pairs=tuple(absolute_pairs(ref) for ref in config.selection.pairs)),
        probe=replace(config.probe, pairs=absolute_pairs(config.probe.pairs)),
        evaluation=replace(config.evaluation, pairs=pairs, sts_folder=absolute_path(config.evaluation.sts_folder)),
    )


def absolute_path(text: str) -> str:
    """An existing path made absolute, keeping its `#column`; so too the folder that `hf:` names in place of a data set of
    the Hub. Anything else stays as it is. The # is found by the rule of `split_source`.
    """
    if text in ("", "demo"):
        return text
    if text.startswith("hf:"):
        named, here = _of_hub(text)
        return f"hf:{text.removeprefix('hf:').replace(named, str(here.resolve()), 1)}" if here else text
    if whole := paths.existing(text):
        return str(whole.resolve())
    path, mark, column = text.rpartition("#")
    found = paths.existing(path) if path not in ("", "demo") else None
    return text if found is None else f"{found.resolve()}{mark}{column}"


def absolute_corpus(source: str) -> str:
    """As `absolute_path`, for a corpus of one or several files, or of the texts of pair sets."""
    files = Corpus(source).files
    if Corpus(source).of_pairs:
        return Corpus.texts_of(map(absolute_pairs, files))
    return joined(map(absolute_path, files)) if len(files) > 1 else absolute_path(source)


def absolute_pairs(ref: str) -> str:
    """`TASK:SPLIT@FOLDER`, `sts@FOLDER` or a file, with the path made absolute."""
    from workbench.data.pair_texts import ALL

    if ref.startswith(ALL):
        return f"{ALL}{absolute_path(ref.removeprefix(ALL))}"
    if named := split_task(ref):
        task, split, folder = named
        return f"{task}:{split}@{absolute_path(folder)}"
    return absolute_path(ref)


def set_name(ref: str) -> str:
    """The name of a pair set next to its scores, by its reference or by that name. A file that holds several splits adds the
    one used, such as `#test`: see `named_by`.

    >>> set_name("stsb:dev@data/sts"), set_name("data/own.tsv#dev"), set_name("hf:mteb/sts12-sts"), set_name("demo:dev")
    ('stsb:dev', 'own.tsv#dev', 'mteb/sts12-sts:test', 'demo:dev')
    """
    from workbench.data.hub import parse
    from workbench.data.pair_texts import shown
    from workbench.data.tasks import KNOWN, own_split

    if ref.startswith("hf:"):
        named = parse(ref)
        return f"{named.id}:{named.split or 'test'}"
    if parts := split_task(ref):
        task, split, _ = parts
        return f"{task}:{own_split(task, split) if task in KNOWN else split}"
    if re.fullmatch(r"[\w.-]+/[\w.-]+:\w+", ref):  # the name of a set of the Hub
        return ref
    return shown(ref)


def chosen_on(selection: Selection) -> list[str]:
    """What the best step of a run is chosen on, by name: pair sets, or the masked loss of a pretraining; empty if the last step
    is the result.

    >>> chosen_on(Selection(pairs=("/data/own.tsv",))), chosen_on(Selection(metric="masked_loss")), chosen_on(Selection())
    (['own.tsv'], ['masked loss'], [])
    """
    return ["masked loss"] if selection.metric == "masked_loss" else [set_name(ref) for ref in selection.scored]


def named_by(ref: str, name: str) -> bool:
    """Whether scores stored under `name` may be those on the pair set `ref`.

    >>> named_by("data/own.tsv", "own.tsv#test"), named_by("stsb:test@sts", "stsb:test"), named_by("demo:dev", "demo:test")
    (True, True, False)
    """
    return set_name(ref) in (name, name.removesuffix("#test"))


def same_pairs(ref: str, other: str) -> bool:
    """Whether two references are to the same pairs, wherever a task's data lie; two files of one name only where they are one
    file, or one of them is not here, as after an import.

    >>> same_pairs("stsb:dev@sts", "stsb:dev@/data/sts"), same_pairs("stsb:dev@sts", "stsb:test@sts")
    (True, False)
    """
    if not (named_by(ref, set_name(other)) or named_by(other, set_name(ref))):
        return False
    files = [paths.existing(split_source(one)[0]) for one in (ref, other) if _of_file(one)]
    here = [file for file in files if file]
    return len(here) < 2 or here[0].samefile(here[1])


def _of_file(ref: str) -> bool:
    return not ref.startswith(("hf:", "demo:")) and split_task(ref) is None


def file_stamps(ref: str) -> list[object]:
    """The reference and the current names, sizes and times (ns) of the files that it is read from: of a folder those in it and
    below, of a competition's sentences their scores too. Only the reference if it names no file or folder.
    """
    place = place_of(ref)
    if place is None:
        return [ref]
    if place.is_dir():
        return [ref, *_below(place)]
    from workbench.data.competitions import scores_of

    files = [place, *filter(None, [scores_of(place.resolve())])]
    return [ref, *(_stamp(file.name, about) for file in files if (about := _about(file)))]


def place_of(ref: str) -> Path | None:
    """The existing file or folder that a reference names, by the rules of those who read it."""
    from workbench.data.pair_texts import ALL

    if ref in ("", "demo"):
        return None
    if ref.startswith("hf:"):
        return _of_hub(ref)[1]
    if ref.startswith(ALL):
        return paths.existing(ref.removeprefix(ALL))
    if named := split_task(ref):
        return paths.existing(named[2])
    return paths.existing(ref) or paths.existing(ref.rpartition("#")[0] or ref)


def _of_hub(ref: str) -> tuple[str, Path | None]:
    """The folder that `hf:` names in place of a data set of the Hub, as written, and where it is; None if it names none."""
    from workbench.data.hub import parse

    try:
        name = parse(ref)
    except BadData:  # reported by whoever reads it
        return "", None
    here = paths.existing(name.id)
    return (name.id, here) if here else ("", None)


def _below(folder: Path) -> list[Stamp]:
    """The stamps of the files in a folder and in those below it, the nearest first. Hidden ones are never read."""
    found: list[Stamp] = []
    looked = 0
    folders, seen = deque([(folder, "")]), set[tuple[int, int]]()
    while folders and looked < _MOST_STAMPED:
        here, above = folders.popleft()
        there = _about(here)
        if there is None or (there.st_dev, there.st_ino) in seen:  # links can lead back
            continue
        seen.add((there.st_dev, there.st_ino))
        try:
            paths_here = sorted(path for path in here.iterdir() if not path.name.startswith("."))
        except OSError:
            continue
        for path in paths_here[: _MOST_STAMPED - looked]:
            looked += 1
            about = _about(path)
            if about and S_ISDIR(about.st_mode):
                folders.append((path, f"{above}{path.name}/"))
            elif about:
                found.append(_stamp(f"{above}{path.name}", about))
    return found


def _about(path: Path) -> stat_result | None:
    """What the system says of a file or folder; None if it cannot be read, such as a link to nothing."""
    try:
        return path.stat()
    except OSError:
        return None


def _stamp(name: str, about: stat_result) -> Stamp:
    return name, about.st_size, about.st_mtime_ns
