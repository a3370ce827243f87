"""The settings in which runs differ, and the runs that differ in nothing but the seed."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from workbench.core.config import RunConfig

if TYPE_CHECKING:
    from pandas import DataFrame

_NO_SETTINGS = ("name", "accept", "origins", "schema")
"""What a configuration holds besides settings."""
ABSENT = "–"
"""Stands for a setting that a run does not have, as of a loss that it does not use."""


def settings_of(config: RunConfig) -> dict[str, str]:
    """Every setting by its dotted name, as text."""
    return {
        name: _text(value)
        for name, value in _flat(asdict(config), "").items()
        if name.partition(".")[0] not in _NO_SETTINGS
    }


def differences(configs: Sequence[RunConfig]) -> "DataFrame":
    """One row per setting in which the configurations differ, and a column for each configuration, numbered from 0. The
    index is the dotted name of the setting; values are texts.
    """
    import pandas

    known = [settings_of(config) for config in configs]
    order = dict.fromkeys(name for settings in known for name in settings)
    values = {name: [settings.get(name, ABSENT) for settings in known] for name in order}
    differing = {name: row for name, row in values.items() if len(set(row)) > 1}
    return pandas.DataFrame.from_dict(differing, orient="index", columns=range(len(configs)))


def apart_from_seed(config: RunConfig) -> str:
    """A text that is equal for two runs if they differ in nothing but the seed (and what is no setting)."""
    return json.dumps(settings_of(replace(config, training=replace(config.training, seed=0))))


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
