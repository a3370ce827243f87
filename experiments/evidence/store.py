"""The evidence stored in the repository, so that any machine can continue it: every finished cell with its figures
(docs/evidence.jsonl) and what its intervals are made of, its rho in each resample of pairs (docs/resamples).

The cosines of a cell stay in the folder that it was computed in; once its resamples are stored they are no longer needed.
"""

import io
import zipfile
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.evidence.cells import Cell, Row
from experiments.evidence.hashes import made
from experiments.evidence.plan import cell_of
from workbench.core.reading import read_lines
from workbench.core.writing import write_bytes
from workbench.statistics.pairs_and_seeds import RESAMPLES, resampled_rhos
from workbench.store.names import word

if TYPE_CHECKING:
    from numpy.typing import NDArray

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
LINES = "evidence.jsonl"
"""In docs: a line a machine, finished cell, difference, order, claim, failure."""
FOLDER = "resamples"
TESTS = ("sts12", "sts14", "sts15")
SETS = ("stsb_dev", "sts")
"""Rows of a cell's resamples; `sts` is the mean of TESTS."""
_EQUAL = 1e-4
"""Of rho: what another processor's sums may change of what is computed in fp32."""
_STEPS = 65535
"""Of rho from -1 to 1, in 16 bits: within .000016."""


def lines(docs: Path = DOCS) -> list[Row]:
    """What docs/evidence.jsonl says."""
    return list(read_lines(docs / LINES))


def groups(line: Row) -> list[str]:
    """The groups of cells that a difference is between."""
    return [*line.get("groups", []), *(line[name] for name in ("group", "other") if name in line)]


def cells(docs: Path = DOCS) -> dict[str, Row]:
    """The finished cells by key, each with the machine that it was computed on."""
    stated = lines(docs)
    machines = {
        line["machine"]: {name: line[name] for name in line if name != "machine"} for line in stated if "torch" in line
    }
    finished = {}
    for line in stated:
        if "cell" in line:
            cell = cell_of(line)
            state = {"id": cell.id, "key": cell.key, "state": "done", "message": "", "code": ""}
            finished[cell.key] = {**line, **state, "machine": machines[line["machine"]]}
    return finished


def unsampled(rows: Iterable[Row], docs: Path = DOCS) -> set[str]:
    """The keys of the finished cells whose resamples are not in docs."""
    rows = list(rows)
    resamples = Resamples(docs, docs, rows)
    return {row["key"] for row in rows if row["state"] == "done" and not resamples.has(row["id"])}


class Resamples:
    """Of each cell: its rho on all pairs and in each resample of pairs, the latter from docs or from its cosines."""

    def __init__(self, docs: Path, folder: Path, rows: Iterable[Row]) -> None:
        self.docs, self.folder = docs / FOLDER, folder
        self.rows = {cell_of(row).id: row for row in rows if row["state"] == "done"}
        self._golds: dict[str, NDArray[np.float64]] = {}
        self._by_cell: dict[str, NDArray[np.float64] | None] = {}
        self._file = cache(_read)

    def of(self, cell: str) -> "dict[str, NDArray[np.float64]]":
        """For each of SETS that was scored, rho on all pairs, and then in each resample; NaN where those are not kept."""
        scores = {name: round(score, 5) for name, score in self.rows[cell]["scores"].items()}  # as docs states them
        tests = [scores[name] for name in TESTS if name in scores]
        whole = {"stsb_dev": scores["stsb_dev"], **({"sts": float(np.mean(tests))} if tests else {})}
        resampled = self._resampled(cell)
        rhos = {}
        for name, score in whole.items():
            resamples = np.full(RESAMPLES, np.nan) if resampled is None else resampled[SETS.index(name)]
            rhos[name] = np.concatenate([[score], resamples])
        return rhos

    def has(self, cell: str) -> bool:
        """Whether the resamples of a cell are stored."""
        return self._resampled(cell) is not None

    def _resampled(self, cell: str) -> "NDArray[np.float64] | None":
        if cell not in self._by_cell:
            row = self.rows[cell]
            name = made(row["key"])
            packed = self._file(self.docs / file_of(cell_of(row))).get(name)
            cosines = self.folder / "cosines" / f"{name}.npz"
            if packed is None and cosines.exists():
                computed = self._from(cosines, row["scores"])
                packed = None if computed is None else pack(computed)
            self._by_cell[cell] = None if packed is None else unpack(packed)
        return self._by_cell[cell]

    def _from(self, path: Path, scores: "Mapping[str, float]") -> "NDArray[np.float64] | None":
        """None if they are not of the scores: a cell computed again on another machine may have ended elsewhere."""
        with np.load(path) as cosines:
            rhos = {name: resampled_rhos(cosines[name], self.gold(name)) for name in cosines.files}
        if any(abs(rhos[name][0] - score) > _EQUAL for name, score in scores.items()):
            return None
        resampled = {name: rhos[name][1:] for name in rhos}
        tests = [resampled[name] for name in TESTS if name in resampled]
        return np.stack([resampled["stsb_dev"], np.mean(tests, axis=0) if tests else np.full(RESAMPLES, np.nan)])

    def gold(self, name: str) -> "NDArray[np.float64]":
        """The scores of a set's pairs, kept by the script that computed the cells."""
        if name not in self._golds:
            self._golds[name] = np.load(self.folder / "gold.npz")[name]
        return self._golds[name]

    def write(self) -> None:
        """Write the stored resamples of all cells to docs, grouped into files. Resamples without a cell are left out."""
        files: dict[str, dict[str, NDArray[np.uint16]]] = {}
        for cell, row in self.rows.items():
            rhos = self._resampled(cell)
            if rhos is not None:
                files.setdefault(file_of(cell_of(row)), {})[made(row["key"])] = pack(rhos)
        for name, arrays in files.items():
            _write(self.docs / name, arrays)
        for path in self.docs.glob("*.npz"):
            if path.name not in files:
                path.unlink()


def file_of(cell: Cell) -> str:
    """The file of docs/resamples that a cell's are in.

    >>> file_of(Cell("recipe", "una", "mean", "general", "", "steps", 50, 1e-4, 3))
    'minilm-l3-recipe-mean-steps-seed3.npz'
    """
    parts = [word(cell.backbone), cell.kind]
    if cell.kind == "recipe":
        parts += [cell.pooling, cell.budget, f"seed{cell.seed}"]
    return "-".join(parts) + ".npz"


def pack(rhos: "NDArray[np.float64]") -> "NDArray[np.uint16]":
    """In 16 bits; NaN, a set that was not there, is 0."""
    return np.where(np.isnan(rhos), 0, 1 + np.rint((rhos + 1) / 2 * (_STEPS - 1))).astype(np.uint16)


def unpack(packed: "NDArray[np.uint16]") -> "NDArray[np.float64]":
    """What `pack` was given, within .000016.

    >>> unpack(pack(np.array([-1.0, 0.5, 1.0, np.nan]))).round(4).tolist()
    [-1.0, 0.5, 1.0, nan]
    """
    return np.where(packed == 0, np.nan, (packed.astype(np.float64) - 1) / (_STEPS - 1) * 2 - 1)


def _read(path: Path) -> "Mapping[str, NDArray[np.uint16]]":
    if not path.exists():
        return {}
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


def _write(path: Path, arrays: "Mapping[str, NDArray[np.uint16]]") -> None:
    """Equal arrays are equal bytes."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        for name in sorted(arrays):
            member = io.BytesIO()
            np.save(member, arrays[name])
            file.writestr(
                zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), member.getvalue(), zipfile.ZIP_DEFLATED
            )
    if not path.exists() or path.read_bytes() != content.getvalue():
        write_bytes(path, content.getvalue())
