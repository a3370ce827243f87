"""Recipes are TOML files: a file in this folder is registered by being read."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Literal

import tomli
from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config

from workbench.core.config import NOT_OF_RECIPES, SECTIONS, Term
from workbench.core.errors import BadMethod, BadSetting, WorkbenchError, unknown
from workbench.core.reserved import is_reserved
from workbench.core.validation import fault_of

Need = Literal["sentences", "documents", "pairs", "triplets", "labelled_pairs", "scored_pairs", "articles"]
_STRICT = ConfigDict(extra="forbid")
_ID = re.compile(r"[a-z][a-z0-9_]{0,59}")
_LARGEST = 100_000
Section = dict[str, object]
"""Settings of a section by name; `settle` checks their values."""


@with_config(_STRICT)
@dataclass(frozen=True)
class Published:
    """A score from the literature: the evaluation set, the value, and its source.

    A score with a `variant` is not of the recipe as it stands, but of one with another value, a rerun, or a baseline.
    """

    set: str
    score: float
    source: str
    variant: str = ""

    @property
    def where(self) -> str:
        """The evaluation set and the variant, in one line.

        >>> Published("STS-B dev", 82.89, "paper of UNA", "n = 9").where
        'STS-B dev, n = 9'
        """
        return f"{self.set}, {self.variant}" if self.variant else self.set


@with_config(_STRICT)
@dataclass(frozen=True)
class Recipe:
    """A backbone-agnostic composition of views and losses with its published hyperparameters and citation.

    A recipe without terms has a section `pretraining` instead: it trains the language model itself to predict masked tokens.
    """

    id: str
    title: str
    citation: str
    needs: Need
    summary: str
    terms: tuple[Term, ...] = ()
    resource: str = ""
    """What is needed besides a corpus, in words; empty if nothing is."""
    after: tuple[str, ...] = ()
    """For a second stage: the recipes one of which must have been run first; its model is the backbone here."""
    backbone: str = ""
    """The backbone to use if the user names none, for a recipe that does not work with every backbone."""
    notes: tuple[str, ...] = ()
    published: tuple[Published, ...] = ()
    model: Section = field(default_factory=dict)
    training: Section = field(default_factory=dict)
    pretraining: Section = field(default_factory=dict)
    augmenting: Section = field(default_factory=dict)
    selection: Section = field(default_factory=dict)
    probe: Section = field(default_factory=dict)
    official: dict[str, Section] = field(default_factory=dict)
    """Sections with the values of the published setting that differ; `terms` holds the differences of terms, by number."""
    ours: tuple[str, ...] = ()
    """Settings that were not published and are our choice, also in the published setting: those of `training` by bare name,
    those of other sections and of terms by dotted name (`model.pooling`, `terms.1.settings.margin`, `terms.0.weight`)."""

    @property
    def pretrains(self) -> bool:
        """Whether the recipe is masked language modelling instead of fine-tuning of sentence vectors."""
        return not self.terms


_RECIPE = TypeAdapter(Recipe)


def from_toml(text: str, where: str) -> Recipe:
    """The recipe in `text`; `where` names it in messages.

    Raises:
        BadSetting: invalid TOML, an unknown or missing key, a wrong type, or a section or setting that does not exist.
    """
    try:
        # Via JSON, because pydantic's strict mode accepts lists for tuples only there.
        raw = json.dumps(tomli.loads(text), default=str, ensure_ascii=False).encode()
        recipe = _RECIPE.validate_json(raw, strict=True)
    except ValidationError as error:
        fault = fault_of(error)
        parts = ": ".join(filter(None, (where, fault.where, fault.what)))
        raise BadSetting(f"{parts}.", got=fault.got) from None
    except (ValueError, RecursionError) as error:  # very long numbers and very deep nesting raise these too
        raise BadSetting(f"{where} is not valid TOML: {error}.", way_out="Fix the file.") from None
    check_id(recipe.id)
    if bool(recipe.terms) == bool(recipe.pretraining):
        raise BadSetting(
            f"{where} has {'terms and a section [pretraining]' if recipe.terms else 'no term'}.",
            rule="A recipe has at least one loss or objective, or a section [pretraining] instead.",
        )
    _check_sections({name: own for name, own in recipe.official.items() if name != "terms"}, where, "official.")
    _check_terms(recipe, where)
    _check_sections({name: getattr(recipe, name) for name in SECTIONS if name not in NOT_OF_RECIPES}, where, "")
    for name in recipe.ours:
        _check_ours(name, recipe, f"{where}, ours")
    return recipe


def check_id(name: str) -> None:
    """Check that a recipe, and its file, can be called `name`.

    Raises:
        BadSetting: the name could be a path to another folder, or is reserved by Windows.
    """
    if not _ID.fullmatch(name) or is_reserved(name):
        raise BadSetting(
            f"A recipe's id cannot be {name!r}.",
            rule="Small letters, digits and _, a letter first, 60 at most, and no device of Windows such as con.",
        )


def _check_terms(recipe: Recipe, where: str) -> None:
    known = {item.name for item in fields(Term)}
    for number, own in recipe.official.get("terms", {}).items():
        if number not in map(str, range(len(recipe.terms))):
            raise unknown(f"term of {where}", f"official.terms.{number}", map(str, range(len(recipe.terms))))
        for name in own if isinstance(own, dict) else [str(own)]:
            if name not in known:
                raise unknown(f"setting of {where}", f"official.terms.{number}.{name}", known)


def _check_ours(name: str, recipe: Recipe, where: str) -> None:
    section, dot, key = name.rpartition(".")
    if not name.startswith("terms."):
        _check_sections({section if dot else "training": {key: None}}, where, "")
    elif name not in (known := set(dotted(recipe.terms))):
        raise unknown(f"setting of {where}", name, known)


def dotted(terms: Iterable[Term]) -> Iterator[str]:
    """The dotted names of everything in the terms: weights, settings, and all fields of their views.

    >>> sorted(dotted(find_recipe("simcse_2n").terms))[:2]
    ['terms.0.every', 'terms.0.settings.temperature']
    """
    for number, term in enumerate(terms):
        yield from (f"terms.{number}.{name}" for name in ("weight", "every"))
        yield from (f"terms.{number}.settings.{name}" for name in term.settings)
        for kind, views in (("views", term.views), ("more", term.more)):
            for label, view in views.items():
                yield from (f"terms.{number}.{kind}.{label}.{item.name}" for item in fields(view))


def _check_sections(sections: Mapping[str, Mapping[str, object]], where: str, prefix: str) -> None:
    for section, values in sections.items():
        if section not in SECTIONS:
            raise unknown(f"section of {where}", f"{prefix}{section}", SECTIONS)
        known = {item.name for item in fields(SECTIONS[section])} - (
            {"backbone", "revision"} if section == "model" else set()
        )
        for name in values:
            if name not in known:
                raise unknown(f"setting of {where}", f"{prefix}{section}.{name}", {f"{section}.{one}" for one in known})


def to_toml(recipe: Recipe) -> str:
    """TOML text that `from_toml` reads as the same recipe; empty and default values are left out.

    >>> from_toml(to_toml(find_recipe("simcse_unsup")), "a copy") == find_recipe("simcse_unsup")
    True
    """
    import tomli_w

    raw = {name: kept for name, value in asdict(recipe).items() if (kept := _plain(value)) not in ("", [], {})}
    if "published" in raw:
        raw["published"] = [
            {name: value for name, value in asdict(one).items() if value != ""} for one in recipe.published
        ]
    if "terms" in raw:
        raw["terms"] = [_short(term) for term in recipe.terms]
    return tomli_w.dumps(raw)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _short(term: Term) -> dict[str, object]:
    start = {item.name: item.default for item in fields(Term)}
    return {
        name: _plain(value) for name, value in asdict(term).items() if value != start[name] and value not in ({}, "")
    }


def read_file(path: Path, where: str = "") -> Recipe:
    """A recipe from any file; `where` names it in messages, by default as the file is called.

    Raises:
        BadSetting: the file is missing, too big, not UTF-8, or not a recipe.
    """
    where = where or path.name
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise BadSetting(f"{where} is too big for a recipe.", rule=f"At most {_LARGEST // 1000} kB.")
        text = content.decode("utf-8")
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or an impossible path
        raise BadSetting(f"{where} cannot be read.", reason=str(error), rule="A recipe is a TOML file.") from None
    return from_toml(text, where)


def _read(path: Path) -> Recipe:
    recipe = read_file(path, str(path))
    if recipe.id != path.stem:
        raise BadMethod(f"{path} holds the recipe {recipe.id!r}: file and id share one name.")
    return recipe


def read_folder(folder: Path) -> tuple[dict[str, Recipe], dict[str, str]]:
    """The recipes in a folder by id; and the files there that are no recipe, by name, with the reason."""
    recipes, unusable = dict[str, Recipe](), dict[str, str]()
    for path in sorted(folder.glob("*.toml")):
        try:
            recipes[path.stem] = _read(path)
        except WorkbenchError as error:
            unusable[path.stem] = str(error)
    return recipes, unusable


RECIPES, UNUSABLE = read_folder(Path(__file__).parent)
"""The recipes of this folder by id, and why others of its files cannot be used: one of them must not stop what needs none."""


def find_recipe(name: str, folder: Path | None = None) -> Recipe:
    """The recipe called `name`: one that ships with the app, else one in `folder`.

    Raises:
        UnknownName: no such recipe; the message suggests the closest ids.
        BadSetting: there is a file of that name, but it is no recipe.
    """
    if name in RECIPES:
        return RECIPES[name]
    known, unusable = read_folder(folder) if folder else ({}, {})
    if name in known:
        return known[name]
    if reason := UNUSABLE.get(name) or unusable.get(name):
        raise BadSetting(reason)
    raise unknown("recipe", name, [*RECIPES, *known])


def own_recipes(folder: Path) -> dict[str, Recipe]:
    """The recipes kept in a folder, by id. A file that is no longer a valid recipe is skipped."""
    return read_folder(folder)[0]
