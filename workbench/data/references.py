"""References to texts and pair sets: made absolute, so that any process finds them, and stamped to detect changed
files. Light to import, because every process that only keeps runs needs it: what reads texts is imported where it is used.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from workbench.core import paths
from workbench.core.config import Corpus, RunConfig, Selection
from workbench.core.errors import BadData
from workbench.data.files import split_source, split_task


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
    """An existing path made absolute, keeping its `#column`; anything else unchanged. The # is found by the rule of
    `split_source`.
    """
    if text in ("", "demo"):
        return text
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
    """The reference and the current names, sizes and times (ns) of its files; only the reference if it names no file or
    folder.
    """
    path = Path(ref.rpartition("@")[2].partition("#")[0]) if ref else Path()
    if not ref or not paths.existing(path):
        return [ref]
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return [ref, *((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files[:500])]
