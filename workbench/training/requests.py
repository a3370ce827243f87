"""What the terms of a run ask to be encoded: views, and when two of them are one encoding."""

from collections.abc import Mapping, Sequence

from workbench.core.config import Term, View
from workbench.core.errors import BadData
from workbench.objectives import encoded
from workbench.training.row_filter import text_key

Columns = Mapping[str, Sequence[str]]
ViewKey = tuple[str, int, str, int, str | float]


def key(view: View) -> ViewKey:
    """What makes two requests one encoding."""
    return (*text_key(view), view.copy, view.dropout)


def requests(terms: Sequence[Term]) -> list[View]:
    """The distinct views of all terms that are to be encoded, in order of first mention."""
    named = ((name, term) for term in terms for name in encoded(term))
    views = (view for name, term in named for view in (term.views.get(name), term.more.get(name)) if view)
    return list({key(view): view for view in views}.values())


def mentioned(terms: Sequence[Term]) -> list[View]:
    """The distinct views of all terms, including those of which only the texts are needed."""
    views = (view for term in terms for view in (*term.views.values(), *term.more.values()))
    return list({key(view): view for view in views}.values())


def check_roles(terms: Sequence[Term], columns: Columns) -> None:
    """Check that the corpus has every text column the terms ask for.

    Raises:
        BadData: names the missing column and those present.
    """
    for view in mentioned(terms):
        if view.role not in columns:
            raise BadData(
                f"The recipe needs texts called {view.role!r}.",
                got=f"a corpus with {', '.join(columns)}",
                way_out="Choose a corpus with that column, or another recipe.",
            )
