"""Every page opens: quickly, at both widths, in both themes, by its address."""

import time

import pytest

from tests.browser.reader import Reader, served
from tests.trial import until

PAGES = ["", "learn", "augment", "train", "runs", "compare", "explore", "gold", "gallery"]


def values(fields):
    """The values of the fields, read at once: while a page is redrawn there may be none, or both an old and a new field."""
    return fields.evaluate_all("fields => fields.map(field => field.value)")


def test_the_first_page_shows_a_plot_soon(reader, app):
    began = time.monotonic()
    one = reader()
    page = one.open()
    one.settled(plots=3 if page.get_by_text("Spearman before").count() else 0)
    assert time.monotonic() - began < 20  # the promise is 5 s; a busy test machine gets more


@pytest.mark.parametrize(("theme", "width"), [("light", 1300), ("dark", 400)])
def test_every_page_opens_in_both_themes_and_at_both_widths(reader, theme, width):
    one = reader(theme=theme, width=width)
    for path in PAGES:
        page = one.open(path)
        one.settled()
        ground = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
        assert ground == {"light": "rgb(252, 250, 245)", "dark": "rgb(18, 22, 29)"}[theme]


def test_the_title_of_the_window_names_the_page(reader):
    one = reader()
    names = {"augment": "Augment", "runs": "Runs", "gallery": "Figures of the papers"}
    for path, name in names.items():
        page = one.open(path)
        until(lambda page=page, name=name: page.title() == f"{name} · Contrastive workbench", 30)
    page.get_by_role("link", name="Explore", exact=True).first.click()
    until(lambda: page.title() == "Explore · Contrastive workbench", 30)
    page.get_by_role("link", name="Home", exact=True).first.click()
    until(lambda: page.title() == "Contrastive workbench", 30)


@pytest.mark.parametrize(
    ("path", "chosen", "other"),
    [
        ("augment", "button[role=radio][aria-checked=true]", "button[role=radio][aria-checked=false]"),
        ("explore", ".modes [aria-checked=true]", ".modes [aria-checked=false]"),
        ("learn", "nav [aria-current]", "nav li:last-child button"),
        (
            "augment?encoder=true",
            "label:has(input[role=switch]:checked) > div:first-of-type",
            "label:has(input[role=switch]:not(:checked)) > div:first-of-type",
        ),
    ],
)
def test_with_forced_colours_what_is_chosen_is_told_apart(reader, path, chosen, other):
    one = reader()
    one.page.emulate_media(forced_colors="active")
    page = one.open(path)
    ground = "element => getComputedStyle(element).backgroundColor"
    grounds = [page.locator(which).first.evaluate(ground) for which in (chosen, other)]
    assert grounds[0] != grounds[1]


def test_a_page_that_the_front_end_gave_up_is_opened_again_once_and_as_it_was(reader):
    one = reader()
    page = one.open("train?set=training.steps%3D7")
    steps = page.get_by_label("Steps", exact=True)
    until(lambda: values(steps) == ["7"], 30)

    text = "Bad delta path index 3 (should be between [0, 0])"
    events = (
        f"new ErrorEvent('error', {{message: '{text}'}})",
        f"new PromiseRejectionEvent('unhandledrejection', {{promise: Promise.resolve(), reason: Error('{text}')}})",
    )

    def lost(event):
        page.evaluate(f"window.mark = 1; setTimeout(() => window.dispatchEvent({event}), 50)")

    for event in events:
        with page.expect_navigation():
            lost(event)
        until(lambda: values(steps) == ["7"], 30)
        assert page.evaluate("window.mark") is None
        lost(event)  # so soon again: it is left to be seen
        page.wait_for_timeout(500)
        assert page.evaluate("window.mark") == 1
        page.evaluate("sessionStorage.removeItem('reopened')")


def test_a_link_to_a_page_works_on_a_fresh_server(context, runs, tmp_path):
    with served(runs, tmp_path / "log.txt") as address:
        one = Reader(context, address)
        page = one.open("augment?augment_a=eda_swap&seed=5")
        page.get_by_role("link", name="Compare").first.wait_for()
        # The field is there a moment before the address has filled it.
        until(lambda: values(page.get_by_label("Seed", exact=True)) == ["5"], 20)


def test_a_form_survives_a_reload_and_back_undoes_then_leaves(reader, app):
    one = reader()
    page = one.open()
    one.settled()
    page.get_by_role("link", name="Train", exact=True).first.click()
    steps = page.get_by_label("Steps", exact=True)
    steps.wait_for()
    one.settled()
    recipes = steps.input_value()
    steps.fill("7")
    steps.press("Enter")
    page.wait_for_url("**set=training.steps%3D7")
    page.reload()
    until(lambda: values(steps) == ["7"], 30)
    one.settled()
    page.go_back()
    until(lambda: values(steps) == [recipes], 30)
    one.settled()
    page.go_back()
    page.wait_for_url(f"{app}/")
    page.get_by_role("heading", name="Train", exact=True).wait_for(state="detached")
    one.sound()


def test_a_grid_survives_a_reload_but_does_not_leak_to_another_page(reader, app):
    one = reader()
    page = one.open("train")
    one.settled()
    page.get_by_text("A grid over settings").click()
    values = page.get_by_role("textbox", name="Values", exact=True)
    values.fill("0.03, 0.04")
    values.press("Enter")
    page.get_by_role("button", name="Queue 6 runs").wait_for()
    page.reload()
    page.get_by_role("button", name="Queue 6 runs").wait_for()
    assert values.input_value() == "0.03, 0.04"
    page.get_by_role("radio", name="Tournament").click()
    page.get_by_role("button", name="Queue 27 runs").wait_for()
    page.reload()
    page.get_by_role("button", name="Queue 27 runs").wait_for()
    page.get_by_text("A grid over settings").click()
    page.get_by_role("button", name="Queue 27 runs").wait_for(state="detached")
    page.get_by_role("link", name="Runs", exact=True).first.click()
    page.get_by_role("heading", name="Runs", exact=True).wait_for()
    one.settled()
    assert "sweep" not in page.url
