"""The settings in which runs differ, and the runs that differ in nothing but the seed."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.config import RunConfig
from workbench.store import names
from workbench.store.listed import stamp
from workbench.store.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame

_NO_SETTINGS = ("name", "accept", "origins", "schema")
"""What a configuration holds besides settings."""
_SECTIONS = tuple(item.name for item in fields(RunConfig))
_METHOD = re.compile(r"terms\.\d+\.(loss|objective)")
ABSENT = "–"
"""Stands for a setting that a run does not have, as of a loss that it does not use."""


def settings_of(config: RunConfig) -> dict[str, str]:
    """Every setting by its dotted name, as text. `terms.0` is the loss or objective of the first term."""
    found = {}
    for name, value in _flat(asdict(config), "").items():
        if name.partition(".")[0] in _NO_SETTINGS or (_METHOD.fullmatch(name) and not value):
            continue
        found[name.rpartition(".")[0] if _METHOD.fullmatch(name) else name] = _text(value)
    return found


def differences(configs: Sequence[RunConfig]) -> "DataFrame":
    """One row per setting in which the configurations differ, and a column for each configuration, numbered from 0. The
    index is the dotted name of the setting; values are texts. Of a term that not all have, only what it is, its weight and
    its settings are listed.
    """
    import pandas

    known = [settings_of(config) for config in configs]
    values = {}
    for name in sorted({name for settings in known for name in settings}, key=_order):
        row = [settings.get(name, ABSENT) for settings in known]
        if not set(row) <= {"", ABSENT} and len(set(row)) > 1 and not _of_a_term_that_some_lack(name, known):
            values[name] = row
    return pandas.DataFrame.from_dict(values, orient="index", columns=range(len(configs)))


def _of_a_term_that_some_lack(name: str, known: Sequence[Mapping[str, str]]) -> bool:
    """Whether a setting says how a term is used which some of the runs do not have."""
    first, number, inner, *_ = *name.split(".", 3), "", "", ""
    if first != "terms" or inner in ("", "weight", "settings"):
        return False
    return any(f"terms.{number}" not in settings for settings in known)


def _order(name: str) -> tuple[int, list[str]]:
    """Settings in the order of the sections of a configuration; within one, by name."""
    section, *rest = name.split(".")
    return _SECTIONS.index(section), [part.zfill(3) if part.isdigit() else part for part in rest]


def apart_from_seed(config: RunConfig) -> str:
    """A text that is equal for two runs if they differ in nothing but the seed (and what is no setting)."""
    return json.dumps(settings_of(replace(config, training=replace(config.training, seed=0))))


def settings_but_seed(run: Run) -> str:
    """`apart_from_seed` of the configuration of a run. Cached by its date and size: pages compare those of hundreds of runs each
    time that they are drawn.

    Raises:
        BadRun, BadSetting: the run is damaged, see `Run.config`.
    """
    return _settings_but_seed(run.folder, stamp(run.folder / names.CONFIG))


@lru_cache(4096)
def _settings_but_seed(folder: Path, _stamp: str) -> str:
    return apart_from_seed(Run(folder).config)


def _flat(value: object, name: str) -> dict[str, object]:
    if isinstance(value, dict) and value:
        return {
            inner: found
            for key, item in value.items()
            for inner, found in _flat(item, f"{name}.{key}" if name else str(key)).items()
        }
    if isinstance(value, tuple) and any(isinstance(item, dict) for item in value):
        return _flat({str(number): item for number, item in enumerate(value)}, name)
    return {name: value}


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return "on" if value else "off"
    return "" if value == {} else f"{value:g}" if isinstance(value, float) else str(value)
