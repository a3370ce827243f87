"""Several runs at once: selected in the table, drawn over each other, tagged and deleted."""

import re

import pytest

from tests.browser.reader import Reader, served
from tests.plugins.real_runs import end_processes
from tests.run_folders import make_run
from tests.trial import until
from workbench import api
from workbench.store.names import runs_folder


@pytest.fixture
def several(context, tmp_path):
    """A reader of an app with three runs in a folder of its own, and the folder."""
    folder = runs_folder(tmp_path / "runs")
    for number, steps in enumerate((20, 20, 40)):
        make_run(folder, number, steps=steps)
    with served(folder, tmp_path / "log.txt") as address:
        yield Reader(context, address), folder
    end_processes(folder)


def test_runs_are_selected_compared_tagged_and_deleted(several):
    one, folder = several
    page = one.open("runs")
    table = page.locator("[data-testid=stDataFrame]").first
    for row, run in ((1, "20260101-000002"), (2, "20260101-000001")):
        # The check boxes are on the left; a row is 35 pixels high.
        table.click(position={"x": 20, "y": 35 * row + 18})
        page.wait_for_url(re.compile(f"selected={run}"))  # the address is the last that follows
    page.get_by_role("heading", name="2 selected runs").wait_for()
    one.settled(plots=1)
    page.get_by_text("training.steps").wait_for()
    page.get_by_role("button", name="Tag", exact=True).click()
    page.get_by_label("Tags, with commas between").fill("paper")
    page.get_by_role("button", name="Add to all").click()
    tags = [(), ("paper",), ("paper",)]
    until(lambda: [run.annotations.tags for run in reversed(api.runs(folder.path))] == tags, 20)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Delete these 2 runs").click()
    page.get_by_role("button", name="Delete these 2 runs permanently").click()
    page.get_by_text("That freed").wait_for()
    assert [run.id[:15] for run in api.runs(folder.path)] == ["20260101-000000"]
    page.locator(".takeaway", has_text="It is finished, evaluated and saved.").first.wait_for()
    until(lambda: "It is finished, evaluated and saved." in page.locator("body > .heard").inner_text(), 20)
    assert not one.elsewhere
