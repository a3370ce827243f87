"""The report on a corpus: what stands in it of the pairs that are scored."""

import pytest
from streamlit.testing.v1 import AppTest

from workbench.data.dropped import Dropped, count_dropped
from workbench.data.marks import GOLD, TRANSDUCTIVE
from workbench.data.pairs import load_pairs
from workbench.data.report import corpus_report


def shown(report, recipe):
    """Whose badges the report has, for a run of this recipe."""

    def page(report, recipe):
        from workbench.recipes import settle
        from workbench.ui.corpora.report import show_corpus_report

        show_corpus_report(report, settle(recipe, backbone="minilm-l3"))

    app = AppTest.from_function(page, args=(report, recipe)).run(timeout=30)
    assert not app.exception
    return [one.value for one in app.markdown if "-badge[" in one.value], [one.value for one in app.warning]


@pytest.mark.parametrize(
    ("recipe", "rated", "mark"),
    [("sup_scores", True, GOLD), ("simcse_unsup", True, TRANSDUCTIVE), ("sup_scores", False, TRANSDUCTIVE)],
)
def test_gold_scores_count_where_the_recipe_learns_them(recipe, rated, mark):
    pairs = load_pairs("demo:dev")
    report = corpus_report(
        pairs.texts(),
        lambda block: ([8] * len(block), [0] * len(block)),
        max_length=32,
        batch_size=16,
        evaluation_pairs=[pairs, load_pairs("demo:test")],
        rated=zip(pairs.first, pairs.second, strict=True) if rated else (),
    )
    report |= {"rows": 1200, "notices": [], "dropped": {}, "kind": "sentences", "source": "x", "name": "x"}
    badges, warnings = shown(report, recipe)
    assert len(badges) == 1 and f"{mark}: demo:dev" in badges[0] and "demo:test" not in badges[0]
    assert any("600 of its pairs with their scores" in one for one in warnings) == rated


def test_rows_that_were_left_out_are_said():
    def page(report):
        from workbench.ui.corpora.report import show_corpus_report

        show_corpus_report(report)

    report = corpus_report(
        ["A cat sleeps.", "A dog runs."],
        lambda block: ([5] * len(block), [0] * len(block)),
        max_length=32,
        batch_size=2,
        evaluation_pairs=[],
    )
    dropped = count_dropped([Dropped(403, "empty"), Dropped(405, "empty")])
    report |= {"rows": 2, "notices": ["Read as UTF-16."], "dropped": dropped, "kind": "sentences", "name": "talks.csv"}
    app = AppTest.from_function(page, args=(report,)).run(timeout=30)
    assert not app.exception
    said = " ".join(one.proto.body for one in app.get("html"))
    assert "Read as UTF-16." in said and "talks.csv: 2 rows were left out (empty: 2, first in row 403)." in said
