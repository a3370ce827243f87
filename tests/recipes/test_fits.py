"""Whether a corpus fits a recipe, told by its head."""

import pytest

from workbench.recipes import RECIPES
from workbench.recipes.fits import fits, recipes_taking


@pytest.fixture
def labelled(tmp_path):
    """Writes labelled pairs: the name of the column of labels, and a label for each row."""

    def write(column, *labels):
        rows = [f"one {row}\ttwo {row}\t{label}" for row, label in enumerate(labels)]
        file = tmp_path / f"{column}.tsv"
        file.write_text("\n".join([f"sentence1\tsentence2\t{column}", *rows, ""]), encoding="utf-8")
        return str(file)

    return write


@pytest.mark.parametrize(
    ("column", "labels"),
    [("gold_label", ["neutral", "-", "entailment"]), ("is_duplicate", "0110"), ("Quality", "11"), ("label", "---")]
    + [("label", [word] * 15 + ["entailment"] * 15) for word in ("not_entailment", "none", "entailment", "neutral")],
)
def test_labels_that_say_which_pairs_mean_the_same_fit_recipes_of_pairs(labelled, column, labels):
    corpus = labelled(column, *labels)
    assert not fits("paraphrase", corpus) and "paraphrase" in recipes_taking(corpus)


@pytest.mark.parametrize("labels", ["0110", ["yes", "no"]])
def test_labels_that_do_not_say_it_are_for_recipes_that_learn_them(labelled, labels):
    corpus = labelled("label", *labels)  # such as PAWS
    reason = fits("paraphrase", corpus)
    assert reason.startswith("paraphrase needs pairs that mean the same; the labels of label.tsv do not say which do.")
    assert "Call their column is_duplicate" in reason
    taking = recipes_taking(corpus)
    assert taking and {RECIPES[name].needs for name in taking} == {"labelled_pairs"}
