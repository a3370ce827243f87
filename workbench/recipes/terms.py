"""A recipe's terms with a user's changes and every setting written out, and the checks of their values."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from workbench.augmentations.pipeline import parse
from workbench.core.config import Term, View
from workbench.core.errors import BadSetting, unknown
from workbench.core.method import Method
from workbench.core.validation import fault_of
from workbench.losses import INPUTS, needs, takes
from workbench.models.cards import EMBEDDED
from workbench.objectives import GUIDE, encoded, guided, method_of
from workbench.objectives._following import follows, leader
from workbench.recipes.naming import KNOBS, meant

Part = TypeVar("Part")
MOST_DROPOUT = 0.9
"""Largest dropout rate of a view; the same limit as for `training.dropout`."""


def settled_terms(terms: tuple[Term, ...], changes: Mapping[str, object]) -> tuple[tuple[Term, ...], dict[str, str]]:
    """The recipe's terms with the user's changes and every setting of every loss and augmentation written out; and, by dotted
    name, where each setting came from: recipe, user or default.

    Raises:
        UnknownName: a loss, objective, augmentation or setting that does not exist.
        BadSetting: a value out of range, views that do not fit, or steps in which nothing acts.
    """
    settled, origins = [], {}
    for number, term in enumerate(terms):
        raw = asdict(term)
        for name, value in changes.items():
            dotted = meant(name, terms)
            prefix = f"terms.{number}."
            if dotted.startswith(prefix):
                _put(raw, dotted.removeprefix(prefix).split("."), value, dotted)
        place = f"terms.{number}"
        if bool(raw["loss"]) == bool(raw["objective"]):
            raise BadSetting(f"{place} needs a loss or an objective, one of the two.", got=_named(raw))
        changed = validated(Term, raw, place)
        raw, method = asdict(changed), method_of(changed)
        kind = "loss" if raw["loss"] else "objective"
        if method.id != term.name:
            # Another loss has other settings; the values that the recipe published for its own loss do not carry over.
            raw["settings"] = {
                key: value for key, value in raw["settings"].items() if f"terms.{number}.settings.{key}" in changes
            }
        published = set(raw["settings"]) & set(term.settings)
        reached = [
            name
            for name in changes
            if name not in KNOBS and (name in method.settings or (name == GUIDE and guided(method, raw["settings"])))
        ]
        for name in reached:  # a bare name applies to every term that has it; a dotted name takes precedence
            raw["settings"][name] = changes.get(f"{place}.settings.{name}", changes[name])
        guide = raw["settings"].pop(GUIDE, "")
        for label in ("views", "more"):
            for name, view in raw[label].items():
                view["augmentation"] = _line(view["augmentation"], f"{place}.{label}.{name}.augmentation")
        if "kinds" in method.tags and not {"kinds", f"{place}.settings.kinds"} & changes.keys():
            # The classes of a discriminator are the augmentations of its view, even if a user recipe stored other ones.
            raw["settings"]["kinds"] = _kinds(changed, method.tags["kinds"], place)
        raw["settings"] = method.check(raw["settings"])
        if guided(method, raw["settings"]):
            raw["settings"][GUIDE] = _guide(guide, method)
        elif guide:
            raise unknown(f"setting of {method.id}", GUIDE, method.settings)
        origins[f"terms.{number}.{kind}"] = "recipe"
        for key in raw["settings"]:
            origin = "user" if key in reached else "recipe" if key in published else "default"
            origins[f"{place}.settings.{key}"] = origin
        settled.append(_fitting(validated(Term, raw, place), method, place))
    _check_schedule(settled)
    return tuple(settled), origins


def _named(raw: Mapping[str, object]) -> str:
    return " and ".join(f"{kind} {raw[kind]}" for kind in ("loss", "objective") if raw[kind]) or "neither"


def _guide(name: object, method: Method) -> str:
    if not isinstance(name, str) or not name:
        raise BadSetting(
            f"{method.id} needs a guide.",
            rule="A second model, which is not trained, says which texts are alike.",
            way_out=f"Set {GUIDE} to {', '.join(EMBEDDED)}, or another backbone.",
        )
    return name


def _kinds(term: Term, view: str, path: str) -> str:
    """The augmentations that a view chooses among, joined by spaces."""
    if view not in term.views:
        return ""  # reported by `_fitting`
    steps = parse(term.views[view].augmentation).on_texts
    if len(steps) != 1:
        raise BadSetting(
            f"{path} tells the augmentations of {view!r} apart, so it needs one that acts on each text.",
            got=f"{len(steps)} on texts",
            way_out="Write it like one_of(eda_swap, eda_delete).",
        )
    return " ".join(dict.fromkeys(step.name for step in steps[0].all()))


def _fitting(term: Term, method: Method, path: str) -> Term:
    """`term`, if its views are those that its loss or objective takes.

    Raises:
        BadSetting: a view is missing or is not taken, or another value of the term is invalid.
    """
    if term.objective:
        required = [*method.inputs, *method.tags.get("texts", "").split()]
        known = required
    else:
        required = [name for name in needs(method, term.settings) if INPUTS[name] == "encoded"]
        known = [*required, *(name for name in takes(method, term.settings) if INPUTS[name] == "encoded")]
    missing = [name for name in required if name not in term.views]
    if missing:
        raise BadSetting(
            f"{method.id} needs the view{'s' * (len(missing) > 1)} {', '.join(missing)}, which {path} does not have.",
            got=", ".join(term.views) or "no views",
            way_out="Choose a recipe made for it, or declare them in the recipe.",
        )
    extra = [name for name in term.views if name not in known]
    if extra:
        raise BadSetting(f"{method.id} takes no view called {extra[0]!r}.", rule=f"It takes {', '.join(known)}.")
    beside = [] if term.objective else [*needs(method, term.settings), *takes(method, term.settings)]
    beside = [name for name in beside if INPUTS[name] != "encoded"]
    if term.more and (term.objective or beside):
        raise BadSetting(
            f"{path}.more: {method.id} takes no further rows.",
            rule="They are vectors only, without scores, labels or a guide.",
            got="an objective" if term.objective else f"a loss that takes {', '.join(beside)}",
            way_out="Leave more out, or choose a loss over vectors alone.",
        )
    if term.more and set(term.more) != set(encoded(term)):
        raise BadSetting(
            f"{path}.more has other views than {path}.views.",
            rule="Rows are added to all of them or to none, so that they stay aligned.",
            got=", ".join(term.more),
        )
    for label, own in (("views", term.views), ("more", term.more)):
        for name, view in own.items():
            _fitting_view(view, f"{path}.{label}.{name}", "" if name in encoded(term) else method.id)
    if term.every < 0:
        raise BadSetting(f"{path}.every cannot be {term.every}.", rule="It is a whole number from 0; 0 is never.")
    if not math.isfinite(term.weight):
        raise BadSetting(f"{path}.weight cannot be {term.weight}.", rule="It is a number.")
    return term


def _fitting_view(view: View, path: str, reader: str) -> None:
    """Check that the settings of a view can be applied; `reader` is the objective that only reads its texts, else empty.

    Raises:
        BadSetting: a setting cannot be applied.
    """
    if not isinstance(view.dropout, str) and not 0.0 <= view.dropout <= MOST_DROPOUT:
        raise BadSetting(
            f"{path}.dropout cannot be {view.dropout}.",
            rule=f"It is a rate from 0 to {MOST_DROPOUT}, on, or off.",
            way_out="on is the training's own rate.",
        )
    inside = [step.name for step in parse(view.augmentation).at("positions", "states", "vectors")]
    if reader and (view.dropout != "on" or inside):
        raise BadSetting(
            f"{path}: {reader} reads the texts of this view and encodes them itself, so settings of a view have no effect.",
            rule="Dropout, and augmentations of positions, states or vectors, act on views that are encoded.",
            got=inside[0] if inside else f"dropout = {view.dropout}",
            way_out="Leave dropout on, and augment the text or nothing.",
        )


def _check_schedule(terms: list[Term]) -> None:
    """Check that some term acts in every step and that views that follow a gradient have one; pretraining has no terms."""
    if not terms:
        return
    turns = math.lcm(*(term.every for term in terms if term.every))
    for step in range(min(turns, 100_000)):
        acting = [term for term in terms if term.acts(step)]
        if not acting:
            raise BadSetting(
                f"No term acts in step {step + 1}.",
                rule="every and skip leave each step at least one.",
                way_out="Give one term skip = true with the same every, or every = 1.",
            )
        _check_followed(acting, step)


def _check_followed(acting: Sequence[Term], step: int) -> None:
    for term in acting:
        views = [*term.views.items(), *term.more.items()]
        for name, view in views:
            if follows(view) and name in encoded(term) and leader(view, acting) is None:
                raise BadSetting(
                    f"{view.augmentation} in the view {name} of {term.name} has no gradient to follow in step {step + 1}.",
                    rule="It follows the gradient of a supervised loss over the same texts: of a term that takes labels "
                    "or scores, or compares two columns, and whose own views follow none.",
                    got=", ".join(dict.fromkeys(own.name for own in acting)),
                    way_out="Choose a recipe with one, such as consert_joint, or another augmentation.",
                )


def _line(value: object, dotted: str) -> str:
    """A pipeline as one line with every setting written out, so that a run records exactly what it did."""
    if not isinstance(value, str):
        raise BadSetting(
            f"{dotted} cannot be {value!r}.", rule="It is a line like eda_swap(rate=0.2) + typo_noise@0.5."
        )
    return str(parse(value))


def _put(raw: dict[str, object], path: list[str], value: object, dotted: str) -> None:
    *parents, last = path
    for key in parents:
        inner = raw.get(key)
        if not isinstance(inner, dict):
            raise unknown("setting", dotted, [key for key, item in raw.items() if isinstance(item, dict)])
        raw = inner
    raw[last] = value


def validated(cls: type[Part], raw: Mapping[str, object], path: str) -> Part:
    """A part of a configuration, built from plain values.

    Raises:
        BadSetting: a key is unknown or missing, or a value has the wrong type.
    """
    kind: type = cls
    try:
        return _adapter(kind).validate_python(raw)
    except ValidationError as error:
        fault = fault_of(error)
        where = ".".join(filter(None, (path, fault.where)))
        raise BadSetting(f"{where}: {fault.what}.", got=fault.got) from None


@cache
def _adapter(cls: type) -> TypeAdapter[Any]:
    """Cached: building it takes milliseconds, and a page settles several configurations."""
    return TypeAdapter(cls)
