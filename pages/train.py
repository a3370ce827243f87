"""Which run do I want, and what exactly will it do?"""

import streamlit as st

from workbench import api, ui

ui.framed()
st.title("Train")
ui.lede("Three choices and a button. Every other value is published, measured or a default, and the page says which.")
choice = st.columns(3, gap="medium")
corpus = ""
with choice[0]:
    recipe = ui.pick_recipe()
with choice[1]:
    backbone = ui.pick_backbone(recipe)
with choice[2], ui.guarded():
    corpus = ui.pick_articles() if recipe.pretrains else ui.pick_corpus(recipe.needs)
official = bool(recipe.official) and ui.kept(
    st.toggle,
    "Published setting",
    key="official",
    start=False,
    help="Pooling, head, rate and passes over the corpus as published; where nothing is published, what the recipe's notes "
    "name. Not what the backbone's card says.",
)
if not corpus:
    demo = "" if recipe.pretrains else ", or take the demo sentences"
    ui.empty("No corpus yet.", f"Give a path or choose a file{demo}.")
    st.stop()

with ui.guarded():
    base = api.settle(recipe.id, backbone=backbone, corpus=corpus, official=official)
    ui.recipe_card(recipe, base)
    prefix = ui.fields(f"train.{recipe.id}.{backbone}.{official}.")
    changes = ui.run_form(base, prefix=prefix)
    named, repeated = st.columns([3, 1], gap="medium")
    name = ui.kept(named.text_input, "Name of the run", key="name", start="", placeholder="optional", max_chars=60)
    seeds = ui.kept(
        repeated.number_input,
        "Seeds",
        key="seeds",
        start=1,
        min_value=1,
        max_value=10,
        help="The same run with this seed and the next ones: one seed decides nothing.",
    )
    said = {"backbone": backbone, "corpus": corpus, "official": official, "name": name}
    config = ui.config_inside(api.settle(recipe.id, **said, **changes))
    ui.note_scored(config)

    lacking = api.fits(recipe.id, corpus, config)
    refused = (
        f"{lacking} Choose another corpus or another recipe." if lacking else api.refusal(config) or ui.unread(prefix)
    )
    if refused:
        st.error(ui.words.plain(refused))
    further = range(config.training.seed + 1, config.training.seed + seeds)
    runs = [config, *(api.settle(recipe.id, **said, **(changes | {"training.seed": seed})) for seed in further)]
    st.html(f'<p class="takeaway">{ui.words.html(ui.run_sentence(runs))}</p>')
    ui.facts({"Time": ui.estimate_words(runs), **ui.amount(config)}, {"Texts seen": "by each run"} if seeds > 1 else {})
    rehearsed = None if refused else ui.rehearsal(config)
    if rehearsed:
        ui.show_rehearsal(rehearsed)
    report = ui.corpus_question(config)
    accept = ui.accepted(config, report, rehearsed)
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
    ui.sweep_forms(config, asked, changes)

    st.header("The corpus")
    ui.answered([report], lambda: ui.show_corpus_report(report.result, config), height=120)

    if not refused:
        ui.inspect_recipe(config)

    st.header("The same in a terminal, in Python, in a file")
    ui.show_repeats(runs, accept or ())
    ui.own_recipes(config)
