"""Distributions among linked views: bars by group on their sides, and bars with a sample behind, select like all else."""

import numpy as np
import pandas as pd
import pytest

from tests.browser.canvas_page import CanvasPage
from tests.browser.test_linked import saved
from workbench.ui.canvas import Buckets, Category, Histogram, Number, Rows, Sample, Scatter, Scene

GROUPS = ("low", "middle", "high")
GROUP = np.repeat([0, 1, 2], 20)
VALUE = GROUP / 4 + np.tile(np.linspace(0, 0.4, 20), 3)


@pytest.fixture
def canvas(browser):
    """Sixty rows in three groups, whose values rise with them."""
    rows = Rows(
        "rows",
        "row",
        "rows",
        (
            Number("value", "Value", VALUE),
            Number("high", "Value of the high", np.where(GROUP == 2, VALUE, np.nan)),
            Category("group", "Group", [GROUPS[number] for number in GROUP], order=GROUPS),
        ),
        ("value",),
    )
    panels = (
        Scatter("rows", "value", "value", "Points"),
        Buckets(
            "rows", "value", "group", "By group", x_label="Group", y_label="Value", limits=(0, 1), bins=10, note="So."
        ),
        Histogram("rows", "high", "High", bins=10, limits=(0, 1), behind=Sample("others", np.linspace(0, 1, 100))),
    )
    page = CanvasPage(browser, Scene("groups", (rows,), panels))
    yield page
    page.close()


def test_a_click_on_a_bar_a_drag_over_bars_and_a_click_on_a_name_select(canvas):
    left, top, width, height = canvas.box("By group")
    room, bar = (width - 54) / 3, (height - 48) / 10
    canvas.page.mouse.click(left + 46 + 1.05 * room, top + height - 40 - 3.5 * bar)
    assert canvas.chosen().mask.tolist() == ((GROUP == 1) & (VALUE >= 0.3) & (VALUE < 0.4)).tolist()
    canvas.drag("By group", ((46 + 1.1 * room) / width, 0.03), ((46 + 2.9 * room) / width, (height - 45) / height))
    assert canvas.chosen().mask.tolist() == (GROUP >= 1).tolist()
    canvas.page.mouse.click(left + 46 + 0.5 * room, top + height - 25)
    assert canvas.chosen().mask.tolist() == (GROUP == 0).tolist()
    assert canvas.counts() == {"Points": 20, "By group": 20, "High": 20}


def test_the_keyboard_selects_bars_and_groups(canvas):
    plot = canvas.panel("By group").locator(".plot")
    plot.focus()
    press = canvas.page.keyboard.press
    press("ArrowRight")
    press("ArrowRight")
    press(" ")
    assert canvas.chosen().mask.tolist() == (GROUP == 1).tolist()
    assert "Group middle" in canvas.panel("By group").locator("[aria-live]").inner_text()
    press(" ")
    assert canvas.chosen() is None, "once more takes it out"
    press("Enter")
    one = canvas.chosen().mask
    press("Shift+ArrowUp")
    more = canvas.chosen().mask
    assert one.any() and more.sum() > one.sum() and more[one].all() and (GROUP[more] == 1).all()


def test_a_sample_behind_is_drawn_saved_and_not_selected(canvas):
    canvas.panel("High").locator(".plot").focus()
    canvas.page.keyboard.press("ArrowLeft")
    canvas.page.keyboard.press("Enter")
    assert canvas.chosen().mask.tolist() == ((GROUP == 2) & (VALUE >= 0.9 - 1e-6)).tolist()
    table = pd.read_csv(saved(canvas, "High", "CSV"))
    assert table["rows"].sum() == 20 and table["others"].sum() == pytest.approx(20)
    assert canvas.panel("High").locator("path.behind").count() == 1
    by_group = pd.read_csv(saved(canvas, "By group", "CSV"))
    assert by_group.groupby("Group")["rows"].sum().to_dict() == dict.fromkeys(GROUPS, 20)
