"""Pairs that people rate from 0 to 5, and their ratings: on disk before the next pair is shown.

A set is a folder in `.gold` of the runs folder: `pairs.jsonl`, the same for all raters, and one file per rater with a line per
rating. The mean ratings are also a pair set like any other, a table among the user's own pairs, written anew at every rating.
"""

import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from workbench.core.disk_errors import disk_errors_explained
from workbench.core.errors import BadData, BadSetting, unknown
from workbench.core.private import make_folder
from workbench.core.reserved import is_reserved
from workbench.core.writing import append_line, write_text
from workbench.store.fitting import read_rows
from workbench.store.judgements import file_of_person
from workbench.store.names import RunsFolder
from workbench.store.shapes import GoldPair, Rating

LONGEST_NAME = 60
SCALE = (0, 5)
_PAIRS = "pairs.jsonl"
_RATERS = "raters"


@dataclass(frozen=True)
class GoldSet:
    """A set of pairs that people rate."""

    name: str
    folder: Path
    table: Path
    """The pairs rated so far with their mean ratings: a pair set."""

    @property
    def pairs(self) -> list[GoldPair]:
        """The pairs in the order in which everyone is shown them."""
        return list(read_rows(self.folder / _PAIRS, GoldPair))


def pair_id(first: str, second: str) -> str:
    """The id of a pair: a hash of its texts.

    >>> pair_id("a", "b") == pair_id("a", "b") != pair_id("b", "a")
    True
    """
    return blake2b(f"{first}\x1f{second}".encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def all_sets(folder: RunsFolder) -> list[GoldSet]:
    """All sets by name."""
    there = folder.gold.iterdir() if folder.gold.is_dir() else ()
    names = sorted((path.name for path in there if (path / _PAIRS).is_file()), key=str.casefold)
    return [_set(folder, name) for name in names]


def find(folder: RunsFolder, name: str) -> GoldSet:
    """The set of that name.

    Raises:
        UnknownName: there is none; the message has the nearest names.
    """
    sets = {gold.name.casefold(): gold for gold in all_sets(folder)}
    if name.strip().casefold() not in sets:
        raise unknown("gold set", name, [gold.name for gold in sets.values()])
    return sets[name.strip().casefold()]


def new_name(folder: RunsFolder, name: str) -> str:
    """The name that a new set would have.

    Raises:
        BadSetting: it is empty, too long, taken or reserved by Windows, or has characters other than letters, digits, spaces and
            ``_.()+-``.
    """
    plain = " ".join(name.split())
    if not re.fullmatch(rf"\w[\w .()+-]{{0,{LONGEST_NAME - 1}}}", plain) or is_reserved(plain):
        raise BadSetting(
            "A gold set needs a name.",
            rule=f"Letters, digits, spaces and _ . ( ) + -, at most {LONGEST_NAME} characters, beginning with a letter or digit, "
            "without a dot at the end, and no device of Windows such as con.",
            got=name[:80],
        )
    taken = {other.name.casefold() for other in all_sets(folder)}
    if plain.casefold() in taken or _set(folder, plain).table.exists():
        raise BadSetting(f"There are pairs called {plain} already.", way_out="Give another name.")
    return plain


def keep(folder: RunsFolder, name: str, pairs: Iterable[Mapping[str, object]]) -> GoldSet:
    """Keep pairs for people to rate. Each has sentence1 and sentence2, and if known chosen, similarity and disagreement.

    Raises:
        BadSetting: it cannot have that name, see `new_name`.
        BadData: fewer than two different pairs.
        Refused: the disk is full.
    """
    gold = _set(folder, new_name(folder, name))
    rows = {}
    for pair in pairs:
        first, second = str(pair["sentence1"]), str(pair["sentence2"])
        numbers = {key: float(str(pair.get(key) or 0.0)) for key in ("similarity", "disagreement")}
        key = pair_id(first, second)
        rows[key] = {
            "pair": key,
            "sentence1": first,
            "sentence2": second,
            "chosen": str(pair.get("chosen") or ""),
            **numbers,
        }
    if len(rows) < 2:
        raise BadData("A gold set needs at least two different pairs.", got=str(len(rows)))
    import json

    with disk_errors_explained():
        make_folder(gold.folder / _RATERS)
        write_text(gold.folder / _PAIRS, "".join(json.dumps(row) + "\n" for row in rows.values()))
    return gold


def rate(folder: RunsFolder, name: str, rater: str, pair: str, score: float) -> None:
    """Write a rating down; it replaces an earlier one by the same person on the same pair.

    Raises:
        BadSetting: the name of the rater is empty or too long, or the score is not from 0 to 5.
        UnknownName: no such set or pair.
        Refused: the disk is full.
    """
    gold = find(folder, name)
    low, high = SCALE
    if not low <= score <= high:
        raise BadSetting(f"A rating is a number from {low} to {high}.", got=f"{score:g}")
    if pair not in {row["pair"] for row in gold.pairs}:
        raise unknown("pair", pair, [])
    row = {"rater": " ".join(rater.split()), "pair": pair, "score": float(score), "time": time.time()}
    _append(gold, rater, row)


def undo(folder: RunsFolder, name: str, rater: str) -> str:
    """Undo the last rating of a person that still counts; returns its pair, or an empty text if there is none.

    Raises:
        UnknownName: no such set.
    """
    gold = find(folder, name)
    standing = list(of_rater(gold, rater))
    if not standing:
        return ""
    _append(gold, rater, {"undo": standing[-1], "time": time.time()})
    return standing[-1]


def of_rater(gold: GoldSet, rater: str) -> dict[str, Rating]:
    """The ratings of one person that count, by pair, oldest first."""
    return _standing(file_of_person(gold.folder / _RATERS, rater))


def ratings(gold: GoldSet) -> list[Rating]:
    """All ratings that count."""
    files = sorted((gold.folder / _RATERS).glob("*.jsonl"))
    return [row for file in files for row in _standing(file).values()]


def means(gold: GoldSet) -> dict[str, float]:
    """The mean rating of each pair that anybody has rated, in the order of the pairs."""
    scores: dict[str, list[float]] = {}
    for row in ratings(gold):
        scores.setdefault(row["pair"], []).append(row["score"])
    return {row["pair"]: sum(given) / len(given) for row in gold.pairs if (given := scores.get(row["pair"]))}


def _set(folder: RunsFolder, name: str) -> GoldSet:
    return GoldSet(name, folder.gold / name, folder.own_pairs / f"{name}.tsv")


def _append(gold: GoldSet, rater: str, row: Mapping[str, object]) -> None:
    with disk_errors_explained():
        append_line(file_of_person(gold.folder / _RATERS, rater), row)
        _publish(gold)


def _publish(gold: GoldSet) -> None:
    """Write the table of the pairs rated so far; again if somebody has rated meanwhile."""
    make_folder(gold.table.parent)
    written = None
    while written != (sizes := [file.stat().st_size for file in sorted((gold.folder / _RATERS).glob("*.jsonl"))]):
        scores, lines = means(gold), [f"score ({SCALE[0]} to {SCALE[1]})\tsentence1\tsentence2"]
        for row in gold.pairs:
            if row["pair"] in scores:
                texts = [" ".join(text.split()) for text in (row["sentence1"], row["sentence2"])]
                lines.append("\t".join([f"{scores[row['pair']]:g}", *texts]))
        write_text(gold.table, "\n".join(lines) + "\n")
        written = sizes


def _standing(path: Path) -> dict[str, Rating]:
    found: dict[str, Rating] = {}
    for row in read_rows(path, Rating):
        if "undo" in row:
            found.pop(row["undo"], None)
        elif row.keys() >= {"rater", "pair", "score"}:
            found.pop(row["pair"], None)  # rated again: now the latest
            found[row["pair"]] = row
    return found
