"""What a report says of each method."""

import pytest

from tests.report.trial import cells, material, several
from workbench.report.blocks import Drawing, Sheet, Verdicts
from workbench.report.verdicts import every_two, headline, methods, methods_table, verdicts
from workbench.statistics.against import against


@pytest.fixture(scope="module")
def compared():
    gold, trainings = several()
    return material(trainings, gold)


def test_every_method_has_its_verdict_with_interval_and_smallest_difference(compared):
    [said] = [block for block in verdicts(compared).blocks if isinstance(block, Verdicts)]
    assert [item.kind for item in said.items] == ["better", "tie", "worse"]
    rows = against(compared.differences, "base").set_index("method")
    better, tie = said.items[0].text, said.items[1].text
    assert better.startswith(f"good: better than base (+{100 * rows.loc['good', 'delta']:.2f} points, 95 % +")
    least = 100 * rows.loc["same", "detectable"]
    assert tie.startswith("same: a tie with base (") and f"a difference of {least:.1f} points or more would" in tie


def test_what_no_difference_could_reach_is_no_number_of_points(compared):
    """As of many methods over two seeds."""
    from dataclasses import replace

    few = replace(compared, differences=compared.differences.assign(detectable=2.4))
    [sheet, *_] = methods(few).blocks
    assert {row[5] for row in cells(sheet)} == {"> 100", ""}


def test_the_headline_names_a_winner_only_if_a_test_does(compared):
    assert headline(compared).startswith("good is best on own:test")
    gold, trainings = several()
    tied = material({name: trainings[name] for name in ("base", "same")}, gold)
    assert headline(tied).startswith("A tie: ") and "no test tells it from" in headline(tied)
    assert "compared with nothing" in headline(material({"base": trainings["base"]}, gold))


def test_bold_is_only_what_a_test_says(compared):
    [sheet, *_] = methods(compared).blocks
    bold = {row[0].text: (row[1].strong, row[3].strong) for row in sheet.rows}
    assert bold == {"good": (True, True), "base": (False, False), "same": (False, False), "noise": (False, True)}
    assert cells(sheet)[0][2] == "3" and cells(sheet)[0][1].count("±") == 1
    gold, trainings = several()
    tied = material({name: trainings[name] for name in ("base", "same")}, gold)
    assert not any(cell.strong for row in methods(tied).blocks[0].rows for cell in row)


def test_the_table_has_the_numbers_as_they_are(compared):
    table = methods_table(compared).set_index("method")
    rows = against(compared.differences, "base").set_index("method")
    assert table.loc["good", "difference"] == rows.loc["good", "delta"]
    assert table.loc["noise", "difference_verdict"] == "worse" and table.loc["base", "baseline"]
    assert table.loc["good", "mean"] == compared.methods.set_index("method").loc["good", "mean"]


def test_every_two_methods_stand_in_a_matrix_that_is_its_own_opposite(compared):
    [sheet] = every_two(compared).blocks
    assert isinstance(sheet, Sheet) and cells(sheet)[0][0] == "1. good"
    shown = {(at, to): cell for at, row in enumerate(cells(sheet)) for to, cell in enumerate(row[1:])}
    for at in range(4):
        assert shown[at, at] == ""
        for to in range(at):
            turned = shown[to, at].translate(str.maketrans("▲▼+−", "▼▲−+"))
            assert shown[at, to] == turned
    gold, trainings = several()
    assert every_two(material({name: trainings[name] for name in ("base", "good")}, gold)) is None


def test_a_pair_has_one_verdict_whichever_of_the_two_is_the_baseline(compared):
    rows = against(compared.differences, "same").set_index("method")
    whole = compared.differences
    row = whole[(whole["first"] == "base") & (whole["second"] == "same")].iloc[0]
    assert rows.loc["base", "delta"] == -row["delta"] and rows.loc["base", "low"] == -row["high"]
    turned = {"better": "worse", "worse": "better", "tie": "tie"}
    assert len(rows) == 3 and rows.loc["base", "p_holm"] == row["p_holm"]
    for name in ("base", "good", "noise"):
        assert against(whole, name).set_index("method").loc["same", "verdict"] == turned[rows.loc[name, "verdict"]]


def test_where_sentences_recur_the_verdict_says_so(compared):
    from dataclasses import replace

    def captions(about):
        return " ".join(block.caption for block in verdicts(about).blocks if isinstance(block, Drawing))

    assert "sentences recur: 60 pairs form 27 groups" in captions(replace(compared, linked_groups=27))
    assert "recur" not in captions(compared)
