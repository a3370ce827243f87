"""Evaluations of a run: each pair's cosine at each checkpoint, with every sentence stored once."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.writing import whole_file, write_json
from workbench.store import names
from workbench.store.shapes import Score, read_whole

if TYPE_CHECKING:
    from pandas import DataFrame

SCORES = "scores.json"
SENTENCES = "sentences.parquet"


def score_rows(path: Path) -> list[Score]:
    """The rows of a file of scores, each of a checkpoint on something. No file gives none, and what is not a row is skipped."""
    return read_whole(path, list[Score]) or []


def write(
    folder: Path, suite: str, checkpoint: str, table: "DataFrame", scores: Sequence[Mapping[str, object]]
) -> None:
    """Put the pairs of one checkpoint into `evaluations/<suite>.parquet`, in place of what was there of it.

    `table` has pairs, task, split, subset, row, gold, cosine, first and second, the last two as texts. A score also says
    how many of its sentences were trained on (`sentences_seen` of `seen_of`, the share `seen_share`) and whether it is
    `transductive` for that, and how many of its pairs were trained on with their scores (`gold_seen`), where it is known
    and the checkpoint was trained at all.
    """
    import pandas

    place = folder / names.EVALUATIONS
    texts = pandas.unique(pandas.concat([table["first"], table["second"]]))
    codes = {text: text_hash(text) for text in texts}
    sentences = pandas.DataFrame({"hash": list(codes.values()), "text": list(codes)})
    if (place / SENTENCES).exists():
        sentences = pandas.concat([pandas.read_parquet(place / SENTENCES), sentences]).drop_duplicates("hash")
    _write(place / SENTENCES, sentences)
    own = table.assign(first=table["first"].map(codes), second=table["second"].map(codes))
    own.insert(0, "checkpoint", checkpoint)
    if (place / f"{suite}.parquet").exists():
        before = pandas.read_parquet(place / f"{suite}.parquet")
        own = pandas.concat([before[before["checkpoint"] != checkpoint], own], ignore_index=True)
    _write(place / f"{suite}.parquet", own)
    rows = [row for row in score_rows(place / SCORES) if (row["suite"], row["checkpoint"]) != (suite, checkpoint)]
    write_json(place / SCORES, [*rows, *({"suite": suite, "checkpoint": checkpoint, **row} for row in scores)])


def write_coordinates(folder: Path, checkpoint: str, method: str, table: "DataFrame") -> None:
    """Put the plane of one checkpoint (text, x, y) into `coordinates/<method>.parquet`. Its sentences are evaluated ones."""
    import pandas

    path = folder / names.COORDINATES / f"{method}.parquet"
    own = table.assign(checkpoint=checkpoint, hash=[text_hash(text) for text in table["text"]])
    own = own[["checkpoint", "hash", "x", "y"]]
    if path.exists():
        before = pandas.read_parquet(path)
        own = pandas.concat([before[before["checkpoint"] != checkpoint], own], ignore_index=True)
    _write(path, own)


def copy(folder: Path, suite: str, checkpoint: str, name: str) -> None:
    """Two checkpoints are the same step: what is known of `checkpoint` holds for `name` too."""
    import pandas

    place = folder / names.EVALUATIONS
    table = pandas.read_parquet(place / f"{suite}.parquet")
    same = table[table["checkpoint"] == checkpoint].assign(checkpoint=name)
    kept = table[table["checkpoint"] != name]
    _write(place / f"{suite}.parquet", pandas.concat([kept, same], ignore_index=True))
    for path in (folder / names.COORDINATES).glob("*.parquet") if suite == "pairs" else ():
        points = pandas.read_parquet(path)
        twin = points[points["checkpoint"] == checkpoint].assign(checkpoint=name)
        _write(path, pandas.concat([points[points["checkpoint"] != name], twin], ignore_index=True))
    rows = [row for row in score_rows(place / SCORES) if (row["suite"], row["checkpoint"]) != (suite, name)]
    twins = [{**row, "checkpoint": name} for row in rows if (row["suite"], row["checkpoint"]) == (suite, checkpoint)]
    write_json(place / SCORES, [*rows, *twins])


def has(folder: Path, suite: str, checkpoint: str) -> bool:
    """Whether a checkpoint was evaluated on a suite."""
    rows = score_rows(folder / names.EVALUATIONS / SCORES)
    return any((row["suite"], row["checkpoint"]) == (suite, checkpoint) for row in rows)


def text_hash(text: str) -> str:
    """Sixteen hexadecimal digits of a sentence."""
    from hashlib import blake2b

    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _write(path: Path, table: "DataFrame") -> None:
    with whole_file(path) as file:
        table.to_parquet(file, index=False)
