"""Draws `demo:dev` and `demo:test` from the scored pairs: `python -m experiments.pairs.draw` writes assets/demo/pairs.tsv.

No model takes part. 72 pairs are drawn at random from each of the 25 cells of genre and unit of the scale, 24 for dev and
48 for test. Left out before that are pairs of which a sentence nearly repeats one of the demo's training texts: with more than
85 % of the words of the shorter of the two in common.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pandas
from scipy.sparse import csr_array

from workbench.core.writing import write_text
from workbench.data import demo
from workbench.data.corpora import load_corpus

FILE = Path(__file__).with_name("scored.tsv")
SEED = 0
SPLITS = {"dev": 24, "test": 48}
"""Pairs of each cell in each split."""
MOST_SHARED = 0.85
TRAINED_ON = ("demo", "demo:labelled", "demo:scored", "demo:documents")
COLUMNS = ["id", "split", "genre", "score", "score_a", "score_b", "sentence1", "sentence2"]


def scored() -> pandas.DataFrame:
    """All pairs that were written and scored, with their mean score and the unit of the scale it lies in."""
    table = pandas.read_csv(FILE, sep="\t", quoting=3, dtype={"id": str, "aimed": str})
    table["score"] = ((table["score_a"] + table["score_b"]) / 2).round(2)
    table["unit"] = np.minimum(table["score"], 4.99).astype(int)
    return table


def words(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return re.findall(r"[a-z0-9]+(?:'[a-z]+)?", text.lower())


def shared_words(texts: list[str], others: list[str]) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The share of the shorter one's words that a text and another have in common, where it is not 0: indices of the texts,
    indices of the others and shares, each of shape [entries], for a thousand texts at a time.
    """
    sets = [set(words(text)) for text in [*texts, *others]]
    columns = {word: at for at, word in enumerate(sorted(set().union(*sets)))}
    at = np.array([columns[word] for own in sets for word in sorted(own)])
    ends = np.cumsum([0, *map(len, sets)])
    table = csr_array((np.ones(len(at), dtype=np.int32), at, ends), shape=(len(sets), len(columns)))
    sizes = np.diff(ends)
    for start in range(0, len(texts), 1000):
        common = (table[start : min(start + 1000, len(texts))] @ table[len(texts) :].T).tocoo()
        rows = common.row + start
        yield rows, common.col, common.data / np.minimum(sizes[rows], sizes[len(texts) + common.col])


def nearest(texts: list[str], others: list[str]) -> np.ndarray:
    """The largest of these shares for each text, of shape [texts]."""
    largest = np.zeros(len(texts))
    for rows, _, shares in shared_words(texts, others):
        np.maximum.at(largest, rows, shares)
    return largest


def drawn() -> pandas.DataFrame:
    """The rows of assets/demo/pairs.tsv, in the order of their ids."""
    table = scored()
    trained_on = [text for name in TRAINED_ON for text in load_corpus(name).texts]
    near = np.maximum(*(nearest(list(table[column]), trained_on) for column in ("sentence1", "sentence2")))
    table = table[near <= MOST_SHARED]
    rows = []
    for (genre, unit), cell in table.groupby(["genre", "unit"]):
        ids = sorted(cell["id"])
        Random(f"{SEED} {genre} {unit}").shuffle(ids)
        start = 0
        for split, count in SPLITS.items():
            rows.append(cell[cell["id"].isin(ids[start : start + count])].assign(split=split))
            start += count
    return pandas.concat(rows).sort_values("id")[COLUMNS]


if __name__ == "__main__":
    write_text(demo.FOLDER / "pairs.tsv", drawn().to_csv(sep="\t", index=False, quoting=3, float_format="%g"))
