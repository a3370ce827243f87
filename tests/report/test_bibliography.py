"""What a report cites."""

import re

import pytest

from tests.run_folders import make_run
from workbench.losses import METHODS as LOSSES
from workbench.metrics import METHODS as METRICS
from workbench.objectives import METHODS as OBJECTIVES
from workbench.pooling import METHODS as POOLINGS
from workbench.recipes import RECIPES
from workbench.report.bibliography import bibtex, cited, entries, references
from workbench.report.html import FOLDER
from workbench.transforms import METHODS as TRANSFORMS

SHIPPED = {
    name: source
    for methods in (LOSSES, METRICS, OBJECTIVES, POOLINGS, TRANSFORMS)
    for name, source in ((method.id, method.source) for method in methods.values())
} | {recipe.id: recipe.citation for recipe in RECIPES.values()}


@pytest.mark.parametrize("name", SHIPPED)
def test_every_recipe_loss_metric_objective_pooling_and_transform_has_its_paper(name):
    keys = cited(SHIPPED[name])
    assert keys, SHIPPED[name]
    for key in keys:
        entry = entries()[key]
        first = entry.get("author").split(" and ")[0].split(",")[0]
        assert (first in SHIPPED[name] and entry.get("year") in SHIPPED[name]) or entry.cited_in(SHIPPED[name])


def test_a_paper_is_told_from_others_of_the_same_author():
    assert cited("Zhang et al. 2022, ArcCSE") == ["zhang2022arccse"] and cited("Zhang et al. 2020, IS-BERT") == [
        "zhang2020isbert"
    ]
    assert cited("Zhang et al. 2020, arXiv:1912.08777") == []
    assert cited("Wang, Reimers and Gurevych (2021). TSDAE.") == ["wang2021tsdae"]
    assert cited("Defined here.") == []


def test_the_file_is_bibtex():
    text = (FOLDER / "references.bib").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("%")]
    assert len(lines) == len(entries())
    for line in lines:
        assert line.count("{") == line.count("}") and re.fullmatch(r"@\w+\{\w+, .*\}\}", line), line
    assert bibtex([]) == "\n"
    for entry in entries().values():
        assert re.search(r"[A-Za-z]{3,} [A-Za-z]|Co?SENT", entry.get("title")) and "arXiv" not in entry.get("title"), (
            entry.key
        )
    assert bibtex(["gao2021simcse", "gao2021simcse"]).count("@") == 1


def test_what_a_run_used_is_cited(folder):
    from tests.report.trial import material, several

    run = make_run(folder)
    gold, trainings = several()
    found = references(
        material({"base": trainings["base"], "good": [trainings["base"][0]]}, gold, runs={"good": [run]})
    )
    assert found[run.config.recipe] == ["gao2021simcse"] and found["alignment"] == ["wang2020alignment"]
    assert set(found) >= {term.name for term in run.config.terms}
