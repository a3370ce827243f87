"""Builds a run's configuration from a recipe, a backbone and a user's changes, and records where every value came from."""

from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields, replace
from pathlib import Path
from typing import Any

from workbench.augmentations.protect import Protection
from workbench.core.config import (
    NOT_OF_RECIPES,
    SECTIONS,
    Corpus,
    Model,
    RunConfig,
    Term,
    Training,
    check,
    section_settings,
)
from workbench.core.errors import BadSetting
from workbench.core.method import find, unwrapped
from workbench.heads import METHODS as HEADS
from workbench.models.cards import card, default_backbone
from workbench.objectives import method_of
from workbench.pooling import METHODS as POOLINGS
from workbench.recipes.linked_settings import check_one_text, spread
from workbench.recipes.load import Recipe, find_recipe
from workbench.recipes.naming import meaning, meant
from workbench.recipes.terms import settled_terms, validated


def settle(
    recipe: str | Recipe,
    *,
    backbone: str = "",
    corpus: str | Corpus = "demo",
    official: bool = False,
    changes: Mapping[str, object] | None = None,
) -> RunConfig:
    """The full configuration of a run: defaults, overridden by the backbone's card, then the recipe, then the user.

    Without `backbone` it is the recipe's, or the app's first one if the recipe has none or it is not on this machine.
    Shipped recipes leave pooling, head and learning rate to the card unless their official variant is chosen. `changes`
    have dotted names (`training.steps`, `terms.0.settings.temperature`), or bare ones where they are unambiguous. Linked
    settings change along, see `workbench.recipes.linked_settings`: each value set in this way counts as the user's.

    Raises:
        UnknownName: a recipe, method or setting does not exist.
        BadSetting: a value is out of range or of the wrong type.
        BadModel: the backbone has neither a card nor a folder.
    """
    chosen = find_recipe(recipe) if isinstance(recipe, str) else recipe
    changes = {name: _plain(value) for name, value in (changes or {}).items()}
    named = backbone
    backbone = named or default_backbone(chosen.backbone)
    own = card(backbone, str(changes.get("revision", changes.get("model.revision", ""))))
    layers: list[tuple[str, Mapping[str, Mapping[str, object]]]] = [("default", _defaults())]
    from_card = {"pooling": own.pooling, "eval_pooling": own.pooling, "head": own.head}
    layers.append(("backbone", {"model": from_card, "training": {"learning_rate": own.learning_rate}}))
    layers.append(("recipe", {name: dict(getattr(chosen, name)) for name in SECTIONS if name not in NOT_OF_RECIPES}))
    if official:
        if not chosen.official:
            raise BadSetting(
                f"{chosen.id} has no official variant.",
                way_out="Leave it off: the recipe already has the published values.",
            )
        layers.append(("recipe", {name: values for name, values in chosen.official.items() if name != "terms"}))
    sections: dict[str, dict[str, object]] = {name: {} for name in SECTIONS}
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
    changes = spread(changes, published, lambda name: meant(name, published))
    terms, term_origins = settled_terms(published, changes)
    check_one_text(published, terms)
    origins |= term_origins
    top: dict[str, object] = {}
    for name, value in changes.items():
        dotted = meaning(name, terms)
        origins[dotted] = "user"
        if dotted.startswith("terms."):
            continue
        if "." not in dotted:
            top[dotted] = value
            continue
        section, key = dotted.split(".", 1)
        if isinstance(value, bool) and key in (settings := section_settings(SECTIONS[section])):
            settings[key].check(value)  # which would count as 0 or 1 below
        if isinstance(value, str) and isinstance(sections[section].get(key), tuple):
            value = (value,)
        sections[section][key] = tuple(value) if isinstance(value, list) else value
    if origins.get("training.steps") == "user":
        if origins.get("training.epochs") == "user" and sections["training"]["epochs"]:
            raise BadSetting("A run counts steps or epochs, not both.", way_out="Set only one of them.")
        sections["training"]["epochs"] = 0.0
    config = _build(sections, recipe=chosen.id, corpus=corpus, terms=terms, official=official, origins=origins, top=top)
    return _check_methods(check(config))


def _plain(value: object) -> object:
    """Paths as texts and NumPy's numbers as Python's, also in a list."""
    if isinstance(value, list | tuple):
        return type(value)(map(_plain, value))
    return str(value) if isinstance(value, Path) else unwrapped(value)


def _defaults() -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for name, section in SECTIONS.items():
        found[name] = {}
        for item in fields(section):
            if item.default is not MISSING:
                found[name][item.name] = item.default
            elif item.default_factory is not MISSING:
                found[name][item.name] = item.default_factory()
    return found


def _officially(recipe: Recipe) -> tuple[Term, ...]:
    """A recipe's terms with the values of the published setting."""
    raw = [asdict(term) for term in recipe.terms]
    for number, own in recipe.official.get("terms", {}).items():
        for name, value in own.items() if isinstance(own, dict) else ():
            raw[int(number)][name] = {**raw[int(number)][name], **value} if isinstance(value, dict) else value
    return tuple(validated(Term, term, f"official.terms.{number}") for number, term in enumerate(raw))


def _build(
    sections: dict[str, dict[str, object]],
    *,
    recipe: str,
    corpus: str | Corpus,
    terms: tuple[Term, ...],
    official: bool,
    origins: dict[str, str],
    top: dict[str, object],
) -> RunConfig:
    source = corpus if isinstance(corpus, Corpus) else Corpus(source=corpus)
    parts: dict[str, Any] = {name: validated(cls, sections[name], name) for name, cls in SECTIONS.items()}
    config = RunConfig(
        recipe=recipe, corpus=source, terms=terms, official=official, origins=dict(sorted(origins.items())), **parts
    )
    return replace(config, name=str(top.get("name", "")), after=str(top.get("after", "")))


OF_FINE_TUNES = {
    "epochs": ("counts steps", "Say steps."),
    "max_length": ("packs texts into sequences", "Say sequence_length."),
    "drophead": ("leaves out no heads", ""),
    "dedup_batch": ("has no negatives among the texts of a batch", ""),
    "memory_parts": ("has no batch that must be encoded twice", "Say parts, or take a smaller batch."),
    "processes": ("is trained by one process", ""),
}
"""Settings of `training` that pretraining does not use: the reason, and what to set instead."""


def _check_methods(config: RunConfig) -> RunConfig:
    """The configuration, after checking the names and settings that only the METHODS folders define."""
    Protection(config.augmenting.protect, config.augmenting.protect_pattern).check()
    model: Model = config.model
    if config.selection.metric == "masked_loss" and not config.pretrains:
        raise BadSetting(
            f"{config.recipe} cannot be selected by masked_loss.",
            rule="Only a pretraining predicts masked tokens.",
            way_out="Select on spearman, or another metric of vectors.",
        )
    if config.pretrains and model.head:
        raise BadSetting(f"{config.recipe} has no head for vectors.", got=model.head, way_out="Leave head empty.")
    for name, (why, instead) in OF_FINE_TUNES.items() if config.pretrains else ():
        value, start = getattr(config.training, name), getattr(Training(), name)
        if value != start:
            way_out = f"{instead} Leave {name} at {start}.".strip()
            raise BadSetting(f"{config.recipe} {why}.", got=f"{name} = {value}", way_out=way_out)
    for setting, name in (("pooling", model.pooling), ("eval_pooling", model.eval_pooling)):
        bare = name.partition("(")[0]
        find(POOLINGS, "pooling", bare)
        if bare != name:
            raise BadSetting(
                f"{setting} cannot be {name!r}.",
                rule="The pooling of a run takes no settings; that of a target does.",
                way_out=f"Give {bare}, and score the run as RUN:{name}.",
            )
    headless = next((term.name for term in config.terms if method_of(term).tags.get("head") == "none"), "")
    if model.head and headless:
        raise BadSetting(f"{headless} compares bare vectors.", got=f"head = {model.head}", way_out="Leave head empty.")
    if model.head:
        settings = find(HEADS, "head", model.head).check(model.head_settings)
        return replace(config, model=replace(model, head_settings=settings))
    if model.keep_head:
        raise BadSetting("keep_head needs a head.", way_out=f"Choose one of {', '.join(HEADS)}, or keep_head = false.")
    return config
