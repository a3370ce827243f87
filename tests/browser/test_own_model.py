"""A checkpoint of one's own, from an empty runs folder: Home, the path, the cone."""

import json

import pytest

from tests.browser.reader import Reader, served
from tests.plugins.real_runs import end_processes
from tests.tiny import tiny_model
from workbench.store.names import runs_folder


@pytest.fixture(scope="module")
def newcomer(browser, tmp_path_factory):
    """A reader of an app without runs, and a folder that it may read."""
    place = tmp_path_factory.mktemp("newcomer")
    folder = runs_folder(place / "runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKBENCH_FOLDERS", str(place))
        with served(folder, place / "log.txt") as address:
            context = browser.new_context(reduced_motion="reduce")
            yield Reader(context, address), place
            context.close()
    end_processes(folder)


@pytest.mark.parametrize(("family", "layout"), [("bert", "plain"), ("roberta", "st"), ("mpnet", "plain")])
def test_scores_geometry_verdict_and_cone_of_a_checkpoint_take_three_clicks(newcomer, family, layout):
    reader, place = newcomer
    raw, mine = (tiny_model(place / family / name, family, layout) for name in ("raw", f"my-{family}"))
    config = mine / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"_name_or_path": str(raw)}))
    page = reader.open()
    page.set_default_timeout(120_000)  # everything here starts cold
    page.evaluate(
        "window.clicks = 0; addEventListener('click', event => { if (event.isTrusted) window.clicks += 1; }, true)"
    )
    field = page.get_by_label("Your own model", exact=True)
    field.click()
    field.fill(str(mine))
    field.press("Enter")
    page.wait_for_url("**/compare?**")
    verdict = page.get_by_text(f"Against raw, my-{family}: a tie (")  # both have the same weights
    verdict.wait_for()
    reader.settled(plots=1)
    rows = page.locator("tr").filter(has_text=f"my-{family}").first.locator("td").all_inner_texts()
    assert len(rows) == 5 and all(any(sign.isdigit() for sign in cell) for cell in rows[1:]), "score and geometry"
    page.get_by_role("link", name=f"The cone of my-{family} beside raw").click()
    page.get_by_role("heading", name="Explore", exact=True).wait_for()
    reader.settled(plots=2)
    assert page.get_by_role("tab", name="The cone", exact=True).get_attribute("aria-selected") == "true"
    assert page.evaluate("window.clicks") <= 3, "the page was never loaded anew, so every click was counted"
