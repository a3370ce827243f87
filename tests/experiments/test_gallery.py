"""The pictures of the gallery: one for each figure and theme, small, and as their numbers are."""

import contextlib
from io import BytesIO

import pytest
from PIL import Image, ImageChops

from experiments.gallery import COLOURS, DRAWINGS, PIXELS, ROOT, content
from workbench.data.paper_figures import PICTURES, paper_figures
from workbench.ui.gallery import cards

FIGURES = {entry.id: entry for entry in paper_figures()}
PRINTED = ("consert_batch", "arccse_margin", "arccse_ablation", "una_seeds", "una_settings", "negatives", "curves")
"""Those that need no encoder."""


def test_each_figure_has_both_and_none_is_left_over():
    assert set(DRAWINGS) == set(FIGURES)
    files = {path.name: path.stat().st_size for path in PICTURES.iterdir()}
    assert set(files) == {f"{name}.{theme}.png" for name in FIGURES for theme in ("light", "dark")}
    assert max(files.values()) < 32_000 and sum(files.values()) < 600_000


@pytest.mark.parametrize("name", FIGURES)
def test_they_are_as_large_as_the_page_says(name):
    for theme in ("light", "dark"):
        with Image.open(PICTURES / f"{name}.{theme}.png") as picture:
            assert picture.size == PIXELS == (cards.WIDTH, cards.HEIGHT)
            assert len(picture.getcolors()) <= COLOURS


@pytest.mark.parametrize("name", PRINTED)
def test_a_picture_is_what_its_numbers_give(name):
    with contextlib.chdir(ROOT):
        drawn = content(FIGURES[name], dark=False)
    with Image.open(BytesIO(drawn)) as new, Image.open(PICTURES / f"{name}.light.png") as old:
        apart = ImageChops.difference(new.convert("L"), old.convert("L"))
    assert sum(apart.histogram()[60:]) < 0.01 * PIXELS[0] * PIXELS[1], "python -m experiments.gallery draws it anew"


def test_another_number_is_another_picture():
    from dataclasses import replace

    entry = FIGURES["consert_batch"]
    changed = replace(entry, curve=replace(entry.curve, values={"spearman": (73, 72.6, 72.7, 72.9, 72.6)}))
    assert content(entry, dark=False) != content(changed, dark=False)
