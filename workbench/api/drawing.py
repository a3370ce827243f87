"""Figures of a film and of the lesson, and any figure as a file for print."""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from workbench.core.method import Value
    from workbench.film.tables import FilmTables
    from workbench.lesson.facts import Numbers


def save_figure(figure: "Figure", path: str | PathLike[str], *, width: str = "single") -> Path:
    """Save a figure of `workbench.plots` for print, as SVG, PDF or PNG by the ending of `path`; returns the path.

    `width` is single, 3.33 inches, or full, 6.75 inches; text is about 7 points in both. PDF embeds its letters, SVG keeps
    text as text, PNG has 300 dots an inch, and equal figures give equal files. A light figure stands on white.

    Raises:
        BadSetting: another ending or width, or a part of the figure that has no counterpart in print.
    """
    from workbench.core.writing import write_bytes
    from workbench.plots.print_file import print_file

    target = Path(path)
    write_bytes(target, print_file(figure, target.suffix.lower().removeprefix("."), width=width))
    return target


def film_figure(film: "FilmTables", name: str, *, step: int | None = None, dark: bool = False) -> "Figure":
    """A figure of a film at one step, the last one by default: what the film's page draws there, for `save_figure`.

    `film` is what `film` returns, `name` one of cone, pca, gold, path, spectrum and curves; see
    `workbench.film.figures.FIGURES`. Axes are the same at all steps. Only steps that were measured have figures: between two
    of them a film moves in straight lines.

    Raises:
        UnknownName: there is no such figure.
        BadSetting: nothing was measured at this step; the message names the steps that were.
        BadData: the film has nothing to draw it from, such as no pairs with gold scores.
    """
    from workbench.film.figures import film_figure as drawn

    return drawn(film, name, step=step, dark=dark)


def lesson_figure(name: str, *, numbers: "Numbers | None" = None, dark: bool = False, **knobs: "Value") -> "Figure":
    """A figure of the lesson, as its knobs begin or as they are set: what Learn draws, for `save_figure`.

    `name` and its `knobs` are those of `workbench.lesson.figures.FIGURES`, such as mean with share=0.5 and side="after". Without
    `numbers` they are the shipped ones; those of `lesson(step, ...)` are its `numbers`.

    Raises:
        UnknownName: there is no such figure, or it has no such knob.
        BadSetting: a knob cannot be set to this value; the message names those of which there are numbers.
    """
    from workbench.lesson.figures import lesson_figure as drawn

    return drawn(name, knobs, numbers=numbers, dark=dark)
