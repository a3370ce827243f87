"""References to texts and pair sets as any process can find them, wherever it was started, and what they stand for now."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from workbench.core import paths
from workbench.core.config import Corpus, RunConfig
from workbench.core.errors import BadData
from workbench.data.files import split_task
from workbench.data.pair_texts import ALL


def joined(files: Iterable[str | Path]) -> str:
    """The corpus that consists of some files.

    Raises:
        BadData: the name of one holds what parts them.
    """
    found = list(map(str, files))
    for file in found:
        if ";" in file and paths.existing(file):
            raise BadData(f"The name of {file} holds a ;, which parts the files of a corpus.", way_out="Rename it.")
    return ";".join(found)


def absolute(config: RunConfig) -> RunConfig:
    """Paths as seen from any folder: the worker runs elsewhere than whoever submits."""
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
    """A path that exists, made absolute, with its `#column`; anything else as it is. It is cut where its reader cuts it."""
    if text in ("", "demo"):
        return text
    if whole := paths.existing(text):
        return str(whole.resolve())
    path, mark, column = text.rpartition("#")
    found = paths.existing(path) if path not in ("", "demo") else None
    return text if found is None else f"{found.resolve()}{mark}{column}"


def absolute_corpus(source: str) -> str:
    """See `absolute_path`, for one file or several, or for pair sets whose texts are meant."""
    files = Corpus(source).files
    if Corpus(source).of_pairs:
        return Corpus.texts_of(map(absolute_pairs, files))
    return joined(map(absolute_path, files)) if len(files) > 1 else absolute_path(source)


def absolute_pairs(ref: str) -> str:
    """`TASK:SPLIT@FOLDER`, `sts@FOLDER` or a file, with the path made absolute."""
    if ref.startswith(ALL):
        return f"{ALL}{absolute_path(ref.removeprefix(ALL))}"
    if named := split_task(ref):
        task, split, folder = named
        return f"{task}:{split}@{absolute_path(folder)}"
    return absolute_path(ref)


def file_stamps(ref: str) -> list[object]:
    """What a reference to a file or folder stands for now: its path, size and time."""
    path = Path(ref.rpartition("@")[2].partition("#")[0]) if ref else Path()
    if not ref or not paths.existing(path):
        return [ref]
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return [ref, *((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files[:500])]
