"""What the results of a method depend on besides its settings: the files that these name, and the method's own code."""

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
"""Files of one folder that are looked at: whoever names a whole disk by mistake need not wait."""

Files = dict[str, list[list[str | int]]]


def files(method: Method, settings: Mapping[str, Value]) -> Files:
    """Of everything on disk that the method's resource is made from, each file's path, size and time.

    That is what the settings of `prepare` name (a file, a folder with all that is in it, an embedded backbone) and WordNet
    where it is the resource. A model of the Hugging Face Hub counts by its name alone: its files come with its first use.
    """
    named = {str(settings[name]) for name, s in method.prepare_settings.items() if s.kind is str and not s.choices}
    found = {value: _dates(path) for value in sorted(named) if (path := _place(value))}
    if method.prepare is wordnet.lexicon and (lexicon := wordnet._place()):
        found[str(lexicon)] = _dates(lexicon)
    return {value: dates for value, dates in found.items() if dates}


@cache
def code(module: str, package: Path = _OWN) -> str:
    """A digest of a module's source and that of the modules of this package that it imports, however far down.

    Read once. Comments count too: to make lines anew without need is better than to keep those of another method.
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


def _place(value: str) -> Path | None:
    name = value.removeprefix(BACKBONE)
    if name in EMBEDDED and (found := locate(name)):
        return found.folder
    return Path(name) if name else None  # Path("") would be the folder that one is in


def _dates(path: Path) -> list[list[str | int]]:
    try:
        path = path.expanduser()
        inside = sorted(islice(path.rglob("*"), _MOST)) if path.is_dir() else [path]
        stats = [(str(file.relative_to(path)), file.stat()) for file in inside if file.is_file()]
    except (OSError, ValueError, RuntimeError):  # no path at all, or longer than one can be
        return []
    return [[name, found.st_size, found.st_mtime_ns] for name, found in stats]
