"""Which run do I want, and what exactly will it do?"""

import streamlit as st

from workbench import api
from workbench.ui.kit.address import kept
from workbench.ui.kit.asking import answered
from workbench.ui.kit.notices import empty, facts, guarded, lede
from workbench.ui.kit.theme import framed
from workbench.ui.kit.words import html, plain
from workbench.ui.train import (
    accepted,
    amount,
    config_inside,
    corpus_question,
    estimate_words,
    fields,
    inspect_recipe,
    note_scored,
    own_recipes,
    pick_articles,
    pick_backbone,
    pick_corpus,
    pick_recipe,
    recipe_card,
    rehearsal,
    run_form,
    run_sentence,
    show_corpus_report,
    show_rehearsal,
    show_repeats,
    sweep_forms,
    unread,
)

framed()
st.title("Train")
lede("Three choices and a button. Every other value is published, measured or a default, and the page says which.")
choice = st.columns(3, gap="medium")
corpus = ""
with choice[0]:
    recipe = pick_recipe()
with choice[1]:
    backbone = pick_backbone(recipe)
with choice[2], guarded():
    corpus = pick_articles() if recipe.pretrains else pick_corpus(recipe.needs)
official = bool(recipe.official) and kept(
    st.toggle,
    "Published setting",
    key="official",
    start=False,
    help="Pooling, head, rate and passes over the corpus as published; where nothing is published, what the recipe's notes "
    "name. Not what the backbone's card says.",
)
if not corpus:
    demo = "" if recipe.pretrains else ", or take the demo sentences"
    empty("No corpus yet.", f"Give a path or choose a file{demo}.")
    st.stop()

with guarded():
    base = api.settle(recipe.id, backbone=backbone, corpus=corpus, official=official)
    recipe_card(recipe, base)
    prefix = fields(f"train.{recipe.id}.{backbone}.{official}.")
    changes = run_form(base, prefix=prefix)
    named, repeated = st.columns([3, 1], gap="medium")
    name = kept(named.text_input, "Name of the run", key="name", start="", placeholder="optional", max_chars=60)
    seeds = kept(
        repeated.number_input,
        "Seeds",
        key="seeds",
        start=1,
        min_value=1,
        max_value=10,
        help="The same run with this seed and the next ones: one seed decides nothing.",
    )
    said = {"backbone": backbone, "corpus": corpus, "official": official, "name": name}
    config = config_inside(api.settle(recipe.id, **said, **changes))
    note_scored(config)

    lacking = api.fits(recipe.id, corpus, config)
    refused = (
        f"{lacking} Choose another corpus or another recipe." if lacking else api.refusal(config) or unread(prefix)
    )
    if refused:
        st.error(plain(refused))
    further = range(config.training.seed + 1, config.training.seed + seeds)
    runs = [config, *(api.settle(recipe.id, **said, **(changes | {"training.seed": seed})) for seed in further)]
    st.html(f'<p class="takeaway">{html(run_sentence(runs))}</p>')
    facts({"Time": estimate_words(runs), **amount(config)}, {"Texts seen": "by each run"} if seeds > 1 else {})
    rehearsed = None if refused else rehearsal(config)
    if rehearsed:
        show_rehearsal(rehearsed)
    report = corpus_question(config)
    accept = accepted(config, report, rehearsed)
    if st.button("Start training", type="primary", key="start", disabled=bool(refused) or accept is None):
        with st.spinner("Queueing the run", show_time=True):
            queued = [
                api.train(
                    recipe.id,
                    **said,
                    accept=accept or (),
                    detach=True,
                    **(changes | {"training.seed": one.training.seed}),
                )
                for one in runs
            ]
        st.switch_page("pages/runs.py", query_params={"run": queued[0].id})
    asked = {"recipe": recipe.id, "backbone": backbone, "corpus": corpus, "official": official, "accept": accept or ()}
    sweep_forms(config, asked, changes)

    st.header("The corpus")
    answered([report], lambda: show_corpus_report(report.result, config), height=120)

    if not refused:
        inspect_recipe(config)

    st.header("The same in a terminal, in Python, in a file")
    show_repeats(runs, accept or ())
    own_recipes(config)
