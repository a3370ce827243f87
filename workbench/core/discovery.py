"""Collects the methods of a METHODS folder: its own files, and those that other installed packages add by entry points."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, TypeVar, overload

from workbench.core.errors import BadMethod, BadSetting, brief
from workbench.core.method import Method, Setting

_GROUP = "workbench."
_ID = re.compile(r"[a-z][a-z0-9_]*")
AS_A_SETTING = "A setting is written as name: Annotated[type, Knob(low, high, step, help)] = default."
HOW_TO = "docs/how-to/add-a-method.md says what such a file needs."


@dataclass(frozen=True)
class LeftOut:
    """A method of another package that cannot be used, and why."""

    id: str
    folder: str
    package: str
    reason: str

    def __str__(self) -> str:
        return f"The plug-in {self.id} of the package {self.package} ({self.folder}) is left out: {self.reason}"


class _Unusable(Exception):
    """What is wrong with a method, in one line; its cause is what the method's file raised, if it raised anything."""


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

    `kind` is the class of each entry. `check` returns in one line what a method lacks for this folder, beyond what every
    method needs; empty if nothing. A method of another package that cannot be used is left out and listed in `left_out`.

    Raises:
        BadMethod: a file of the folder has no METHOD, or one that cannot be used.
    """
    methods: dict[str, Method] = {}
    for name in sorted(module.name for module in iter_modules(path)):
        if name.startswith("_"):
            continue
        try:
            methods[name] = _usable(partial(_written, f"{package}.{name}"), name, kind, check, leads="file")
        except _Unusable as error:
            what = f"{package.replace('.', '/')}/{name}.py cannot be used: {error}"
            raise BadMethod(what, way_out=HOW_TO) from error.__cause__
    found = Methods(methods)
    for point in _points().get(package, ()):
        try:
            method = _usable(partial(_loaded, point), point.name, kind, check, leads="entry point")
            if point.name in found:
                raise _Unusable(f"the id is taken, by {found.packages.get(point.name, 'the workbench itself')}.")
        except (_Unusable, BadMethod) as error:
            found.left_out.append(LeftOut(point.name, package, _package(point), str(error)))
        else:
            found[point.name] = method
            found.packages[point.name] = _package(point)
    return found


def _written(module: str) -> object:
    """The METHOD of a file of the folder; None if it has none."""
    return getattr(import_module(module), "METHOD", None)


@cache
def _points() -> Mapping[str, list[EntryPoint]]:
    """The entry points of installed packages by the METHODS folder they add to, sorted by name and package."""
    return {
        group: sorted(entry_points(group=group), key=lambda point: (point.name, _package(point)))
        for group in sorted(entry_points().groups)
        if group.startswith(_GROUP)
    }


def _package(point: EntryPoint) -> str:
    return (point.dist.name if point.dist else "") or "unknown"


def plugin_files() -> dict[str, list[Path]]:
    """The files and folders that the methods of other packages are in, by package, version and entry point: as they are now,
    while this process may have imported what was there before. Nothing of them is imported.
    """
    found = dict[str, list[Path]]()
    for group in sorted(entry_points().groups):
        for point in entry_points(group=group) if group.startswith(_GROUP) else ():
            version = point.dist.version if point.dist else ""
            found[f"{group} {_package(point)} {version} {point.name} {point.value}"] = _places(point.module)
    return found


def _places(module: str) -> list[Path]:
    """The folders of the package that a module is in, or the module's file; none if there is no such package."""
    try:
        spec = find_spec(module.partition(".")[0])
    except (ImportError, ValueError):
        return []
    if spec is None:
        return []
    places = spec.submodule_search_locations or filter(None, [spec.origin])
    return [Path(place) for place in places]


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


def _usable(read: Callable[[], object], name: str, kind: type[Method], check: Check | None, *, leads: str) -> Method:
    """The method that `read` returns. `leads` is what leads to it: a file, or an entry point.

    Raises:
        _Unusable: it cannot be used.
        BadMethod: it imports another folder, in which a file cannot be used.
    """
    try:
        method = read()
        reason = _amiss(method, name, kind, check, leads=leads)
    except BadMethod:
        raise
    # Whatever a file raises while it is imported, or its METHOD while it is checked, that file is broken, not the workbench;
    # and sys.exit() would end the command without naming the file.
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {str(error).rstrip('.')}." if str(error) else f"{type(error).__name__}."
        raise _Unusable(reason) from error
    if reason or not isinstance(method, kind):
        raise _Unusable(reason)
    return method


def _amiss(method: object, name: str, kind: type[Method], check: Check | None, *, leads: str) -> str:
    """What is wrong with a method, in one line; empty if nothing is."""
    if not isinstance(method, kind):
        if leads == "file":
            return f"it must end with METHOD = {kind.__name__}({name}, ...)."
        return f"it does not lead to a {kind.__name__}, nor to a module that ends with METHOD = {kind.__name__}(...)."
    if not callable(method.fn) or not isinstance(getattr(method.fn, "__name__", None), str):
        got = brief(repr(method.fn))
        return f"the first argument of {kind.__name__} must be the function or class {name} itself, but is {got}."
    if method.id != name:
        return f"its function is called {method.id}: function and {leads} share one name."
    if not _ID.fullmatch(name):
        return "an id starts with a lower-case letter and has lower-case letters, digits and _ only."
    if wrong := _mistyped(method):
        return wrong
    if lacking := [part for part in ("title", "source", "summary") if not getattr(method, part).strip()]:
        return f"it has no {' and no '.join(lacking)}."
    for function in filter(None, (method.fn, method.prepare)):
        for parameter, annotation in getattr(function, "__annotations__", {}).items():
            if isinstance(annotation, str) and "Knob(" in annotation:
                return (
                    f"the Knob of its parameter {parameter} is a text. Do without from __future__ import annotations."
                )
    wrong = next(filter(None, map(_wrong, method.settings.values())), "")
    return wrong or (check(method) if check else "")


def _mistyped(method: Method) -> str:
    """Which field of a method has a value of the wrong type, in one line; empty if none has."""
    for name in ("title", "source", "formula"):
        value: object = getattr(method, name)
        if not isinstance(value, str):
            return f"its {name} is not a text, but {brief(repr(value))}."
    tags: object = method.tags
    if not isinstance(tags, Mapping):
        return f"its tags are not a dictionary of texts, but {brief(repr(tags))}."
    for name, tag in tags.items():
        if not isinstance(name, str) or not isinstance(tag, str):
            return f"its tag {name} is not a text."
    inputs: object = method.inputs
    if not isinstance(inputs, tuple) or not all(isinstance(name, str) for name in inputs):
        # ("gold") is a text, in which a name would be looked for letter by letter.
        return f'its inputs are not a tuple of names, such as ("negatives",), but {brief(repr(inputs))}.'
    for name in ("prepare", "missing", "caution", "logits", "each"):
        value = getattr(method, name)
        if value is not None and not callable(value):
            return f"its {name} is not a function, but {brief(repr(value))}."
    return ""


def _wrong(setting: Setting) -> str:
    """What is wrong with the declaration of a setting, in one line; empty if nothing is."""
    name, knob = setting.name, setting.knob
    choices: tuple[object, ...] = setting.choices
    if setting.kind not in (bool, int, float, str) or not all(isinstance(choice, str) for choice in choices):
        return f"its setting {name} is neither a bool, an int, a float, a str nor a Literal of texts."
    default: object = setting.default
    if default is inspect.Parameter.empty:
        return f"its setting {name} has no default. {AS_A_SETTING}"
    ends: tuple[object, ...] = (knob.low, knob.high, knob.step)
    for end in ends:
        if end is not None and (not isinstance(end, int | float) or isinstance(end, bool)):
            return f"the range of its setting {name} has {brief(repr(end))}, which is not a number. {AS_A_SETTING}"
    help: object = knob.help
    if not isinstance(help, str):
        return f"the help of its setting {name} is not a text, but {brief(repr(help))}. {AS_A_SETTING}"
    if not help.strip():
        return f"its setting {name} has no help. {AS_A_SETTING}"
    if setting.kind in (int, float):
        low, high, step = knob.low, knob.high, knob.step
        if low is None or high is None or step is None or not (low < high and step > 0):
            return f"its setting {name} has no range, or no step. {AS_A_SETTING}"
    try:
        setting.check(default)
    except BadSetting as error:
        return f"the default of its setting {name} is not a value of it: {error}"
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
    known = {point.dist.name: point.dist.version for point in points if point.dist and point.dist.name in used}
    return {name: version for name, version in known.items() if name}  # one that was removed meanwhile has none


def checks() -> list[tuple[str, str, str, str]]:
    """What `doctor` reports on other packages' methods, as (check, state, finding, way out) rows; empty if there are none."""
    used = [
        f"{id} of {package} ({group.removeprefix(_GROUP)})"
        for group, methods in folders()
        for id, package in methods.packages.items()
    ]
    rows = [("Plug-ins", "ok", ", ".join(used), "")] if used else []
    return rows + [("Plug-in left out", "problem", str(one), f"Update or remove {one.package}.") for one in left_out()]
