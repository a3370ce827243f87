"""The key of a configuration, by which sweeps share runs."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

from workbench.core.config import RunConfig
from workbench.data.references import file_stamps, place_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def key_of(config: RunConfig, stamps: Callable[[str], list[object]] = file_stamps) -> str:
    """Sixteen hexadecimal digits: a hash of everything in a configuration but its name and the origins of its values.

    Values at their defaults are left out, so that a setting added in a later version changes no key. Files count with size
    and modification time, since other texts or scores under the same path make another run.
    `stamps` may remember those of a file while one plan is made.
    """
    content = _without_defaults(replace(config, name="", origins={}))
    path = None if config.corpus.of_pairs else place_of(config.corpus.source)
    with suppress(OSError):
        if path:
            about = path.stat()
            content["file"] = [about.st_size, about.st_mtime_ns]
    if config.corpus.of_pairs or len(config.corpus.files) > 1:
        content["files"] = [stamps(part) for part in config.corpus.files]
    measured = dict.fromkeys([*config.selection.pairs, *config.evaluation.pairs, config.evaluation.sts_folder])
    if scored := [found for ref in measured if len(found := stamps(ref)) > 1]:
        content["scored"] = scored
    text = json.dumps(content, sort_keys=True, default=str)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _without_defaults(part: "DataclassInstance") -> dict[str, object]:
    content = {}
    for item in fields(part):
        value = getattr(part, item.name)
        default = item.default_factory() if item.default_factory is not MISSING else item.default
        if value != default:
            content[item.name] = _plain(value)
    return content


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return _without_defaults(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(name): _plain(item) for name, item in value.items()}
    return value
