"""From a recipe, a backbone and a user's changes to the configuration of a run that says where every value came from."""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, asdict, fields, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from workbench.augmentations.pipeline import parse
from workbench.augmentations.protect import Protection
from workbench.core.config import SECTIONS, Corpus, Model, RunConfig, Term, Value, View, check
from workbench.core.errors import BadSetting, unknown
from workbench.core.method import find
from workbench.heads import METHODS as HEADS
from workbench.losses import METHODS as LOSSES
from workbench.models.cards import card
from workbench.pooling import METHODS as POOLINGS
from workbench.recipes.load import find_recipe

_ALIASES = {
    "loss": "terms.0.loss",
    "augment_a": "terms.0.views.a.augmentation",
    "augment_b": "terms.0.views.b.augmentation",
}


def settle(
    recipe: str,
    *,
    backbone: str,
    corpus: str | Corpus = "demo",
    official: bool = False,
    changes: Mapping[str, Any] | None = None,
) -> RunConfig:
    """The whole configuration of a run: defaults, then the recipe, then the backbone's card, then the user.

    A recipe leaves pooling, head and learning rate to the card unless its official variant is chosen. `changes`
    are dotted (`training.steps`, `terms.0.settings.temperature`) or bare where only one thing has that name.

    Raises:
        UnknownName: recipe, method or setting that does not exist.
        BadSetting: a value out of range or of the wrong type.
        BadModel: a backbone that has no card and no folder.
    """
    chosen = find_recipe(recipe)
    changes = dict(changes or {})
    own = card(backbone, str(changes.get("revision", changes.get("model.revision", ""))))
    layers: list[tuple[str, dict[str, dict[str, Any]]]] = [("default", _defaults())]
    layers.append(
        (
            "recipe",
            {name: dict(getattr(chosen, name)) for name in ("model", "training", "augmenting", "selection", "probe")},
        )
    )
    from_card = {"pooling": own.pooling, "eval_pooling": own.pooling, "head": own.head}
    layers.append(("backbone", {"model": from_card, "training": {"learning_rate": own.learning_rate}}))
    if official:
        if not chosen.official:
            raise BadSetting(
                f"{recipe} has no official variant.", way_out="Leave it off: the recipe is the published setting."
            )
        layers.append(("recipe", chosen.official))
    sections: dict[str, dict[str, Any]] = {name: {} for name in SECTIONS}
    sections["model"]["backbone"] = backbone
    origins: dict[str, str] = {"model.backbone": "user"}
    for origin, layer in layers:
        for section, values in layer.items():
            sections[section] |= values
            origins |= {f"{section}.{name}": origin for name in values}
    terms, term_origins = _terms(chosen.terms, changes)
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
    config = _build(sections, recipe=recipe, corpus=corpus, terms=terms, official=official, origins=origins, top=top)
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


def _terms(terms: tuple[Term, ...], changes: Mapping[str, Any]) -> tuple[tuple[Term, ...], dict[str, str]]:
    """The recipe's terms with the user's changes; every setting of every loss and augmentation spelled out."""
    settled, origins = [], {}
    for number, term in enumerate(terms):
        raw = asdict(term)
        for name, value in changes.items():
            dotted = _ALIASES.get(name, name)
            prefix = f"terms.{number}."
            if dotted.startswith(prefix):
                _put(raw, dotted.removeprefix(prefix).split("."), value, dotted)
        method = find(LOSSES, "loss", raw["loss"])
        if raw["loss"] != term.loss:
            # Another loss has other settings; what the recipe published for its own does not carry over.
            raw["settings"] = {
                key: value for key, value in raw["settings"].items() if f"terms.{number}.settings.{key}" in changes
            }
        published = set(raw["settings"]) & set(term.settings)
        for name in changes:
            if name in method.settings:
                raw["settings"][name] = changes[name]
        raw["settings"] = method.check(raw["settings"])
        origins[f"terms.{number}.loss"] = "recipe"
        for key in raw["settings"]:
            origins[f"terms.{number}.settings.{key}"] = "recipe" if key in published else "default"
        for label, view in raw["views"].items():
            view["augmentation"] = _line(view["augmentation"], f"terms.{number}.views.{label}.augmentation")
        settled.append(_validated(Term, raw, f"terms.{number}"))
    return tuple(settled), origins


def _line(value: Any, dotted: str) -> str:
    """A pipeline as one line with every setting in it, so that a run says all it did."""
    if not isinstance(value, str):
        raise BadSetting(
            f"{dotted} cannot be {value!r}.", rule="It is a line like eda_swap(rate=0.2) + typo_noise@0.5."
        )
    pipeline = parse(value)
    for step in pipeline.all():
        if "gradient" in step.method.inputs:
            raise BadSetting(
                f"{step.name} in {dotted} cannot be used in this recipe.",
                rule="It follows the gradient of a supervised loss, and the recipe has none.",
            )
    return str(pipeline)


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
        raise BadSetting(f"{name} could mean {' or '.join(own)}.", way_out="Write the whole name.")
    return candidates[0]


def _known(terms: tuple[Term, ...]) -> Iterator[str]:
    yield "name"
    for section, cls in SECTIONS.items():
        yield from (f"{section}.{item.name}" for item in fields(cls))
    for number, term in enumerate(terms):
        yield from (f"terms.{number}.{name}" for name in ("loss", "weight"))
        yield from (f"terms.{number}.settings.{name}" for name in term.settings)
        for label in term.views:
            yield from (f"terms.{number}.views.{label}.{item.name}" for item in fields(View))


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
    return replace(config, name=str(top.get("name", "")))


def _check_methods(config: RunConfig) -> RunConfig:
    """Names and settings that only the METHODS folders know."""
    Protection(config.augmenting.protect, config.augmenting.protect_pattern).check()
    model: Model = config.model
    for name in (model.pooling, model.eval_pooling):
        find(POOLINGS, "pooling", name)
    if model.head:
        settings = find(HEADS, "head", model.head).check(model.head_settings)
        return replace(config, model=replace(model, head_settings=settings))
    if model.keep_head:
        raise BadSetting("keep_head needs a head.", way_out=f"Choose one of {', '.join(HEADS)}, or keep_head = false.")
    return config
