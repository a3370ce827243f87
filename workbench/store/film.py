"""The film of a run: the vectors of a few sentences at its probes, so that one can watch the space change.

`film/sentences.json` has the sentences and their pairs; each frame is a file of its own, float16 rows of length 1, named after
its step, so that a kill costs at most the frame that was being written.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.core.errors import BadRun
from workbench.core.reading import read_json
from workbench.core.rows import unit_rows
from workbench.core.writing import plain, whole_file, write_json
from workbench.store import names
from workbench.store.fitting import read_whole
from workbench.store.run import Run
from workbench.store.shapes import Filmed

MOST_BYTES = 20_000_000
"""Of the whole film."""
VECTOR_BYTES = 17_500_000
"""What all frames may take of that; the rest is for the sentences."""
MOST_FRAMES = 61
MOST_TEXTS, LEAST_TEXTS = 1200, 200
MOST_CHARACTERS = 400
"""Of a sentence, as it is shown."""
SENTENCES = "sentences.json"
_BYTES_A_NUMBER = 2


def limits(dim: int, texts: int, probes: int) -> tuple[int, int]:
    """How many sentences and how many frames are kept of `texts` sentences with `dim` numbers each and of `probes` probes.

    Sentences are left out before frames are, as long as there are 200; one frame more has room, for the latest probe.

    >>> limits(384, 1200, 11), limits(768, 1200, 61), limits(8192, 1200, 61), limits(100_000, 1200, 61)
    ((1200, 11), (200, 55), (200, 4), (29, 2))
    """
    room = VECTOR_BYTES // (_BYTES_A_NUMBER * dim)  # rows of vectors, in all frames together
    frames = max(2, min(probes, MOST_FRAMES))
    kept = min(texts, MOST_TEXTS, max(LEAST_TEXTS, room // (frames + 1)), room // 3)
    return kept, max(2, min(frames, room // max(1, kept) - 1))


def begin(folder: Path, filmed: Filmed) -> None:
    """Write down which sentences a run films, unless it is written already."""
    path = folder / names.FILM / SENTENCES
    if read_json(path) != plain(dict(filmed)):
        write_json(path, filmed)


def write(folder: Path, step: int, vectors: NDArray[np.floating]) -> None:
    """Write the frame of a step: `vectors` (sentences, dim), as float16 rows of length 1."""
    with whole_file(_frame(folder, step)) as file:
        np.save(file, unit_rows(vectors.astype(np.float64)).astype(np.float16), allow_pickle=False)


def remove(folder: Path, step: int) -> None:
    """Remove the frame of a step."""
    _frame(folder, step).unlink(missing_ok=True)


def steps(folder: Path) -> list[int]:
    """The steps that have a frame, in order."""
    return sorted(int(path.stem) for path in (folder / names.FILM).glob("*.npy") if path.stem.isdigit())


def cut_after(folder: Path, step: int) -> None:
    """Remove the frames that a checkpoint at `step` does not know: those after it, and all if it is 0."""
    for at in steps(folder):
        if not 0 < step >= at:
            remove(folder, at)


@dataclass(frozen=True, eq=False)
class Frames:
    """The film as it was kept."""

    filmed: Filmed
    steps: list[int]
    vectors: Sequence[NDArray[np.float32]]
    """Rows of length 1, (sentences, dim), for each step."""


def read(run: Run) -> Frames:
    """The frames of a run. Damaged ones are left out.

    Raises:
        BadRun: it has fewer than two.
    """
    again = "Train it again: on Train, or with the command that Runs shows under Configuration."
    there = steps(run.folder)
    if not there:
        rule = "A run keeps vectors for its film at each probe, from its first step on."
        if run.live:
            raise BadRun(f"{run.id} has no film yet.", rule=rule, way_out="Wait for its second probe.")
        raise BadRun(f"{run.id} has no film.", rule=rule, got="a run without", way_out=again)
    filmed = read_whole(run.folder / names.FILM / SENTENCES, Filmed)
    if filmed is None or not _sound(filmed):
        raise BadRun(f"The film of {run.id} is damaged: {SENTENCES} cannot be read.", way_out=again)
    frames = {step: frame for step in there if (frame := _read(run.folder, step, len(filmed["texts"]))) is not None}
    width = frames[max(frames)].shape[1] if frames else 0
    frames = {step: frame for step, frame in frames.items() if frame.shape[1] == width}
    if len(frames) < 2:
        way_out = "Wait for its next probe." if run.live else again
        raise BadRun(f"{run.id} has no film.", rule="A film needs two frames.", got=str(len(frames)), way_out=way_out)
    return Frames(filmed, list(frames), list(frames.values()))


def _frame(folder: Path, step: int) -> Path:
    return folder / names.FILM / f"{step:08d}.npy"


def _sound(filmed: Filmed) -> bool:
    """Whether the pairs are whole and about sentences that are there."""
    rows = [*filmed["first"], *filmed["second"]]
    sizes = {len(filmed["first"]), len(filmed["second"]), len(filmed["gold"]), len(filmed["subsets"])}
    aligned = len(sizes) == 1 and len(filmed["texts"]) > max(rows, default=0)
    return aligned and (len(filmed["scale"]) == 2 or not rows)


def _read(folder: Path, step: int, rows: int) -> NDArray[np.float32] | None:
    """The frame of a step; None if it is damaged or of other sentences."""
    try:
        found = np.load(_frame(folder, step), allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    if found.ndim != 2 or len(found) != rows or found.dtype != np.float16 or not np.isfinite(found).all():
        return None
    return unit_rows(found.astype(np.float32))
