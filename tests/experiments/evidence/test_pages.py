"""docs/RESULTS.md and docs/results are up to date, complete and short, and their links work."""

import re
from xml.etree import ElementTree

import pytest

from experiments.evidence import store
from experiments.evidence.cells import AS_COMPUTED, SINCE
from experiments.evidence.claims import CLAIMS, PUBLISHED, Reference, published
from experiments.evidence.figures import Interval, forest
from experiments.evidence.pages import FOLDER, PAGE, pages
from experiments.evidence.reproduction import PAIRS, TITLES

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def made():
    return pages(store.lines())


@pytest.fixture(scope="module")
def main(made):
    return made[PAGE]


def test_the_committed_pages_match_the_stored_evidence(made):
    """If this fails, `python -m experiments.evidence --report` rewrites them."""
    below = {f"{FOLDER}/{path.name}" for path in (store.DOCS / FOLDER).iterdir()}
    assert {PAGE, *below} == made.keys()
    for name, text in made.items():
        assert (store.DOCS / name).read_text(encoding="utf-8") == text, f"docs/{name} is stale"


def test_the_main_page_is_one_page_of_six_findings_and_two_figures(main):
    assert len(main.splitlines()) <= 200
    findings = re.findall(r"^\d\. \*\*.+?\.\*\* (.+)$", main, re.MULTILINE)
    assert len(findings) == 6
    assert all(re.search(r"\(-?\d+\.\d+ to -?\d+\.\d+", finding) for finding in findings), "each has an interval"
    figures = re.findall(r"!\[(.+?)\]\((.+?)\)", main)
    assert len(figures) == 2 and all(len(alt) > 80 for alt, _ in figures)
    assert len(re.findall(r"^\|---", main, re.MULTILINE)) == 1, "one table, that of the claims"
    folded = main.partition("<details>")[2].partition("</details>")[0]
    assert "`chinese_simcse`" in folded and "`diffcse`" in folded


def test_nothing_of_the_evidence_is_lost(made):
    """Every finished recipe, transform and baseline has a row on its backbone's page, every claim one, every recipe a card."""
    lines = store.lines()
    for line in lines:
        if "cell" in line and not line.get("change"):
            assert f"| `{line['name']}`" in made[f"{FOLDER}/{line.get('backbone', 'minilm-l3')}.md"]
        if line.get("kind") == "recipe":
            assert f"(`{line['name']}`)" in made[f"{FOLDER}/reproduction.md"]
    claims = {(line["claim"], line["backbone"], line["corpus"]) for line in lines if "claim" in line}
    assert made[f"{FOLDER}/claims.md"].count("\n| ") == 1 + len(claims)


def test_rows_with_former_settings_are_marked_and_the_mark_is_explained(made):
    pages_with = 0
    for name, text in made.items():
        rows = [
            line
            for line in text.splitlines()
            if line.startswith("|") and any(f"`{one}`" in line for one in AS_COMPUTED)
        ]
        assert all(line.count(f"`{one}`") == line.count(f"`{one}`†") for line in rows for one in AS_COMPUTED)
        assert text.count(f"\n† {SINCE}.\n") == bool(rows), name
        pages_with += bool(rows)
    assert pages_with >= 4
    assert all(f">{one}†<" in made[f"{FOLDER}/gains-minilm-l3.svg"] for one in AS_COMPUTED)
    assert made[PAGE].count(f"† {SINCE}.") == 2, "in the caption of each figure"


def test_links_work(made):
    for name, text in made.items():
        words = re.sub(r"`[^`]*`", "", text)
        for target in re.findall(r"\]\(([^)#]+)\)", words) if name.endswith(".md") else []:
            assert ((store.DOCS / name).parent / target).exists(), f"{name}: {target}"


def test_a_figure_is_for_both_schemes_and_shows_each_interval(made):
    for name, text in made.items():
        if name.endswith(".svg"):
            assert "prefers-color-scheme:dark" in text
            root = ElementTree.fromstring(text)
            assert root.find(f"{SVG}title").text and 0 < int(root.get("width")) <= 480


def test_a_value_beyond_the_scale_is_an_arrow_with_its_value():
    rows = {"near": [Interval(1.0, 0.5, 1.5), None], "far & away": [Interval(-30.0, -40.0, -20.0), Interval(2, 1, 3)]}
    root = ElementTree.fromstring(forest("T", "points", ["a", "b"], rows, ends=(-10, 10), step=5))
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert len(root.findall(f"{SVG}polygon")) == 1 and "-30.0" in texts and "far & away" in texts
    circles = [float(circle.get("cx")) for circle in root.iter(f"{SVG}circle")]
    zero = float(next(line for line in root.iter(f"{SVG}line") if line.get("class") == "zero").get("x1"))
    assert len(circles) == 2 and circles[1] > zero, "one in the legend, one in the row, right of 0"


def test_published_scores_are_those_of_the_sources():
    better, worse = PUBLISHED["whitening"]
    assert better.score() == 66.28 and worse[0].score() == 56.70
    assert Reference("simcse_unsup").score() == 76.25
    said = {claim.id: published(claim) for claim in CLAIMS}
    assert said["whitening"].startswith("66.28 over 56.70") and "over embeddings and last layer" in said["whitening"]
    assert said["cls_mlp"].startswith("69.40 over 49.02") and said["cls_mlp"].endswith("without an MLP")
    assert "recalled" in said["dropout_over_contextual"]
    for better, worse in PUBLISHED.values():
        assert all(better.score() > reference.score() for reference in worse)


def test_the_numbers_of_pairs_are_those_of_the_sets(shared_data):
    from workbench.data.sts import load_task

    assert tuple(PAIRS) == tuple(TITLES.values())
    sets = [("stsb", "dev"), ("sts12", "test"), ("sts14", "test"), ("sts15", "test")]
    assert [len(load_task(shared_data / "sts", *of).gold) for of in sets] == list(PAIRS.values())
