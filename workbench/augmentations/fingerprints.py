"""What the results of a method depend on besides its settings: the files that these name, and the method's code."""

import ast
import hashlib
from collections.abc import Mapping
from functools import cache
from itertools import islice
from pathlib import Path

from workbench.augmentations import wordnet
from workbench.augmentations.static_vectors import BACKBONE
from workbench.core.config import Value
from workbench.core.method import Method
from workbench.models.cards import EMBEDDED, locate

_OWN = Path(__file__).parent
_PACKAGE = "workbench.augmentations"
_MOST = 5000
"""Files of one folder that count, at most: naming a whole disk by mistake must not take long."""

Files = dict[str, list[list[str | int]]]


def files(method: Method, settings: Mapping[str, Value]) -> Files:
    """Path, size and modification time of every file that the method's resource is made from.

    Those are the files that the settings of `prepare` name (a file, a folder with its contents, an embedded backbone), and
    WordNet if it is the resource. A model of the Hugging Face Hub counts by its name only: its files arrive at first use.
    """
    named = {str(settings[name]) for name, s in method.prepare_settings.items() if s.kind is str and not s.choices}
    dates_of = {value: _dates(path) for value in sorted(named) if (path := _path(value))}
    if method.prepare is wordnet.lexicon:
        dates_of[str(wordnet.source())] = _dates(wordnet.source())
    return {value: dates for value, dates in dates_of.items() if dates}


@cache
def code(module: str, package: Path = _OWN) -> str:
    """A digest of the source of a module and of all modules of this package that it imports, directly or not.

    Read once. Comments count too: recomputing lines without need is better than keeping outdated ones.
    """
    digest = hashlib.sha256()
    for name, source in sorted(_sources(module, package, {}).items()):
        digest.update(f"{name}\0{source}\0".encode())
    return digest.hexdigest()[:20]


def _sources(module: str, package: Path, sources: dict[str, str]) -> dict[str, str]:
    parts = module.removeprefix(f"{_PACKAGE}.").split(".")
    path = package.joinpath(*parts).with_suffix(".py")
    if module in sources or not module.startswith(f"{_PACKAGE}.") or not path.is_file():
        return sources
    sources[module] = path.read_text("utf-8")
    for node in ast.walk(ast.parse(sources[module])):
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in (node.module, *(f"{node.module}.{alias.name}" for alias in node.names)):
                _sources(name, package, sources)
    return sources


def _path(value: str) -> Path | None:
    name = value.removeprefix(BACKBONE)
    if name in EMBEDDED and (found := locate(name)):
        return found.folder
    return Path(name) if name else None  # Path("") would be the current folder


def _dates(path: Path) -> list[list[str | int]]:
    try:
        path = path.expanduser()
        inside = sorted(islice(path.rglob("*"), _MOST)) if path.is_dir() else [path]
        stats = [(str(file.relative_to(path)), file.stat()) for file in inside if file.is_file()]
    except (OSError, ValueError, RuntimeError):  # not a path, or too long for one
        return []
    return [[name, found.st_size, found.st_mtime_ns] for name, found in stats]
