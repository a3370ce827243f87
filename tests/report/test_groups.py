"""Groups of pairs in a report."""

import pytest

from tests.report.trial import cells, material, several
from workbench.report.blocks import Sheet, Words
from workbench.report.groups import groups, worst, worst_first
from workbench.statistics.against import against


@pytest.fixture(scope="module")
def compared():
    gold, trainings = several()
    return material(trainings, gold, grouped=True)


def test_the_group_that_the_best_method_ranks_worst_comes_first(compared):
    means = compared.groups[compared.groups["method"] == "good"].set_index("group")["mean"]
    assert worst_first(compared) == list(means.sort_values().index)
    assert f"good scores lowest on {means.idxmin()}: {100 * means.min():.2f}, over 30 pairs." in worst(compared)
    rows = against(compared.group_differences, "base")
    least = rows[rows["method"] == "good"].set_index("group")["delta"]
    assert f"it does least on {least.idxmin()}: +{100 * least.min():.2f}" in worst(compared)


def test_every_group_and_method_has_its_mean_and_its_verdict(compared):
    section = groups(compared)
    [sheet] = [block for block in section.blocks if isinstance(block, Sheet)]
    assert sheet.head == ("Genre", "n", "base", "same", "noise", "good") and len(sheet.rows) == 2
    rows = against(compared.group_differences, "base").set_index(["group", "method"])
    for shown, row in zip(cells(sheet), sheet.rows, strict=True):
        for method, cell in zip(("same", "noise", "good"), row[3:], strict=True):
            assert cell.strong == (rows.loc[(shown[0], method), "verdict"] != "tie") == cell.text.endswith(("▲", "▼"))
    assert isinstance(section.blocks[0], Words) and len(sheet.data) == 8
    gold, trainings = several()
    assert groups(material(trainings, gold)) is None


def test_groups_in_which_sentences_recur_are_named(compared):
    from dataclasses import replace

    linked = compared.groups.assign(linked_groups=[9 if group == "first" else 30 for group in compared.groups["group"]])
    [sheet] = [block for block in groups(replace(compared, groups=linked)).blocks if isinstance(block, Sheet)]
    assert (
        " Sentences recur: 30 pairs of first form 9 groups, and" in sheet.caption and "of second" not in sheet.caption
    )
