"""Name, tags and note of a run: shown, and changed in a form."""

from collections.abc import Sequence

import streamlit as st

from workbench import api
from workbench.core.config import LONGEST_NAME
from workbench.store.annotations import LONGEST_NOTE
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
    """A form that changes name, tags and note."""
    if part := folded("Name, tags, note", key=f"annotate.{run.id}"):
        with part, st.form(f"annotations.{run.id}", border=False):
            written = run.annotations
            name = st.text_input("Name", run.name, max_chars=LONGEST_NAME, key=f"annotate.name.{run.id}")
            tags = st.multiselect(
                "Tags",
                tags_of(api.runs(newest=NEWEST)),
                list(written.tags),
                accept_new_options=True,
                key=f"annotate.tags.{run.id}",
                placeholder="Choose tags, or type new ones",
                wrap=True,
            )
            note = st.text_area("Note", written.note, max_chars=LONGEST_NOTE, key=f"annotate.note.{run.id}")
            if st.form_submit_button("Save") and attempt(lambda: _save(run, name, tags, note), "Saved."):
                st.rerun()


def _save(run: api.Run, name: str, tags: Sequence[str], note: str) -> None:
    if name != run.name:
        api.rename(run, name)
    api.untag(run, *(tag for tag in run.annotations.tags if tag not in tags))
    api.tag(run, *tags)
    api.note(run, note)
