"""What a run minimises: each term with its loss or objective, the knobs, the formula beside them, and its views."""

import re
from typing import Any

import streamlit as st

from workbench.augmentations.pipeline import parse
from workbench.core.config import RunConfig, Term
from workbench.core.method import Method
from workbench.losses import needs, takes
from workbench.objectives import GUIDE
from workbench.ui.folders import model_inside, pipeline_inside
from workbench.ui.forms import methods, settings_form
from workbench.ui.notices import quiet
from workbench.ui.pipelines import pipeline_editor
from workbench.ui.targets import BACKBONES
from workbench.ui.words import html, named

_DROPOUTS = {"on": "The run's", "off": "Off", "own": "Own rate"}
_LONGEST = 28
"""Signs of a formula that stands beside its knobs; a longer one takes the whole width below them."""
_MADE = ("kinds",)
"""Settings that follow from the views."""


def terms_form(recipe: RunConfig, base: RunConfig, notes: dict[str, str], prefix: str) -> dict[str, Any]:
    """Loss or objective of each term and its knobs, formula beside them. `notes` say where each value came from.

    `recipe` says what can be chosen, `base` what the fields begin with.
    """
    found: dict[str, Any] = {}
    several = len(base.terms) > 1
    for number, (published, term) in enumerate(zip(recipe.terms, base.terms, strict=True)):
        place, key = f"terms.{number}", f"{prefix}terms.{number}."
        choices = _choices(published) | _choices(term)
        kind = "loss" if term.loss else "objective"
        if several:
            st.html(f'<p class="of">Term {number + 1} of {len(base.terms)}: {html(_turn(term))}</p>')
        pick, formula = st.columns(2, gap="large")
        with pick:
            chosen = st.selectbox(
                kind.capitalize(),
                list(choices),
                index=list(choices).index(term.name),
                format_func={name: method.title for name, method in choices.items()}.__getitem__,
                key=f"{key}{kind}",
                persist_state="session",
                disabled=len(choices) == 1,
                help="Those that take the views of this recipe."
                if len(choices) > 1
                else "No other takes the views of this recipe.",
            )
            method = choices[str(chosen)]
            found[f"{place}.{kind}"] = method.id
            like = next((one for one in (term, published) if one.name == method.id), None)
            values = dict(like.settings) if like else {}
            settings = {name: setting for name, setting in method.settings.items() if name not in _MADE}
            said = {name: notes.get(f"{place}.settings.{name}", "") for name in values}
            knobs = settings_form(settings, prefix=f"{key}{method.id}.", values=values, notes=said, across=2)
            found |= {f"{place}.settings.{name}": value for name, value in knobs.items()}
            if GUIDE in values:
                found[f"{place}.settings.{GUIDE}"] = _guide(str(values[GUIDE]), key)
            if several or {term.weight, published.weight} != {1.0}:
                found[f"{place}.weight"] = st.number_input(
                    "Weight of this term",
                    value=float(term.weight),
                    step=0.001 if abs(term.weight) < 0.1 else 0.1,
                    format="%g",
                    key=f"{key}weight",
                    persist_state="session",
                    help=f"The loss is the weighted sum of all terms. `{place}.weight`",
                )
            if {term.every, published.every} != {1}:
                found[f"{place}.every"] = int(
                    st.number_input(
                        "In all steps but every n-th" if term.skip else "In every n-th step",
                        0,
                        100_000,
                        term.every,
                        1,
                        key=f"{key}every",
                        persist_state="session",
                        help=f"Terms that take turns must go on doing so: no step may be empty. `{place}.every`",
                    )
                )
        with formula:
            if 0 < _signs(method.formula) <= _LONGEST:
                st.latex(method.formula)
            quiet(f"{method.summary} {method.source}")
        if _signs(method.formula) > _LONGEST:
            st.latex(method.formula)
    return found


def _signs(formula: str) -> int:
    """About how many signs a formula is wide: a fraction as wide as its longer part.

    >>> _signs(r"\\mathcal{L} = -\\log x"), _signs(r"\\frac{a + b}{c}")
    (5, 3)
    """
    flat = re.sub(r"\\(?:left|right|tfrac|mathcal|mathrm|text|operatorname|quad|,|;)", "", formula)
    flat = re.sub(r"[_^](?:\{[^{}]*\}|\\?\w+)", "", flat)
    flat = re.sub(
        r"\\frac\{((?:[^{}]|\{[^{}]*\})*)\}\{((?:[^{}]|\{[^{}]*\})*)\}",
        lambda found: max(found[1], found[2], key=len),
        flat,
    )
    return len(re.sub(r"[\s{}]", "", re.sub(r"\\[a-zA-Z]+", "x", flat)))


def _turn(term: Term) -> str:
    """When a term acts.

    >>> _turn(Term(loss="ntxent_2n", every=3)), _turn(Term(loss="ntxent_2n", every=3, skip=True))
    ('in every 3rd step', 'in all steps but every 3rd')
    """
    if term.every == 1 and not term.skip:
        return "in every step"
    ending = {1: "st", 2: "nd", 3: "rd"}.get(term.every % 10 if term.every % 100 not in (11, 12, 13) else 0, "th")
    turn = f"every {term.every}{ending}" if term.every else "none"
    return f"in all steps but {turn}" if term.skip else f"in {turn} step"


def _guide(start: str, key: str) -> str:
    guide = st.selectbox(
        "Guide",
        list(dict.fromkeys([start, *BACKBONES])),
        key=f"{key}guide",
        accept_new_options=True,
        persist_state="session",
        help="A second model, which is not trained and says which texts are alike: a backbone, a Hub id or a folder.",
    )
    model_inside(str(guide or start))
    return str(guide or start)


def views_form(base: RunConfig, prefix: str) -> dict[str, Any]:
    """How each view of each term is made: role, augmentation and dropout."""
    found: dict[str, Any] = {}
    several = len(base.terms) > 1
    for number, term in enumerate(base.terms):
        key = f"{prefix}terms.{number}."
        if several:
            st.html(f'<p class="of">Term {number + 1}: {html(named(term.name))}</p>')
        if not term.views:
            quiet("It takes the texts of the batch as they are.")
            continue
        for column, (label, view) in zip(st.columns(len(term.views), gap="large"), term.views.items(), strict=True):
            with column:
                of = "" if view.role == "text" else f", of the column {view.role}"
                more = ", and further rows below" if label in term.more else ""
                st.html(f'<p class="of">View {html(label + of + more)}</p>')
                view_place = f"terms.{number}.views.{label}"
                line = pipeline_editor(
                    f"{key}{label}",
                    view.augmentation,
                    address=f"augment_{label}" if number == 0 else "",
                    compact=True,
                    role="negative" if label == "negatives" else "",
                )
                found[f"{view_place}.augmentation"] = str(parse(pipeline_inside(line)))
                found[f"{view_place}.dropout"] = _dropout(view.dropout, f"{key}{label}.", base.training.dropout)
    return found


def _choices(term: Term) -> dict[str, Method]:
    """What can take a term's place: losses of the same views that need nothing more than it does; itself if an objective."""
    if term.objective:
        return {term.objective: methods("objectives")[term.objective]}
    there = {*term.views, *needs(methods("losses")[term.loss], term.settings)}
    found = {}
    for name, loss in methods("losses").items():
        settings = term.settings if name == term.loss else None
        required = set(needs(loss, settings))
        if required <= there and set(term.views) <= required | set(takes(loss, settings)):
            found[name] = loss
    return found


def _dropout(start: str | float, key: str, rate: float) -> str | float:
    """A view's dropout: the run's, none, or a rate of its own."""
    own = isinstance(start, float)
    policy = st.segmented_control(
        "Dropout",
        list(_DROPOUTS),
        default="own" if own else str(start),
        format_func=_DROPOUTS.__getitem__,
        required=True,
        key=f"{key}dropout",
        persist_state="session",
        help="Two views of different rates differ by more than chance.",
    )
    if policy != "own":
        return str(policy)
    return float(
        st.slider(
            "Dropout rate of this view",
            0.0,
            0.9,
            float(start) if own else rate,
            0.01,
            key=f"{key}rate",
            persist_state="session",
        )
    )
