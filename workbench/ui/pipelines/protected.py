"""Fields for terms and a pattern that no text augmentation may change."""

import streamlit as st

from workbench.ui.kit.forms import Lifetime


def protected_form(protect: tuple[str, ...] = (), pattern: str = "", *, prefix: str = "") -> tuple[list[str], str]:
    """Terms and a regular expression that no text augmentation may change.

    Kept in the address, or with a `prefix` in the session, for a form that keeps them itself.
    """
    keep: Lifetime = {"persist_state": "session"} if prefix else {"bind": "query-params"}
    begun = st.session_state.get(f"{prefix}protect") or protect
    with st.expander("Protected words", expanded=bool(begun or st.query_params.get("protect"))):
        typed = st.text_area(
            "Terms, one per line",
            "\n".join(protect),
            key=f"{prefix}protect",
            height=120,
            placeholder="Product names, codes, placeholders",
            help="Case-sensitive.",
            **keep,
        )
        expression = st.text_input(
            "Regular expression",
            pattern,
            key=f"{prefix}protect_pattern",
            placeholder=r"such as \d+ or “[^”]*”",
            help="Matches are left unchanged.",
            **keep,
        )
    return [line.strip() for line in (typed or "").splitlines() if line.strip()], (expression or "").strip()
