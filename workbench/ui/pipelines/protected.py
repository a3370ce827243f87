"""Terms and an expression that no augmentation of texts may touch, as fields."""

from typing import Any

import streamlit as st


def protected_form(protect: tuple[str, ...] = (), pattern: str = "", *, prefix: str = "") -> tuple[list[str], str]:
    """Terms and an expression that no augmentation of texts may touch.

    They are kept in the address; those of a form, whose keys begin with `prefix`, the form keeps.
    """
    keep: dict[str, Any] = {"persist_state": "session"} if prefix else {"bind": "query-params"}
    begun = st.session_state.get(f"{prefix}protect") or protect
    with st.expander("Protected words", expanded=bool(begun or st.query_params.get("protect"))):
        typed = st.text_area(
            "Terms, one a line",
            "\n".join(protect),
            key=f"{prefix}protect",
            height=90,
            placeholder="Product names, codes, placeholders",
            help="As they are written, capitals included.",
            **keep,
        )
        expression = st.text_input(
            "Regular expression",
            pattern,
            key=f"{prefix}protect_pattern",
            placeholder=r"such as \d+ or “[^”]*”",
            help="What it finds is left as it is written.",
            **keep,
        )
    return [line.strip() for line in (typed or "").splitlines() if line.strip()], (expression or "").strip()
