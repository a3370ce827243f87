"""Recipes are files: reading them is all there is to registering them."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Literal

import tomli
from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config

from workbench.core.config import SECTIONS, Term
from workbench.core.errors import BadSetting, WorkbenchError, unknown
from workbench.core.reserved import is_reserved

Need = Literal["sentences", "documents", "pairs", "triplets", "labelled_pairs", "scored_pairs", "articles"]
_STRICT = ConfigDict(extra="forbid")
_ID = re.compile(r"[a-z][a-z0-9_]{0,59}")
_LARGEST = 100_000
Section = dict[str, object]
"""Settings of a section by their names; `settle` checks what they are."""


@with_config(_STRICT)
@dataclass(frozen=True)
class Published:
    """A score of the literature: on what, how much, and where it stands.

    One with a `variant` is of something else than the recipe: of it with another value, of a rerun, of what it was compared with.
    """

    set: str
    score: float
    source: str
    variant: str = ""

    @property
    def where(self) -> str:
        """On what, and of which variant, in one line.

        >>> Published("STS-B dev", 82.89, "paper of UNA", "n = 9").where
        'STS-B dev, n = 9'
        """
        return f"{self.set}, {self.variant}" if self.variant else self.set


@with_config(_STRICT)
@dataclass(frozen=True)
class Recipe:
    """A backbone-agnostic composition of views and losses with its published hyperparameters and citation.

    One without terms has a section `pretraining` instead: it trains the language model itself, to predict masked tokens.
    """

    id: str
    title: str
    citation: str
    needs: Need
    summary: str
    terms: tuple[Term, ...] = ()
    resource: str = ""
    """What must be there beside a corpus, in words; empty for nothing."""
    after: tuple[str, ...] = ()
    """The recipes of which a run must have gone before: its model is the backbone of this second stage."""
    backbone: str = ""
    """The backbone that is taken where the user names none, for a recipe that not every backbone can follow."""
    notes: tuple[str, ...] = ()
    published: tuple[Published, ...] = ()
    model: Section = field(default_factory=dict)
    training: Section = field(default_factory=dict)
    pretraining: Section = field(default_factory=dict)
    augmenting: Section = field(default_factory=dict)
    selection: Section = field(default_factory=dict)
    probe: Section = field(default_factory=dict)
    official: dict[str, Section] = field(default_factory=dict)
    """Sections of the published setting where it differs; `terms` holds what differs in terms, by their numbers."""
    ours: tuple[str, ...] = ()
    """What nobody published and is our choice, in the published setting too: settings of `training` by their names, of other
    sections and of terms by theirs (`model.pooling`, `terms.1.settings.margin`, `terms.0.weight`)."""

    @property
    def pretrains(self) -> bool:
        """Whether it is masked language modelling, and no fine-tuning of sentence vectors."""
        return not self.terms


def from_toml(text: str, where: str) -> Recipe:
    """The recipe in `text`; `where` names it in messages.

    Raises:
        BadSetting: no TOML, an unknown or missing key, a wrong type, or a section or setting that does not exist.
    """
    try:
        # By way of JSON, because only there does pydantic's strict mode take lists for tuples.
        raw = json.dumps(tomli.loads(text), default=str, ensure_ascii=False).encode()
        recipe = TypeAdapter(Recipe).validate_json(raw, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        said = ": ".join(part for part in (where, place, first["msg"]) if part)
        raise BadSetting(f"{said}.", got=repr(first["input"])[:80]) from None
    except (ValueError, RecursionError) as error:  # numbers and brackets without end are not TOML of ours either
        raise BadSetting(f"{where} is not valid TOML: {error}.", way_out="Mend the file.") from None
    check_id(recipe.id)
    if bool(recipe.terms) == bool(recipe.pretraining):
        raise BadSetting(
            f"{where} has {'terms and a section [pretraining]' if recipe.terms else 'no term'}.",
            rule="A recipe has at least one loss or objective, or a section [pretraining] instead.",
        )
    _check_sections({name: own for name, own in recipe.official.items() if name != "terms"}, where, "official.")
    _check_terms(recipe, where)
    _check_sections({name: getattr(recipe, name) for name in SECTIONS if name != "evaluation"}, where, "")
    for name in recipe.ours:
        _check_ours(name, recipe, f"{where}, ours")
    return recipe


def check_id(name: str) -> None:
    """Whether a recipe, and its file, can be called `name`.

    Raises:
        BadSetting: it could lead elsewhere, or Windows has no such file.
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
    """The names of what terms say: weights, settings, and all that a view is.

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
    """A file that `from_toml` reads as the same recipe; what is empty or a default is left out.

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


def _read(path: Path) -> Recipe:
    recipe = from_toml(path.read_text(encoding="utf-8"), path.name)
    if recipe.id != path.stem:
        raise ImportError(f"{path.name} holds the recipe {recipe.id!r}: file and id are one name")
    return recipe


RECIPES: dict[str, Recipe] = {path.stem: _read(path) for path in sorted(Path(__file__).parent.glob("*.toml"))}


def find_recipe(name: str, folder: Path | None = None) -> Recipe:
    """The recipe called `name`: one that ships with the app, else one of `folder`.

    Raises:
        UnknownName: with the nearest ids.
    """
    if name in RECIPES:
        return RECIPES[name]
    known = own_recipes(folder) if folder else {}
    if name not in known:
        raise unknown("recipe", name, [*RECIPES, *known])
    return known[name]


def own_recipes(folder: Path) -> dict[str, Recipe]:
    """The recipes kept in a folder, by id. A file that is not a recipe any more is passed over."""
    found = {}
    for path in sorted(folder.glob("*.toml")):
        try:
            found[path.stem] = _read(path)
        except (WorkbenchError, ImportError, OSError, UnicodeDecodeError):
            continue
    return found


def read_file(path: Path) -> Recipe:
    """A recipe from any file.

    Raises:
        BadSetting: missing, too big, not UTF-8, or no recipe.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise BadSetting(f"{path.name} is too big for a recipe.", rule=f"At most {_LARGEST // 1000} kB.")
        text = content.decode("utf-8")
    except (OSError, ValueError) as error:  # ValueError: no UTF-8, or a path that none can be
        raise BadSetting(f"{path.name} cannot be read.", reason=str(error), rule="A recipe is a TOML file.") from None
    return from_toml(text, path.name)
