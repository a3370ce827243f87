import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.plots.placing import LETTER_PX, LINE_PX, place_labels
from workbench.plots.scan_plane import CLASSES, LEVELS, scan_plane
from workbench.plots.template import alt_text, takeaway_of

REFERENCES = {
    "dropout": {"n": 500, "mean": 0.97, "q05": 0.958, "q95": 0.978},
    "random": {"n": 2000, "mean": 0.58, "q05": 0.45, "q95": 0.72},
}


def scanned(rows=37, **changes):
    rng = np.random.default_rng(0)
    cosine = 1 - rng.random(rows) ** 3 * 0.4
    table = pandas.DataFrame({"pipeline": [f"method{row}" for row in range(rows)], "cosine": cosine})
    table["title"] = [f"Augmentation {'of words ' * (row % 3)}{row}" for row in range(rows)]
    table["class"] = [list(CLASSES)[row % 3] for row in range(rows)]
    table["perturbation"] = 0.08 + rng.random(rows) ** 3 * 0.8
    table["acts_on"], table["perturbed"], table["size"] = "texts", "words", np.nan
    return table.assign(changed=0.5, n_changed=1000, cosine_low=cosine - 0.01, cosine_high=cosine + 0.01, **changes)


def test_every_augmentation_is_a_point_with_its_class_as_shape():
    drawn = scan_plane(scanned(), REFERENCES, marked="method3")
    *classes, ring = drawn.data
    assert sum(len(trace.x) for trace in classes) == 37 and len({trace.marker.symbol for trace in classes}) == 3
    assert ring.marker.symbol == "circle-open" and len(ring.x) == 1
    said = [annotation.text for annotation in drawn.layout.annotations]
    assert len(said) >= 35 and any("dropout pairs" in text for text in said)
    assert "moves the texts it changes most" in takeaway_of(drawn) and takeaway_of(drawn) in alt_text(drawn)


def test_more_similar_is_higher_and_more_words_further_right():
    table = scanned(3, class_="x").assign(**{"class": "possible"})
    table["perturbation"], table["cosine"] = [0.1, 0.2, 0.4], [0.99, 0.9, 0.6]
    trace = scan_plane(table, REFERENCES).data[1]
    assert list(trace.x) == sorted(trace.x) and list(trace.y) == sorted(trace.y, reverse=True)


@pytest.mark.parametrize("references", [{}, {"dropout": {"n": 0}, "random": {"n": 0}}, REFERENCES])
@pytest.mark.parametrize("rows", [0, 1, 5])
def test_little_or_nothing_to_draw(rows, references):
    drawn = scan_plane(scanned(rows), references, dark=True)
    assert takeaway_of(drawn)


def test_augmentations_with_equal_similarity_are_named_together():
    table = scanned(3).assign(cosine=[0.951, 0.949, 0.95])
    assert "All 3 move the texts they change equally far (similarity 0.95)" in takeaway_of(scan_plane(table, {}))
    table = scanned(3).assign(cosine=[0.9, 0.9, -0.2], title=["A", "B", "C"])
    said = "“C” moves the texts it changes most (similarity −0.20), “A” and “B” least (0.90)."
    assert takeaway_of(scan_plane(table, {})) == said


def test_rows_without_a_changed_text_are_left_out_and_titles_escaped():
    table = scanned(2).assign(title="<b>x</b>")
    table.loc[0, ["cosine", "perturbation"]] = np.nan
    drawn = scan_plane(table, REFERENCES)
    assert sum(len(trace.x) for trace in drawn.data) == 1
    assert any("&lt;b&gt;x" in annotation.text for annotation in drawn.layout.annotations)


def test_augmentations_that_keep_the_text_have_a_separate_plane_on_the_same_scale():
    table = scanned(6)
    for row, level in enumerate(LEVELS):
        table.loc[row, ["acts_on", "perturbed", "perturbation", "size"]] = [level, "token <i>", 1.0, 0.1 * (row + 1)]
    table["cosine"] = [0.99, 0.95, 0.9, 0.97, 0.98, 0.6]
    texts, inside = (scan_plane(table, REFERENCES, inside=inside) for inside in (False, True))
    assert [sum(len(trace.x) for trace in drawn.data) for drawn in (texts, inside)] == [2, 4]
    assert texts.layout.yaxis.range == inside.layout.yaxis.range
    assert texts.layout.xaxis.title.text != inside.layout.xaxis.title.text
    labels = " ".join(annotation.text for annotation in inside.layout.annotations)
    assert all(f"· {name}" in labels for name in LEVELS.values())
    # On x is the size of the change, because all of them change every number.
    trace = inside.data[0]
    assert len(set(trace.x)) == len(trace.x) and "10.0 % of" in "".join(one.customdata[0] for one in inside.data)
    # Dropout is what the others are compared with, so it is not counted itself.
    known = table["cosine"][table["acts_on"].isin([level for level in LEVELS if level != "dropout"])]
    within = (known >= REFERENCES["dropout"]["mean"]).sum()
    assert f"{within} of 3 move them no more than dropout alone (0.97)" in takeaway_of(inside)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.floats(0, 800), st.floats(0, 500)), min_size=1, max_size=25), st.integers(1, 30))
def test_no_label_covers_another_or_a_point_or_leaves_the_drawing_area(points, letters):
    labels = ["x" * letters] * len(points)
    free = (600.0, 10.0, 790.0, 30.0)
    placed = [found for found in place_labels(points, labels, width=800, height=500, kept_free=[free]) if found]
    half = letters * LETTER_PX / 2
    boxes = [(one.x - half, one.y - LINE_PX / 2, one.x + half, one.y + LINE_PX / 2) for one in placed]
    for at, (left, top, right, bottom) in enumerate(boxes):
        assert left >= 0 and top >= 0 and right <= 800 and bottom <= 500
        for other in [*boxes[:at], free]:
            assert left >= other[2] or other[0] >= right or top >= other[3] or other[1] >= bottom
        assert not any(left < x < right and top < y < bottom for x, y in points)
