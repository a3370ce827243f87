"""Gold: pairs that people rate from 0 to 5, and what they rated."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.api.places import Folder
from workbench.core.errors import BadSetting
from workbench.core.method import unwrapped
from workbench.store.gold import GoldSet
from workbench.store.names import runs_folder, runs_place

if TYPE_CHECKING:
    from pandas import DataFrame


def keep_gold(name: str, pairs: "DataFrame", *, runs: Folder = None) -> GoldSet:
    """Keep pairs under a name for people to rate, on the page Gold or by `rate`. Columns sentence1 and sentence2, as `gold_pairs`
    answers.

    `.table` of the result is the file of rated pairs: name it wherever a pair set is wanted.

    Raises:
        BadSetting: the name is empty, too long or taken.
        BadData: fewer than two different pairs.
    """
    from workbench.store import gold

    return gold.keep(runs_folder(runs), name, pairs.to_dict("records"))


def gold_sets(*, runs: Folder = None) -> list[GoldSet]:
    """The sets of pairs that people rate, by name."""
    from workbench.store import gold

    return gold.all_sets(runs_place(runs))


def rate(name: str, rater: str, pair: str | Mapping[str, object], score: float | str, *, runs: Folder = None) -> None:
    """Record a rating, 0 to 5, of a pair of a gold set; `undo` in place of the score withdraws the rater's last one.

    The rating is on disk when this returns, and the set's table is up to date.

    Raises:
        BadSetting: no name, or a score outside 0 to 5.
        UnknownName: no such set or pair.
    """
    from workbench.store import gold

    if score == "undo":
        gold.undo(runs_folder(runs), name, rater)
        return
    number = unwrapped(score)
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise BadSetting("A rating is a number from 0 to 5, or undo.", got=repr(score)[:40])
    gold.rate(runs_folder(runs), name, rater, pair if isinstance(pair, str) else str(pair["pair"]), float(number))


def ratings(name: str, *, runs: Folder = None) -> "DataFrame":
    """All ratings of a gold set that count: columns rater, pair, sentence1, sentence2, score, time.

    Raises:
        UnknownName: no such set.
    """
    import pandas

    from workbench.store import gold

    found = gold.find(runs_folder(runs), name)
    texts = {row["pair"]: row for row in found.pairs}
    rows = [
        {**row, "sentence1": texts[row["pair"]]["sentence1"], "sentence2": texts[row["pair"]]["sentence2"]}
        for row in gold.ratings(found)
        if row["pair"] in texts
    ]
    return pandas.DataFrame(rows, columns=["rater", "pair", "sentence1", "sentence2", "score", "time"])
