import pytest

from workbench.data.dropped import Dropped, add_dropped, count_dropped, dropped_rows, left_out


def test_dropped_are_counted_with_examples():
    dropped = [Dropped(n, "empty") for n in range(9)] + [Dropped(99, "no score", "x")]
    first, second = count_dropped(dropped, examples=2)
    assert (first["reason"], first["count"], [one["row"] for one in first["examples"]]) == ("empty", 9, [0, 1])
    assert second == {"reason": "no score", "count": 1, "examples": [{"row": 99, "text": "x"}]}


def test_a_row_that_stands_for_several_counts_as_them():
    dropped = [Dropped(2, "no score"), *(Dropped(row, "empty") for row in range(3, 9))]
    add_dropped(dropped, Dropped(9, "empty", count=4))
    assert len(dropped) == 7 and dropped_rows(dropped) == 11
    assert [(one["reason"], one["count"]) for one in count_dropped(dropped)] == [("empty", 10), ("no score", 1)]
    [notice] = left_out("a.tsv", dropped)
    assert notice == "a.tsv: 11 rows were left out (empty: 10, first in row 3; no score: 1, first in row 2)."


@pytest.mark.parametrize(("reasons", "more"), [(4, ""), (5, "1 more reason"), (7, "3 more reasons")])
def test_of_many_reasons_four_are_named(reasons, more):
    [notice] = left_out("a.tsv", [Dropped(row, f"reason {row}") for row in range(reasons)])
    assert notice.count(", first in row") == 4 and more in notice and ("more" in notice) == bool(more)
