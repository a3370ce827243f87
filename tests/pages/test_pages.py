import os
import subprocess
import sys

import pytest

from tests.pages.trial import ROOT, open_page
from tests.run_folders import make_run
from workbench.store import names

PAGES = ["home", "learn", "augment", "train", "runs", "compare", "explore", "gold", "gallery"]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_in_an_empty_folder_and_shows_the_line_that_repeats_it(page, runs, answers):
    app = open_page(page)
    assert not app.exception and not app.error
    assert app.title
    if page not in ("runs", "gallery"):  # the first shows nothing yet, the second has a line for each figure
        assert any("api." in block.value for block in app.code)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_among_runs_of_every_state(page, runs, answers):
    for number, state in enumerate(["done", "stopped", "failed", "running", "queued"]):
        make_run(runs, number, state=state, name="mine" if number == 0 else "")
    (runs.path / "20260101-000009-damaged-run" / names.CHECKPOINTS).mkdir(parents=True)
    app = open_page(page)
    assert not app.exception


def test_a_page_that_ends_early_says_what_a_link_asked_in_vain_and_leaves_no_question(runs, answers):
    app = open_page("augment", tab="fill", top="many")
    assert not app.exception and ["top=many" in warning.value for warning in app.warning] == [True]
    answers.state = "running"
    app = open_page("augment", encoder="true", target="mini-mlm")
    before = set(app.session_state["tickets"])
    app.button_group(key="tab").set_value("corpus").run()
    assert not app.exception and before and not before & set(app.session_state["tickets"])


@pytest.mark.parametrize("number", ["inf", "-inf", "1e999", "nan", "9" * 400, "9" * 5000, "many"])
@pytest.mark.parametrize(("page", "field"), [("augment", "seed"), ("gold", "gold.count"), ("explore", "clusters")])
def test_a_link_with_a_number_beyond_all_fields_says_so(page, field, number, runs, answers):
    app = open_page(page, **{field: number})
    assert not app.exception
    assert any("as the link says" in warning.value for warning in app.warning)


def test_home_imports_nothing_heavy(tmp_path):
    code = (
        "from streamlit.testing.v1 import AppTest; import sys;"
        "app = AppTest.from_file('app.py', default_timeout=30).run();"
        "assert not app.exception, app.exception;"
        "print([m for m in ('torch', 'transformers', 'umap', 'sklearn', 'sentence_transformers') if m in sys.modules])"
    )
    told = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "WORKBENCH_RUNS": str(tmp_path), "WORKBENCH_PROCESSES": "off"},
    )
    assert told.stdout.strip().splitlines()[-1] == "[]"


def test_a_page_without_its_frame_reruns_through_it(monkeypatch):
    """Also where another session has turned Streamlit's older way of paging off since this one began."""
    from streamlit.runtime.pages_manager import PagesManager

    from workbench.ui.kit import theme

    state, called = {}, []
    monkeypatch.setattr(theme.st, "session_state", state)
    monkeypatch.setattr(theme.st, "rerun", lambda: called.append(True))
    for older_way in (True, False):
        monkeypatch.setattr(PagesManager, "uses_pages_directory", older_way)
        called.clear()
        theme.require_frame()
        assert called and PagesManager.uses_pages_directory is False
        state[theme.FRAMED] = True
        theme.require_frame()
        assert len(called) == 1 and theme.FRAMED not in state


@pytest.mark.parametrize("page", ["compare", "explore", "runs"])
def test_no_page_asks_by_itself_about_a_backbone_that_is_not_here(page, runs, answers):
    make_run(runs, backbone="somebody/secret-model")
    assert not open_page(page).exception
    assert answers and not [asked for asked in answers if "somebody/secret-model" in str(asked)]
