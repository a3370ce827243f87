"""The comparison that ships with the app, as `python -m workbench demo` wrote it."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

if TYPE_CHECKING:
    from pandas import DataFrame

FOLDER = Path(__file__).parents[2] / "assets" / "demo" / "results"


def shipped() -> dict[str, Any] | None:
    """What comparison.json says, or None where nothing is shipped."""
    if not (FOLDER / "comparison.json").exists():
        return None
    return _json(str(FOLDER / "comparison.json"))


def shipped_table(name: str) -> "DataFrame":
    """One of the tables beside it: plane, pairs, cone."""
    return _parquet(str(FOLDER / f"{name}.parquet"))


@st.cache_data(show_spinner=False, max_entries=8)
def _json(path: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    return found


@st.cache_data(show_spinner=False, max_entries=8)
def _parquet(path: str) -> "DataFrame":
    import pandas

    return pandas.read_parquet(path)


def demo_facts(demo: dict[str, Any]) -> None:
    """Placeholder until the format is written."""


def demo_plane(demo: dict[str, Any]) -> None:
    """See `demo_facts`."""


def demo_cone(demo: dict[str, Any]) -> None:
    """See `demo_facts`."""


def demo_second_case(demo: dict[str, Any]) -> None:
    """See `demo_facts`."""


def demo_provenance(demo: dict[str, Any]) -> None:
    """See `demo_facts`."""
