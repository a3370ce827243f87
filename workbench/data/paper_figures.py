"""The figures and tables of papers that the app can draw: where each is drawn, and what was published."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from workbench.core import paths

FILE = paths.shipped("assets", "literature") / "figures.toml"
PICTURES = paths.shipped("assets", "gallery")
"""A small picture of each, light and dark, by its id."""


@dataclass(frozen=True)
class PublishedCurve:
    """What a source prints of a curve: its points, or at least the setting that it found best."""

    label: str
    """What it is a curve of, and where it stands."""
    x: tuple[float, ...] = ()
    values: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """By measure, as printed: Spearman times 100."""
    best: float | None = None
    """The setting that was published as the best, or was used."""


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
    picture: str
    """What its picture shows, in a sentence."""
    columns: tuple[str, ...] = ()
    published: tuple[tuple[str, ...], ...] = ()
    """The published numbers as printed, one row each; empty where only a curve was published."""
    curve: PublishedCurve | None = None
    """What of it can be drawn beneath one's own; None where neither points nor a best setting are printed."""
    more: Mapping[str, PublishedCurve] = field(default_factory=dict)
    """Such curves of other settings of the recipe, by dotted name."""
    logged: str = ""
    """The curve of runs that the figure shows, as `store.curves` names it; empty for other figures."""
    setting: str = ""
    """The dotted name of the setting in which those runs differ."""

    @property
    def known(self) -> str:
        """What of the published numbers is known, in a sentence; empty where a table of them says it."""
        if self.curve and self.curve.values:
            return "The published numbers are drawn beneath your own."
        if self.curve and self.curve.best is not None:
            what = self.curve.label.partition(":")[0]
            return f"Published is that {self.curve.best:g} was {what}; no other numbers are printed."
        return "" if self.published else "The source prints no numbers."


@cache
def paper_figures() -> tuple[PaperFigure, ...]:
    """All of them, in the order of the page.

    >>> paper_figures()[0].page
    'explore'
    """
    read = tomllib.loads(FILE.read_text(encoding="utf-8"))["figure"]
    return tuple(
        PaperFigure(
            **{name: entry[name] for name in ("id", "group", "title", "source", "draws", "python", "note", "picture")},
            page=entry["open"]["page"],
            parameters={name: value for name, value in entry["open"].items() if name != "page"},
            columns=tuple(entry.get("columns", ())),
            published=tuple(tuple(row) for row in entry.get("published", ())),
            curve=_curve(entry["curve"], entry["source"]) if "curve" in entry else None,
            more={axis: _curve(one, entry["source"]) for axis, one in entry.get("more", {}).items()},
            logged=entry.get("logged", ""),
            setting=entry.get("setting", ""),
        )
        for entry in read
    )


def _curve(entry: Mapping[str, Any], source: str) -> PublishedCurve:
    return PublishedCurve(
        f"{entry['of']}: {source}",
        tuple(map(float, entry.get("x", ()))),
        {measure: tuple(map(float, values)) for measure, values in entry.get("values", {}).items()},
        entry.get("best"),
    )


def published_curve(recipe: str, axis: str) -> PublishedCurve | None:
    """What is published of a recipe's score over one of its settings; None if nothing is known to us.

    >>> published_curve("consert_unsup", "training.batch_size").values["spearman"][0]
    72.63
    """
    for entry in paper_figures():
        if entry.parameters.get("recipe") == recipe:
            curves = {str(entry.parameters.get("sweep.one.axis")): entry.curve, **entry.more}
            if curve := curves.get(axis):
                return curve
    return None
