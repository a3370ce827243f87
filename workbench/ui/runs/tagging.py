"""Name, tags and note of a run: shown, and changed in a form."""

from collections.abc import Sequence

import streamlit as st

from workbench import api
from workbench.core.config import LONGEST_NAME
from workbench.store.annotations import LONGEST_NOTE, Annotations
from workbench.store.listed import rows
from workbench.store.lookup import NEWEST
from workbench.ui.kit.folding import folded
from workbench.ui.kit.notices import attempt
from workbench.ui.kit.words import html


def tags_of(runs: Sequence[api.Run]) -> list[str]:
    """All tags of the runs, in alphabetical order."""
    return sorted({tag for row in rows(runs) for tag in row.tags}) if runs else []


def show_annotations(run: api.Run) -> None:
    """Tags and note, if there are any."""
    written = run.annotations
    tags = "".join(f'<span class="tag">{html(tag)}</span> ' for tag in written.tags)
    note = "<br>".join(map(html, written.note.splitlines()))
    if tags or note:
        st.html(f'<p class="annotations" dir="auto">{tags}{note}</p>')


def edit_annotations(run: api.Run) -> None:
    """A form that changes name, tags and note: of them, what is changed in it, since others may write on a run meanwhile."""
    if part := folded("Name, tags, note", key=f"annotate.{run.id}"):
        with part, st.form(f"annotations.{run.id}", border=False):
            keys = [f"annotate.{field}.{run.id}" for field in ("name", "tags", "note")]
            begun = _begin(run, keys)
            name = st.text_input("Name", max_chars=LONGEST_NAME, key=keys[0])
            tags = st.multiselect(
                "Tags",
                sorted({*tags_of(api.runs(newest=NEWEST)), *begun.tags}),
                accept_new_options=True,
                key=keys[1],
                placeholder="Choose tags, or type new ones",
                wrap=True,
            )
            note = st.text_area("Note", max_chars=LONGEST_NOTE, key=keys[2])
            written = Annotations(name, tuple(tags), note)
            if st.form_submit_button("Save") and attempt(lambda: _save(run, begun, written), "Saved."):
                for key in keys:  # they begin again, with what others wrote
                    st.session_state.pop(key, None)
                st.rerun()


def _begin(run: api.Run, keys: Sequence[str]) -> Annotations:
    """What the fields of the form began with: fields that are not there yet begin with what is written on the run now."""
    begun, now = f"annotate.begun.{run.id}", run.annotations
    if not set(keys) <= set(st.session_state):
        st.session_state[begun] = Annotations(run.name, now.tags, now.note)
        for key, value in zip(keys, (run.name, list(now.tags), now.note), strict=True):
            st.session_state[key] = value
    there: Annotations = st.session_state[begun]
    return there


def _save(run: api.Run, begun: Annotations, written: Annotations) -> None:
    if written.name != begun.name:
        api.rename(run, written.name)
    if removed := set(begun.tags) - set(written.tags):
        api.untag(run, *removed)
    if added := set(written.tags) - set(begun.tags):
        api.tag(run, *added)
    if written.note != begun.note:
        api.note(run, written.note)
