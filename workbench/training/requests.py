"""The views that the terms of a run need encoded, and which of them share one encoding."""

from collections.abc import Mapping, Sequence

from workbench.core.config import Term, View
from workbench.core.errors import BadData
from workbench.objectives import encoded
from workbench.training.row_filter import text_key

Columns = Mapping[str, Sequence[str]]
ViewKey = tuple[str, int, str, int, str | float]


def key(view: View) -> ViewKey:
    """What identifies an encoding: views with equal keys are encoded once."""
    return (*text_key(view), view.copy, view.dropout)


def requests(terms: Sequence[Term]) -> list[View]:
    """The distinct views of all terms that must be encoded, in order of first mention."""
    named = ((name, term) for term in terms for name in encoded(term))
    views = (view for name, term in named for view in (term.views.get(name), term.more.get(name)) if view)
    return list({key(view): view for view in views}.values())


def mentioned(terms: Sequence[Term]) -> list[View]:
    """The distinct views of all terms, including those that only supply texts."""
    views = (view for term in terms for view in (*term.views.values(), *term.more.values()))
    return list({key(view): view for view in views}.values())


def check_roles(terms: Sequence[Term], columns: Columns) -> None:
    """Check that the corpus has every text column the terms ask for.

    Raises:
        BadData: a column is missing; the message names it and those present.
    """
    for view in mentioned(terms):
        if view.role not in columns:
            raise BadData(
                f"The recipe needs texts called {view.role!r}.",
                got=f"a corpus with {', '.join(columns)}",
                way_out="Choose a corpus with that column, or another recipe.",
            )
