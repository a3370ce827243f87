"""Adversarial views: they follow a gradient, so they are encoded after the supervised terms have computed theirs."""

from collections.abc import Sequence

from workbench.augmentations.pipeline import Pipeline, parse
from workbench.core.config import Term, View

_ANNOTATED = {"text", "positive", "negative"}
"""Columns whose texts the corpus pairs with one another."""


def follows(view: View) -> bool:
    """Whether a view takes the gradient of a supervised loss.

    >>> follows(View(augmentation="fgv")), follows(View(augmentation="token_cutoff"))
    (True, False)
    """
    return any("gradient" in step.method.inputs for step in parse(view.augmentation).at("states"))


def supervised(term: Term) -> bool:
    """Whether other terms may follow the gradient of this term: it takes labels or scores, or compares two columns.

    False for a term of weight 0, and for one that follows a gradient itself.

    >>> pair = {"a": View(), "b": View(role="positive")}
    >>> supervised(Term(pair, loss="cosent")), supervised(Term({"a": View(), "b": View(draw=1)}, loss="infonce_nn"))
    (True, False)
    """
    from workbench.objectives import numbers

    views = clean(term)
    columns = {view.role for view in views} & _ANNOTATED
    return bool(term.weight and views and (numbers(term) or len(columns) > 1))


def clean(term: Term) -> list[View]:
    """The views whose vectors a term takes; none if one of them follows a gradient."""
    from workbench.objectives import encoded

    own = [view for name in encoded(term) for view in (term.views.get(name), term.more.get(name)) if view]
    return [] if any(follows(view) for view in own) else own


def leader(view: View, terms: Sequence[Term]) -> View | None:
    """The view at whose embedding output `view` takes its gradient: a view of a supervised term with the same texts.

    None if there is no such view.
    """
    for term in terms:
        if supervised(term):
            for own in clean(term):
                if _texts(own) == _texts(view):
                    return own
    return None


def _texts(view: View) -> tuple[str, int, str]:
    steps = parse(view.augmentation).on_texts
    return view.role, view.draw if steps else 0, str(Pipeline(steps))
