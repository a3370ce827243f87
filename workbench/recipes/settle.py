"""From a recipe, a backbone and a user's changes to the configuration of a run that says where every value came from."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, fields, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from workbench.augmentations.pipeline import parse
from workbench.augmentations.protect import Protection
from workbench.core.config import SECTIONS, Corpus, Model, RunConfig, Term, Value, View, check
from workbench.core.errors import BadSetting, UnknownName, unknown
from workbench.core.method import Method, find
from workbench.heads import METHODS as HEADS
from workbench.losses import INPUTS, needs, takes
from workbench.models.cards import EMBEDDED, card, default_backbone
from workbench.objectives import GUIDE, encoded, guided, method_of
from workbench.objectives._following import follows, leader
from workbench.pooling import METHODS as POOLINGS
from workbench.recipes.load import Recipe, find_recipe
from workbench.recipes.together import check_one_text, spread, standing_for_several

_ALIASES = {
    "loss": "terms.0.loss",
    "augment_a": "terms.0.views.a.augmentation",
    "augment_b": "terms.0.views.b.augmentation",
}

MOST_DROPOUT = 0.9
"""Largest rate of a view, as of a training."""

_KNOBS = {item.name for name, section in SECTIONS.items() if name != "pretraining" for item in fields(section)}
"""What a bare name means before it means a term's setting: `dropout` is the backbone's, not a decoder's."""


def settle(
    recipe: str | Recipe,
    *,
    backbone: str = "",
    corpus: str | Corpus = "demo",
    official: bool = False,
    changes: Mapping[str, Any] | None = None,
) -> RunConfig:
    """The whole configuration of a run: defaults, then the backbone's card, then the recipe, then the user.

    No backbone named is the recipe's own, and where it has none that is here, the app's first one.
    Shipped recipes leave pooling, head and learning rate to the card unless their official variant is chosen. `changes`
    are dotted (`training.steps`, `terms.0.settings.temperature`) or bare where only one thing has that name. What belongs
    together follows, see `workbench.recipes.together`: each value that it sets counts as the user's.

    Raises:
        UnknownName: recipe, method or setting that does not exist.
        BadSetting: a value out of range or of the wrong type.
        BadModel: a backbone that has no card and no folder.
    """
    chosen = find_recipe(recipe) if isinstance(recipe, str) else recipe
    changes = dict(changes or {})
    named = backbone
    backbone = named or default_backbone(chosen.backbone)
    own = card(backbone, str(changes.get("revision", changes.get("model.revision", ""))))
    layers: list[tuple[str, dict[str, dict[str, Any]]]] = [("default", _defaults())]
    from_card = {"pooling": own.pooling, "eval_pooling": own.pooling, "head": own.head}
    layers.append(("backbone", {"model": from_card, "training": {"learning_rate": own.learning_rate}}))
    layers.append(("recipe", {name: dict(getattr(chosen, name)) for name in SECTIONS if name != "evaluation"}))
    if official:
        if not chosen.official:
            raise BadSetting(
                f"{chosen.id} has no official variant.",
                way_out="Leave it off: nothing else was published for it than the recipe has.",
            )
        layers.append(("recipe", {name: values for name, values in chosen.official.items() if name != "terms"}))
    sections: dict[str, dict[str, Any]] = {name: {} for name in SECTIONS}
    sections["model"]["backbone"] = backbone
    origins: dict[str, str] = {
        "model.backbone": "user" if named else "recipe" if backbone == chosen.backbone else "default"
    }
    for origin, layer in layers:
        for section, values in layer.items():
            sections[section] |= values
            if section != "pretraining" or chosen.pretrains:
                origins |= {f"{section}.{name}": origin for name in values}
    published = _officially(chosen) if official else chosen.terms
    changes = spread(changes, published, lambda name: _meant(name, published))
    terms, term_origins = _terms(published, changes)
    check_one_text(published, terms)
    origins |= term_origins
    top: dict[str, Value] = {}
    for name, value in changes.items():
        dotted = _ALIASES.get(name) or _dotted(name, terms)
        origins[dotted] = "user"
        if dotted.startswith("terms."):
            continue
        if "." not in dotted:
            top[dotted] = value
            continue
        section, key = dotted.split(".", 1)
        sections[section][key] = tuple(value) if isinstance(value, list) else value
    if origins.get("training.steps") == "user":
        if origins.get("training.epochs") == "user" and sections["training"]["epochs"]:
            raise BadSetting("A run counts steps or epochs, not both.", way_out="Say one of the two.")
        sections["training"]["epochs"] = 0.0
    config = _build(sections, recipe=chosen.id, corpus=corpus, terms=terms, official=official, origins=origins, top=top)
    return _check_methods(check(config))


def _defaults() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for name, section in SECTIONS.items():
        found[name] = {}
        for item in fields(section):
            if item.default is not MISSING:
                found[name][item.name] = item.default
            elif item.default_factory is not MISSING:
                found[name][item.name] = item.default_factory()
    return found


def _officially(recipe: Recipe) -> tuple[Term, ...]:
    """A recipe's terms, with what the publication has otherwise."""
    raw = [asdict(term) for term in recipe.terms]
    for number, own in recipe.official.get("terms", {}).items():
        for name, value in own.items():
            raw[int(number)][name] = {**raw[int(number)][name], **value} if isinstance(value, dict) else value
    return tuple(_validated(Term, term, f"official.terms.{number}") for number, term in enumerate(raw))


def _terms(terms: tuple[Term, ...], changes: Mapping[str, Any]) -> tuple[tuple[Term, ...], dict[str, str]]:
    """The recipe's terms with the user's changes; every setting of every loss and augmentation spelled out."""
    settled, origins = [], {}
    for number, term in enumerate(terms):
        raw = asdict(term)
        for name, value in changes.items():
            dotted = _meant(name, terms)
            prefix = f"terms.{number}."
            if dotted.startswith(prefix):
                _put(raw, dotted.removeprefix(prefix).split("."), value, dotted)
        place = f"terms.{number}"
        if bool(raw["loss"]) == bool(raw["objective"]):
            raise BadSetting(f"{place} needs a loss or an objective, one of the two.", got=_named(raw))
        changed = _validated(Term, raw, place)
        raw, method = asdict(changed), method_of(changed)
        kind = "loss" if raw["loss"] else "objective"
        if method.id != term.name:
            # Another loss has other settings; what the recipe published for its own does not carry over.
            raw["settings"] = {
                key: value for key, value in raw["settings"].items() if f"terms.{number}.settings.{key}" in changes
            }
        published = set(raw["settings"]) & set(term.settings)
        reached = [
            name
            for name in changes
            if name not in _KNOBS and (name in method.settings or (name == GUIDE and guided(method, raw["settings"])))
        ]
        for name in reached:  # a bare name is that of each term that has it; one term's own name goes before
            raw["settings"][name] = changes.get(f"{place}.settings.{name}", changes[name])
        guide = raw["settings"].pop(GUIDE, "")
        for label in ("views", "more"):
            for name, view in raw[label].items():
                view["augmentation"] = _line(view["augmentation"], f"{place}.{label}.{name}.augmentation")
        if "kinds" in method.tags and not {"kinds", f"{place}.settings.kinds"} & changes.keys():
            # A discriminator's classes are as many as its view has augmentations, also where a recipe of one's own kept them.
            raw["settings"]["kinds"] = _kinds(raw, method.tags["kinds"], place)
        raw["settings"] = method.check(raw["settings"])
        if guided(method, raw["settings"]):
            raw["settings"][GUIDE] = _guide(guide, method)
        elif guide:
            raise unknown(f"setting of {method.id}", GUIDE, method.settings)
        origins[f"terms.{number}.{kind}"] = "recipe"
        for key in raw["settings"]:
            origin = "user" if key in reached else "recipe" if key in published else "default"
            origins[f"{place}.settings.{key}"] = origin
        settled.append(_fitting(_validated(Term, raw, place), method, place))
    _check_schedule(settled)
    return tuple(settled), origins


def _meant(name: str, terms: tuple[Term, ...]) -> str:
    """The dotted name, or the name itself where these terms have none for it: another loss may."""
    try:
        return _ALIASES.get(name) or _dotted(name, terms)
    except (UnknownName, BadSetting):
        return name


def _named(raw: Mapping[str, Any]) -> str:
    return " and ".join(f"{kind} {raw[kind]}" for kind in ("loss", "objective") if raw[kind]) or "neither"


def _guide(name: Any, method: Method) -> str:
    if not isinstance(name, str) or not name:
        raise BadSetting(
            f"{method.id} needs a guide.",
            rule="A second model, which is not trained, says which texts are alike.",
            way_out=f"Set {GUIDE} to {', '.join(EMBEDDED)}, or another backbone.",
        )
    return name


def _kinds(raw: Mapping[str, Any], view: str, place: str) -> str:
    """The augmentations that a view chooses among, joined by spaces."""
    if view not in raw["views"]:
        return ""  # said by `_fitting`
    steps = parse(raw["views"][view]["augmentation"]).on_texts
    if len(steps) != 1:
        raise BadSetting(
            f"{place} tells the augmentations of {view!r} apart, so it needs one that acts on each text.",
            got=f"{len(steps)} on texts",
            way_out="Write it like one_of(eda_swap, eda_delete).",
        )
    return " ".join(dict.fromkeys(step.name for step in steps[0].all()))


def _fitting(term: Term, method: Method, place: str) -> Term:
    """`term`, if its views are those that its loss or objective takes.

    Raises:
        BadSetting: one is missing, or nothing takes it.
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
            f"{method.id} needs the view{'s' * (len(missing) > 1)} {', '.join(missing)}, which {place} has not.",
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
            f"{place}.more: {method.id} takes no further rows.",
            rule="They are vectors alone, without scores, labels or a guide.",
            got="an objective" if term.objective else f"a loss that takes {', '.join(beside)}",
            way_out="Leave more out, or choose a loss over vectors alone.",
        )
    if term.more and set(term.more) != set(encoded(term)):
        raise BadSetting(
            f"{place}.more has other views than {place}.views.",
            rule="Rows are added to all of them or to none, so that they stay aligned.",
            got=", ".join(term.more),
        )
    for label, own in (("views", term.views), ("more", term.more)):
        for name, view in own.items():
            _fitting_view(view, f"{place}.{label}.{name}", "" if name in encoded(term) else method.id)
    if term.every < 0:
        raise BadSetting(f"{place}.every cannot be {term.every}.", rule="It is a whole number from 0; 0 is never.")
    if not math.isfinite(term.weight):
        raise BadSetting(f"{place}.weight cannot be {term.weight}.", rule="It is a number.")
    return term


def _fitting_view(view: View, place: str, reader: str) -> None:
    """Nothing, if all that a view says can be done; `reader` is the objective that reads its texts alone, if one does.

    Raises:
        BadSetting: something is not.
    """
    if not isinstance(view.dropout, str) and not 0.0 <= view.dropout <= MOST_DROPOUT:
        raise BadSetting(
            f"{place}.dropout cannot be {view.dropout}.",
            rule=f"It is a rate from 0 to {MOST_DROPOUT}, on, or off.",
            way_out="on is the training's own rate.",
        )
    inside = [step.name for step in parse(view.augmentation).at("positions", "states", "vectors")]
    if reader and (view.dropout != "on" or inside):
        raise BadSetting(
            f"{place}: {reader} reads the texts of this view and makes its own passes, which no setting of a view reaches.",
            rule="Dropout, and augmentations of positions, states or vectors, act on views that are encoded.",
            got=inside[0] if inside else f"dropout = {view.dropout}",
            way_out="Leave dropout on, and augment the text or nothing.",
        )


def _check_schedule(terms: list[Term]) -> None:
    """Some term acts in every step, and where a view follows a gradient, one that has it; a pretraining has none."""
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


def _line(value: Any, dotted: str) -> str:
    """A pipeline as one line with every setting in it, so that a run says all it did."""
    if not isinstance(value, str):
        raise BadSetting(
            f"{dotted} cannot be {value!r}.", rule="It is a line like eda_swap(rate=0.2) + typo_noise@0.5."
        )
    return str(parse(value))


def _put(raw: dict[str, Any], path: list[str], value: Any, dotted: str) -> None:
    *parents, last = path
    for key in parents:
        if not isinstance(raw.get(key), dict):
            raise unknown("setting", dotted, [key for key, item in raw.items() if isinstance(item, dict)])
        raw = raw[key]
    raw[last] = value


def _dotted(name: str, terms: tuple[Term, ...]) -> str:
    """The one dotted name that a bare or dotted name means."""
    candidates = [dotted for dotted in _known(terms) if dotted == name or dotted.rsplit(".", 1)[-1] == name]
    exact = [dotted for dotted in candidates if dotted == name]
    if exact:
        return exact[0]
    if not candidates:
        raise unknown("setting", name, {dotted.rsplit(".", 1)[-1] for dotted in _known(terms)} | set(_ALIASES))
    # A knob of a section is meant before one of a single view or term: `dropout` is the backbone's.
    own = [dotted for dotted in candidates if not dotted.startswith("terms.")]
    if len(own) == 1:
        return own[0]
    if len(own) > 1:
        # Of terms only those that the recipe lets take turns: any other's `every` nobody means.
        own += [f"terms.{number}.every" for number, term in enumerate(terms) if name == "every" and term.every != 1][:1]
        raise BadSetting(f"{name} could mean {' or '.join(own)}.", way_out="Write the whole name.")
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


def _validated(cls: type, raw: dict[str, Any], place: str) -> Any:
    try:
        return TypeAdapter(cls).validate_python(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join([place, *map(str, first["loc"])])
        raise BadSetting(f"{where}: {first['msg']}.", got=repr(first["input"])[:80]) from None


def _build(
    sections: dict[str, dict[str, Any]],
    *,
    recipe: str,
    corpus: str | Corpus,
    terms: tuple[Term, ...],
    official: bool,
    origins: dict[str, str],
    top: dict[str, Value],
) -> RunConfig:
    source = corpus if isinstance(corpus, Corpus) else Corpus(source=corpus)
    parts = {name: _validated(cls, sections[name], name) for name, cls in SECTIONS.items()}
    config = RunConfig(
        recipe=recipe, corpus=source, terms=terms, official=official, origins=dict(sorted(origins.items())), **parts
    )
    return replace(config, name=str(top.get("name", "")), after=str(top.get("after", "")))


def _check_methods(config: RunConfig) -> RunConfig:
    """Names and settings that only the METHODS folders know."""
    Protection(config.augmenting.protect, config.augmenting.protect_pattern).check()
    model: Model = config.model
    if config.selection.metric == "masked_loss" and not config.pretrains:
        raise BadSetting(
            f"{config.recipe} cannot be selected by masked_loss.",
            rule="Only a pretraining names covered tokens.",
            way_out="Select on spearman, or another metric of vectors.",
        )
    if config.pretrains and model.head:
        raise BadSetting(f"{config.recipe} has no head for vectors.", got=model.head, way_out="Leave head empty.")
    if config.pretrains and config.training.epochs:
        raise BadSetting(
            f"{config.recipe} counts steps.", got=f"epochs = {config.training.epochs:g}", way_out="Say steps."
        )
    if config.pretrains and config.training.drophead:
        raise BadSetting(
            f"{config.recipe} leaves out no heads.",
            got=f"drophead = {config.training.drophead:g}",
            way_out="Set it to 0.",
        )
    if config.pretrains and config.training.processes > 1:
        raise BadSetting(f"{config.recipe} is trained by one process.", got=str(config.training.processes))
    for name in (model.pooling, model.eval_pooling):
        find(POOLINGS, "pooling", name)
    headless = next((term.name for term in config.terms if method_of(term).tags.get("head") == "none"), "")
    if model.head and headless:
        raise BadSetting(f"{headless} compares bare vectors.", got=f"head = {model.head}", way_out="Leave head empty.")
    if model.head:
        settings = find(HEADS, "head", model.head).check(model.head_settings)
        return replace(config, model=replace(model, head_settings=settings))
    if model.keep_head:
        raise BadSetting("keep_head needs a head.", way_out=f"Choose one of {', '.join(HEADS)}, or keep_head = false.")
    return config


def meaning(name: str, terms: tuple[Term, ...]) -> str:
    """The dotted name that `settle` takes a name for, in a run with these terms.

    Raises:
        UnknownName: nothing has it, with the nearest.
        BadSetting: several sections have it.

    >>> from workbench.recipes.load import find_recipe
    >>> meaning("temperature", find_recipe("simcse_unsup").terms)
    'terms.0.settings.temperature'
    """
    return _ALIASES.get(name) or _dotted(name, terms)
