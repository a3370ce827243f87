"""Resolves a name in a user's changes to one dotted name of a run's configuration."""

from collections.abc import Iterator
from dataclasses import fields

from workbench.core.config import SECTIONS, Term, View
from workbench.core.errors import BadSetting, UnknownName, unknown
from workbench.core.flag_names import OF_A_RUN
from workbench.recipes.linked_settings import moved, standing_for_several

_ALIASES = {
    "loss": "terms.0.loss",
    "augment_a": "terms.0.views.a.augmentation",
    "augment_b": "terms.0.views.b.augmentation",
}

KNOBS = OF_A_RUN
"""Settings of sections: a bare name means one of these rather than a term's setting (`dropout` is the backbone's)."""


def meaning(name: str, terms: tuple[Term, ...]) -> str:
    """The dotted name that `settle` resolves a name to, in a run with these terms.

    Raises:
        UnknownName: no setting has that name; the message suggests the closest ones.
        BadSetting: several sections have a setting of that name.

    >>> from workbench.recipes.load import find_recipe
    >>> meaning("temperature", find_recipe("simcse_unsup").terms)
    'terms.0.settings.temperature'
    """
    return _ALIASES.get(name) or _dotted(name, terms)


def meant(name: str, terms: tuple[Term, ...]) -> str:
    """The dotted name, or the name itself if it cannot be resolved: another loss may have such a setting."""
    try:
        return meaning(name, terms)
    except (UnknownName, BadSetting):
        return name


def _dotted(name: str, terms: tuple[Term, ...]) -> str:
    """The one dotted name that a bare or dotted name means."""
    candidates = [dotted for dotted in _known(terms) if dotted == name or dotted.rsplit(".", 1)[-1] == name]
    exact = [dotted for dotted in candidates if dotted == name]
    if exact:
        return exact[0]
    if not candidates:
        raise unknown("setting", name, {dotted.rsplit(".", 1)[-1] for dotted in _known(terms)} | set(_ALIASES))
    # A setting of a section takes precedence over one of a view or term: `dropout` is the backbone's.
    own = [dotted for dotted in candidates if not dotted.startswith("terms.")]
    if len(own) == 1:
        return own[0]
    if len(own) > 1:
        # Of the terms, only one that does not act in every step: `every` of any other is unlikely to be meant.
        own += [f"terms.{number}.every" for number, term in enumerate(terms) if name == "every" and term.every != 1][:1]
        raise BadSetting(f"{name} could mean {' or '.join(own)}.", way_out="Write the whole name.")
    of_terms = [dotted for dotted in candidates if dotted.startswith("terms.") and dotted.count(".") == 2]
    if len(of_terms) > 1 and not {*of_terms} <= {*moved(of_terms[0], terms)}:
        called = [f"{dotted} ({terms[int(dotted.split('.')[1])].name})" for dotted in of_terms]
        raise BadSetting(f"{name} could mean {' or '.join(called)}.", way_out="Write the whole name.")
    return candidates[0]


def _known(terms: tuple[Term, ...]) -> Iterator[str]:
    yield from ("name", "after")
    for section, cls in SECTIONS.items():
        if section != "pretraining" or not terms:
            yield from (f"{section}.{item.name}" for item in fields(cls))
    yield from standing_for_several(terms)
    for number, term in enumerate(terms):
        yield from (f"terms.{number}.{name}" for name in ("loss", "objective", "weight", "every", "skip"))
        yield from (f"terms.{number}.settings.{name}" for name in term.settings)
        for kind, views in (("views", term.views), ("more", term.more)):
            yield from (f"terms.{number}.{kind}.{label}.{item.name}" for label in views for item in fields(View))
