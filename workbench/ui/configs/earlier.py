"""Changes made in the form of a run before another recipe or encoder was chosen, which has a form of its own."""

from collections.abc import Mapping

import streamlit as st

from workbench.core.config import RunConfig
from workbench.store import commands
from workbench.ui.configs.drafts import ADDRESS, to_lines, usable
from workbench.ui.kit.address import replace_choice
from workbench.ui.kit.forms import FormValue
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.words import join_names, label_of


def offer_earlier(form: str, base: RunConfig, changes: Mapping[str, FormValue]) -> None:
    """Name the changes of the form before which `base` could take, and offer to make them here, unless something is changed here.
    Those to a loss belong to its recipe and stay there.
    """
    before, earlier = st.session_state.get(_EARLIER, (form, {}))
    if changes or before == form:
        st.session_state[_EARLIER] = form, dict(changes)
        return
    lines = to_lines({name: value for name, value in earlier.items() if not name.startswith("terms.")})
    found = usable(base, lines)[0] if lines else {}
    taken = {name: earlier[name] for name in found if earlier[name] != commands.value(base, name)}
    if not taken:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        quiet(
            f"Changed earlier, but not in this form: {join_names([_words(name, value) for name, value in taken.items()])}."
        )
        st.button("Apply here", key="earlier.take", on_click=replace_choice, args=(ADDRESS, *to_lines(taken)))


_EARLIER = "earlier"
"""Session key of the form that was changed last, and its changes."""


def _words(name: str, value: object) -> str:
    shown = ", ".join(map(str, value)) if isinstance(value, list) else value
    return f"{label_of(name.rsplit('.', 1)[-1]).lower()} {shown}"
