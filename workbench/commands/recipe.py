"""`python -m workbench recipe`: list, save, export, import and delete recipes."""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from workbench import api
from workbench.commands._flags import confirmed, none_left
from workbench.commands._showing import again, format_flag, show
from workbench.core.errors import BadSetting

if TYPE_CHECKING:
    from workbench.recipes import Recipe

HELP = "List recipes; save that of a run as your own, export or import one as a file, or delete one."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    parser.add_argument("what", nargs="?", default="list", choices=tuple(_DOES))
    parser.add_argument(
        "first", nargs="?", metavar="RUN|NAME|FILE", help="save: a run. export, delete: a recipe. import: a file."
    )
    parser.add_argument(
        "second", nargs="?", metavar="NAME|FILE", help="save: the new id. export: where to (default: ID.toml)."
    )
    parser.add_argument("--name", default="", metavar="ID", help="import: an id other than that of the file.")
    parser.add_argument("--title", default="", help="save: the title shown in lists.")
    parser.add_argument("--summary", default="", help="save: what it does, in one sentence.")
    parser.add_argument("--citation", default="", help="save: the source to cite.")
    parser.add_argument("--overwrite", action="store_true", help="save, import: replace a recipe with the same id.")
    parser.add_argument("--yes", metavar="ID", help="delete: the id once more, instead of being asked.")
    format_flag(parser)


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """`recipe list|save|export|import|delete`."""
    given = [word for word in (asked.first, asked.second) if word is not None]
    none_left([*extra, *given[_MOST_WORDS[asked.what] :]])
    needs = {"save": "a run and an id", "export": "a recipe", "import": "a file", "delete": "a recipe"}
    if asked.what in needs and not (asked.first and (asked.second or asked.what != "save")):
        raise BadSetting(f"recipe {asked.what} needs {needs[asked.what]}.", way_out="See: recipe --help.")
    return _DOES[asked.what](asked)


def _list(asked: argparse.Namespace) -> int:
    import pandas

    from workbench.recipes import RECIPES
    from workbench.store import user_recipes
    from workbench.store.names import runs_place

    for reason in user_recipes.unusable(runs_place(asked.runs)):
        print(f"Warning: a recipe is left out: {reason}", file=sys.stderr)
    known = api.recipes(runs=asked.runs)
    whose = {name: "app" if name in RECIPES else "own" for name in known}
    rows = [
        {"id": name, "of": whose[name], "needs": recipe.needs, "title": recipe.title} for name, recipe in known.items()
    ]
    show(pandas.DataFrame(rows), asked.format)
    return 0


def _save(asked: argparse.Namespace) -> int:
    about = {name: getattr(asked, name) for name in ("title", "summary", "citation", "overwrite")}
    return _saved(api.save_recipe(asked.first, asked.second, runs=asked.runs, **about), asked.runs)


def _import(asked: argparse.Namespace) -> int:
    return _saved(
        api.import_recipe(asked.first, name=asked.name, overwrite=asked.overwrite, runs=asked.runs), asked.runs
    )


def _saved(recipe: "Recipe", runs: str | None) -> int:
    print(f"{recipe.id} is saved; use it with: {again(runs, 'train', '--recipe', recipe.id)}")
    return 0


def _export(asked: argparse.Namespace) -> int:
    print(f"Written to {api.export_recipe(asked.first, asked.second or f'{asked.first}.toml', runs=asked.runs)}")
    return 0


def _delete(asked: argparse.Namespace) -> int:
    if (typed := confirmed(asked.first, asked.yes)) != asked.first:
        raise BadSetting(f"{typed!r} is not {asked.first}.", way_out="Nothing was deleted.")
    api.delete_recipe(asked.first, runs=asked.runs)
    print(f"{asked.first} is deleted.")
    return 0


_MOST_WORDS = {"list": 0, "save": 2, "export": 2, "import": 1, "delete": 1}
_DOES: dict[str, Callable[[argparse.Namespace], int]] = {
    "list": _list,
    "save": _save,
    "export": _export,
    "import": _import,
    "delete": _delete,
}
