"""The Python line that reproduces what is on screen."""

import streamlit as st


def python_call(verb: str, *args: object, **kwargs: object) -> str:
    """The call as text.

    >>> python_call("augment", "eda_swap", "a b", seed=3)
    "api.augment('eda_swap', 'a b', seed=3)"
    """
    named = {name: value for name, value in kwargs.items() if name.isidentifier()}
    dotted = {name: value for name, value in kwargs.items() if not name.isidentifier()}
    parts = [*map(repr, args), *(f"{name}={value!r}" for name, value in named.items())]
    if dotted:
        parts.append(f"**{dotted!r}")
    return f"api.{verb}({', '.join(parts)})"


def repeat(*lines: str, command: str = "") -> None:
    """Show the Python lines that reproduce this page, with their import, and the command if there is one, ready to copy."""
    if command:
        st.html('<p class="footing">The same in a terminal</p>')
        st.code(command, language="bash", wrap_lines=True)
    st.html('<p class="footing">The same in Python</p>')
    st.code("\n".join(["from workbench import api", *lines]), language="python", wrap_lines=True)
