"""Collects the methods of a METHODS folder: its own files, and those that other installed packages add by entry points."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, TypeVar, overload

from workbench.core.method import Method

_GROUP = "workbench."
_ID = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class LeftOut:
    """A method of another package that cannot be used, and why."""

    id: str
    folder: str
    package: str
    reason: str

    def __str__(self) -> str:
        return f"The plug-in {self.id} of the package {self.package} ({self.folder}) is left out: {self.reason}"


Kind = TypeVar("Kind", bound=Method)
Check = Callable[[Method], str]


class Methods(dict[str, Kind]):
    """The methods of a folder by id: its own sorted, then those of other packages, sorted."""

    def __init__(self, methods: Mapping[str, Kind]) -> None:
        super().__init__(methods)
        self.packages: dict[str, str] = {}
        """The package that each method from elsewhere comes from, by method id."""
        self.left_out: list[LeftOut] = []

    def leave_out(self, id: str, folder: str, reason: str) -> None:
        """Remove a method of another package."""
        self.left_out.append(LeftOut(id, folder, self.packages.pop(id), reason))
        del self[id]


@overload
def discover(package: str, path: list[str], *, check: Check | None = None) -> Methods[Method]: ...
@overload
def discover(package: str, path: list[str], kind: type[Kind], *, check: Check | None = None) -> Methods[Kind]: ...
def discover(package: str, path: list[str], kind: type[Method] = Method, *, check: Check | None = None) -> Methods[Any]:
    """Every module of a METHODS folder, sorted by id, skipping names that start with `_`; then what other packages add.

    `kind` is the class of each entry. `check` returns in one line what a method from another package lacks for this folder,
    beyond what every method needs; empty if nothing. A method that cannot be used is left out and listed in `left_out`.

    Raises:
        ImportError: a file has no METHOD, or its function is not named like the file.
    """
    methods: dict[str, Method] = {}
    for name in sorted(module.name for module in iter_modules(path)):
        if name.startswith("_"):
            continue
        own = getattr(import_module(f"{package}.{name}"), "METHOD", None)
        if not isinstance(own, kind) or own.id != name:
            raise ImportError(f"{package}/{name}.py must end with METHOD = {kind.__name__}({name}, ...)")
        methods[name] = own
    found = Methods(methods)
    for point in _points().get(package, ()):
        method: object = None
        try:
            method = _loaded(point)
            reason = _amiss(method, point.name, kind)
            if not reason and check and isinstance(method, Method):
                reason = check(method)
        # Whatever another package raises during its import, that package is broken, not the workbench.
        except (Exception, SystemExit) as error:
            reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        if not reason and point.name in found:
            reason = f"the id is taken, by {found.packages.get(point.name, 'the workbench itself')}."
        if reason or not isinstance(method, Method):
            found.left_out.append(LeftOut(point.name, package, _package(point), reason))
        else:
            found[point.name] = method
            found.packages[point.name] = _package(point)
    return found


@cache
def _points() -> Mapping[str, list[EntryPoint]]:
    """The entry points of installed packages by the METHODS folder they add to, sorted by name and package."""
    return {
        group: sorted(entry_points(group=group), key=lambda point: (point.name, _package(point)))
        for group in sorted(entry_points().groups)
        if group.startswith(_GROUP)
    }


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist else "unknown"


def _loaded(point: EntryPoint) -> object:
    """The object that the entry point names; for a module its METHOD, as in a file of this package."""
    found = point.load()
    if not isinstance(found, ModuleType):
        return found
    if not hasattr(found, "METHOD") and getattr(found.__spec__, "_initializing", False):
        raise ImportError(
            f"{found.__name__} was imported before the workbench, and asks for {point.group} while it is imported. "
            f"Import {point.group} inside its function, or first."
        )
    return getattr(found, "METHOD", None)


def _amiss(method: object, name: str, kind: type[Method]) -> str:
    """What is wrong with a method from another package, in one line; empty if nothing is."""
    if not isinstance(method, kind):
        known = kind.__name__
        return f"it does not lead to a {known}, nor to a module that ends with METHOD = {known}(...)."
    if method.id != name:
        return f"its function is called {method.id}: function and entry point share one name."
    if not _ID.fullmatch(name):
        return "an id starts with a lower-case letter and has lower-case letters, digits and _ only."
    if lacking := [part for part in ("title", "source", "summary") if not getattr(method, part).strip()]:
        return f"it has no {' and no '.join(lacking)}."
    for setting in method.settings.values():
        setting.check(setting.default)
    return ""


def folders() -> Iterator[tuple[str, Methods[Method]]]:
    """(name, methods) of each METHODS folder that other packages add to."""
    for group in _points():
        try:
            methods = getattr(import_module(group), "METHODS", None)
        except ModuleNotFoundError as error:
            if not group.startswith(f"{error.name}"):
                raise
            continue
        if isinstance(methods, Methods):
            yield group, methods


def left_out() -> list[LeftOut]:
    """Every method of another package that cannot be used. Nothing is imported if no package adds any."""
    known = dict(folders())
    lost = [
        LeftOut(point.name, group, _package(point), f"{group} is not a folder of methods.")
        for group, points in _points().items()
        if group not in known
        for point in points
    ]
    return [*(one for methods in known.values() for one in methods.left_out), *lost]


def packages() -> dict[str, str]:
    """The version of each package whose methods are available here, by package name: results depend on them."""
    used = {name for _, methods in folders() for name in methods.packages.values()}
    points = (point for points in _points().values() for point in points)
    return {point.dist.name: point.dist.version for point in points if point.dist and point.dist.name in used}


def checks() -> list[tuple[str, str, str, str]]:
    """What `doctor` reports on other packages' methods, as (check, state, finding, way out) rows; empty if there are none."""
    used = [
        f"{id} of {package} ({group.removeprefix(_GROUP)})"
        for group, methods in folders()
        for id, package in methods.packages.items()
    ]
    rows = [("Plug-ins", "ok", ", ".join(used), "")] if used else []
    return rows + [("Plug-in left out", "problem", str(one), f"Update or remove {one.package}.") for one in left_out()]
