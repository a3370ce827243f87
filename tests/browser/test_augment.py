"""The Augment page as people use it: type, look at the result, and train with it."""

from urllib.parse import urlencode

import numpy as np
import pytest

from tests.trial import until
from workbench.data.corpora import load_corpus
from workbench.models.load import load
from workbench.store.run import Run
from workbench.training.texts import Texts
from workbench.training.views import Views


def test_a_sentence_is_augmented_tokenised_and_measured(reader):
    one = reader()
    page = one.open("augment?encoder=true")
    one.settled(plots=1)
    page.locator(".edits mark").first.wait_for()
    page.locator(".tokens span", has_text="[CLS]").first.wait_for(timeout=60_000)
    one.write("One sentence per line", "<img src=x onerror=alert(1)> is only a text\n")
    page.locator(".edits", has_text="<img src=x").first.wait_for()
    one.settled(plots=1)
    assert page.locator(".edits img").count() == 0


def test_the_keys_stay_where_a_table_was_saved(reader):
    one = reader()
    page = one.open("augment")
    button = page.get_by_role("button", name="Data (CSV)")
    button.wait_for()
    one.settled()
    for _ in range(2):
        with page.expect_download():
            button.press("Enter")
        page.wait_for_function("document.activeElement.innerText.includes('Data (CSV)')")


@pytest.mark.parametrize("width", [1300, 400])
def test_the_keys_stay_among_the_steps_when_one_is_removed_or_moved(reader, width):
    one = reader(width=width)
    page = one.open(f"augment?{urlencode({'augment_a': 'eda_delete + eda_swap + typo_noise'})}")
    where = "document.activeElement.closest('[class*=st-key-]')?.className.match(/augment_a-(\\S+)/)?.[1]"
    button = page.get_by_role("button", name="Remove step 2: Swap words", exact=True).locator("visible=true")
    assert button.bounding_box()["width"] < 40, "the eye sees the icon alone"
    button.focus()
    removed = page.evaluate(where)
    assert removed == "3-remove"
    for key, then in (
        ("Enter", "4-remove"),
        ("Shift+Tab", "4-Up"),
        ("Enter", "4-Down"),
        ("Tab", "4-remove"),
        ("Space", "2-remove"),
        ("Enter", "add"),
    ):
        page.keyboard.press(key)
        until(lambda then=then: page.evaluate(where) == then, 30)
        one.settled()
    page.get_by_text("No steps: the text is not changed.").wait_for()


def test_a_pipeline_goes_from_a_typed_sentence_into_a_run(reader, runs):
    one = reader()
    page = one.open("augment")
    one.write("One sentence per line", "Seven green bottles stood on a wall until the wind came up in the evening.")
    page.locator(".draw", has_text="Seven green bottles").first.wait_for()
    one.write("As one line", "eda_delete(rate=0.4)")
    page.locator(".edits .draw del").first.wait_for()
    page.get_by_text("View 2", exact=True).click()
    page.get_by_text("No steps: the text is not changed.").wait_for()
    one.write("As one line", "case_noise(rate=0.5)")
    page.locator(".edits .draw .swap").first.wait_for()
    assert "augment_b=case_noise" in page.url
    one.sound()

    page.get_by_role("button", name="Use in a run").click()
    page.wait_for_url("**/train*")
    page.get_by_text("You changed: augmentation.").wait_for()
    for label, value in (("Steps", "3"), ("Batch size", "8")):
        one.write(label, value)
    page.get_by_text("3 steps of 8 texts").wait_for()
    evaluated = page.get_by_test_id("stMultiSelect").filter(has_text="Pair sets for the final evaluation")
    evaluated.get_by_label("Clear all").click()  # 1,800 pairs take longer than all the rest
    until(lambda: evaluated.get_by_label("Clear all").count() == 0, 30)
    one.settled()
    page.get_by_role("button", name="Start training").click()
    page.wait_for_url("**/runs*")

    run = next(run for run in map(Run, runs.run_folders()) if run.id in page.url)
    until(lambda: not run.live, 240)
    assert run.state == "done"
    file = (run.folder / "config.toml").read_text(encoding="utf-8")
    assert "eda_delete(rate=0.4" in file and "case_noise(rate=0.5)" in file
    assert run.config.evaluation.pairs == ()
    (term,) = run.config.terms
    texts = load_corpus("demo").texts[:40]
    shown = Texts(load("minilm-l3"), [term], {"text": texts}, max_length=32, seed=run.config.training.seed)
    views = Views(shown, [term])
    drawn = {
        view.augmentation.partition("(")[0]: [table.ids[table.offsets[row] : table.offsets[row + 1]] for row in rows]
        for items in views.groups(np.arange(40), 0).values()
        for view, table, rows in items
    }
    assert set(drawn) == {"eda_delete", "case_noise"}
    shorter = [len(a) < len(b) for a, b in zip(drawn["eda_delete"], drawn["case_noise"], strict=True)]
    assert sum(shorter) > 30


@pytest.mark.parametrize(("theme", "width"), [("light", 1300), ("dark", 400)])
def test_states_are_shown_as_a_matrix(reader, theme, width):
    one = reader(theme=theme, width=width)
    page = one.open(f"augment?{urlencode({'augment_a': 'span_cutoff(rate=0.3) + modals_gaussian', 'encoder': 'true'})}")
    page.get_by_text("masked out").first.wait_for(timeout=120_000)
    one.settled(plots=2)
    until(lambda: page.locator(".js-plotly-plot .heatmaplayer image").count() == 3, 20)
    one.write("Draw", "2")
    one.settled(plots=2)


def test_chinese_is_compared_by_characters(reader):
    one = reader()
    page = one.open(f"augment?{urlencode({'text': '今天天气很好我们去公园散步', 'augment_a': 'eda_delete(rate=0.3)'})}")
    page.locator(".edits .draw del").first.wait_for()
    assert all(len(mark.inner_text().strip()) <= 3 for mark in page.locator(".edits .draw del").all())
    one.sound()


def test_from_right_to_left_the_arrow_points_at_what_replaces(reader):
    one = reader()
    text = "הגשר הישן נסגר אחרי הסערה\nThe old bridge was closed."
    page = one.open(f"augment?{urlencode({'text': text, 'augment_a': 'una_positive'})}")
    page.locator(".draw .swap").first.wait_for()
    swaps = page.locator(".draw .swap").evaluate_all(
        """swaps => swaps.map(swap => [
            getComputedStyle(swap.querySelector('ins'), '::before').content,
            swap.querySelector('ins').getBoundingClientRect().left < swap.querySelector('del').getBoundingClientRect().left,
            /[א-ת]/.test(swap.closest('.passage').textContent),
        ])"""
    )
    assert {tuple(swap) for swap in swaps} == {('"←"', True, True), ('"→"', False, False)}


def test_the_legend_is_as_dark_as_other_notes_and_the_sentences_have_a_ring(reader):
    one = reader()
    page = one.open("augment")
    page.locator(".edits.quiet").wait_for()
    assert page.locator(".edits.quiet .swap del").evaluate("word => getComputedStyle(word).opacity") == "1"
    box = page.get_by_label("One sentence per line", exact=True)
    outline = "box => getComputedStyle(box.closest('[data-testid=stTextAreaRootElement]')).outlineStyle"
    assert box.evaluate(outline) == "none"
    box.focus()
    until(lambda: box.evaluate(outline) == "solid", 10)


def test_what_is_new_is_told_to_screen_readers_in_one_place_and_once(reader):
    one = reader()
    page = one.open("augment")
    region = page.locator("body > .heard[role=status]")
    until(lambda: region.inner_text() == "8 of 8 draws changed the text.", 30)
    region.evaluate("region => { region.before = true; }")
    page.evaluate(
        """() => {
            window.heard = [];
            const region = document.querySelector('.heard');
            new MutationObserver(() => window.heard.push(region.textContent)).observe(region, { childList: true });
        }"""
    )
    one.write("One sentence per line", "A boy in a red coat feeds two ducks.")
    until(lambda: page.evaluate("window.heard") == ["4 of 4 draws changed the text."], 30)
    one.write("Seed", "3")
    one.settled()
    assert region.evaluate("region => region.before")
    assert page.evaluate("window.heard") == ["4 of 4 draws changed the text."]
