"""WordNet, downloaded on request if it is absent."""

import time

import streamlit as st

from workbench.augmentations import wordnet
from workbench.ui.kit.asking import ask, when_answered
from workbench.ui.kit.notices import quiet
from workbench.verbs import wordnet as wordnet_verb


def offer_wordnet() -> None:
    """A button that downloads WordNet, and the outcome; nothing if it is installed."""
    if not wordnet.missing():
        return
    if st.button("Download WordNet (11 MB)", key="wordnet", help="From NLTK's server into the runs folder, once."):
        st.session_state["wordnet.asked"] = time.time()
    if asked := st.session_state.get("wordnet.asked"):
        question = ask(wordnet_verb.VERB, slot="wordnet", asked=asked)
        when_answered([question], lambda: quiet("WordNet was downloaded but cannot be found."), height=40)
