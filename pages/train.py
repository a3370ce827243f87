"""Which run do I want, and what exactly will it do?"""

import streamlit as st

from workbench import api
from workbench.ui.kit.address import bound_field
from workbench.ui.kit.asking import when_answered
from workbench.ui.kit.ending import end_page
from workbench.ui.kit.notices import empty, guarded, lede
from workbench.ui.kit.theme import require_frame
from workbench.ui.kit.words import plain
from workbench.ui.train import (
    LONGEST_NAME,
    acknowledged_warnings,
    config_inside,
    corpus_question,
    dry_run_question,
    form_prefix,
    inspect_recipe,
    misfit,
    no_start,
    note_scored,
    offer_earlier,
    pick_articles,
    pick_backbone,
    pick_cluster,
    pick_corpus,
    pick_recipe,
    ready_to_queue,
    recipe_card,
    run_form,
    say_left_out,
    show_corpus_report,
    show_diagram,
    show_dry_run,
    show_repeats,
    show_sweep_forms,
    show_user_recipes,
    start_bar,
    unreadable_line,
    unusable,
    with_seeds,
)

require_frame()
st.title("Train", anchor=False)
lede("Three choices and a button. Every other value is published, measured or a default, and the page says which.")
choice = st.columns(3, gap="medium")
corpus: str | None = None
with choice[0]:
    recipe = pick_recipe()
with choice[1]:
    backbone = pick_backbone(recipe)
with choice[2], guarded():
    corpus = pick_articles() if recipe.pretrains else pick_corpus(recipe.needs)
if corpus == "":
    way = "Enter a path or choose a file"
    empty("No corpus yet.", f"{way}." if recipe.pretrains else f"{way}, type texts, or use the demo sentences.")
if not corpus:
    end_page()

# Filled last and seen first: what the button does follows from everything below it.
messages, bar, trial = (
    st.container(),
    st.container(key="start-bar", horizontal=True, vertical_alignment="center"),
    st.container(),
)
st.header("Settings")
official = bool(recipe.official) and bound_field(
    st.toggle,
    "Published setting",
    key="official",
    start=False,
    help="Pooling, head, learning rate and epochs as published; where nothing was published, as the recipe's notes say. "
    "The backbone's card is ignored.",
)
started = None
with guarded(messages):
    base = api.settle(recipe.id, backbone=backbone, corpus=corpus, official=official)
    recipe_card(recipe, base)
    diagram = st.container()
    form = f"train.{recipe.id}.{backbone}.{official}."
    prefix = form_prefix(form)
    changes = run_form(base, prefix=prefix)
    with messages:
        offer_earlier(form, base, changes)
    named, repeated = st.columns([3, 1], gap="medium")
    name = bound_field(
        named.text_input, "Name of the run", key="name", start="", placeholder="optional", max_chars=LONGEST_NAME
    )
    seeds = bound_field(
        repeated.number_input,
        "Seeds",
        key="seeds",
        start=1,
        min_value=1,
        max_value=10,
        help="Repeats the run with this seed and the following ones: a single seed proves little.",
    )
    on = pick_cluster()
    chosen = {"backbone": backbone, "corpus": corpus, "official": official, "name": name}
    config = config_inside(api.settle(recipe.id, **chosen, **changes))
    note_scored(config)
    with diagram:
        show_diagram(config)

    report = corpus_question(config)
    lacking = api.fits(recipe.id, corpus, config)
    refused = misfit(lacking, corpus, recipe.needs) if lacking else api.refusal(config) or unreadable_line(prefix)
    refused = refused or unusable(config, report)
    runs = with_seeds(config, seeds)
    with messages:
        left_out = say_left_out(prefix)
    with trial:
        dry_run = None if refused else dry_run_question(config)
        if dry_run:
            show_dry_run(dry_run)
    with messages:
        if refused:
            st.error(plain(refused))
        accept = None if refused else acknowledged_warnings(config, report, dry_run)
    with bar:
        started = start_bar(runs, report, refused=bool(refused) or left_out, accept=accept, dry_run=dry_run)
    if started:
        with messages, st.spinner("Queueing the run", show_time=True):
            queued = api.submit_run(ready_to_queue(with_seeds(config, started), accept or ()), on=on)
        st.switch_page("pages/runs.py", query_params={"run": queued[0].id})
    asked = {"recipe": recipe.id, "backbone": backbone, "corpus": corpus, "official": official, "accept": accept or ()}
    show_sweep_forms(config, {**asked, "on": on}, changes, closed=left_out)

    st.header("The corpus")
    when_answered([report], lambda: show_corpus_report(report.result, config, refused), height=120)

    if not refused:
        inspect_recipe(config)

    st.header("The same in a terminal, in Python or as a file")
    show_repeats(runs, accept or (), on)
    show_user_recipes(config)

if started is None:
    with bar:
        no_start()
