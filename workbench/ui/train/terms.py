"""What a run minimises: each term with its loss or objective, its knobs and formula, and its views."""

import re
from dataclasses import replace

import streamlit as st

from workbench.augmentations.pipeline import parse
from workbench.core.config import RunConfig, Term
from workbench.core.method import Method
from workbench.losses import needs, takes
from workbench.objectives import GUIDE, encoded
from workbench.recipes.linked_settings import by_policy, moved, one_text, pass_of, policy_of, second_pass
from workbench.ui.kit.folders import model_inside, pipeline_inside
from workbench.ui.kit.forms import FormValues, methods, settings_form
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.words import html, label_of
from workbench.ui.pipelines.editor import pipeline_editor
from workbench.ui.targets.names import BACKBONES

_DROPOUTS = {"on": "The run's", "off": "Off", "own": "Own rate"}
_POLICIES = {"on": "On", "off": "Off", "mix": "Mix", "own": "Individual"}
_MASKS = {"own": "Its own", "same": "Same as view a"}
_LONGEST = 28
"""Most characters of a formula next to its knobs; a longer one takes the full width below them."""
_MADE = ("kinds",)
"""Settings derived from the views."""


def terms_form(recipe: RunConfig, base: RunConfig, notes: dict[str, str], prefix: str) -> FormValues:
    """Loss or objective of each term with its knobs and formula. `notes` say where each value came from.

    `recipe` determines the options, `base` the initial values.
    """
    found: FormValues = {}
    several = len(base.terms) > 1
    for number, (published, term) in enumerate(zip(recipe.terms, base.terms, strict=True)):
        place, key = f"terms.{number}", f"{prefix}terms.{number}."
        choices = losses_for(published) | losses_for(term)
        kind = "loss" if term.loss else "objective"
        if several:
            every = found.get(f"{place}.every", st.session_state.get(f"{key}every"))
            turn = _turn(replace(term, every=every) if isinstance(every, int) else term)
            st.html(f'<p class="of">Term {number + 1} of {len(base.terms)}: {html(turn)}</p>')
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
                help="Losses that take the views of this recipe."
                if len(choices) > 1
                else "No other loss takes the views of this recipe.",
            )
            method = choices[str(chosen)]
            found[f"{place}.{kind}"] = method.id
            like = next((known for known in (term, published) if known.name == method.id), None)
            values = dict(like.settings) if like else {}
            settings = {name: setting for name, setting in method.settings.items() if name not in _MADE}
            origins = {name: notes.get(f"{place}.settings.{name}", "") for name in values}
            knobs = settings_form(settings, prefix=f"{key}{method.id}.", values=values, notes=origins, across=2)
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
            follow = moved(f"{place}.every", recipe.terms)
            if f"{place}.every" not in found and {term.every, published.every} != {1}:
                found |= dict.fromkeys(follow, _every(term, follow, f"{key}every"))
        with formula:
            if 0 < _signs(method.formula) <= _LONGEST:
                st.latex(method.formula)
            quiet(f"{method.summary} {method.source}")
        if _signs(method.formula) > _LONGEST:
            st.latex(method.formula)
    return found


def _every(term: Term, follow: tuple[str, ...], key: str) -> int:
    """In which steps a term is active; terms that take turns with it get the same number."""
    others = [str(int(dotted.split(".")[1]) + 1) for dotted in follow[1:]]
    turns = f"Term{'s' * (len(others) > 1)} {', '.join(others)} follow{'s' * (len(others) == 1)} the same schedule. "
    return int(
        st.number_input(
            "In all steps but every n-th" if term.skip else "In every n-th step",
            0,
            100_000,
            term.every,
            1,
            key=key,
            persist_state="session",
            help=f"{turns if others else ''}0: {'in all steps' if term.skip else 'never'}. No step may be empty. `{follow[0]}`",
        )
    )


def _signs(formula: str) -> int:
    """The approximate width of a formula in characters: a fraction is as wide as its longer part.

    >>> _signs(r"\\mathcal{L} = -\\log x"), _signs(r"\\frac{a + b}{c}")
    (5, 3)
    """
    flat = re.sub(r"\\(?:left|right|tfrac|mathcal|mathrm|text|operatorname|quad|,|;)", "", formula)
    flat = re.sub(r"[_^](?:\{[^{}]*\}|\\?\w+)", "", flat)
    flat = re.sub(
        r"\\frac\{((?:[^{}]|\{[^{}]*\})*)\}\{((?:[^{}]|\{[^{}]*\})*)\}",
        lambda match: max(match[1], match[2], key=len),
        flat,
    )
    return len(re.sub(r"[\s{}]", "", re.sub(r"\\[a-zA-Z]+", "x", flat)))


def _turn(term: Term) -> str:
    """When a term is active.

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
        help="A frozen second model that decides which texts are similar: a backbone, a Hub id or a folder.",
    )
    model_inside(str(guide or start))
    return str(guide or start)


def views_form(base: RunConfig, prefix: str) -> FormValues:
    """How each view of each term is made (role, augmentation, dropout), and its further rows."""
    found: FormValues = {}
    several = len(base.terms) > 1
    for number, term in enumerate(base.terms):
        place, key = f"terms.{number}", f"{prefix}terms.{number}."
        if several:
            st.html(f'<p class="of">Term {number + 1}: {html(label_of(term.name))}</p>')
        if not term.views:
            quiet("It uses the texts of the batch unchanged.")
            continue
        rates = _policy(term, place, key)
        found |= rates
        for column, (label, view) in zip(st.columns(len(term.views), gap="large"), term.views.items(), strict=True):
            with column:
                of = "" if view.role == "text" else f", of the column {view.role}"
                st.html(f'<p class="of">View {html(label + of)}</p>')
                line = pipeline_editor(
                    f"{key}{label}",
                    view.augmentation,
                    address=f"augment_{label}" if number == 0 else "",
                    compact=True,
                    role="negative" if label == "negatives" else "",
                )
                found[f"{place}.views.{label}.augmentation"] = str(parse(pipeline_inside(line)))
                if label in encoded(term) and not rates:
                    found[f"{place}.views.{label}.dropout"] = _dropout(
                        view.dropout, f"{key}{label}.", base.training.dropout
                    )
        found |= _masks(term, found, place, key)
        if term.more:
            found |= _further_rows(term, place, key, base.training.dropout, rates=not rates)
    return found


def _policy(term: Term, dotted: str, key: str) -> FormValues:
    """The dropout of all views of a term if they share a policy; empty if each has its own."""
    labels = encoded(term)
    if len(labels) < 2:
        return {}
    policy = st.segmented_control(
        "Dropout of the views",
        list(_POLICIES),
        default=policy_of(term) or "own",
        format_func=_POLICIES.__getitem__,
        required=True,
        key=f"{key}policy",
        persist_state="session",
        help=f"Mix: view {labels[0]} with dropout, {', '.join(labels[1:])} without. A grid can vary on, off and mix. "
        f"`{dotted}.dropout`",
    )
    return {
        f"{dotted}.{kind}.{label}.dropout": rate
        for kind, views in (("views", term.views), ("more", term.more))
        for label, rate in (by_policy(term, str(policy)).items() if policy != "own" else ())
        if label in views
    }


def _further_rows(term: Term, dotted: str, key: str, rate: float, *, rates: bool) -> FormValues:
    """The rows below the views, with one editor per text, even if it is encoded several times. `rates`: show dropout."""
    found: FormValues = {}
    shown: list[str] = []
    for label in term.more:
        if not {*one_text(term, label)} & {*shown}:
            shown.append(label)
    for column, label in zip(st.columns(len(shown), gap="large"), shown, strict=True):
        alike = [label, *one_text(term, label)]
        with column:
            of = " and ".join(alike)
            st.html(
                f'<p class="of">Further rows of {html(of)}{": the same text, encoded for each" if len(alike) > 1 else ""}</p>'
            )
            line = pipeline_editor(f"{key}more.{label}", term.more[label].augmentation, compact=True)
            for row in alike:
                found[f"{dotted}.more.{row}.augmentation"] = str(parse(pipeline_inside(line)))
                if rates and row in encoded(term):
                    start = term.more[row].dropout
                    found[f"{dotted}.more.{row}.dropout"] = _dropout(start, f"{key}more.{row}.", rate, f" of {row}'s")
    return found


def _masks(term: Term, views: FormValues, dotted: str, key: str) -> FormValues:
    """The dropout mask of a second pass over the same text; `views` are the form's values for the views."""
    b = second_pass(term)
    lines = [views.get(f"{dotted}.views.{label}.augmentation", "") for label in ("a", "b")]
    rates = {views.get(f"{dotted}.views.{label}.dropout") for label in ("a", "b")}
    if not b or any(lines) or len(rates) > 1 or rates == {"off"}:
        return {}
    now = (term.views[b].draw, term.views[b].copy)
    chosen = st.segmented_control(
        f"Dropout mask of view {b}",
        list(_MASKS),
        default="same" if now == pass_of(term, "same") else "own",
        format_func=_MASKS.__getitem__,
        required=True,
        key=f"{key}masks",
        persist_state="session",
        help=f"The same mask is a control: the two vectors of a text are then identical. `{dotted}.masks`",
    )
    if chosen == "same":
        quiet("A control: both vectors of a text are identical, so only the negatives provide a signal.")
    draw, copy = pass_of(term, str(chosen))
    return {f"{dotted}.views.{b}.draw": draw, f"{dotted}.views.{b}.copy": copy}


def losses_for(term: Term) -> dict[str, Method]:
    """Losses that can replace a term's: they take the same views and need nothing more. An objective only itself."""
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


def _dropout(start: str | float, key: str, rate: float, of: str = "") -> str | float:
    """A view's dropout: the run's, off, or its own rate."""
    own = isinstance(start, float)
    policy = st.segmented_control(
        f"Dropout{of}",
        list(_DROPOUTS),
        default="own" if own else str(start),
        format_func=_DROPOUTS.__getitem__,
        required=True,
        key=f"{key}dropout",
        persist_state="session",
        help="Views with different rates differ systematically, not only by chance.",
    )
    if policy != "own":
        return str(policy)
    return float(
        st.slider(
            f"Dropout rate{of or ' of this view'}",
            0.0,
            0.9,
            float(start) if own else rate,
            0.01,
            key=f"{key}rate",
            persist_state="session",
        )
    )
