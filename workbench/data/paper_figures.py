"""The figures and tables of papers that the app can draw: where each is drawn, and what was published."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from workbench.core import paths

FILE = paths.shipped("assets", "literature") / "figures.toml"


@dataclass(frozen=True)
class PaperFigure:
    """A figure or table of a paper."""

    id: str
    group: str
    title: str
    source: str
    draws: str
    """`at once`, or `after training`."""
    page: str
    """The page that draws it, or whose form trains what it needs."""
    parameters: Mapping[str, str | list[str]]
    """The parameters of that page in the address."""
    python: str
    """A line that does the same."""
    note: str
    """What differs here, and what of the published figure is not known."""
    columns: tuple[str, ...] = ()
    published: tuple[tuple[str, ...], ...] = ()
    """The published numbers as printed, one row each; empty where only a curve was published."""


@cache
def paper_figures() -> tuple[PaperFigure, ...]:
    """All of them, in the order of the page.

    >>> paper_figures()[0].page
    'explore'
    """
    read = tomllib.loads(FILE.read_text(encoding="utf-8"))["figure"]
    return tuple(
        PaperFigure(
            **{name: entry[name] for name in ("id", "group", "title", "source", "draws", "python", "note")},
            page=entry["open"]["page"],
            parameters={name: value for name, value in entry["open"].items() if name != "page"},
            columns=tuple(entry.get("columns", ())),
            published=tuple(tuple(row) for row in entry.get("published", ())),
        )
        for entry in read
    )
