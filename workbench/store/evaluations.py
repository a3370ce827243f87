"""Evaluations of a run: the cosine of each pair at each checkpoint. Every sentence is stored only once."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.writing import whole_file, write_json
from workbench.store import names
from workbench.store.fitting import read_whole
from workbench.store.shapes import Score

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pandas import DataFrame

SCORES = "scores.json"
SENTENCES = "sentences.parquet"


def score_rows(path: Path) -> list[Score]:
    """The rows of a file of scores, each for one checkpoint and pair set. Invalid rows are skipped; a missing file has
    none.
    """
    return read_whole(path, list[Score]) or []


def write(
    folder: Path, suite: str, checkpoint: str, table: "DataFrame", scores: Sequence[Mapping[str, object]]
) -> None:
    """Write the pairs of one checkpoint to `evaluations/<suite>.parquet`, replacing those it had there, and its scores.

    `table` has one row per pair: pairs, task, split, subset, row, gold, cosine (-1 to 1), first and second (the
    sentences). If the checkpoint was trained and its training texts are known, a score also has the number of its
    sentences that were trained on (`sentences_seen` of `seen_of`, and the share `seen_share`), whether that makes it
    `transductive`, and the numbers of its pairs whose sentences were both trained on (`pairs_seen`), and that were trained on
    with their scores (`gold_seen`).
    """
    import pandas

    evaluations = folder / names.EVALUATIONS
    texts = pandas.unique(pandas.concat([table["first"], table["second"]]))
    codes = {text: text_hash(text) for text in texts}
    sentences = pandas.DataFrame({"hash": list(codes.values()), "text": list(codes)})
    if (evaluations / SENTENCES).exists():
        sentences = pandas.concat([pandas.read_parquet(evaluations / SENTENCES), sentences]).drop_duplicates("hash")
    _write(evaluations / SENTENCES, sentences)
    updated = table.assign(first=table["first"].map(codes), second=table["second"].map(codes))
    updated.insert(0, "checkpoint", checkpoint)
    if (evaluations / f"{suite}.parquet").exists():
        before = pandas.read_parquet(evaluations / f"{suite}.parquet")
        updated = pandas.concat([before[before["checkpoint"] != checkpoint], updated], ignore_index=True)
    _write(evaluations / f"{suite}.parquet", updated)
    rows = [row for row in score_rows(evaluations / SCORES) if (row["suite"], row["checkpoint"]) != (suite, checkpoint)]
    write_json(evaluations / SCORES, [*rows, *({"suite": suite, "checkpoint": checkpoint, **row} for row in scores)])


def cosines(
    folder: Path, checkpoint: str, pairs: str, first: Sequence[str], second: Sequence[str], gold: "NDArray[np.float64]"
) -> "NDArray[np.float64] | None":
    """The stored cosines of a checkpoint on the pair set of that name, (pairs,), in its order; None if there are none of exactly
    these pairs, given by the hashes of their sentences and their gold scores, or if they cannot be read.
    """
    import numpy as np
    import pyarrow
    from pyarrow import parquet

    wanted = [("checkpoint", "=", checkpoint), ("pairs", "=", pairs)]
    columns = ["row", "gold", "cosine", "first", "second"]
    try:
        table = parquet.read_table(folder / names.EVALUATIONS / "pairs.parquet", columns=columns, filters=wanted)
        row, stored_gold, cosine = (np.asarray(table[name].to_numpy(), dtype=np.float64) for name in columns[:3])
    except (OSError, ValueError, KeyError, pyarrow.ArrowException):
        return None
    same = (
        np.array_equal(row, np.arange(len(gold)))
        and np.array_equal(stored_gold, gold)
        and table["first"].to_pylist() == list(first)
        and table["second"].to_pylist() == list(second)
    )
    return cosine if same and np.isfinite(cosine).all() else None


def write_coordinates(folder: Path, checkpoint: str, method: str, table: "DataFrame") -> None:
    """Write the plane of one checkpoint (a table of text, x, y) to `coordinates/<method>.parquet`.

    Its texts must be among the evaluated sentences.
    """
    import pandas

    path = folder / names.COORDINATES / f"{method}.parquet"
    updated = table.assign(checkpoint=checkpoint, hash=[text_hash(text) for text in table["text"]])
    updated = updated[["checkpoint", "hash", "x", "y"]]
    if path.exists():
        before = pandas.read_parquet(path)
        updated = pandas.concat([before[before["checkpoint"] != checkpoint], updated], ignore_index=True)
    _write(path, updated)


def copy(folder: Path, suite: str, checkpoint: str, name: str) -> None:
    """Copy the results of `checkpoint` to `name`, for two checkpoints of the same step."""
    import pandas

    evaluations = folder / names.EVALUATIONS
    table = pandas.read_parquet(evaluations / f"{suite}.parquet")
    same = table[table["checkpoint"] == checkpoint].assign(checkpoint=name)
    kept = table[table["checkpoint"] != name]
    _write(evaluations / f"{suite}.parquet", pandas.concat([kept, same], ignore_index=True))
    for path in (folder / names.COORDINATES).glob("*.parquet") if suite == "pairs" else ():
        points = pandas.read_parquet(path)
        twin = points[points["checkpoint"] == checkpoint].assign(checkpoint=name)
        _write(path, pandas.concat([points[points["checkpoint"] != name], twin], ignore_index=True))
    rows = [row for row in score_rows(evaluations / SCORES) if (row["suite"], row["checkpoint"]) != (suite, name)]
    twins = [{**row, "checkpoint": name} for row in rows if (row["suite"], row["checkpoint"]) == (suite, checkpoint)]
    write_json(evaluations / SCORES, [*rows, *twins])


def has(folder: Path, suite: str, checkpoint: str) -> bool:
    """Whether a checkpoint was evaluated on a suite."""
    rows = score_rows(folder / names.EVALUATIONS / SCORES)
    return any((row["suite"], row["checkpoint"]) == (suite, checkpoint) for row in rows)


def text_hash(text: str) -> str:
    """The hash of a sentence that tables refer to it by: sixteen hexadecimal digits."""
    from hashlib import blake2b

    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _write(path: Path, table: "DataFrame") -> None:
    with whole_file(path) as file:
        table.to_parquet(file, index=False)
