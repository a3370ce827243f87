"""What can still be read of a run's config.toml that is damaged, so that the run can be set up again."""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import tomli
import tomli_w

from workbench.core.config import SECTIONS, RunConfig, from_toml, to_toml
from workbench.core.errors import WorkbenchError
from workbench.recipes.settle import settle
from workbench.store import names, user_recipes
from workbench.store.names import RunsFolder
from workbench.store.run import Run

_MOST_LINES = 200
"""Most lines that are left out to make a file TOML again."""
_KEY = re.compile(r'\s*"?([A-Za-z0-9_.]+)"?\s*=')
_TOP = ("name", "after", "accept", "corpus", "terms", "origins")


@dataclass(frozen=True)
class Readable:
    """A configuration of everything that can be read, with what its recipe and backbone set today in place of the rest."""

    config: RunConfig
    lost: tuple[str, ...]
    """The settings that could not be read, and lines that name none."""


def readable(run: Run) -> Readable | None:
    """What can be read of the configuration of a damaged run; None if not even its recipe can."""
    path = run.folder / names.CONFIG
    try:
        about = path.stat()
        return _readable(path, about.st_mtime_ns, about.st_size)
    except OSError:
        return None


@lru_cache(16)
def _readable(path: Path, _written: int, _size: int) -> Readable | None:
    """Cached: a page asks at each redraw."""
    raw, lost = _tables(path.read_text(encoding="utf-8", errors="replace"))
    base = _base(raw, RunsFolder(path.parent.parent))
    if base is None:
        return None
    whole = tomli.loads(to_toml(base))
    given: list[tuple[str, ...]] = [(name,) for name in _TOP if name in raw]
    for section in SECTIONS:
        known = raw.get(section)
        given += [(section, name) for name in (known if isinstance(known, dict) else ())]
    for keys in given:
        tried = _with(whole, keys, raw)
        try:
            from_toml(tomli_w.dumps(tried))
        except WorkbenchError:
            lost.append(".".join(keys))
        else:
            whole = tried
    return Readable(from_toml(tomli_w.dumps(whole)), tuple(dict.fromkeys(lost)))


def _tables(text: str) -> tuple[dict[str, Any], list[str]]:
    """The tables of a TOML file without the lines that cannot be read, and what these lines set."""
    lines, lost = text.splitlines(), list[str]()
    for _ in range(_MOST_LINES):
        try:
            return tomli.loads("\n".join(lines)), lost
        except tomli.TOMLDecodeError as error:
            at = min(error.lineno, len(lines)) - 1
            key = _KEY.match(lines[at])
            if lines[at].strip():
                lost.append(key[1] if key else lines[at].strip())
            del lines[at]
        except (ValueError, RecursionError):
            break
    return {}, lost


def _base(raw: dict[str, Any], folder: RunsFolder) -> RunConfig | None:
    """What the recipe and the backbone that the file names set today; without the backbone if that is no longer there."""
    model = raw.get("model")
    named = model.get("backbone") if isinstance(model, dict) else None
    official = raw.get("official") is True
    for backbone in [named, ""] if isinstance(named, str) else [""]:
        try:
            recipe = user_recipes.find(folder, str(raw.get("recipe", "")))
            return settle(recipe, backbone=backbone, official=official and bool(recipe.official))
        except WorkbenchError:
            continue
    return None


def _with(whole: dict[str, Any], keys: tuple[str, ...], raw: dict[str, Any]) -> dict[str, Any]:
    """`whole` with the value that `raw` has under `keys`."""
    if len(keys) == 1:
        return {**whole, keys[0]: raw[keys[0]]}
    section, name = keys
    return {**whole, section: {**whole[section], name: raw[section][name]}}
