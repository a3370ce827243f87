"""Whether a corpus has the columns that a recipe trains on, and loading it with those columns."""

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from workbench.core.config import Corpus, RunConfig, Term
from workbench.core.errors import BadSetting
from workbench.core.progress import Progress, no_progress
from workbench.objectives import numbers as numbers_of
from workbench.recipes.load import RECIPES, Need, Recipe, find_recipe

if TYPE_CHECKING:
    from workbench.data.texts import CorpusTexts

NEEDS: dict[Need, tuple[str, ...]] = {
    "sentences": ("text",),
    "documents": ("document",),
    "pairs": ("text", "positive"),
    "triplets": ("text", "positive", "negative"),
    "labelled_pairs": ("text", "positive", "label"),
    "scored_pairs": ("text", "positive", "gold"),
    "articles": ("article",),
}
"""The kinds of corpus that a recipe can require, and the roles of the columns that each kind has."""
ARTICLES = "article"
"""The role of the column that pretraining reads."""


def wanted(terms: Sequence[Term]) -> tuple[set[str], set[str]]:
    """The roles of texts, and the names of numbers, that terms take from the corpus. Pretraining has no terms; it takes articles.

    >>> from workbench.recipes import find_recipe
    >>> wanted(find_recipe("simcse_unsup").terms)
    ({'text'}, set())
    """
    if not terms:
        return {ARTICLES}, set()
    roles: set[str] = set()
    numbers: set[str] = set()
    for term in terms:
        roles |= {view.role for view in (*term.views.values(), *term.more.values())}
        numbers |= set(numbers_of(term)) - term.views.keys()
    return roles or {"text"}, numbers


def needs_of(terms: Sequence[Term]) -> Need:
    """The kind of corpus that has everything the terms take.

    Raises:
        BadSetting: no kind of corpus has it all.
    """
    roles, numbers = wanted(terms)
    taken = {"document"} if roles == {"text", "next"} else roles | numbers
    for need, has in NEEDS.items():
        if taken <= set(has):
            return need
    raise BadSetting(
        f"No corpus has {', '.join(sorted(roles | numbers))} together.",
        rule="; ".join(f"{need}: {', '.join(has)}" for need, has in NEEDS.items()),
    )


def corpus_of(config: RunConfig, *, on_progress: Progress = no_progress) -> "CorpusTexts":
    """The corpus of a run, with the columns that its terms take.

    Raises:
        BadData: the corpus cannot be read, or lacks a column; raised before anything is trained.
    """
    roles, numbers = wanted(config.terms)
    return texts_for(config.corpus.source, roles, numbers, recipe=config.recipe, on_progress=on_progress)


def texts_for(
    source: str,
    roles: Collection[str],
    numbers: Collection[str],
    *,
    recipe: str,
    on_progress: Progress = no_progress,
) -> "CorpusTexts":
    """The corpus `source` with the columns that a recipe takes, see `wanted`; the whole corpus is read.

    Raises:
        BadData: the corpus cannot be read, or lacks a column.
    """
    from workbench.data.corpora import load_corpus

    return load_corpus(source, on_progress=on_progress).taking(roles, numbers, by=recipe)


def fits(recipe: str | Recipe, corpus: str, terms: Sequence[Term] | None = None) -> str:
    """Why a corpus does not have what a recipe needs, as a message; empty if it does, or if that takes reading all of it.

    Reads only the head of a file, and never a data set of the Hub. `terms`, if given, replace those of the recipe.

    Raises:
        WorkbenchError: the recipe does not exist, or a file cannot be read.
    """
    from workbench.data.sources import split_source
    from workbench.data.texts import lacks

    chosen = find_recipe(recipe) if isinstance(recipe, str) else recipe
    roles, numbers = wanted(chosen.terms if terms is None else terms)
    if corpus.startswith("hf:"):
        return ""
    there: tuple[str, ...]
    classes: tuple[str, ...] | None = None
    if Corpus(corpus).of_pairs:
        there, name = ("text",), "a corpus of the texts of pair sets"
    elif corpus == "demo" or corpus.startswith("demo:"):
        from workbench.data import demo

        there = ("text",) if corpus == "demo" else demo.roles(corpus)
        name = corpus
    else:
        path, column = split_source(corpus)
        try:
            seen = path.stat()
        except OSError:
            return ""  # reported when the corpus is loaded
        there, classes = _head(str(path), column or "", seen.st_mtime_ns, seen.st_size)
        name = path.name
    reason = lacks(there, roles | numbers, classes)
    return f"{chosen.id} {reason.format(name=name)}" if reason else ""


def recipes_taking(corpus: str) -> list[str]:
    """Recipes that a corpus has the columns for, those that use most of it first, then by id; see `fits`.

    A recipe that takes single texts takes any corpus, so such recipes are named only if no other takes this one.
    """
    taking = [recipe for recipe in RECIPES.values() if not recipe.pretrains and not fits(recipe, corpus)]
    used = {recipe.id: len(NEEDS[recipe.needs]) for recipe in taking}
    more = [name for name, columns in used.items() if columns > 1]
    return sorted(more or used, key=lambda name: (-used[name], name))


@lru_cache(maxsize=64)
def _head(path: str, column: str, changed: int, size: int) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    """The roles of a file's columns, and the classes of the labels in its first rows; None if further rows may have others that
    say which pairs mean the same.

    `changed` and `size` are part of the cache key, so that an edited file is read again.
    """
    from workbench.data.files import examine
    from workbench.data.gather import first_labels, roles_of
    from workbench.data.inference import TRIPLETS
    from workbench.data.labels import MEAN_THE_SAME, labels

    file = examine(path, lines=False if column and column != "documents" else None)
    if column == "documents" and not file.delimiter:
        return ("document",), None
    if column == TRIPLETS and TRIPLETS not in file.header:
        # Whether the labels are those of inference is said when all of them are read.
        return NEEDS["triplets"] if roles_of(file).keys() == {"text", "positive", "label"} else ("text",), None
    found = roles_of(file, column or None)
    if not {"text", "document"} & set(found):
        return ("text",), None
    title = file.header[found["label"]] if file.header and "label" in found else ""
    _, classes, _ = labels(first_labels(file, found), title)
    open_yet = len(classes) < 2 or any({*classes} <= {*known} for known in MEAN_THE_SAME)
    return tuple(found), None if open_yet else classes
