"""WordNet, fetched on a click where it is absent."""

import time

import streamlit as st

from workbench.augmentations import wordnet
from workbench.ui.kit.asking import ask, when_answered
from workbench.ui.kit.notices import quiet
from workbench.verbs import wordnet as wordnet_verb


def offer_wordnet() -> None:
    """A button that fetches WordNet, and what came of it; nothing where it is here."""
    if not wordnet.missing():
        return
    if st.button("Fetch WordNet (11 MB)", key="wordnet", help="From NLTK's server into the runs folder; once."):
        st.session_state["wordnet.asked"] = time.time()
    if asked := st.session_state.get("wordnet.asked"):
        question = ask(wordnet_verb.VERB, slot="wordnet", doing="Fetching WordNet", asked=asked)
        when_answered([question], lambda: quiet("WordNet was fetched, but is not found."), height=40)
