"""What does an augmentation do to my sentences?"""

import streamlit as st

from workbench import ui

EXAMPLE = "The old bridge was closed after the storm.\nA boy in a red coat feeds two ducks by the pond."

ui.framed()
st.title("Augment")
ui.lede(
    "An augmentation makes a second view of a text. If the change is too small, the encoder learns nothing from it; "
    "if it changes what the sentence says, the encoder learns something false. Look before you train."
)
controls, drawn = st.columns([2, 3], gap="large")
with controls:
    sentences = ui.sentences_input("Sentences, one a line", EXAMPLE, key="text")
    name = ui.pick_method("augmentations", "Augmentation", key="augmentation")
    settings = ui.method_form("augmentations", name, prefix=f"{name}.", bound=True, across=1)
    left, right = st.columns(2)
    seed = left.number_input(
        "Seed", 0, 2**31 - 1, 0, key="seed", bind="query-params", help="Every draw follows from it."
    )
    draws = right.slider("Draws", 1, 20, 4, key="draws", bind="query-params", help="Variants of each sentence.")
    encoder = st.toggle(
        "Ask an encoder", key="encoder", bind="query-params", help="Sub-word tokens, and how close each draw stays."
    )
    target = ui.pick_target() if encoder else ""

with drawn, ui.guarded():
    if not sentences:
        ui.empty("No sentence yet.", "Type one in the box; each line is a sentence.")
        st.stop()
    table = ui.augmented(name, tuple(sentences), seed, draws, settings)
    changed, again, total = int(table["changed"].sum()), int(table["again"].sum()), len(table)
    ui.takeaway(f"{changed} of {total} draws changed the text.")
    ui.facts(
        {"Left unchanged": ui.share(1 - changed / total), "Drawn before": ui.share(again / total)},
        {"Left unchanged": f"n = {total}", "Drawn before": f"n = {total}"},
    )
    ui.show_draws(table)
    ui.show_legend()
    ui.download(table, f"{name}.csv")

if encoder and sentences:
    with ui.guarded():
        texts = list(dict.fromkeys([*sentences, *table["text"]]))
        vectors = ui.ask("encode", slot="augment.encode", texts=texts, target=target)
        views = ui.ask(
            "dropout_views", slot="augment.views", texts=sentences, target=target, views=8, dropout=0.1, seed=seed
        )
        tokens = ui.ask("tokens", slot="augment.tokens", texts=texts, target=target)
        st.header("What the encoder sees")
        closeness, strips = st.columns(2, gap="large")
        with closeness:
            ui.answered(
                [vectors, views], lambda: ui.closeness_figure(table, vectors.result, views.result, texts, target)
            )
        with strips:
            ui.answered([tokens], lambda: ui.token_strips(tokens.result, table, texts))

ui.repeat(ui.python_call("augment", name, sentences[0] if sentences else "", seed=seed, draws=draws, **settings))
