"""`python -m workbench recipe`: recipes of one's own, kept, shown, handed on."""

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from workbench import api
from workbench.commands._flags import confirmed, none_left
from workbench.commands._showing import format_flag, show
from workbench.core.errors import BadSetting

if TYPE_CHECKING:
    from workbench.recipes import Recipe

HELP = "List recipes; keep that of a run as one's own, export one as a file, import one, delete one."


def arguments(one: argparse.ArgumentParser) -> None:
    """Flags of its own."""
    one.add_argument("what", nargs="?", default="list", choices=tuple(_DOES))
    one.add_argument(
        "first", nargs="?", metavar="RUN|NAME|FILE", help="save: a run. export, delete: a recipe. import: a file."
    )
    one.add_argument(
        "second", nargs="?", metavar="NAME|FILE", help="save: the new id. export: where to (default: ID.toml)."
    )
    one.add_argument("--name", default="", metavar="ID", help="import: another id than the file's.")
    one.add_argument("--title", default="", help="save: what lists show.")
    one.add_argument("--summary", default="", help="save: what it does, in one sentence.")
    one.add_argument("--citation", default="", help="save: where it comes from.")
    one.add_argument("--overwrite", action="store_true", help="save, import: in place of one of that id.")
    one.add_argument("--yes", metavar="ID", help="delete: the id once more, instead of being asked.")
    format_flag(one)


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """`recipe list|save|export|import|delete`."""
    none_left(extra)
    needs = {"save": "a run and an id", "export": "a recipe", "import": "a file", "delete": "a recipe"}
    if asked.what in needs and not (asked.first and (asked.second or asked.what != "save")):
        raise BadSetting(f"recipe {asked.what} needs {needs[asked.what]}.", way_out="See: recipe --help.")
    return _DOES[asked.what](asked)


def _list(asked: argparse.Namespace) -> int:
    import pandas

    from workbench.recipes import RECIPES

    known = api.recipes(runs=asked.runs)
    whose = {name: "app" if name in RECIPES else "own" for name in known}
    rows = [{"id": name, "of": whose[name], "needs": one.needs, "title": one.title} for name, one in known.items()]
    show(pandas.DataFrame(rows), asked.format)
    return 0


def _save(asked: argparse.Namespace) -> int:
    said = {name: getattr(asked, name) for name in ("title", "summary", "citation", "overwrite")}
    return _kept(api.save_recipe(asked.first, asked.second, runs=asked.runs, **said))


def _import(asked: argparse.Namespace) -> int:
    return _kept(api.import_recipe(asked.first, name=asked.name, overwrite=asked.overwrite, runs=asked.runs))


def _kept(recipe: "Recipe") -> int:
    print(f"{recipe.id} is kept; use it with: python -m workbench train --recipe {recipe.id}")
    return 0


def _export(asked: argparse.Namespace) -> int:
    print(f"Written to {api.export_recipe(asked.first, asked.second or f'{asked.first}.toml', runs=asked.runs)}")
    return 0


def _delete(asked: argparse.Namespace) -> int:
    if (said := confirmed(asked.first, asked.yes)) != asked.first:
        raise BadSetting(f"{said!r} is not {asked.first}.", way_out="Nothing was deleted.")
    api.delete_recipe(asked.first, runs=asked.runs)
    print(f"{asked.first} is deleted.")
    return 0


_DOES: dict[str, Callable[[argparse.Namespace], int]] = {
    "list": _list,
    "save": _save,
    "export": _export,
    "import": _import,
    "delete": _delete,
}
