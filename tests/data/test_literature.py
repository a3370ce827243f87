import pytest

from workbench.core.errors import UnknownName
from workbench.data.literature import FOLDER, SMALL, TASKS, published_rows, small_rows


@pytest.mark.parametrize(("kind", "columns"), [("sts", 14), ("transfer", 13), ("small", 8)])
def test_each_line_has_all_columns(kind, columns):
    import csv

    with (FOLDER / f"{kind}.csv").open(newline="", encoding="utf-8") as file:
        assert {len(row) for row in csv.reader(file)} == {columns}


@pytest.mark.parametrize("kind", TASKS)
def test_each_average_is_that_of_its_row(kind):
    """Within .04: some averages were rounded from more digits, as their notes say."""
    table = published_rows(kind)
    whole = table.dropna(subset=["avg"])
    tasks = whole[list(TASKS[kind])]
    assert not tasks.isna().any(axis=None) and ((tasks > 16) & (tasks < 100)).all(axis=None)
    apart = (tasks.mean(axis=1) - whole["avg"]).abs()
    assert (apart <= 0.04).all()
    noted = whole.loc[apart > 0.0051, ["method", "note"]]
    assert noted["note"].str.contains("mean of the row|printed with one decimal").all(), noted


@pytest.mark.parametrize("kind", TASKS)
def test_each_row_names_its_source_and_occurs_once(kind):
    table = published_rows(kind)
    assert table["source"].ne("").all() and not table.duplicated(["method", "backbone"]).any()
    if kind == "sts":
        assert set(table["supervision"]) == {"unsup", "unsup-target", "nli", "nli+target"}


def test_published_figures_in_recipes_match_the_tables():
    """A recipe's average on BERT-base is in one of the rows that name its method."""
    from workbench.recipes import RECIPES

    table = published_rows()
    known = set(table.loc[table["backbone"] == "bert-base", "avg"].dropna())
    said = {
        recipe.id: one.score
        for recipe in RECIPES.values()
        for one in recipe.published
        if one.set == "STS, mean of 7 tasks, BERT-base"
        and recipe.id in ("simcse_unsup", "arccse", "augcse", "scd", "dclr")
    }
    assert len(said) == 5 and set(said.values()) <= known


def test_an_unknown_table():
    with pytest.raises(UnknownName, match="sts"):
        published_rows("glue")


def test_what_was_fitted_on_texts_of_the_tasks_is_transductive_and_the_pooling_is_named():
    table = published_rows()
    assert set(table.loc[table["transductive"], "supervision"]) == {"unsup-target", "nli+target"}
    assert table["transductive"].sum() == 13 and table["pooling"].ne("").all()
    assert set(table.loc[table["method"] == "SimCSE", "pooling"]) == {"first token"}
    # Mirror-BERT's code averages the tokens of BERT and takes the first one of RoBERTa; IS-BERT averages its convolutions.
    pooled = dict(zip(table["method"], table["pooling"], strict=True))
    assert (pooled["Mirror-BERT"], pooled["Mirror-RoBERTa"]) == ("mean", "first token")
    assert pooled["IS-BERT"] == "mean of convolutions"


def test_the_smaller_tables_have_their_rows_and_their_means():
    table = small_rows()
    assert set(table["table"]) == set(SMALL) and table["source"].ne("").all()
    seeds = table[table["table"] == "una_seeds"]
    for column in ("first_value", "second_value"):
        assert round(seeds[column].iloc[:10].mean(), 2) == pytest.approx(seeds[column].iloc[10], abs=0.011)
    assert seeds["first_value"].iloc[:10].std(ddof=1) == pytest.approx(0.79, abs=0.005)
