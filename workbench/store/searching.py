"""Which runs have the words that somebody looks for."""

from collections.abc import Sequence

from workbench.store.listed import Row, rows
from workbench.store.lookup import NEWEST, all_runs
from workbench.store.names import RunsFolder
from workbench.store.run import Run


def search(folder: RunsFolder, runs: Sequence[Run], text: str, most: int = NEWEST) -> tuple[list[Run], int]:
    """Of `runs` those that match, then others of the folder whose ids have each word; and how many more of these there are.

    At most `most` of the others are returned, the newest: only their ids are looked at, because reading thousands takes minutes.
    """
    words, listed = text.casefold().split(), {run.id for run in runs}
    every = folder.newest_names() if words else ()
    ids = [name for name in every if name not in listed and all(word in name for word in words)]
    others = all_runs(folder, 0, ids[:most]) if ids else []
    return [*matching(runs, text), *others], max(0, len(ids) - most)


def matching(runs: Sequence[Run], text: str) -> list[Run]:
    """The runs in which each word of `text` occurs: in name, id, state, recipe, backbone, corpus, tags or note."""
    words = text.casefold().split()
    if not words:
        return list(runs)
    return [run for run, row in zip(runs, rows(runs), strict=True) if all(word in _words(run, row) for word in words)]


def _words(run: Run, row: Row) -> str:
    state = "damaged" if row.problem else row.about.state
    return "\n".join((row.name, run.id, state, row.recipe, row.backbone, row.corpus, *row.tags, row.note)).casefold()
